/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of trace-cmd. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/convert/convert.h"
#include "cli/say.h"
#include "pcap-tools/convert/convert.h"

static int64_t read_at(void *ctx, void *to, size_t len, uint64_t offset)
{
	const int fd = *(const int *)ctx;
	size_t done = 0;

	while (done < len) {
		const ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : (int64_t)done;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static void show_progress(void *ctx, uint64_t done, uint64_t all)
{
	convert__show_progress(ctx, done, all);
}

static void plural(const char *what, uint64_t n)
{
	fprintf(stderr, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

static void print_line(const char *key, uint64_t n, const char *what)
{
	if (n)
		fprintf(stderr, "%-8s %" PRIu64 " %s\n", key, n, what);
}

static void summarize(const struct convert *convert, const struct tw_convert_stats *stats)
{
	print_line("lost", stats->lost, "events, in the rings while they were recorded");
	print_line("lost", stats->lost_unknown,
		   "times events of unknown number, in the rings while they were recorded");
	print_line("late", stats->late, "events older than one before them");
	print_line("unknown", stats->unknown, "events without a format in the file; they are kept as bytes");
	print_line("formats", stats->refused_formats,
		   "texts that cannot be read as formats; they are kept as they are");
	print_line("options", stats->comments_cut, "bytes that had no room in the comments of the file");
	fprintf(stderr, "%-8s ", "file");
	plural("event", stats->events);
	fprintf(stderr, " of ");
	plural("buffer", stats->streams);
	say(stderr, " in %s, %" PRIu64 " bytes\n", convert__out(convert), stats->bytes);
	if (!stats->events)
		say(stderr, "%s has no events\n", convert->in);
}

/* The input was damaged: told last, and as the exit status, behind all that was delivered. */
static int tell_damage(const struct convert *convert, const struct tw_tracedat *dat, struct tw_error *err)
{
	const struct tw_tracedat_damage *damage = tw_tracedat__damage(dat);
	char more[64] = "";

	if (!damage->places)
		return CLI_EXIT_OK;
	if (damage->places > 1)
		snprintf(more, sizeof(more), ", and in %" PRIu64 " place%s more", damage->places - 1,
			 damage->places > 2 ? "s" : "");
	tw_error__set(err, -EBADMSG, "%.300s%s; all else is in %.100s", damage->first.text, more,
		      strcmp(convert->out, "-") ? convert->out : "what was written");
	return CLI_EXIT_FAILURE;
}

static int run_conversion(struct convert *convert, struct tw_tracedat *dat, struct tw_error *err)
{
	const struct tw_convert_options options = {
		.fd = convert->output.fd,
		.name = convert__out(convert),
		.progress = show_progress,
		.ctx = convert,
	};
	struct tw_convert_stats stats;
	int code;

	code = tw_convert__run(dat, &options, &stats, err);
	convert__end_progress(convert);
	if (code == -ENOSPC || code == -EDQUOT)
		tw_error__set(err, code, "no room for %s after %" PRIu64 " bytes: nothing was left there", options.name,
			      stats.bytes);
	if (!code)
		code = output_file__finish(&convert->output, err);
	if (code)
		return CLI_EXIT_FAILURE;
	if (!convert->quiet)
		summarize(convert, &stats);
	return tell_damage(convert, dat, err);
}

int convert__tracedat(struct convert *convert, int fd, const struct stat *st, struct tw_error *err)
{
	const struct tw_tracedat_source source = { .read_at = read_at, .ctx = &fd, .size = (uint64_t)st->st_size };
	struct tw_tracedat *dat;
	int code = tw_tracedat__open(&source, convert->in, &dat, err), status;

	if (code)
		return cli_exit__of(code);
	code = output_file__open(&convert->output, convert->out, st, err);
	status = code ? cli_exit__of(code) : run_conversion(convert, dat, err);
	if (!code)
		output_file__close(&convert->output);
	tw_tracedat__close(dat);
	return status;
}
