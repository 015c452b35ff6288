/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/af_xdp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

static int create(const struct af_xdp_umem *wanted, struct xsk_umem **ret)
{
	const struct xsk_umem_config config = {
		.fill_size = wanted->fill_size,
		.comp_size = wanted->completion_size,
		.frame_size = AF_XDP_CHUNK,
	};

	return xsk_umem__create(ret, wanted->area, wanted->bytes, wanted->fill, wanted->completion, &config);
}

/* Kernels before 5.11 count a UMEM as locked memory, some later ones too; the default limit may be too low for it. */
int af_xdp__create_umem(const struct af_xdp_umem *wanted, struct xsk_umem **ret)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int error = create(wanted, ret);

	if (error == -ENOBUFS && setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0)
		error = create(wanted, ret);
	if (!error)
		fcntl(xsk_umem__fd(*ret), F_SETFD, FD_CLOEXEC); /* the first socket on it has the same descriptor */
	return error;
}
