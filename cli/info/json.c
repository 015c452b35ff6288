/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that readers may round, times and ids, are strings. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/time.h"
#include "cli/info/show.h"

static void put_text(struct tw_json *json, const char *key, const char *text)
{
	if (*text)
		tw_json__str(json, key, text);
	else
		tw_json__null(json, key);
}

/* UINT64_MAX is not known. */
static void put_known(struct tw_json *json, const char *key, uint64_t value)
{
	if (value == UINT64_MAX)
		tw_json__null(json, key);
	else
		tw_json__u64(json, key, value);
}

static void put_seconds(struct tw_json *json, const char *key, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%09u", (uint64_t)(ns / TW_NS_PER_SECOND),
		 (unsigned int)(ns % TW_NS_PER_SECOND));
	tw_json__str(json, key, text);
}

static void put_times(struct tw_json *json, const struct tw_info_times *times)
{
	if (times->known) {
		put_seconds(json, "first", times->first);
		put_seconds(json, "last", times->last);
		put_seconds(json, "duration", times->last - times->first);
	} else {
		tw_json__null(json, "first");
		tw_json__null(json, "last");
		tw_json__null(json, "duration");
	}
}

static void put_interface(struct tw_json *json, const struct tw_info *info, const struct tw_info_interface *f)
{
	tw_json__open(json, NULL, '{');
	put_text(json, "name", f->name);
	put_text(json, "description", f->description);
	put_text(json, "filter", f->filter);
	put_text(json, "os", f->os);
	tw_json__u64(json, "section", f->section);
	tw_json__u64(json, "linktype", f->linktype);
	put_known(json, "received", f->has_counters ? f->received : UINT64_MAX);
	put_known(json, "dropped", f->has_counters ? f->dropped : UINT64_MAX);
	if (f->stream == TW_INFO_NONE)
		tw_json__null(json, "stream");
	else
		tw_json__id(json, "stream", info->streams[f->stream]->stream->id);
	tw_json__u64(json, "packets", f->packets);
	tw_json__close(json);
}

static void put_error(struct tw_json *json, const struct tw_offset_view *o)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, o->error_ns);
	tw_json__str(json, "error_ns", text);
	tw_json__str(json, "method", info_show__method(o->method));
	tw_json__i64(json, "drift", o->drift);
}

static void put_offset(struct tw_json *json, const struct tw_info_stream *s)
{
	const struct tw_offset_view *o = &s->offset;
	char text[32];

	if (!s->n_offsets && !s->stream->has_wall) {
		tw_json__null(json, "offset");
		return;
	}
	tw_json__open(json, "offset", '{');
	snprintf(text, sizeof(text), "%" PRId64, s->n_offsets ? o->offset : (int64_t)tw_stream__wall_offset(s->stream));
	tw_json__str(json, "ns", text);
	tw_json__u64(json, "records", s->n_offsets);
	if (s->n_offsets && o->error_ns != TW_ERROR_UNKNOWN) {
		put_error(json, o);
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

static void put_identity(struct tw_json *json, const struct tw_info_stream *s)
{
	const struct tw_identity *id = &s->stream->identity;

	put_text(json, "host", id->host);
	put_text(json, "instance", id->instance);
	put_text(json, "release", id->release);
	put_text(json, "machine", id->machine);
	put_text(json, "os", id->os);
	put_text(json, "version", id->version);
	put_text(json, "clock", id->clock);
	put_text(json, "sync", id->sync);
	put_text(json, "traced", id->events);
	put_text(json, "filter", id->filter);
	put_text(json, "pointers", *id->pointers ? id->pointers : s->hashed ? "hashed" : "raw");
}

static void put_stream(struct tw_json *json, const struct tw_info *info, const struct tw_info_stream *s)
{
	tw_json__open(json, NULL, '{');
	tw_json__id(json, "id", s->stream->id);
	put_identity(json, s);
	put_schemas(json, s);
	tw_json__u64(json, "packets", s->packets);
	tw_json__u64(json, "bytes", s->bytes);
	tw_json__u64(json, "events", info_show__events(info, s));
	put_times(json, &s->times);
	put_offset(json, s);
	put_lost(json, s);
	tw_json__bool(json, "stored", s->has_stored);
	tw_json__i64(json, "missing", tw_info_stream__missing(s));
	tw_ledger__json(tw_info_stream__ledger(s), json, "ledger");
	tw_ledger__json(&s->counted, json, "counted");
	tw_json__close(json);
}

void info_show__json(const char *name, uint64_t size, const struct tw_info *info)
{
	struct tw_json json;

	tw_json__to_file(&json, stdout, true);
	tw_json__open(&json, NULL, '{');
	put_text(&json, "file", name);
	put_known(&json, "size", size);
	tw_json__str(&json, "format", info->is_pcapng ? "pcapng" : "pcap");
	tw_json__bool(&json, "compressed", info->is_compressed);
	tw_json__bool(&json, "recording", info->is_recording);
	put_text(&json, "application", info->application);
	put_text(&json, "hardware", info->hardware);
	put_text(&json, "os", info->os);
	put_text(&json, "comment", info->comment);
	tw_json__u64(&json, "sections", info->sections);
	tw_json__u64(&json, "packets", info->packets);
	tw_json__u64(&json, "frames", info->frames);
	tw_json__u64(&json, "bytes", info->bytes);
	tw_json__u64(&json, "unreadable", info->unreadable);
	tw_json__u64(&json, "snapped", info->snapped);
	tw_json__u64(&json, "versions", info->versions);
	tw_json__u64(&json, "refused", info->refused);
	put_times(&json, &info->times);
	put_text(&json, "damage", info->damage.text);
	tw_json__open(&json, "interfaces", '[');
	for (uint32_t i = 0; i < info->n_interfaces; i++)
		put_interface(&json, info, &info->interfaces[i]);
	tw_json__close(&json);
	tw_json__open(&json, "streams", '[');
	for (uint32_t i = 0; i < info->n_streams; i++)
		put_stream(&json, info, info->streams[i]);
	tw_json__close(&json);
	tw_json__close(&json);
}
