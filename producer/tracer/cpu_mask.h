/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of CPUs as people write it and as tracing_cpumask takes it. */
#ifndef TW_CPU_MASK_H
#define TW_CPU_MASK_H

#include <stddef.h>

#include "base/error.h"

#define TW_CPU_MASK_CPUS 1024
#define TW_CPU_MASK_TEXT (TW_CPU_MASK_CPUS / 32 * 9 + 1)

/**
 * tw_cpu_mask__parse() - read a set of CPUs
 * @text: "c" or "0xc": a hexadecimal mask, with commas before each eight digits if wanted; "-1": all; "2-3", "0,2", "0-3,8":
 *        CPUs by number, told from a mask by their dash or comma
 * @cpus: how many there are, at most TW_CPU_MASK_CPUS
 * @ret: in the kernel's notation
 *
 * Return: 0; -EINVAL if it is neither, has no CPU in it, or one that is not there.
 */
int tw_cpu_mask__parse(const char *text, unsigned int cpus, char ret[TW_CPU_MASK_TEXT], struct tw_error *error);

#endif
