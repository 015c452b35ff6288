/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture whose frames hold many events. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/convert/convert.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "pcap-tools/convert/packed.h"

struct reading {
	struct convert *convert;
	uint64_t size;
};

static void show_progress(void *ctx, uint64_t offset)
{
	const struct reading *reading = ctx;

	convert__show_progress(reading->convert, offset, reading->size);
}

static void summarize(const struct convert *convert, const struct tw_packed_stats *stats)
{
	const struct tw_archive_stats *archive = &stats->archive;

	summary__print_troubles(archive, stderr);
	if (stats->others)
		fprintf(stderr, "others   %" PRIu64 " packets that are none of ours; left out\n", stats->others);
	say(stderr, "file     %" PRIu64 " events of %zu stream%s in %s, %" PRIu64 " bytes\n",
	    archive->ledger.place[TW_PLACE_DELIVERED], stats->n_streams, stats->n_streams == 1 ? "" : "s",
	    convert__out(convert), archive->bytes);
}

/* A capture that is damaged is unpacked as far as it can be read. */
static int unpack(struct convert *convert, struct tw_capture_file *in, struct tw_output *output, const struct stat *st,
		  struct tw_error *err)
{
	struct reading reading = { .convert = convert, .size = (uint64_t)st->st_size };
	struct tw_packed_stats stats;
	struct tw_error later;
	int code = tw_packed__convert(in, output, show_progress, &reading, &stats, err);

	convert__end_progress(convert);
	if ((!code || code == -EBADMSG) && output_file__finish(&convert->output, &later))
		code = tw_error__set(err, -EIO, "%s", later.text);
	if (!convert->quiet && (!code || code == -EBADMSG))
		summarize(convert, &stats);
	free(stats.streams);
	return code ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int open_output(struct convert *convert, const struct stat *st, struct tw_output **ret, struct tw_error *err)
{
	struct tw_output_options options = { .name = convert__out(convert) };
	int code = output_file__open(&convert->output, convert->out, st, err);

	if (code)
		return code;
	options.fd = convert->output.fd;
	code = tw_output__open(&options, ret, err);
	if (code)
		output_file__close(&convert->output);
	return code;
}

int convert__capture(struct convert *convert, int fd, const struct stat *st, struct tw_error *err)
{
	struct tw_capture_file *in;
	struct tw_output *output;
	int code = tw_capture_file__open(fd, convert->in, &in, err), status;

	if (code)
		return cli_exit__of(code);
	code = open_output(convert, st, &output, err);
	status = code ? cli_exit__of(code) : unpack(convert, in, output, st, err);
	if (!code) {
		tw_output__free(output);
		output_file__close(&convert->output);
	}
	tw_capture_file__close(in);
	return status;
}
