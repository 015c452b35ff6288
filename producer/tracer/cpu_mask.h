/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts a set of CPUs, as users type it, to the form that tracing_cpumask has. */
#ifndef TW_CPU_MASK_H
#define TW_CPU_MASK_H

#include "base/error.h"

#define TW_CPU_MASK_CPUS 1024
#define TW_CPU_MASK_TEXT (TW_CPU_MASK_CPUS / 32 * 9 + 1)

/**
 * tw_cpu_mask__parse() - parse a set of CPUs
 * @text: "c" or "0xc": a hexadecimal mask, optionally with a comma before each group of eight digits. "-1": all CPUs. "2-3", "0,2" or
 * "0-3,8": numbers of CPUs; such a list has a dash, or a comma that is not followed by exactly eight digits
 * @cpus: number of CPUs, at most TW_CPU_MASK_CPUS
 * @ret: the mask as the kernel writes it
 * Return: 0; -EINVAL for any other text, an empty set, or a CPU that does not exist.
 */
int tw_cpu_mask__parse(const char *text, unsigned int cpus, char ret[TW_CPU_MASK_TEXT], struct tw_error *error);

#endif
