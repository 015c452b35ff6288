/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures the messages that libbpf and libxdp print, for error messages. Used inside xdp/ only. */
#ifndef TW_LOG_CAPTURE_H
#define TW_LOG_CAPTURE_H

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

struct tw_log_capture {
	libbpf_print_fn_t libbpf;
	libxdp_print_fn_t libxdp;
	char last[256]; /* the last warning line, without the prefix of the library; "" = none */
};

/** tw_log_capture__begin() - capture messages until tw_log_capture__end(); do not nest */
void tw_log_capture__begin(struct tw_log_capture *log);
void tw_log_capture__end(struct tw_log_capture *log);

/** tw_log_capture__why() - the captured message, or the text of the errno; borrowed */
const char *tw_log_capture__why(const struct tw_log_capture *log, int error);

#endif
