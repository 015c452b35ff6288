/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What AF_XDP sockets share, whichever way frames go. Used inside vnet/ only. */
#ifndef TW_AF_XDP_H
#define TW_AF_XDP_H

#include <linux/if_xdp.h>
#include <stddef.h>
#include <xdp/xsk.h>

/* Of the kernel's interface since 6.6, missing in older headers. */
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

#define AF_XDP_CHUNK 4096 /* of a UMEM; a frame takes as many as it needs */

/* A UMEM to be: an area that is the caller's, and its rings, by their sizes. */
struct af_xdp_umem {
	void *area;
	size_t bytes; /* whole chunks */
	struct xsk_ring_prod *fill;
	struct xsk_ring_cons *completion;
	uint32_t fill_size, completion_size; /* powers of two */
};

/** af_xdp__create_umem() - also where locked memory is limited to less, if that may be changed. Return: 0 or -errno */
int af_xdp__create_umem(const struct af_xdp_umem *wanted, struct xsk_umem **ret);

#endif
