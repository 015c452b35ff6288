/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel that turn addresses into pointers of which BPF programs read members without a helper function (Linux 6.2). A program
 * that uses none of them can be loaded by older kernels, too.
 */
#ifndef TW_READABLE_BPF_H
#define TW_READABLE_BPF_H

#include <stdint.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

extern void *bpf_cast_to_kern_ctx(void *) __ksym __weak;
extern void *bpf_rdonly_cast(const void *, uint32_t)
__ksym __weak;

/* A pointer of which members can be read. */
#define READABLE(pointer, type) ((const type *)bpf_rdonly_cast((const void *)(pointer), bpf_core_type_id_kernel(type)))

#endif
