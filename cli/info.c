/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire info`: prints what a capture contains. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/count_table.h"
#include "cli/ledger_table.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/standard_files.h"
#include "cli/summary.h"
#include "cli/times.h"
#include "pcap-tools/info/info.h"

#define INFO_SIZE_UNKNOWN UINT64_MAX /* size of an input that is no regular file, such as a pipe */

#define COLUMNS       100
#define SECOND        1e9
#define ENOUGH_IFACES 16 /* largest number of lines for interfaces; further interfaces are only counted */

struct info_config {
	bool as_json, events;
};

static double seconds_of(const struct tw_info_times *times)
{
	return (double)(times->last - times->first) / SECOND;
}

static void show_times(const struct tw_info_times *times)
{
	char text[TIMES_TEXT_MAX];

	if (!times->known) {
		puts("none");
		return;
	}
	printf("%s to ", times__utc(times->first, text, sizeof(text)));
	printf("%s UTC, %.9f s\n", times__utc(times->last, text, sizeof(text)), seconds_of(times));
}

/* Return: number of a stream's events in the file. If the file is no recording, an event that it contains several times counts once. */
static uint64_t events_of(const struct tw_info *info, const struct tw_info_stream *stream)
{
	return info->is_recording ? stream->events : stream->received;
}

static uint64_t all_events(const struct tw_info *info)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < info->n_streams; i++)
		n += events_of(info, info->streams[i]);
	return n;
}

static void show_rates(const struct tw_info *info)
{
	const double seconds = seconds_of(&info->times);

	printf("events   %" PRIu64, all_events(info));
	if (seconds > 0)
		printf(", %.1f a second; %.1f packets and %.0f bytes a second", (double)all_events(info) / seconds,
		       (double)info->packets / seconds, (double)info->bytes / seconds);
	puts("");
}

#define AT(member) offsetof(struct tw_info, member)

static const struct summary_row frame_counters[] = {
	{ NULL, AT(snapped), "snapped", "truncated {frame|frames}" },
	{ NULL, AT(unreadable), "damaged", "damaged {frame|frames}, read up to the damage" },
	{ NULL, AT(versions), "version", "{frame|frames} of an unknown version of the wire format" },
	{ NULL, AT(refused), "refused", "{frame|frames} beyond the limits of streams and channels" },
	{ 0 },
};

static void show_file(const char *name, uint64_t size, const struct tw_info *info)
{
	say(stdout, "file     %s", name);
	if (size != INFO_SIZE_UNKNOWN)
		printf(", %" PRIu64 " bytes", size);
	printf("\nformat   %s%s%s%s", info->is_pcapng ? "pcapng" : "pcap",
	       info->is_compressed ? " compressed by zstd" : "", *info->application ? ", written by " : "",
	       info->application);
	if (info->sections > 1)
		printf(", %" PRIu64 " sections", info->sections);
	puts("");
	if (*info->comment)
		printf("comment  %s\n", info->comment);
	printf("packets  %" PRIu64 ", %" PRIu64 " bytes", info->packets, info->bytes);
	if (info->frames < info->packets)
		printf("; %" PRIu64 " of them %s not Tracewire's", info->packets - info->frames,
		       info->packets - info->frames == 1 ? "is" : "are");
	printf("\ntime     ");
	show_times(&info->times);
	show_rates(info);
	summary__print_rows(frame_counters, info, stdout);
	if (*info->damage.text)
		printf("cut      %s\n", info->damage.text);
}

static void show_line(const char *label, const char *text)
{
	if (*text)
		printf("  %-9s %s\n", label, text);
}

static void show_schemas(const struct tw_info_stream *s)
{
	if (!s->n_schemas)
		return;
	printf("  %-9s", "schemas");
	for (uint32_t i = 0; i < s->n_schemas && i < TW_INFO_SCHEMAS_MAX; i++)
		printf(" %016" PRIx64, s->schemas[i]);
	if (s->n_schemas > TW_INFO_SCHEMAS_MAX)
		printf(" and %u more", s->n_schemas - TW_INFO_SCHEMAS_MAX);
	puts("");
}

/*
 * Prints how packet times are derived from the stream's clock, and their error bound. If the capture has no OFFSET records, packet times
 * are times of arrival, and the offset of the producer's wall clock is printed instead, if it is known.
 */
static void show_offset(const struct tw_info_stream *s)
{
	char stamps[SUMMARY_STAMPS_MAX + 2] = "";

	if (!s->n_offsets) {
		if (s->stream->has_wall)
			printf("  %-9s the wall clock is the stream's clock %+" PRId64
			       " ns, according to the stream's first CLOCK record; the error bound is unknown\n",
			       "offset", (int64_t)tw_stream__wall_offset(s->stream));
		return;
	}
	if (s->offset.by.asked) {
		memcpy(stamps, ", ", 2);
		summary__stamps(&s->offset.by, stamps + 2);
	}
	printf("  %-9s packet time is the stream's clock %+" PRId64 " ns", "offset", s->offset.offset);
	if (s->offset.error_ns == TW_ERROR_UNKNOWN)
		printf("; the error bound is unknown");
	else
		printf("; at most %" PRIu64 " ns from the reference clock, by %s%s", s->offset.error_ns,
		       summary__offset_method(s->offset.method), stamps);
	if (s->offset.drift)
		printf("; the stream's clock gains %" PRId32 " ns a second", s->offset.drift);
	printf(" (from the last of %" PRIu64 " OFFSET records)\n", s->n_offsets);
	if (summary__print_changes("  changes   ", s->changes, stdout))
		puts("");
}

static const char *pointers_of(const struct tw_info_stream *s)
{
	const char *reported = s->stream->identity.pointers;

	return *reported ? reported : s->hashed ? "hashed" : "raw";
}

/* Prints what the clocks of the stream's machine rest on, and since when. */
static void show_sync(const struct tw_identity *id)
{
	char since[48];

	if (!*id->sync)
		return;
	printf("  %-9s %s", "rests on", id->sync);
	if (id->sync_since) {
		summary__time(id->sync_since, since, sizeof(since));
		printf(", since %s", since);
	}
	printf("%s%s\n", *id->grandmaster ? "; grandmaster " : "", id->grandmaster);
}

static void show_stream(const struct tw_info *info, const struct tw_info_stream *s)
{
	const struct tw_identity *id = &s->stream->identity;
	char name[300];

	tw_identity__name(id, s->stream->id, name, sizeof(name));
	printf("\nstream   %s (%016" PRIx64 ")\n", name, s->stream->id);
	show_line("producer", id->version);
	if (*id->release)
		printf("  %-9s %s%s%s%s%s\n", "kernel", id->release, *id->machine ? " " : "", id->machine,
		       *id->os ? ", " : "", id->os);
	show_line("clock", id->clock);
	show_sync(id);
	show_line("PHCs", s->phcs);
	show_line("traced", id->events);
	for (uint32_t i = 0; i < s->n_hooks; i++)
		show_line(i ? "" : "hooks", s->hooks[i]);
	show_line("filter", id->filter);
	show_line("pointers", pointers_of(s));
	show_schemas(s);
	printf("  %-9s %" PRIu64 " in %" PRIu64 " packets of %" PRIu64 " bytes\n", "events", events_of(info, s),
	       s->packets, s->bytes);
	printf("  %-9s ", "time");
	show_times(&s->times);
	show_offset(s);
}

static void show_interfaces(const struct tw_info *info)
{
	uint32_t reported = 0;

	for (uint32_t i = 0; i < info->interfaces.n; i++) {
		const struct tw_capture_interface *f = &info->interfaces.items[i];

		/* In a recording, an interface that stands for one stream is not listed: its only information is the stream's name. */
		if ((info->is_recording && f->stream) || reported++ >= ENOUGH_IFACES)
			continue;
		printf("captured %" PRIu64 " packets on %s", f->packets,
		       *f->name ? f->name : "an interface without a name");
		if (*f->filter)
			printf(", filter %s", f->filter);
		if (f->has_counters && f->dropped != UINT64_MAX)
			printf("; %" PRIu64 " dropped by the capture program", f->dropped);
		puts("");
	}
	if (reported > ENOUGH_IFACES)
		printf("captured on %u more interfaces\n", reported - ENOUGH_IFACES);
}

/* Reports if the number of a stream's events in the file differs from that in its stored ledger, or if a recording has no ledger. */
static void show_mismatch(const struct tw_info *info, const struct tw_info_stream *s, const char *name)
{
	const int64_t missing = tw_info_stream__missing(s);

	if (missing < 0 && s->stored.state == TW_LEDGER_RUNNING)
		printf("%s: %" PRIu64 " events are in the file, but only %" PRIu64
		       " in the last ledger, because the writer still runs, or was killed after it had written that ledger\n",
		       name, s->events, s->stored.place[TW_PLACE_DELIVERED]);
	else if (missing)
		printf("%s: %" PRIu64 " events are in the file, but its ledger has %" PRIu64
		       ": the file was cut or changed after it was written\n",
		       name, s->events, s->stored.place[TW_PLACE_DELIVERED]);
	if (info->is_recording && !s->has_stored)
		printf("%s: the file has no ledger for this stream, because the writer was killed or was another program; the "
		       "counts are from the frames\n",
		       name);
}

/* Reports missing events. For a recording, prints nothing: its ledger has the reasons. Captures by other programs do not contain them. */
static void show_missing(const struct tw_info *info, const struct tw_info_stream *s, const struct tw_ledger *ledger,
			 const char *name)
{
	const char *filter = tw_capture_interfaces__filter(&info->interfaces, s->stream);
	const uint64_t missing = ledger->place[TW_PLACE_WIRE];

	if (!missing || info->is_recording)
		return;
	printf("%s: ", name);
	say__count(stdout, missing, "{event is|events are} missing, according to the event numbers: ");
	if (*filter)
		printf("rejected by the capture filter '%s', or lost\n", filter);
	else
		puts("rejected by a classifier or a capture filter on the way, or lost");
}

static int show_ledgers(const struct tw_info *info, struct tw_error *error)
{
	const uint32_t n = info->n_streams;
	struct ledger_row *rows = calloc(n, sizeof(*rows));
	char(*names)[300] = calloc(n, sizeof(*names));
	struct tw_ledger sum = { .state = TW_LEDGER_CLOSED };
	int err = 0;

	if (rows && names) {
		for (uint32_t i = 0; i < n; i++) {
			const struct tw_info_stream *s = info->streams[i];

			tw_identity__name(&s->stream->identity, s->stream->id, names[i], sizeof(names[i]));
			rows[i] = (struct ledger_row){ names[i], tw_info_stream__ledger(s) };
			tw_ledger__add(&sum, rows[i].ledger);
		}
		puts("");
		ledger__print_table(rows, n, COLUMNS, stdout);
		ledger__print_remarks(&sum, stdout);
		for (uint32_t i = 0; i < n; i++) {
			show_missing(info, info->streams[i], rows[i].ledger, names[i]);
			show_mismatch(info, info->streams[i], names[i]);
		}
	} else {
		err = tw_error__set(error, -ENOMEM, "out of memory: the ledgers of %u streams are not shown", n);
	}
	free(rows);
	free(names);
	return err;
}

static struct count_table table_of(const struct tw_info *info, const struct tw_counts *events)
{
	return (struct count_table){ .counts = events, .heading = "event", .duration_ns = info->events_ns };
}

/* Prints a table with the number of events of each type; before it, the numbers of events in damaged frames and of refused texts. */
static int show_events(const struct tw_info *info, const struct tw_counts *events, struct tw_error *error)
{
	const struct count_table table = table_of(info, events);
	const uint64_t all = all_events(info);
	struct tw_streams_stats stats;

	puts("");
	if (all > events->total)
		printf("%10" PRIu64 " events in truncated or damaged frames are not counted below\n",
		       all - events->total);
	tw_streams__stats(info->table, &stats);
	if (stats.refused_texts)
		say(stdout,
		    "%10" PRIu64
		    " format texts were refused, so some events may have no name; the reason for the first one: %s\n",
		    stats.refused_texts, stats.text.text);
	return count_table__print(&table, stdout, error);
}

/* Prints the summary as text. @size: bytes of the file, or INFO_SIZE_UNKNOWN; @events: NULL = no table of events */
static int print_text(const char *name, uint64_t size, const struct tw_info *info, const struct tw_counts *events,
		      struct tw_error *error)
{
	int err = 0;

	show_file(name, size, info);
	show_interfaces(info);
	for (uint32_t i = 0; i < info->n_streams; i++)
		show_stream(info, info->streams[i]);
	if (info->n_streams)
		err = show_ledgers(info, error);
	else
		puts("the file has no frames of Tracewire");
	return err || !events ? err : show_events(info, events, error);
}

/* JSON. Times and ids are written as strings, because readers may round large numbers. */

static void put_times(struct tw_json *json, const struct tw_info_times *times)
{
	static const char *const keys[] = { "first", "last", "duration" };
	const uint64_t ns[] = { times->first, times->last, times->last - times->first };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (times->known)
			tw_json__seconds(json, keys[i], ns[i]);
		else
			tw_json__null(json, keys[i]);
	}
}

static void put_interface(struct tw_json *json, const struct tw_capture_interface *f)
{
	tw_json__open(json, NULL, '{');
	tw_json__str_or_null(json, "name", f->name);
	tw_json__str_or_null(json, "description", f->description);
	tw_json__str_or_null(json, "filter", f->filter);
	tw_json__str_or_null(json, "os", f->os);
	tw_json__u64(json, "section", f->section);
	tw_json__u64(json, "linktype", f->linktype);
	tw_json__u64_or_null(json, "received", f->has_counters ? f->received : UINT64_MAX);
	tw_json__u64_or_null(json, "dropped", f->has_counters ? f->dropped : UINT64_MAX);
	if (f->stream)
		tw_json__id(json, "stream", f->stream->id);
	else
		tw_json__null(json, "stream");
	tw_json__u64(json, "packets", f->packets);
	tw_json__close(json);
}

static void put_offset(struct tw_json *json, const struct tw_info_stream *s)
{
	const struct tw_offset_view *o = &s->offset;

	if (!s->n_offsets && !s->stream->has_wall) {
		tw_json__null(json, "offset");
		return;
	}
	tw_json__open(json, "offset", '{');
	tw_json__i64_str(json, "ns", s->n_offsets ? o->offset : (int64_t)tw_stream__wall_offset(s->stream));
	tw_json__u64(json, "records", s->n_offsets);
	if (s->n_offsets && o->error_ns != TW_ERROR_UNKNOWN) {
		tw_json__u64_str(json, "error_ns", o->error_ns);
		tw_json__str(json, "method", summary__offset_method(o->method));
		tw_json__i64(json, "drift", o->drift);
		summary__put_stamps(&o->by, json);
	} else {
		tw_json__null(json, "error_ns");
		tw_json__null(json, "method");
		tw_json__null(json, "drift");
	}
	tw_json__close(json);
}

static void put_schemas(struct tw_json *json, const struct tw_info_stream *s)
{
	tw_json__open(json, "schemas", '[');
	for (uint32_t i = 0; i < s->n_schemas; i++)
		tw_json__id(json, NULL, s->schemas[i]);
	tw_json__close(json);
}

static void put_lost(struct tw_json *json, const struct tw_info_stream *s)
{
	static const char *const places[] = {
		[TW_LOST_RING] = "ring", [TW_LOST_SHED] = "shed",         [TW_LOST_TX] = "tx",
		[TW_LOST_WIRE] = "wire", [TW_LOST_RECEIVER] = "receiver",
	};

	tw_json__open(json, "lost", '{');
	for (int i = TW_LOST_RING; i <= TW_LOST_RECEIVER; i++)
		tw_json__u64(json, places[i], s->lost[i]);
	tw_json__close(json);
}

static void put_hooks(struct tw_json *json, const struct tw_info_stream *s)
{
	tw_json__open(json, "hooks", '[');
	for (uint32_t i = 0; i < s->n_hooks; i++)
		tw_json__str(json, NULL, s->hooks[i]);
	tw_json__close(json);
}

static void put_identity(struct tw_json *json, const struct tw_info_stream *s)
{
	const struct tw_identity *id = &s->stream->identity;

	tw_json__str_or_null(json, "host", id->host);
	tw_json__str_or_null(json, "instance", id->instance);
	tw_json__str_or_null(json, "release", id->release);
	tw_json__str_or_null(json, "machine", id->machine);
	tw_json__str_or_null(json, "os", id->os);
	tw_json__str_or_null(json, "version", id->version);
	tw_json__str_or_null(json, "clock", id->clock);
	tw_json__str_or_null(json, "sync", id->sync);
	tw_json__seconds_or_null(json, "sync_since", id->sync_since);
	tw_json__str_or_null(json, "grandmaster", id->grandmaster);
	tw_json__str_or_null(json, "phcs", s->phcs);
	tw_json__str_or_null(json, "traced", id->events);
	tw_json__str_or_null(json, "filter", id->filter);
	tw_json__str_or_null(json, "pointers", pointers_of(s));
}

static void put_stream(struct tw_json *json, const struct tw_info *info, const struct tw_info_stream *s)
{
	tw_json__open(json, NULL, '{');
	tw_json__id(json, "id", s->stream->id);
	put_identity(json, s);
	put_hooks(json, s);
	put_schemas(json, s);
	tw_json__u64(json, "packets", s->packets);
	tw_json__u64(json, "bytes", s->bytes);
	tw_json__u64(json, "events", events_of(info, s));
	put_times(json, &s->times);
	put_offset(json, s);
	tw_json__open(json, "clock_changes", '{');
	summary__put_changes(s->changes, json);
	tw_json__close(json);
	put_lost(json, s);
	tw_json__bool(json, "stored", s->has_stored);
	tw_json__i64(json, "missing", tw_info_stream__missing(s));
	tw_ledger__json(tw_info_stream__ledger(s), json, "ledger");
	tw_ledger__json(&s->counted, json, "counted");
	tw_json__close(json);
}

/* Prints the summary as one JSON object on one line */
static int print_json(const char *name, uint64_t size, const struct tw_info *info, const struct tw_counts *events,
		      struct tw_error *error)
{
	const struct count_table table = table_of(info, events);
	struct tw_json json;
	int err = 0;

	tw_json__to_file(&json, stdout, true);
	tw_json__open(&json, NULL, '{');
	tw_json__str_or_null(&json, "file", name);
	tw_json__u64_or_null(&json, "size", size);
	tw_json__str(&json, "format", info->is_pcapng ? "pcapng" : "pcap");
	tw_json__bool(&json, "compressed", info->is_compressed);
	tw_json__bool(&json, "recording", info->is_recording);
	tw_json__str_or_null(&json, "application", info->application);
	tw_json__str_or_null(&json, "hardware", info->hardware);
	tw_json__str_or_null(&json, "os", info->os);
	tw_json__str_or_null(&json, "comment", info->comment);
	tw_json__u64(&json, "sections", info->sections);
	tw_json__u64(&json, "packets", info->packets);
	tw_json__u64(&json, "frames", info->frames);
	tw_json__u64(&json, "bytes", info->bytes);
	tw_json__u64(&json, "unreadable", info->unreadable);
	tw_json__u64(&json, "snapped", info->snapped);
	tw_json__u64(&json, "versions", info->versions);
	tw_json__u64(&json, "refused", info->refused);
	put_times(&json, &info->times);
	tw_json__str_or_null(&json, "damage", info->damage.text);
	tw_json__open(&json, "interfaces", '[');
	for (uint32_t i = 0; i < info->interfaces.n; i++)
		put_interface(&json, &info->interfaces.items[i]);
	tw_json__close(&json);
	tw_json__open(&json, "streams", '[');
	for (uint32_t i = 0; i < info->n_streams; i++)
		put_stream(&json, info, info->streams[i]);
	tw_json__close(&json);
	if (events)
		err = count_table__json(&table, "event_counts", &json, error);
	tw_json__close(&json);
	return err;
}

static uint64_t size_of(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : INFO_SIZE_UNKNOWN;
}

/* Prints the summary of one file. @ret_damaged: set to true if a part could not be read. Return: 0, or -errno with @error filled */
static int show(const struct info_config *config, int fd, const char *name, bool first, bool *ret_damaged,
		struct tw_error *error)
{
	struct progress progress;
	struct tw_counts counts = { .total = 0 }, *events = config->events ? &counts : NULL;
	struct tw_info info;
	int err;

	progress__begin(&progress, "reading", name, !isatty(STDERR_FILENO));
	progress__watch(&progress, fd);
	err = tw_info__read(fd, name, events, &info, error);
	progress__end(&progress);
	if (!err) {
		*ret_damaged |= *info.damage.text != '\0';
		if (!config->as_json && !first)
			puts("");
		err = config->as_json ? print_json(name, size_of(fd), &info, events, error)
				      : print_text(name, size_of(fd), &info, events, error);
		standard_files__flush();
		tw_info__fini(&info);
	}
	tw_counts__fini(&counts);
	return err;
}

static int info(void *data, int n_args, char **args, struct tw_error *error)
{
	const struct info_config *config = data;
	bool damaged = false;
	int err = 0;

	if (!n_args) {
		tw_error__set(error, -EINVAL, "info needs a capture: files, or - for standard input");
		return CLI_EXIT_USAGE;
	}
	for (int i = 0; i < n_args && !err; i++) {
		const char *name = args[i];
		const int fd = standard_files__open(&name, error);

		err = fd < 0 ? fd : show(config, fd, name, !i, &damaged, error);
		if (fd > STDIN_FILENO)
			close(fd);
	}
	if (err)
		return cli_exit__of(err);
	return damaged ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object for each file, each on its own line",
	  .offset = offsetof(struct info_config, as_json) },
	{ 0, "events", NULL, CLI_ARG_NONE, "Also show the number, the share and the rate of the events of each type",
	  .offset = offsetof(struct info_config, events) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

#define PLACE(key, name, kind, heading, what) "\n\n" heading " (" #key "): " what "."

static const struct cli_example examples[] = {
	{ "Show what was recorded, and what was lost", "tracewire info x.pcapng" },
	{ "Show which events a capture has, and their number per second", "tracewire info --events x.pcapng" },
	{ "List files with a ledger that does not balance, or is not closed",
	  "tracewire info -j *.pcapng | jq -r 'select(any(.streams[]; .ledger.difference != 0 or .ledger.state != \"closed\")) | .file'" },
	{ "Describe a capture by another program", "dumpcap -i tw0 -w - -q | tracewire info -" },
	{ NULL, NULL },
};

const struct cli_command cli_command_info = {
	.name = "info",
	.summary = "Describe a capture, and show where its events went",
	.arguments = "FILE...",
	.arg_kind = CLI_ARG_FILE,
	.args_max = -1,
	.description =
		"Reads each capture to its end, and prints its format, size, packets and times. For each stream, it "
		"prints the host, kernel, clock, selected events, hooks of socket events and accuracy of times, and the ledger. A ledger "
		"divides the recorded events into those in the file, those lost or rejected at each stage, and those "
		"outside this capture. It balances if these counts add up to the number of recorded events. FILE is a "
		"pcapng or pcap file with Tracewire's frames. It may be compressed with zstd; - is standard input.\n\n"
		"Files written by Tracewire contain the ledger, and `info` compares it with the events in the file. If "
		"a file has no ledger, because another program wrote it or its writer was killed, the ledger is "
		"computed from the numbers and counters in the frames. A ledger is 'closed' if the end of the stream "
		"was received and the kernel's counters match the producer's. The ledger is 'running' if the capture "
		"had not ended when the ledger was written: the capture still runs, was killed, or continued in "
		"another file. In all other cases, the ledger is 'open', for example in a converted trace.dat file.\n\n"
		"The exit status is 1 if a file is damaged or truncated. `info` then describes the part before the "
		"damage.",
	.details = "The columns of a ledger, with their keys in JSON:" TW_LEDGER_PLACES(PLACE),
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct info_config),
	.run = info,
};
