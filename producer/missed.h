/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events for which the kernel skipped a BPF program, because it already ran one on their CPU. The kernel counts them for each program since
 * it was loaded. TW_MISSED_UNKNOWN is a number that could not be read.
 */
#ifndef TW_MISSED_H
#define TW_MISSED_H

#include <bpf/bpf.h>
#include <stdint.h>

#define TW_MISSED_UNKNOWN UINT64_MAX

/** tw_missed__add() - Return: the sum of two numbers, which is unknown if one of them is */
static inline uint64_t tw_missed__add(uint64_t a, uint64_t b)
{
	return a == TW_MISSED_UNKNOWN || b == TW_MISSED_UNKNOWN ? TW_MISSED_UNKNOWN : a + b;
}

/** tw_missed__since() - Return: how much a number has grown since it was @before */
static inline uint64_t tw_missed__since(uint64_t now, uint64_t before)
{
	return now == TW_MISSED_UNKNOWN || before == TW_MISSED_UNKNOWN ? TW_MISSED_UNKNOWN : now - before;
}

/** tw_missed__of() - Return: the number of a program. @fd: its descriptor */
static inline uint64_t tw_missed__of(int fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? TW_MISSED_UNKNOWN : info.recursion_misses;
}

#endif
