/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a capture when it begins, while it runs, and at its end: the ledger of each stream, and how good its times are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/capture/capture.h"
#include "cli/capture/limits.h"
#include "cli/filter_option.h"
#include "cli/json.h"
#include "cli/note.h"
#include "cli/say.h"
#include "cli/standard_files.h"
#include "cli/summary.h"

#define PATIENCE_MS 500 /* how long the writer may let us wait for a status */
#define TELL_MAX    64  /* streams told one by one on a terminal; JSON has them all */

static const char *const method_names[] = {
#define X(num, name, text, what) [num] = (text),
	TW_OFFSET_METHOD_LIST(X)
#undef X
};

static void print_begin_json(const char *how, const char *file)
{
	fputs("{\"begin\":{\"on\":\"", stderr);
	cli_json__bytes(how, strlen(how), stderr);
	fputs("\",\"file\":\"", stderr);
	cli_json__bytes(file, strlen(file), stderr);
	fputs("\"}}\n", stderr);
}

void capture__tell_begin(const struct capture *capture, const char *how)
{
	if (capture->quiet)
		return;
	if (capture->json)
		print_begin_json(how, capture->file);
	else
		say(stderr, "capturing on %s to %s; Ctrl-C ends it\n", how,
		    !strcmp(capture->file, "-") ? "standard output" : capture->file);
}

static void print_nanoseconds(const char *key, int64_t ns)
{
	fprintf(stderr, ",\"%s\":%" PRId64, key, ns);
}

static void print_clock_json(const struct tw_stream_clock_summary *clock)
{
	fprintf(stderr, "{\"method\":\"%s\"", method_names[clock->method]);
	if (clock->error_ns != TW_ERROR_UNKNOWN)
		print_nanoseconds("error_ns", (int64_t)clock->error_ns);
	if (clock->dated)
		print_nanoseconds("offset_ns", clock->offset);
	if (clock->drift_known) {
		print_nanoseconds("drift_ppb", clock->drift);
		print_nanoseconds("drift_error_ppb", clock->drift_most);
	}
	if (clock->ahead_known) {
		print_nanoseconds("ahead_ns", clock->ahead);
		print_nanoseconds("ahead_error_ns", (int64_t)clock->ahead_most);
	}
	fprintf(stderr, ",\"exchanges\":%" PRIu64 ",\"steps\":%" PRIu64 ",\"suspends\":%" PRIu64 "}", clock->exchanges,
		clock->steps, clock->suspends);
}

static void print_stream_json(const struct tw_archive_report *report)
{
	char ledger[TW_LEDGER_TEXT_MAX];

	tw_ledger__json(&report->ledger, ledger, sizeof(ledger));
	fputs("{\"name\":\"", stderr);
	cli_json__bytes(report->name, strlen(report->name), stderr);
	fprintf(stderr, "\",\"stream\":\"%016" PRIx64 "\",\"ledger\":%s,\"clock\":", report->stream_id, ledger);
	print_clock_json(&report->clock);
	fputs("}", stderr);
}

static void print_streams_json(const char *what, const struct tw_archive_report *reports, size_t n)
{
	fprintf(stderr, "\"%s\":[", what);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs(",", stderr);
		print_stream_json(&reports[i]);
	}
	fputs("]", stderr);
}

static void print_status_json(const struct tw_archive_report *reports, size_t n, const struct capture_limits *limits,
			      const struct tw_refusals *refusals)
{
	fputs("{", stderr);
	print_streams_json("status", reports, n);
	capture_limits__json(limits, stderr);
	if (refusals->frames)
		capture__print_refused_json(refusals);
	fputs("}\n", stderr);
}

static void print_filter_json(const struct tw_capture_filter_stats *filtered)
{
	fprintf(stderr,
		",\"filter\":{\"rejected\":%" PRIu64 ",\"unknown\":%" PRIu64 ",\"undecided\":%" PRIu64
		",\"given_up\":%" PRIu64 "}",
		filtered->rejected, filtered->unknown, filtered->undecided, filtered->given_up);
}

static void print_file_json(const struct tw_archive_stats *archive)
{
	fprintf(stderr,
		",\"file\":{\"events\":%" PRIu64 ",\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"removed_early\":%" PRIu64 "}",
		archive->ledger.place[TW_PLACE_DELIVERED], archive->packets, archive->bytes, archive->removed_early);
}

static struct capture_limits limits_at_end(const struct capture *capture)
{
	struct capture_limits limits = capture_limits__make(&capture->stats.archive);

	limits.not_asked = capture->stats.asked.crowded;
	limits.classifiers_unread = !rejected__is_whole(capture->rejected);
	return limits;
}

static void print_end_json(const struct capture *capture)
{
	const struct receiver_stats *stats = &capture->stats;
	const struct tw_merge_stats *merge = &stats->archive.merge;
	struct capture_limits limits;

	fputs("{", stderr);
	print_streams_json("end", stats->streams, stats->n_streams);
	fprintf(stderr,
		",\"frames\":{\"received\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"too_long\":%" PRIu64
		",\"unreadable\":%" PRIu64 ",\"refused\":%" PRIu64 "}",
		stats->rx.frames, stats->rx.dropped, stats->too_long, merge->unreadable,
		merge->refused + stats->refusals.frames);
	fprintf(stderr,
		",\"questions\":{\"asked\":%" PRIu64 ",\"answered\":%" PRIu64 ",\"strange\":%" PRIu64
		",\"crowded\":%" PRIu64 "}",
		stats->asked.asked, stats->asked.answered, stats->asked.strange, stats->asked.crowded);
	capture__print_refused_json(&stats->refusals);
	if (capture->filter)
		print_filter_json(&stats->archive.capture_filter);
	print_file_json(&stats->archive);
	limits = limits_at_end(capture);
	capture_limits__json(&limits, stderr);
	fputs("}\n", stderr);
}

/* What there is to tell, as of now. */
struct status {
	const struct tw_archive_report *reports;
	size_t n;
	struct tw_ledger ledger; /* of all streams */
	struct capture_limits limits;
	struct tw_refusals refusals;
};

static void print_lines(const struct status *status)
{
	char line[TW_LEDGER_TEXT_MAX];

	for (size_t i = 0; i < status->n && i < TELL_MAX; i++) {
		tw_ledger__line(&status->reports[i].ledger, line, sizeof(line));
		fprintf(stderr, "%s: %s\n", status->reports[i].name, line);
	}
	if (status->n > TELL_MAX)
		fprintf(stderr, "and %zu streams more\n", status->n - TELL_MAX);
	capture_limits__print(&status->limits, &status->ledger, stderr);
}

static void print_table(const struct tw_archive_report *reports, size_t n, FILE *out)
{
	const size_t told = n < TELL_MAX ? n : TELL_MAX;
	const char *names[TELL_MAX];
	struct tw_ledger ledgers[TELL_MAX];

	for (size_t i = 0; i < told; i++) {
		names[i] = reports[i].name;
		ledgers[i] = reports[i].ledger;
	}
	tw_ledger__print_table(names, ledgers, told, screen__columns(), out);
	if (n > told)
		fprintf(out, "and %zu streams more\n", n - told);
}

static void show_table(struct screen *screen, const struct status *status)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	print_table(status->reports, status->n, out);
	capture_limits__print(&status->limits, &status->ledger, out);
	capture__print_refused(&status->refusals, out);
	if (!fclose(out))
		screen__show(screen, text);
	free(text);
}

static void tell_people(struct screen *screen, const struct status *status)
{
	static const char nothing[] = "nothing to tell yet: no stream came, or the writer is busy\n";

	if (!screen__is_there())
		capture__print_refused(&status->refusals, stderr);
	if (!screen__is_there() && status->n)
		print_lines(status);
	else if (!screen__is_there())
		fputs(nothing, stderr);
	else if (status->n)
		show_table(screen, status);
	else if (!screen->lines)
		screen__show(screen, nothing);
}

/* Return: whether standard error takes another status. One that was not taken would only be older. */
static bool is_taken(struct capture *capture)
{
	if (standard_files__behind() < 0)
		return true;
	capture->left_out++;
	return false;
}

static void tell_left_out(struct capture *capture)
{
	if (!capture->left_out)
		return;
	screen__clear(&capture->screen);
	note__say("%u times there was no status: standard error had not taken the one before", capture->left_out);
	capture->left_out = 0;
}

void capture__tell_status(struct capture *capture)
{
	struct tw_archive_stats stats = { .packets = 0 };
	struct tw_archive_report *reports;
	struct status status;

	if ((capture->quiet && !capture->json) || !is_taken(capture))
		return;
	tell_left_out(capture);
	status.n = tw_recorder__reports(receiver__recorder(capture->receiver), PATIENCE_MS, &reports, &stats);
	status.reports = reports;
	status.ledger = stats.ledger;
	status.limits = capture_limits__make(&stats);
	status.limits.not_asked = receiver__crowded(capture->receiver);
	status.limits.classifiers_unread = !rejected__is_whole(capture->rejected);
	receiver__refusals(capture->receiver, &status.refusals);
	if (capture->json)
		print_status_json(reports, status.n, &status.limits, &status.refusals);
	else
		tell_people(&capture->screen, &status);
	free(reports);
}

static void print_times(const struct tw_archive_report *report)
{
	const struct tw_stream_clock_summary *clock = &report->clock;

	fprintf(stderr, "times    %s: ", report->name);
	if (clock->error_ns == TW_ERROR_UNKNOWN) {
		fputs("nothing bounds their error: no question about the producer's clock was answered\n", stderr);
		return;
	}
	fprintf(stderr, "within %.6f s of this host's (%s)", (double)clock->error_ns / TW_NS_PER_SECOND,
		method_names[clock->method]);
	if (clock->ahead_known)
		fprintf(stderr, "; its wall clock is %+.6f s off, give or take %.6f",
			(double)clock->ahead / TW_NS_PER_SECOND, (double)clock->ahead_most / TW_NS_PER_SECOND);
	if (clock->drift_known)
		fprintf(stderr, "; gains %.3f ppm, give or take %.3f", clock->drift / 1e3, clock->drift_most / 1e3);
	if (clock->steps || clock->suspends)
		fprintf(stderr, "; set %" PRIu64 " times, suspended %" PRIu64, clock->steps, clock->suspends);
	fputs("\n", stderr);
}

static void print_summary(const struct capture *capture)
{
	const struct receiver_stats *stats = &capture->stats;
	const struct tw_archive_stats *archive = &stats->archive;
	struct capture_limits limits;

	if (stats->n_streams) {
		print_table(stats->streams, stats->n_streams, stderr);
		tw_ledger__print_remarks(&archive->ledger, stderr);
	} else {
		fputs("no stream came: `tracewire stream` sends them\n", stderr);
	}
	for (size_t i = 0; i < stats->n_streams && i < TELL_MAX; i++)
		print_times(&stats->streams[i]);
	filter_option__summarize(capture->filter, &archive->capture_filter);
	fprintf(stderr, "frames   %" PRIu64 " received in %.3f s, %" PRIu64 " dropped for want of room here\n",
		stats->rx.frames, (double)capture->took / TW_NS_PER_SECOND, stats->rx.dropped);
	if (stats->too_long)
		fprintf(stderr, "too long %" PRIu64 " frames, beyond what was to be expected; not taken\n",
			stats->too_long);
	if (archive->merge.unreadable || archive->merge.refused)
		fprintf(stderr,
			"strange  %" PRIu64 " frames that cannot be read, %" PRIu64
			" of one stream or channel too many\n",
			archive->merge.unreadable, archive->merge.refused);
	if (stats->asked.strange)
		fprintf(stderr, "clocks   %" PRIu64 " answers to nothing that was asked\n", stats->asked.strange);
	limits = limits_at_end(capture);
	capture_limits__print(&limits, &archive->ledger, stderr);
	capture__print_refused(&stats->refusals, stderr);
	fprintf(stderr, "file     %" PRIu64 " events in %" PRIu64 " packets, %" PRIu64 " bytes\n",
		archive->ledger.place[TW_PLACE_DELIVERED], archive->packets, archive->bytes);
	if (archive->removed_early)
		fprintf(stderr, "removed  %" PRIu64 " files before their time, for want of space on the disk\n",
			archive->removed_early);
}

void capture__tell_end(struct capture *capture)
{
	screen__clear(&capture->screen);
	tell_left_out(capture);
	if (capture->json)
		print_end_json(capture);
	else if (!capture->quiet)
		print_summary(capture);
}
