/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of a capture at its beginning, while it runs, and at its end, such as the ledger and the clock of each stream. */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/capture/capture.h"
#include "cli/filter_option.h"
#include "cli/ledger_table.h"
#include "cli/messages.h"
#include "cli/outcome.h"
#include "cli/standard_files.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "pcap-tools/archive/archive.h"

#define COLUMNS 100
#define ROWS    24

/* ECMA-48 control sequences: cursor up (CUU); erase to the end of the display (ED) */
#define UP    "\033[%zuA"
#define ERASE "\033[J"

/* screen__columns(), screen__rows() - size of the terminal; COLUMNS and ROWS if it is unknown, or standard error is not a terminal */
static unsigned int screen__columns(void)
{
	const unsigned int columns = terminal__columns(STDERR_FILENO);

	return columns ? columns : COLUMNS;
}

static unsigned int screen__rows(void)
{
	const unsigned int rows = terminal__rows(STDERR_FILENO);

	return rows ? rows : ROWS;
}

/* Return: length of the first @max lines of a text, bytes. @ret_lines: number of these lines. */
static size_t first_lines(const char *text, size_t max, size_t *ret_lines)
{
	const char *at = text;

	for (*ret_lines = 0; *ret_lines < max && *at; ++*ret_lines) {
		at = strchrnul(at, '\n');
		at += *at == '\n';
	}
	return (size_t)(at - text);
}

/* Erases the shown text, so that other lines can be printed in its place */
static void screen__clear(struct screen *screen)
{
	if (screen->lines)
		/* "\r", because keys that the user has typed may have moved the cursor from the first column */
		fprintf(stderr, "\r" UP ERASE, screen->lines);
	screen->lines = 0;
}

/* Replaces the shown text by @text, which ends with a newline; lines that do not fit on the terminal are omitted */
static void screen__show(struct screen *screen, const char *text)
{
	size_t lines;
	const size_t len = first_lines(text, screen__rows() - 1, &lines);

	screen__clear(screen);
	fwrite(text, 1, len, stderr);
	fflush(stderr);
	screen->lines = lines;
}

#define AT(member) offsetof(struct receiver_stats, member)

static const struct summary_row limits[] = {
	{ "early", AT(archive.merge.forced), "limit",
	  "events were written early, perhaps out of order, because the queue had reached its memory limit" },
	{ "metadata_bytes", AT(archive.metadata.memory), NULL, NULL },
	{ "metadata_not_kept", AT(archive.metadata.beyond), "limit",
	  "metadata records exceeded the memory limit: later files have them only after the producer repeats them" },
	{ "names_forgotten", AT(archive.metadata.forgotten), "limit",
	  "task names were evicted because of the memory limit: later files may lack them" },
	{ "metadata_in_pieces", AT(archive.metadata.incomplete), "limit",
	  "incomplete metadata values, or pieces of such values, are not in the file" },
	{ "not_asked", AT(asked.crowded), "limit",
	  "frames belong to streams to which no clock requests are sent, because there is no memory" },
	{ 0 },
};

/* Prints one line for each limit that was reached, and a line if events are missing and drop counters could not be read */
static void print_limits(const struct capture *capture, const struct receiver_stats *stats, FILE *out)
{
	summary__print_rows(limits, stats, out);
	if (!drop_counters__is_whole(capture->rejected) && stats->archive.ledger.place[TW_PLACE_WIRE])
		fputs("limit    not all drop counters of classifiers could be read (only root can read them): events dropped by "
		      "classifiers whose counters were not read may count in the column `wire` of the ledger\n",
		      out);
}

/* Writes all limits as an object with the key "limits" */
static void put_limits(const struct capture *capture, const struct receiver_stats *stats, struct tw_json *json)
{
	tw_json__open(json, "limits", '{');
	summary__put_rows(limits, stats, json);
	tw_json__bool(json, "classifiers_unread", !drop_counters__is_whole(capture->rejected));
	tw_json__close(json);
}

/* JSON keys of the reasons for which frames are refused. */
static const char *const reason_keys[TW_REFUSED_REASONS] = { [TW_REFUSED_UNPROVEN] = "unproven",
#define X(num, name, text, what) [num] = (text),
							     TW_REFUSED_LIST(X)
#undef X
};

void capture__tell_first_refused(struct capture *capture)
{
	char source[TW_PEER_TEXT_MAX];
	struct tw_refusals refusals;

	if (capture->reported_refused || capture->quiet)
		return;
	receiver__refusals(capture->receiver, &refusals);
	if (!refusals.frames)
		return;
	capture->reported_refused = true;
	tw_peer_address__format(&refusals.rows[0].source, source);
	screen__clear(&capture->screen);
	note__say("frames from %s are refused (the summary counts them): %s", source, tw_refusals__why(refusals.first));
}

static const struct summary_row refused_counters[] = {
	{ "frames", AT(refusals.frames), NULL, NULL },
	{ "events", AT(refusals.events), NULL, NULL },
	{ "gave_way", AT(refusals.gave_way), "evicted", "streams, because of a limit" },
	{ 0 },
};

/* Writes the refused frames of one address as an object. @key: the object's key; NULL in an array. @source: NULL = all other addresses */
static void put_row(const char *key, const char *source, const struct tw_refusals_row *row, struct tw_json *json)
{
	tw_json__open(json, key, '{');
	if (source)
		tw_json__str(json, "source", source);
	tw_json__u64(json, "frames", row->frames);
	tw_json__u64(json, "events", row->events);
	tw_json__close(json);
}

/* Writes the refused frames as an object with the key "refused" */
static void put_refused(const struct receiver_stats *stats, struct tw_json *json)
{
	const struct tw_refusals *refusals = &stats->refusals;
	char source[TW_PEER_TEXT_MAX];

	tw_json__open(json, "refused", '{');
	summary__put_rows(refused_counters, stats, json);
	tw_json__open(json, "reasons", '{');
	for (size_t i = 0; i < TW_REFUSED_REASONS; i++)
		tw_json__u64(json, reason_keys[i], refusals->reasons[i]);
	tw_json__close(json);
	tw_json__open(json, "sources", '[');
	for (size_t i = 0; i < refusals->n; i++) {
		tw_peer_address__format(&refusals->rows[i].source, source);
		put_row(NULL, source, &refusals->rows[i], json);
	}
	tw_json__close(json);
	put_row("others", NULL, &refusals->others, json);
	tw_json__close(json);
}

static void print_row(const char *source, const struct tw_refusals_row *row, FILE *out)
{
	fprintf(out, "refused  %" PRIu64 " frames with %" PRIu64 " events from %s\n", row->frames, row->events, source);
}

/* Prints the numbers of refused frames and of evicted streams as text; numbers of 0 are omitted. */
static void print_refused(const struct receiver_stats *stats, FILE *out)
{
	const struct tw_refusals *refusals = &stats->refusals;
	char source[TW_PEER_TEXT_MAX];

	for (size_t i = 0; i < refusals->n; i++) {
		tw_peer_address__format(&refusals->rows[i].source, source);
		print_row(source, &refusals->rows[i], out);
	}
	if (refusals->others.frames)
		print_row("other addresses", &refusals->others, out);
	for (size_t i = 0; i < TW_REFUSED_REASONS; i++)
		if (refusals->reasons[i])
			fprintf(out, "         %" PRIu64 " of these frames: %s\n", refusals->reasons[i],
				tw_refusals__why((uint16_t)i));
	summary__print_rows(refused_counters, stats, out);
}

#define PATIENCE_MS 500 /* longest wait for the reports of the recorder thread, ms */
#define TELL_MAX    64  /* largest number of streams listed as text; JSON has all streams */

/* Begins a JSON object, which is one line of standard error. */
static void begin_json(struct tw_json *json)
{
	tw_json__to_file(json, stderr, false);
	tw_json__open(json, NULL, '{');
}

void capture__tell_begin(const struct capture *capture, const char *how)
{
	struct tw_json json;

	if (capture->quiet)
		return;
	if (!capture->json) {
		say(stderr, "capturing on %s to %s; Ctrl-C ends it\n", how, standard_files__output(capture->file));
		return;
	}
	begin_json(&json);
	tw_json__open(&json, "begin", '{');
	tw_json__str(&json, "on", how);
	tw_json__str(&json, "file", capture->file);
	if (*capture->reference_text)
		tw_json__str(&json, "reference", capture->reference_text + strlen("reference: "));
	tw_json__close(&json);
	tw_json__close(&json);
}

static void put_clock(const struct tw_stream_clock_summary *clock, struct tw_json *json)
{
	tw_json__open(json, "clock", '{');
	tw_json__str(json, "method", summary__offset_method(clock->method));
	if (clock->error_ns != TW_ERROR_UNKNOWN)
		tw_json__i64(json, "error_ns", (int64_t)clock->error_ns);
	if (clock->dated)
		tw_json__i64(json, "offset_ns", clock->offset);
	if (clock->drift_known) {
		tw_json__i64(json, "drift_ppb", clock->drift);
		tw_json__i64(json, "drift_error_ppb", clock->drift_most);
	}
	if (clock->ahead_known) {
		tw_json__i64(json, "ahead_ns", clock->ahead);
		tw_json__i64(json, "ahead_error_ns", (int64_t)clock->ahead_most);
	}
	summary__put_stamps(&clock->by, json);
	tw_json__u64(json, "exchanges", clock->exchanges);
	summary__put_changes(clock->changes, json);
	tw_json__u64(json, "contradicted", clock->contradicted);
	tw_json__close(json);
}

/* Writes what the clocks of a stream's machine are synchronised to, as an object; nothing if it is unknown */
static void put_sync(const struct tw_archive_report *report, struct tw_json *json)
{
	if (!*report->sync)
		return;
	tw_json__open(json, "sync", '{');
	tw_json__str(json, "to", report->sync);
	if (report->sync_since)
		tw_json__seconds(json, "since", report->sync_since);
	if (*report->grandmaster)
		tw_json__str(json, "grandmaster", report->grandmaster);
	tw_json__close(json);
}

static void put_streams(const char *what, const struct receiver_stats *stats, struct tw_json *json)
{
	const struct tw_archive_report *reports = stats->streams;

	tw_json__open(json, what, '[');
	for (size_t i = 0; i < stats->n_streams; i++) {
		tw_json__open(json, NULL, '{');
		tw_json__str(json, "name", reports[i].name);
		tw_json__id(json, "stream", reports[i].stream_id);
		tw_ledger__json(&reports[i].ledger, json, "ledger");
		put_clock(&reports[i].clock, json);
		put_sync(&reports[i], json);
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void print_status_json(const struct capture *capture, const struct receiver_stats *stats)
{
	struct tw_json json;

	begin_json(&json);
	put_streams("status", stats, &json);
	put_limits(capture, stats, &json);
	if (stats->refusals.frames)
		put_refused(stats, &json);
	tw_json__close(&json);
}

static const struct summary_row frame_counters[] = {
	{ "received", AT(rx.frames), NULL, NULL },
	{ "dropped", AT(rx.dropped), NULL, NULL },
	{ "too_long", AT(too_long), "too long", "frames were longer than a capture accepts, and were not recorded" },
	{ "unreadable", AT(archive.merge.unreadable), NULL, NULL },
	{ 0 },
};

static const struct summary_row question_counters[] = {
	{ "asked", AT(asked.asked), NULL, NULL },
	{ "answered", AT(asked.answered), NULL, NULL },
	{ "strange", AT(asked.strange), "clocks", "answers without a request" },
	{ "crowded", AT(asked.crowded), NULL, NULL },
	{ 0 },
};

static const struct summary_row file_counters[] = {
	{ "events", AT(archive.ledger.place[TW_PLACE_DELIVERED]), NULL, NULL },
	{ "packets", AT(archive.packets), NULL, NULL },
	{ "bytes", AT(archive.bytes), NULL, NULL },
	{ "removed_early", AT(archive.removed_early), "removed",
	  "files were removed early, because the disk was full" },
	{ 0 },
};

static void print_end_json(const struct capture *capture)
{
	const struct receiver_stats *stats = &capture->stats;
	struct tw_json json;

	begin_json(&json);
	put_streams("end", stats, &json);
	tw_json__open(&json, "frames", '{');
	summary__put_rows(frame_counters, stats, &json);
	tw_json__u64(&json, "refused", stats->archive.merge.refused + stats->refusals.frames);
	tw_json__close(&json);
	tw_json__open(&json, "questions", '{');
	summary__put_rows(question_counters, stats, &json);
	tw_json__close(&json);
	put_refused(stats, &json);
	if (capture->filter)
		filter_option__json(&stats->archive.capture_filter, &json);
	tw_json__open(&json, "file", '{');
	summary__put_rows(file_counters, stats, &json);
	tw_json__close(&json);
	put_limits(capture, stats, &json);
	tw_json__close(&json);
}

static void print_lines(const struct capture *capture, const struct receiver_stats *stats)
{
	char line[TW_LEDGER_TEXT_MAX];

	for (size_t i = 0; i < stats->n_streams && i < TELL_MAX; i++) {
		tw_ledger__line(&stats->streams[i].ledger, line, sizeof(line));
		fprintf(stderr, "%s: %s\n", stats->streams[i].name, line);
	}
	if (stats->n_streams > TELL_MAX)
		fprintf(stderr, "and %zu more streams\n", stats->n_streams - TELL_MAX);
	print_limits(capture, stats, stderr);
}

static void print_table(const struct receiver_stats *stats, FILE *out)
{
	const size_t reported = stats->n_streams < TELL_MAX ? stats->n_streams : TELL_MAX;
	struct ledger_row rows[TELL_MAX];

	for (size_t i = 0; i < reported; i++)
		rows[i] = (struct ledger_row){ stats->streams[i].name, &stats->streams[i].ledger };
	ledger__print_table(rows, reported, screen__columns(), out);
	if (stats->n_streams > reported)
		fprintf(out, "and %zu more streams\n", stats->n_streams - reported);
}

static void show_table(struct capture *capture, const struct receiver_stats *stats)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	print_table(stats, out);
	print_limits(capture, stats, out);
	print_refused(stats, out);
	if (!fclose(out))
		screen__show(&capture->screen, text);
	free(text);
}

static void print_status(struct capture *capture, const struct receiver_stats *stats)
{
	static const char nothing[] = "no status: no stream has been received yet, or the recorder is busy\n";

	if (!terminal__has_control(STDERR_FILENO)) {
		print_refused(stats, stderr);
		if (stats->n_streams)
			print_lines(capture, stats);
		else
			fputs(nothing, stderr);
	} else if (stats->n_streams) {
		show_table(capture, stats);
	} else if (!capture->screen.lines) {
		screen__show(&capture->screen, nothing);
	}
}

/* Return: false if text for standard error is queued. The status is then omitted, because it would be out of date when it is printed. */
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
	note__say("%u %s omitted, because standard error was blocked", capture->left_out,
		  capture->left_out == 1 ? "status was" : "statuses were");
	capture->left_out = 0;
}

void capture__tell_status(struct capture *capture)
{
	struct receiver_stats stats = { .n_streams = 0 };

	if ((capture->quiet && !capture->json) || !is_taken(capture))
		return;
	tell_left_out(capture);
	stats.n_streams = tw_recorder__reports(receiver__recorder(capture->receiver), PATIENCE_MS, &stats.streams,
					       &stats.archive);
	stats.asked.crowded = receiver__crowded(capture->receiver);
	receiver__refusals(capture->receiver, &stats.refusals);
	if (capture->json)
		print_status_json(capture, &stats);
	else
		print_status(capture, &stats);
	free(stats.streams);
}

static void print_bound(const struct capture *capture, const struct tw_stream_clock_summary *clock)
{
	char stamps[SUMMARY_STAMPS_MAX];
	const char *const reference = capture->reference.state.kind ? "the reference" : "this host's clock";

	if (clock->error_ns == TW_ERROR_UNKNOWN) {
		fputs(clock->method
			      ? "the error bound is unknown, because no grandmaster of both machines is known"
			      : "the error bound is unknown, because no answer to a time synchronisation request arrived",
		      stderr);
		return;
	}
	fprintf(stderr, "within %.9f s of %s (%s", (double)clock->error_ns / TW_NS_PER_SECOND, reference,
		summary__offset_method(clock->method));
	if (clock->method == TW_OFFSET_BY_TIME_SYNC) {
		summary__stamps(&clock->by, stamps);
		fprintf(stderr, ", %s", stamps);
	}
	fputc(')', stderr);
	if (clock->ahead_known)
		fprintf(stderr, "; the producer's wall clock is ahead by %+.6f s, give or take %.6f",
			(double)clock->ahead / TW_NS_PER_SECOND, (double)clock->ahead_most / TW_NS_PER_SECOND);
	if (clock->drift_known)
		fprintf(stderr, "; the producer's clock gains %.3f ppm, give or take %.3f", clock->drift / 1e3,
			clock->drift_most / 1e3);
}

static void print_sync(const struct tw_archive_report *report)
{
	char since[48];

	if (!*report->sync)
		return;
	summary__time(report->sync_since, since, sizeof(since));
	fprintf(stderr, "rests on %s: %s, since %s%s%s\n", report->name, report->sync, since,
		*report->grandmaster ? "; grandmaster " : "", report->grandmaster);
}

static void print_times(const struct capture *capture, const struct tw_archive_report *report)
{
	const struct tw_stream_clock_summary *clock = &report->clock;

	fprintf(stderr, "times    %s: ", report->name);
	print_bound(capture, clock);
	summary__print_changes("; ", clock->changes, stderr);
	if (clock->contradicted)
		fprintf(stderr, "; %" PRIu64 " reports of its accuracy contradict the time synchronisation",
			clock->contradicted);
	fputs("\n", stderr);
	print_sync(report);
}

/* Return: number of streams whose packet times have no known error bound */
static size_t without_bound(const struct receiver_stats *stats)
{
	size_t n = 0;

	for (size_t i = 0; i < stats->n_streams; i++)
		n += stats->streams[i].clock.error_ns == TW_ERROR_UNKNOWN;
	return n;
}

/* Prints the short summary at the end of the capture. */
static void print_outcome(const struct capture *capture)
{
	const struct receiver_stats *stats = &capture->stats;
	const struct tw_refusals *refusals = &stats->refusals;
	char pattern[PATH_MAX];
	struct outcome outcome = {
		.streams = stats->n_streams,
		.seconds = (double)capture->took / TW_NS_PER_SECOND,
		.verbose = capture->verbose,
		.file = stats->n_streams ? capture->file : NULL,
		.many = output_request__rotates(&capture->output),
		.place = { [OUTCOME_TOO_LONG] = stats->too_long,
			   [OUTCOME_REFUSED] = refusals->frames,
			   [OUTCOME_EVICTED] = refusals->gave_way,
			   [OUTCOME_NO_BOUND] = without_bound(stats) },
	};

	/* The number of events in dropped frames is unknown, unless later event numbers have shown how many events are missing. */
	if (!stats->archive.ledger.place[TW_PLACE_RECEIVER])
		outcome.place[OUTCOME_RX_FRAMES] = stats->rx.dropped;
	outcome__add_archive(&outcome, &stats->archive);
	if (refusals->frames)
		outcome.remedy[OUTCOME_REFUSED] = tw_refusals__why(refusals->first);
	if (outcome.file && outcome.many) {
		tw_output__pattern(capture->file, pattern, sizeof(pattern));
		outcome.file = pattern;
	}
	outcome__print(&outcome, stderr);
	if (!stats->n_streams && !refusals->frames)
		fputs("no stream was received: `tracewire stream` sends streams\n", stderr);
}

/* Prints the details of --verbose. outcome__print() has already printed the difference of the ledger. */
static void print_summary(const struct capture *capture)
{
	const struct receiver_stats *stats = &capture->stats;
	const struct tw_archive_stats *archive = &stats->archive;

	if (stats->n_streams) {
		print_table(stats, stderr);
		ledger__print_facts(&archive->ledger, stderr);
	}
	if (*capture->reference_text)
		say(stderr, "times    %s\n", capture->reference_text);
	for (size_t i = 0; i < stats->n_streams && i < TELL_MAX; i++)
		print_times(capture, &stats->streams[i]);
	filter_option__summarize(capture->filter, &archive->capture_filter);
	fprintf(stderr, "frames   %" PRIu64 " received in %.3f s, %" PRIu64 " dropped before capture could read them\n",
		stats->rx.frames, (double)capture->took / TW_NS_PER_SECOND, stats->rx.dropped);
	summary__print_rows(frame_counters, stats, stderr);
	if (archive->merge.unreadable || archive->merge.refused)
		fprintf(stderr,
			"strange  %" PRIu64 " frames could not be read, %" PRIu64
			" exceeded the limit of streams or channels\n",
			archive->merge.unreadable, archive->merge.refused);
	summary__print_rows(question_counters, stats, stderr);
	print_limits(capture, stats, stderr);
	print_refused(stats, stderr);
	summary__print_file(archive, stderr);
	summary__print_rows(file_counters, stats, stderr);
}

void capture__tell_end(struct capture *capture)
{
	screen__clear(&capture->screen);
	tell_left_out(capture);
	if (capture->json)
		print_end_json(capture);
	if (capture->json || capture->quiet)
		return;
	print_outcome(capture);
	if (capture->verbose)
		print_summary(capture);
}
