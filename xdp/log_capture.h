/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures warnings that libbpf and libxdp would print, to use them in error texts. Used inside xdp/ only. */
#ifndef TW_LOG_CAPTURE_H
#define TW_LOG_CAPTURE_H

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

struct tw_log_capture {
	libbpf_print_fn_t libbpf; /* print functions before tw_log_capture__begin() */
	libxdp_print_fn_t libxdp;
	char last[256]; /* the last captured line that gives a reason, without the library's prefix; "" = none */
};

/** tw_log_capture__begin() - capture warnings, and suppress other messages, until tw_log_capture__end(); calls must not be nested */
void tw_log_capture__begin(struct tw_log_capture *log);
void tw_log_capture__end(struct tw_log_capture *log);

/** tw_log_capture__why() - Return: the captured message, or strerror(-@err) if there is none; valid as long as @log */
const char *tw_log_capture__why(const struct tw_log_capture *log, int err);

#endif
