/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted frames for a table that keeps all history, like the dissector's. The first two bytes of the input determine the memory limit
 * of the table. Frames follow, each after its 16-bit big-endian length. The table stays within its limit, and no later record changes
 * what the table already has.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/streams.h"

static size_t allocated; /* bytes */

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void *resize(void *ctx, void *memory, size_t old_size, size_t new_size)
{
	(void)ctx;
	check(old_size <= allocated);
	allocated += new_size - old_size;
	if (new_size)
		return realloc(memory, new_size);
	free(memory);
	return NULL;
}

/* What a stream knows about the host, event or symbol of one metadata record. It is taken before and after the record is added. */
struct facts {
	bool has_host;
	char host[sizeof(((struct tw_identity *)0)->host)];
	uint32_t host_position;
	uint8_t long_size;
	struct tw_stream_event *event;
	uint32_t event_position, symbol_position;
	bool has_symbol;
	struct tw_symbol symbol;
};

static struct facts facts_of(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct facts f = { .has_host = stream->has_host,
			   .host_position = stream->host_position,
			   .long_size = stream->long_size };
	struct tw_symbol_view symbol;
	struct tw_schema_view schema;

	memcpy(f.host, stream->identity.host, sizeof(f.host));
	if (tlv->type == TW_TLV_SCHEMA && tw_schema_tlv__parse(tlv, &schema))
		f.event = tw_stream__event(stream, frame->schema_id, schema.event_id);
	if (f.event)
		f.event_position = f.event->position;
	if (tlv->type == TW_TLV_SYMBOL && tw_symbol__parse(tlv, &symbol))
		f.has_symbol = tw_stream__symbol(stream, symbol.address, &f.symbol, &f.symbol_position) &&
			       f.symbol.address == symbol.address;
	return f;
}

static void take_record(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	const struct facts before = facts_of(stream, frame, tlv);
	struct tw_comm_view comm;
	struct facts after;
	const uint64_t refused = tw_streams__refused(stream->table);

	check(!tw_stream__update(stream, frame, tlv));
	after = facts_of(stream, frame, tlv);
	if (before.has_host)
		check(!strcmp(before.host, after.host) && before.host_position == after.host_position &&
		      before.long_size == after.long_size);
	if (before.event)
		check(before.event == after.event && before.event_position == after.event_position);
	if (before.has_symbol)
		check(after.has_symbol && before.symbol_position == after.symbol_position &&
		      !strcmp(before.symbol.name, after.symbol.name));
	if (tlv->type == TW_TLV_COMM && tw_comm__parse(tlv, &comm) && tw_streams__refused(stream->table) == refused)
		check(tw_tasks__name(&stream->tasks, comm.pid, comm.time) != NULL);
}

static void take_frame(struct tw_streams *streams, const uint8_t *data, size_t len)
{
	struct tw_tlv_view tlv, whole;
	enum tw_frame_status status;
	struct tw_stream *stream;
	struct tw_frame_info info;
	struct tw_cursor tlvs;

	status = tw_frame__parse(data, len, &info, &tlvs);
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return;
	stream = tw_streams__get(streams, info.stream_id);
	while (stream && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type != TW_TLV_PART)
			take_record(stream, &info, &tlv);
		else if (tw_stream__whole(stream, &info, &tlv, &whole))
			take_record(stream, &info, &whole);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tw_alloc alloc = { .resize = resize };
	struct tw_cursor input = { .at = data, .left = size };
	const uint8_t *p = tw_cursor__take(&input, sizeof(uint16_t));
	const struct tw_streams_options options = { .alloc = &alloc,
						    .history = TW_HISTORY_ALL,
						    .keeps = true,
						    .memory = p ? 65536 + 16 * (size_t)tw_load_be16(p) : 0,
						    .wants = TW_STREAM_WANTS_FORMATS };
	struct tw_streams *streams;
	struct tw_streams_stats stats;
	uint32_t position = 0;

	if (!p)
		return 0;
	streams = tw_streams__new(&options);
	check(streams != NULL);
	while ((p = tw_cursor__take(&input, sizeof(uint16_t)))) {
		size_t len = tw_load_be16(p);

		len = len < input.left ? len : input.left;
		tw_streams__set_position(streams, ++position);
		take_frame(streams, tw_cursor__take(&input, len), len);
		tw_streams__stats(streams, &stats);
		check(stats.memory <= options.memory);
	}
	tw_streams__free(streams);
	check(!allocated);
	return 0;
}
