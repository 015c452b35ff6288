/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel that turn addresses into pointers of which BPF programs read members without a helper function (Linux 6.2).
 * Older kernels can load programs that use none of them.
 */
#ifndef TW_READABLE_BPF_H
#define TW_READABLE_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

extern void *bpf_cast_to_kern_ctx(void *) __ksym __weak;
extern void *bpf_rdonly_cast(const void *, uint32_t)
__ksym __weak;

/* A pointer of which members can be read. */
#define READABLE(pointer, type) ((const type *)bpf_rdonly_cast((const void *)(pointer), bpf_core_type_id_kernel(type)))

/* A structure of the kernel with many bytes. The verifier permits words of any size in an array. */
struct __kernel_sockaddr_storage {
	char __data[126];
} __attribute__((preserve_access_index));

/*
 * Copies @size bytes of the kernel, a constant and a multiple of 8, one word after the other. This takes less time than
 * bpf_probe_read_kernel(). If they cannot be read, the words are 0.
 */
static __always_inline void copy_readable(void *to, const void *at, uint32_t size)
{
	const struct __kernel_sockaddr_storage *of = NULL;
	const uint64_t *from;
	uint64_t *words = to;

	of = READABLE((const char *)at - __builtin_preserve_field_info(of->__data, BPF_FIELD_BYTE_OFFSET),
		      struct __kernel_sockaddr_storage);
	from = (const void *)of->__data;
	barrier_var(from); /* otherwise, the compiler knows that the words may be unaligned, and loads bytes */
	for (uint32_t i = 0; i < size / sizeof(*words); i++)
		words[i] = from[i];
}

#endif
