/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets: the chosen segments of TCP of a socket, if not all are chosen. Its later stages have the bytes of several segments, so
 * they need the last bytes of those that were chosen.
 */
#ifndef TW_SOCKETS_INGRESS_SAMPLED_BPF_H
#define TW_SOCKETS_INGRESS_SAMPLED_BPF_H

#include "producer/sockets/ingress.bpf.h"

#define SAMPLED 16 /* chosen segments of a socket that were not read */

struct sampled {
	uint32_t keys[SAMPLED];
	uint32_t n; /* number of chosen segments */
	uint32_t
		n_read; /* of these, the first that were read. If more than SAMPLED were not, some keys are forgotten */
};

struct ingress_sampled {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sampled);
};

extern struct ingress_sampled in_sampled SEC(".maps");

static __always_inline void note_chosen(struct sampled *sampled, uint32_t key)
{
	if (sampled)
		sampled->keys[__sync_fetch_and_add(&sampled->n, 1) % SAMPLED] = key;
}

/* Whether the bytes from @from until before @end have the last byte of a chosen segment. @are_read: its bytes will not come again */
static __always_inline bool has_chosen(struct sampled *sampled, uint32_t from, uint32_t end, bool are_read)
{
	const uint32_t n = sampled->n, pending = n - sampled->n_read;
	uint32_t left = 0, found = pending > SAMPLED;

	if (!pending)
		return false;
		/* without branches, each of which would double the work of the verifier */
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < SAMPLED; i++) {
		const uint32_t key = sampled->keys[(n - 1 - i) % SAMPLED];
		uint32_t is_pending = (i - pending) >> 31, is_before_end = (key - end) >> 31;

		barrier_var(is_pending);
		barrier_var(is_before_end);
		found |= is_pending & is_before_end & ~(key - from) >> 31;
		left += (i + 1 - left) * (is_pending & (is_before_end ^ 1));
	}
	if (are_read && left < SAMPLED)
		sampled->n_read = n - left;
	return found;
}

#endif
