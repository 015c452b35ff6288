/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the figures of a pair from what BPF programs have counted. */
#ifndef TW_KERNEL_FIGURES_H
#define TW_KERNEL_FIGURES_H

#include "pairs/figures.h"
#include "producer/kernel_pairs/samples.h"

/** tw_kernel_samples__add() - add the samples of one bucket to a histogram. @bucket: TW_HISTOGRAM_BUCKETS = beyond the last one */
void tw_kernel_samples__add(const struct tw_kernel_samples *samples, size_t bucket, struct tw_histogram *to);

/**
 * tw_kernel_figures__read() - add an element of a map to the figures of a pair
 * @fd: a PERCPU_ARRAY of struct tw_kernel_figures with copies for @cpus CPUs; @index: of the element
 * @clear: also clear the element; no program may use it
 * Return: 0, -ENOMEM, or an -errno of the map.
 */
int tw_kernel_figures__read(int fd, uint32_t index, size_t cpus, bool clear, struct tw_pair_figures *figures);

#endif
