/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libbpf and libxdp print; we keep what they said last and tell it in our own sentence. Used inside xdp/ only. */
#ifndef TW_QUIET_H
#define TW_QUIET_H

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

struct tw_quiet {
	libbpf_print_fn_t libbpf;
	libxdp_print_fn_t libxdp;
	char last[256]; /* line of a warning, without what libraries put before it; "" = nothing was said */
};

/** tw_quiet__begin() - from now on nothing is printed; until tw_quiet__end(), not inside another */
void tw_quiet__begin(struct tw_quiet *quiet);
void tw_quiet__end(struct tw_quiet *quiet);

/** tw_quiet__why() - what was said, or what the error means; borrowed */
const char *tw_quiet__why(const struct tw_quiet *quiet, int error);

#endif
