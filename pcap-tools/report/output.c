/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <unistd.h>

#include "pcap-tools/report/report_impl.h"

struct tw_line tw_report_output__line(struct tw_report_output *out)
{
	if (TW_REPORT_OUTPUT_SIZE - out->len < TW_REPORT_LINE_MAX)
		tw_report_output__flush(out);
	return tw_line__on(out->buf + out->len, TW_REPORT_LINE_MAX);
}

int tw_report_output__put(struct tw_report_output *out, const struct tw_line *line)
{
	if (!out->failure)
		out->len += tw_line__len(line);
	return out->failure;
}

int tw_report_output__flush(struct tw_report_output *out)
{
	size_t at = 0;

	while (!out->failure && at < out->len) {
		const ssize_t n = write(out->fd, out->buf + at, out->len - at);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR)
			out->failure = -errno;
	}
	out->len = 0;
	return out->failure;
}
