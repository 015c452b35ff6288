/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps of a classifier: they outlive its programs, which change with the schema. */
#ifndef TW_MAPS_H
#define TW_MAPS_H

#include "base/error.h"
#include "filter/bpf/program.h"

struct tw_maps {
	int fds[TW_BPF_MAPS]; /* by enum tw_bpf_map; -1 = there is none */
};

/** tw_maps__none() - before tw_maps__make() */
void tw_maps__none(struct tw_maps *maps);

/**
 * tw_maps__make() - maps for so many rows
 * @offload_to: index of the interface that is to have them; 0 = the kernel
 * Return: 0 or -errno; what was made is in @maps either way.
 */
int tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *err);

void tw_maps__fini(struct tw_maps *maps);

/** tw_map__id() - as the kernel names it for everybody. Return: 0 if there is no such map */
uint32_t tw_map__id(int fd);

#endif
