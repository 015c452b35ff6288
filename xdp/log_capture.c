/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/log_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tw_log_capture *listening;

/*
 * Whether a line may state the reason of an error. The lines that begin, summarise and end the verifier's log do not state it, and neither
 * do libbpf's messages that only say that loading failed.
 */
static bool says_why(const char *line)
{
	return *line && !strstr(line, "-- BEGIN PROG LOAD LOG --") && !strstr(line, "-- END PROG LOAD LOG --") &&
	       strncmp(line, "processed ", 10) != 0 && !strstr(line, "failed to load") &&
	       !strstr(line, "BPF program load failed");
}

static void keep_line(char *line)
{
	const char *text = strncmp(line, "libbpf: ", 8) ? line : line + 8;

	if (!strncmp(text, "libxdp: ", 8))
		text += 8;
	if (says_why(text))
		snprintf(listening->last, sizeof(listening->last), "%s", text);
}

static void keep_lines(const char *format, va_list args)
{
	char *text = NULL, *save;

	if (!listening || vasprintf(&text, format, args) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		keep_line(line);
	free(text);
}

static int from_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_WARN)
		keep_lines(format, args);
	return 0;
}

static int from_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	if (level == LIBXDP_WARN)
		keep_lines(format, args);
	return 0;
}

void tw_log_capture__begin(struct tw_log_capture *log)
{
	log->last[0] = '\0';
	listening = log;
	log->libxdp = libxdp_set_print(from_libxdp);
	log->libbpf = libbpf_set_print(from_libbpf); /* last, because libxdp_set_print() also sets libbpf's function */
}

void tw_log_capture__end(struct tw_log_capture *log)
{
	libxdp_set_print(log->libxdp);
	libbpf_set_print(log->libbpf);
	listening = NULL;
}

const char *tw_log_capture__why(const struct tw_log_capture *log, int err)
{
	return *log->last ? log->last : strerror(-err);
}
