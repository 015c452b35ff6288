/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates the maps of a classifier. Loads its generated program, or leaves the loading to libxdp. Used by one thread at a time. */
#ifndef TW_LOAD_H
#define TW_LOAD_H

#include <bpf/libbpf.h>

#include "base/error.h"
#include "filter/bpf/program.h"

struct tw_maps {
	int fds[TW_BPF_MAPS]; /* descriptors, by enum tw_bpf_map; -1 = this map was not created */
};

/** tw_maps__none() - set all descriptors to -1 */
void tw_maps__none(struct tw_maps *maps);

/**
 * tw_maps__make() - create the maps of a program with @rows rows of counters
 * @offload_to: index of the interface whose NIC gets the maps; 0 = not offloaded
 * Return: 0 or -errno; call tw_maps__fini() in either case.
 */
int tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *error);

/** tw_maps__fini() - close all descriptors, and set them to -1 */
void tw_maps__fini(struct tw_maps *maps);

/** tw_map__id() - read the kernel's id of a map. @ret: 0 if @fd is -1. Return: 0 or -errno */
int tw_map__id(int fd, uint32_t *ret, struct tw_error *error);

#define TW_PROGRAM_NAME "tw_classify"

struct tw_load_options {
	const struct tw_bpf_program *code; /* must exist as long as the struct tw_loaded */
	const struct tw_maps *maps;        /* must exist as long as the struct tw_loaded */
	uint8_t hook;                      /* enum tw_hook */
	int offload_to;                    /* index of the interface whose NIC runs the program; 0 = not offloaded */
};

struct tw_loaded {
	struct bpf_object *object;
	struct bpf_program *program;
	struct bpf_insn *insns; /* the instructions, with the descriptors of the maps */
	struct tw_load_options options;
};

/**
 * tw_loaded__open() - make a BPF object with the program, without loading it
 * @ret: call tw_loaded__fini() also after an error. Its address must not change until the object is loaded
 * Return: 0 or -errno.
 */
int tw_loaded__open(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error);

/**
 * tw_loaded__load() - make a BPF object and load it
 * @ret: call tw_loaded__fini() also after an error
 * Return: 0; -EPERM; another -errno, with the last message of the verifier or of libbpf in @error.
 */
int tw_loaded__load(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error);

/** tw_loaded__fd() - Return: descriptor of the loaded program, owned by @loaded; negative if it is not loaded */
int tw_loaded__fd(const struct tw_loaded *loaded);

/** tw_loaded__fini() - close the object; an attached program stays attached */
void tw_loaded__fini(struct tw_loaded *loaded);

/** tw_program__id() - read the kernel's id of a program. Return: 0 or -errno */
int tw_program__id(int fd, uint32_t *ret, struct tw_error *error);

/** tw_program__name_of() - read the name of the program with that id. @name: "" if unknown */
void tw_program__name_of(uint32_t id, char name[BPF_OBJ_NAME_LEN]);

#endif
