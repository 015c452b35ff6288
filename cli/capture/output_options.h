/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options -b, which sets when a capture begins its next file, and -a, which sets when it ends. As in dumpcap, both may be repeated. */
#ifndef CLI_OUTPUT_OPTIONS_H
#define CLI_OUTPUT_OPTIONS_H

#include "cli/options.h"
#include "pcap-tools/output/output.h"

/* The values of -b and -a; 0 = not given. Sizes are in bytes, times in ns. */
struct output_request {
	uint64_t file_bytes, file_packets, file_ns, interval_ns, files_max; /* -b */
	uint64_t stop_bytes, stop_events, stop_ns, stop_files;              /* -a */
};

extern const struct cli_option_group output_group; /* -b, -a; for a config that begins with a struct output_request */

/*
 * output_request__ring(), output_request__autostop() - parse KEY:VALUE, the argument of one -b or one -a, into a struct output_request
 * Return: 0 or -EINVAL with @error filled
 */
int output_request__ring(void *request, const char *text, struct tw_error *error);
int output_request__autostop(void *request, const char *text, struct tw_error *error);

/** output_request__check() - check the combination of all options. Return: 0 or -EINVAL with @error filled */
int output_request__check(const struct output_request *request, struct tw_error *error);

/** output_request__rotates() - whether the output may be several files: a -b other than files: is given, or -b files: and -a filesize: */
bool output_request__rotates(const struct output_request *request);

/** output_request__apply() - copy the values of -b to @ret; if the output may be several files, -a filesize: limits each file */
void output_request__apply(const struct output_request *request, struct tw_output_options *ret);

#endif
