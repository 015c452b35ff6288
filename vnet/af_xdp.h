/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code shared by AF_XDP transmit and receive. Used inside vnet/ only. */
#ifndef TW_AF_XDP_H
#define TW_AF_XDP_H

#include <errno.h>
#include <fcntl.h>
#include <linux/if_xdp.h>
#include <stddef.h>
#include <sys/resource.h>
#include <xdp/xsk.h>

/* Defined by Linux 6.6 and later; older headers lack them. */
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

#define AF_XDP_CHUNK 4096 /* size of a chunk of a UMEM, bytes; a frame takes as many chunks as it needs */

/**
 * af_xdp__create_umem() - call xsk_umem__create(); if the limit of locked memory is too low, try to raise it and call again
 *
 * Without CAP_IPC_LOCK, the kernel counts a UMEM as locked memory; the default limit may be too low for it.
 */
static inline int af_xdp__create_umem(struct xsk_umem **ret, void *area, size_t bytes, struct xsk_ring_prod *fill,
				      struct xsk_ring_cons *completion, const struct xsk_umem_config *config)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int err = xsk_umem__create(ret, area, bytes, fill, completion, config);

	if (err == -ENOBUFS && setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0)
		err = xsk_umem__create(ret, area, bytes, fill, completion, config);
	/* the descriptor of the UMEM is also that of the first socket on the UMEM */
	if (!err && fcntl(xsk_umem__fd(*ret), F_SETFD, FD_CLOEXEC)) {
		err = -errno;
		xsk_umem__delete(*ret);
		*ret = NULL;
	}
	return err;
}

#endif
