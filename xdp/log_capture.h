/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libbpf and libxdp print; we keep what they said last and tell it in our own sentence. Used inside xdp/ only. */
#ifndef TW_LOG_CAPTURE_H
#define TW_LOG_CAPTURE_H

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

struct tw_log_capture {
	libbpf_print_fn_t libbpf;
	libxdp_print_fn_t libxdp;
	char last[256]; /* line of a warning, without what libraries put before it; "" = nothing was said */
};

/** tw_log_capture__begin() - from now on nothing is printed; until tw_log_capture__end(), not inside another */
void tw_log_capture__begin(struct tw_log_capture *log);
void tw_log_capture__end(struct tw_log_capture *log);

/** tw_log_capture__why() - what was said, or what the error means; borrowed */
const char *tw_log_capture__why(const struct tw_log_capture *log, int error);

#endif
