/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A classifier in the kernel: its maps, and its generated program, loaded directly or by libxdp. One thread at a time. */
#ifndef TW_LOAD_H
#define TW_LOAD_H

#include <bpf/libbpf.h>

#include "base/error.h"
#include "filter/bpf/program.h"

struct tw_maps {
	int fds[TW_BPF_MAPS]; /* by enum tw_bpf_map; -1 = there is none */
};

/** tw_maps__none() - initialise, before tw_maps__make() */
void tw_maps__none(struct tw_maps *maps);

/**
 * tw_maps__make() - create maps for @rows rows
 * @offload_to: index of the interface for offloaded maps; 0 = the kernel
 * Return: 0 or -errno; @maps has the created maps in either case.
 */
int tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *error);

void tw_maps__fini(struct tw_maps *maps);

/** tw_map__id() - the kernel's id of a map. Return: 0 if there is no such map */
uint32_t tw_map__id(int fd);

#define TW_PROGRAM_NAME "tw_classify"

struct tw_load_options {
	const struct tw_bpf_program *code; /* borrowed */
	const struct tw_maps *maps;        /* the same */
	uint8_t hook;                      /* enum tw_hook */
	int offload_to;                    /* index of an interface; 0 = none */
};

struct tw_loaded {
	struct bpf_object *object;
	struct bpf_program *program;
	struct bpf_insn *insns; /* with the maps in them */
	struct tw_load_options options;
};

/**
 * tw_loaded__open() - open an object with the program, without loading it
 * @ret: call tw_loaded__fini() also after an error. Do not move it until the object is loaded
 */
int tw_loaded__open(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error);

/** tw_loaded__load() - open and load it. Return: 0; -EPERM; another -errno, with the verifier's last message in @error */
int tw_loaded__load(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error);

/** tw_loaded__fd() - of the program, once it is loaded; borrowed */
int tw_loaded__fd(const struct tw_loaded *loaded);

void tw_loaded__fini(struct tw_loaded *loaded);

/** tw_program__id() - the kernel's id of a program; 0 = none */
uint32_t tw_program__id(int fd);

/** tw_program__is_ours() - whether the program of that id has Tracewire's name */
bool tw_program__is_ours(uint32_t id);

/** tw_program__name_of() - the name of the program of that id, or "" */
void tw_program__name_of(uint32_t id, char name[BPF_OBJ_NAME_LEN]);

#endif
