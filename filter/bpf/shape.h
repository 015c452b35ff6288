/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/bpf. Trees of different events that give the same instructions: a bare field may mean 700 events. */
#ifndef TW_BPF_SHAPE_H
#define TW_BPF_SHAPE_H

#include "filter/tree.h"

/** tw_shape__equal() - whether both trees ask the same of the same places; predicates' numbers don't count */
bool tw_shape__equal(const struct tw_node *a, const struct tw_node *b);

/** tw_shape__hash() - the same for equal trees */
uint64_t tw_shape__hash(const struct tw_node *root);

#endif
