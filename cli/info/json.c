/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that readers may round, times and ids, are strings. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cli/info/show.h"
#include "cli/json.h"

static void put_text(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	if (*text)
		cli_json__text(text);
	else
		printf("null");
	printf(", ");
}

static void put_number(const char *key, uint64_t value)
{
	printf("\"%s\": %" PRIu64 ", ", key, value);
}

/* UINT64_MAX is not known. */
static void put_known(const char *key, uint64_t value)
{
	if (value == UINT64_MAX)
		printf("\"%s\": null, ", key);
	else
		put_number(key, value);
}

static void put_bool(const char *key, bool value)
{
	printf("\"%s\": %s, ", key, value ? "true" : "false");
}

static void put_seconds(const char *key, uint64_t ns)
{
	printf("\"%s\": \"%" PRIu64 ".%09u\", ", key, (uint64_t)(ns / TW_NS_PER_SECOND),
	       (unsigned int)(ns % TW_NS_PER_SECOND));
}

static void put_times(const struct tw_info_times *times)
{
	if (!times->known) {
		printf("\"first\": null, \"last\": null, \"duration\": null, ");
		return;
	}
	put_seconds("first", times->first);
	put_seconds("last", times->last);
	put_seconds("duration", times->last - times->first);
}

static void put_interface(const struct tw_info *info, const struct tw_info_interface *f)
{
	printf("{");
	put_text("name", f->name);
	put_text("description", f->description);
	put_text("filter", f->filter);
	put_text("os", f->os);
	put_number("section", f->section);
	put_number("linktype", f->linktype);
	put_known("received", f->has_counters ? f->received : UINT64_MAX);
	put_known("dropped", f->has_counters ? f->dropped : UINT64_MAX);
	if (f->stream == TW_INFO_NONE)
		printf("\"stream\": null, ");
	else
		printf("\"stream\": \"%016" PRIx64 "\", ", info->streams[f->stream]->stream->id);
	printf("\"packets\": %" PRIu64 "}", f->packets);
}

static void put_offset(const struct tw_info_stream *s)
{
	const struct tw_offset_view *o = &s->offset;

	if (!s->n_offsets && !s->stream->has_wall) {
		printf("\"offset\": null, ");
		return;
	}
	printf("\"offset\": {\"ns\": \"%" PRId64 "\", \"records\": %" PRIu64 ", ",
	       s->n_offsets ? o->offset : (int64_t)tw_stream__wall_offset(s->stream), s->n_offsets);
	if (s->n_offsets && o->error_ns != TW_ERROR_UNKNOWN)
		printf("\"error_ns\": \"%" PRIu64 "\", \"method\": \"%s\", \"drift\": %" PRId32 "}, ", o->error_ns,
		       info_show__method(o->method), o->drift);
	else
		printf("\"error_ns\": null, \"method\": null, \"drift\": null}, ");
}

static void put_schemas(const struct tw_info_stream *s)
{
	printf("\"schemas\": [");
	for (uint32_t i = 0; i < s->n_schemas; i++)
		printf("%s\"%016" PRIx64 "\"", i ? ", " : "", s->schemas[i]);
	printf("], ");
}

static void put_ledger(const char *key, const struct tw_ledger *ledger)
{
	char text[TW_LEDGER_TEXT_MAX];

	tw_ledger__json(ledger, text, sizeof(text));
	printf("\"%s\": %s", key, text);
}

static void put_lost(const struct tw_info_stream *s)
{
	static const char *const places[] = {
		[TW_LOST_RING] = "ring", [TW_LOST_SHED] = "shed",         [TW_LOST_TX] = "tx",
		[TW_LOST_WIRE] = "wire", [TW_LOST_RECEIVER] = "receiver",
	};

	printf("\"lost\": {");
	for (int i = TW_LOST_RING; i <= TW_LOST_RECEIVER; i++)
		printf("%s\"%s\": %" PRIu64, i > TW_LOST_RING ? ", " : "", places[i], s->lost[i]);
	printf("}, ");
}

static void put_identity(const struct tw_info_stream *s)
{
	const struct tw_identity *id = &s->stream->identity;

	put_text("host", id->host);
	put_text("instance", id->instance);
	put_text("release", id->release);
	put_text("machine", id->machine);
	put_text("os", id->os);
	put_text("version", id->version);
	put_text("clock", id->clock);
	put_text("sync", id->sync);
	put_text("traced", id->events);
	put_text("filter", id->filter);
	put_text("pointers", *id->pointers ? id->pointers : s->hashed ? "hashed" : "raw");
}

static void put_stream(const struct tw_info *info, const struct tw_info_stream *s)
{
	printf("{\"id\": \"%016" PRIx64 "\", ", s->stream->id);
	put_identity(s);
	put_schemas(s);
	put_number("packets", s->packets);
	put_number("bytes", s->bytes);
	put_number("events", info_show__events(info, s));
	put_times(&s->times);
	put_offset(s);
	put_lost(s);
	put_bool("stored", s->has_stored);
	printf("\"missing\": %" PRId64 ", ", tw_info_stream__missing(s));
	put_ledger("ledger", tw_info_stream__ledger(s));
	printf(", ");
	put_ledger("counted", &s->counted);
	printf("}");
}

void info_show__json(const char *name, uint64_t size, const struct tw_info *info)
{
	printf("{");
	put_text("file", name);
	put_known("size", size);
	put_text("format", info->is_pcapng ? "pcapng" : "pcap");
	put_bool("compressed", info->is_compressed);
	put_bool("recording", info->is_recording);
	put_text("application", info->application);
	put_text("hardware", info->hardware);
	put_text("os", info->os);
	put_text("comment", info->comment);
	put_number("sections", info->sections);
	put_number("packets", info->packets);
	put_number("frames", info->frames);
	put_number("bytes", info->bytes);
	put_number("unreadable", info->unreadable);
	put_number("snapped", info->snapped);
	put_number("versions", info->versions);
	put_number("refused", info->refused);
	put_times(&info->times);
	put_text("damage", info->damage.text);
	printf("\"interfaces\": [");
	for (uint32_t i = 0; i < info->n_interfaces; i++) {
		printf(i ? ", " : "");
		put_interface(info, &info->interfaces[i]);
	}
	printf("], \"streams\": [");
	for (uint32_t i = 0; i < info->n_streams; i++) {
		printf(i ? ", " : "");
		put_stream(info, info->streams[i]);
	}
	puts("]}");
}
