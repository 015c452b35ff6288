/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "cli/info/show.h"
#include "cli/say.h"

#define COLUMNS       100
#define SECOND        1e9
#define ENOUGH_IFACES 16 /* lines; the rest is counted */

static void put_time(uint64_t ns)
{
	const time_t seconds = (time_t)(ns / TW_NS_PER_SECOND);
	struct tm tm;
	char text[64];

	if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		printf("%" PRIu64 " ns", ns);
	else
		printf("%s.%09u", text, (unsigned int)(ns % TW_NS_PER_SECOND));
}

static double seconds_of(const struct tw_info_times *times)
{
	return (double)(times->last - times->first) / SECOND;
}

static void put_times(const struct tw_info_times *times)
{
	if (!times->known) {
		puts("none");
		return;
	}
	put_time(times->first);
	printf(" to ");
	put_time(times->last);
	printf(" UTC, %.9f s\n", seconds_of(times));
}

uint64_t info_show__events(const struct tw_info *info, const struct tw_info_stream *stream)
{
	return info->is_recording ? stream->events : stream->received;
}

static uint64_t all_events(const struct tw_info *info)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < info->n_streams; i++)
		n += info_show__events(info, info->streams[i]);
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
		printf("; %" PRIu64 " of them are not Tracewire's", info->packets - info->frames);
	printf("\ntime     ");
	put_times(&info->times);
	show_rates(info);
	if (info->snapped)
		printf("snapped  %" PRIu64 " frames, of which only the beginning was captured\n", info->snapped);
	if (info->unreadable)
		printf("damaged  %" PRIu64 " frames, which were read as far as they can be\n", info->unreadable);
	if (info->versions)
		printf("version  %" PRIu64 " frames of a wire format not known here\n", info->versions);
	if (info->refused)
		printf("refused  %" PRIu64 " frames of more streams or channels than can be told apart\n",
		       info->refused);
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

const char *info_show__method(unsigned int method)
{
	static const char *const names[] = {
#define X(num, name, text, what) [num] = text,
		TW_OFFSET_METHOD_LIST(X)
#undef X
	};

	return method < sizeof(names) / sizeof(names[0]) ? names[method] : "unknown";
}

/* How packet times come from the stream's clock, and how good they are; of a capture of the wire they are those of arrival. */
static void show_offset(const struct tw_info_stream *s)
{
	if (!s->n_offsets) {
		if (s->stream->has_wall)
			printf("  %-9s the wall clock is the stream's %+" PRId64
			       " ns, by its first CLOCK; its error is not known\n",
			       "offset", (int64_t)tw_stream__wall_offset(s->stream));
		return;
	}
	printf("  %-9s packet time is the stream's clock %+" PRId64 " ns", "offset", s->offset.offset);
	if (s->offset.error_ns == TW_ERROR_UNKNOWN)
		printf("; its error is not known");
	else
		printf("; no further than %" PRIu64 " ns from the capture host's clock, by %s", s->offset.error_ns,
		       info_show__method(s->offset.method));
	if (s->offset.drift)
		printf("; gains %" PRId32 " ns a second", s->offset.drift);
	printf(" (the last of %" PRIu64 " records)\n", s->n_offsets);
}

static void show_kernel(const struct tw_identity *id)
{
	if (*id->release)
		printf("  %-9s %s%s%s%s%s\n", "kernel", id->release, *id->machine ? " " : "", id->machine,
		       *id->os ? ", " : "", id->os);
}

static void show_stream(const struct tw_info *info, const struct tw_info_stream *s)
{
	char name[300];

	tw_identity__name(&s->stream->identity, s->stream->id, name, sizeof(name));
	printf("\nstream   %s (%016" PRIx64 ")\n", name, s->stream->id);
	show_line("producer", s->stream->identity.version);
	show_kernel(&s->stream->identity);
	show_line("clock", s->stream->identity.clock);
	show_line("kept by", s->stream->identity.sync);
	show_line("traced", s->stream->identity.events);
	show_line("filter", s->stream->identity.filter);
	show_line("pointers", *s->stream->identity.pointers ? s->stream->identity.pointers
			      : s->hashed                   ? "hashed"
							    : "raw");
	show_schemas(s);
	printf("  %-9s %" PRIu64 " in %" PRIu64 " packets of %" PRIu64 " bytes\n", "events", info_show__events(info, s),
	       s->packets, s->bytes);
	printf("  %-9s ", "time");
	put_times(&s->times);
	show_offset(s);
}

/* Interfaces that are not just their stream's. */
static bool is_told(const struct tw_info *info, const struct tw_info_interface *interface)
{
	return !info->is_recording || interface->stream == TW_INFO_NONE;
}

static void show_interfaces(const struct tw_info *info)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < info->n_interfaces; i++) {
		const struct tw_info_interface *f = &info->interfaces[i];

		if (!is_told(info, f) || told++ >= ENOUGH_IFACES)
			continue;
		printf("captured %" PRIu64 " packets on %s", f->packets,
		       *f->name ? f->name : "an interface without a name");
		if (*f->filter)
			printf(", filter %s", f->filter);
		if (f->has_counters && f->dropped != UINT64_MAX)
			printf("; %" PRIu64 " dropped by whoever captured", f->dropped);
		puts("");
	}
	if (told > ENOUGH_IFACES)
		printf("captured on %u more interfaces\n", told - ENOUGH_IFACES);
}

/* Where it is said that the file does not have what it should. */
static void show_doubts(const struct tw_info *info, const struct tw_info_stream *s, const char *name)
{
	const int64_t missing = tw_info_stream__missing(s);

	if (missing < 0 && s->stored.state == TW_LEDGER_RUNNING)
		printf("%s: %" PRIu64 " events are in the file, %" PRIu64
		       " when its last ledger was written: whoever wrote it did not end well\n",
		       name, s->events, s->stored.place[TW_PLACE_DELIVERED]);
	else if (missing)
		printf("%s: %" PRIu64 " events are in the file, by its ledger it should have %" PRIu64
		       ": it was cut or changed after it was written\n",
		       name, s->events, s->stored.place[TW_PLACE_DELIVERED]);
	if (info->is_recording && !s->has_stored)
		printf("%s: the file has no ledger of it: not written to its end, or not by this version; counted is what it shows\n",
		       name);
}

static void show_ledgers(const struct tw_info *info)
{
	const uint32_t n = info->n_streams;
	struct tw_ledger *ledgers = calloc(n, sizeof(*ledgers)), sum = { .state = TW_LEDGER_CLOSED };
	char(*texts)[300] = calloc(n, sizeof(*texts));
	const char **names = calloc(n, sizeof(*names));

	if (ledgers && texts && names) {
		for (uint32_t i = 0; i < n; i++) {
			const struct tw_info_stream *s = info->streams[i];

			tw_identity__name(&s->stream->identity, s->stream->id, texts[i], sizeof(texts[i]));
			names[i] = texts[i];
			ledgers[i] = *tw_info_stream__ledger(s);
			tw_ledger__add(&sum, &ledgers[i]);
		}
		puts("");
		tw_ledger__print_table(names, ledgers, n, COLUMNS, stdout);
		tw_ledger__print_remarks(&sum, stdout);
		for (uint32_t i = 0; i < n; i++)
			show_doubts(info, info->streams[i], names[i]);
	}
	free(ledgers);
	free(texts);
	free(names);
}

void info_show__text(const char *name, uint64_t size, const struct tw_info *info)
{
	show_file(name, size, info);
	show_interfaces(info);
	for (uint32_t i = 0; i < info->n_streams; i++)
		show_stream(info, info->streams[i]);
	if (info->n_streams)
		show_ledgers(info);
	else
		puts("no Tracewire frames are in it");
}
