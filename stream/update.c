/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Updates the state of a stream with its metadata records. */
#include <errno.h>

#include "stream/streams_impl.h"

/* Largest growth of the symbol table when a symbol is added, unless an array of the table is doubled. */
#define SYMBOLS_GROWTH (128u << 10) /* bytes: the empty table and a block of names */

static bool wants(const struct tw_stream *stream, unsigned int what)
{
	return stream->table->options.wants & what;
}

static bool keeps_all(const struct tw_stream *stream)
{
	return stream->table->options.history == TW_HISTORY_ALL;
}

static void refuse_name(struct tw_stream *stream, const char *what)
{
	struct tw_error why;

	tw_error__set(&why, -E2BIG,
		      "some %s are not kept: there is no memory, or a limit is reached (%zu MiB for all metadata)",
		      what, stream->table->options.memory >> 20);
	tw_streams__refuse(stream->table, &stream->table->stats.refused_names, &why);
}

/* Apply an attribute of a HOST to the stream's formats. */
static void update_schemas(struct tw_stream *stream, const struct tw_attr_view *attr)
{
	const uint64_t number = attr->len == sizeof(number) ? tw_load_be64(attr->value) : 0;

	if (attr->attr == TW_HOST_LONG_SIZE && !stream->long_size && (number == 4 || number == 8))
		tw_stream__set_long_size(stream, (uint8_t)number);
	else if (attr->attr == TW_HOST_MACHINE && !stream->machine)
		tw_stream__set_machine(stream, tw_machine__of((const char *)attr->value, attr->len));
}

static bool update_host(struct tw_stream *stream, const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_attr_view attr;
	const bool stays = stream->has_host && keeps_all(stream);

	if (!stays) {
		tw_identity__host(&stream->identity, tlv);
		stream->has_host = true;
		stream->host_position = stream->table->position;
	}
	while (tw_host__next(&list, &attr))
		if (!stays)
			update_schemas(stream, &attr);
	return !list.left;
}

static bool update_clock(struct tw_stream *stream, const struct tw_tlv_view *tlv)
{
	const uint32_t both = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	struct tw_clock_view view;

	if (!tw_clock__parse(tlv, &view))
		return false;
	stream->clock_position = stream->table->position;
	if (stream->has_wall || (view.valid & both) != both)
		return true;
	stream->has_wall = true;
	stream->first_clock = view.reading[TW_CLOCK_TRACE];
	stream->first_wall = view.reading[TW_CLOCK_REAL];
	return true;
}

static bool update_task(struct tw_stream *stream, const struct tw_tlv_view *tlv)
{
	const size_t before = tw_tasks__memory(&stream->tasks);
	struct tw_comm_view view;

	if (!tw_comm__parse(tlv, &view))
		return false;
	if (tw_tasks__add(&stream->tasks, &view, stream->table->position, tw_streams__room(stream->table)))
		refuse_name(stream, "task names");
	tw_stream__changed(stream, before, tw_tasks__memory(&stream->tasks));
	return true;
}

/*
 * Whether a symbol need not be added. A further symbol of a known address is added only if it may cover more bytes: the size of the known
 * symbol is known, and the size of the further symbol is larger or unknown.
 */
static bool has_symbol(const struct tw_stream *stream, const struct tw_symbol_view *view)
{
	struct tw_symbol known;

	return stream->symbols && tw_symbols__find(stream->symbols, view->address, &known) &&
	       known.address == view->address && (!known.size || (view->size && view->size <= known.size));
}

static bool update_symbol(struct tw_stream *stream, const struct tw_tlv_view *tlv)
{
	struct tw_hash_table *positions = &stream->symbol_positions;
	const size_t growth = SYMBOLS_GROWTH + (keeps_all(stream) ? tw_hash_table__growth(positions) : 0);
	size_t before = tw_hash_table__memory(positions);
	struct tw_symbol_view view;
	void *position;
	int err = -E2BIG;

	if (!tw_symbol__parse(tlv, &view))
		return false;
	if (has_symbol(stream, &view) || !view.len)
		return true;
	if (stream->symbols)
		before += tw_symbols__memory(stream->symbols);
	if (before + growth <= tw_streams__room(stream->table)) {
		if (!stream->symbols)
			stream->print_host.symbols = stream->symbols = tw_symbols__new();
		if (stream->symbols)
			err = tw_symbols__add(stream->symbols, view.address, view.size, (const char *)view.name,
					      view.len, NULL, 0);
	}
	/* Several symbols of an address are sent together, so the position of the first one is used for all of them. */
	if (!err && keeps_all(stream) && !tw_hash_table__find_u64(positions, view.address) &&
	    tw_hash_table__put_u64(positions, view.address, &position) >= 0)
		*(uint32_t *)position = stream->table->position;
	if (err)
		refuse_name(stream, "symbols");
	if (stream->symbols)
		tw_stream__changed(stream, before,
				   tw_symbols__memory(stream->symbols) + tw_hash_table__memory(positions));
	return true;
}

bool tw_stream__symbol(const struct tw_stream *stream, uint64_t address, struct tw_symbol *ret, uint32_t *ret_position)
{
	const uint32_t *position;

	if (!stream->symbols || !tw_symbols__find(stream->symbols, address, ret))
		return false;
	position = tw_hash_table__find_u64(&stream->symbol_positions, ret->address);
	*ret_position = position ? *position : 0;
	return true;
}

/* Update the counters. Return: false if the STATS is malformed. @ret_err: -ENOMEM if there is no memory for the counters. */
static bool update_stats(struct tw_stream *stream, const struct tw_tlv_view *tlv, int *ret_err)
{
	const size_t n = sizeof(stream->stats) / sizeof(*stream->stats);
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_stat_view stat;

	while (tw_stats__next(&list, &stat)) {
		if (stat.channel == TW_CHANNEL_CONTROL && stat.stat < n)
			stream->stats[stat.stat] = stat.value;
	}
	if (wants(stream, TW_STREAM_WANTS_COUNTERS))
		*ret_err = tw_stream_counters__stats(&stream->counters, tlv);
	return !list.left;
}

/* Update the stream with a complete TLV. Return: false if its value is malformed. */
static bool update(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv,
		   int *ret_err)
{
	const bool wants_formats = wants(stream, TW_STREAM_WANTS_FORMATS);

	switch (tlv->type) {
	case TW_TLV_SCHEMA:
		return !wants_formats || tw_stream__update_schema(stream, frame->schema_id, tlv);
	case TW_TLV_HOST:
		return update_host(stream, tlv);
	case TW_TLV_CLOCK:
		return update_clock(stream, tlv);
	case TW_TLV_COMM:
		return !wants_formats || update_task(stream, tlv);
	case TW_TLV_SYMBOL:
		return !wants_formats || update_symbol(stream, tlv);
	case TW_TLV_STATS:
		return update_stats(stream, tlv, ret_err);
	case TW_TLV_END:
		stream->counters.ended = true;
		return true;
	default:
		return true;
	}
}

bool tw_stream__whole(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv,
		      struct tw_tlv_view *ret)
{
	struct tw_streams *streams = stream->table;
	struct tw_parts_stats parts;
	struct tw_part_view part;
	bool whole;

	if (!tw_part__parse(tlv, &part)) {
		streams->stats.malformed++;
		return false;
	}
	if (part.inner_type == TW_TLV_EVENT ||
	    (part.inner_type == TW_TLV_SCHEMA && !wants(stream, TW_STREAM_WANTS_FORMATS)))
		return false;
	whole = tw_parts__add(streams->parts, stream->id, frame->channel, &part, ret) == TW_PARTS_WHOLE;
	tw_parts__stats(streams->parts, &parts);
	streams->stats.incomplete = parts.incomplete + parts.headless + parts.refused;
	return whole;
}

int tw_stream__update(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole = *tlv;
	int err = 0;

	if (tlv->type == TW_TLV_PART && !tw_stream__whole(stream, frame, tlv, &whole))
		return 0;
	if (!update(stream, frame, &whole, &err))
		stream->table->stats.malformed++;
	return err;
}

/* Whether the two streams are of one machine, and have times of the same clock. */
static bool shares_clock(const struct tw_identity *a, const struct tw_identity *b)
{
	return (*a->host || *a->boot) && !strcmp(a->host, b->host) && !strcmp(a->boot, b->boot) &&
	       !strcmp(a->clock, b->clock);
}

static bool has_time_of_day(const struct tw_stream *stream)
{
	return stream->has_wall && !tw_identity__counts(&stream->identity);
}

bool tw_stream__since(const struct tw_stream *stream, uint64_t time, const struct tw_stream *origin,
		      uint64_t origin_time, int64_t *ret)
{
	if (!origin)
		return false;
	*ret = (int64_t)(tw_identity__ns(&stream->identity, time) - tw_identity__ns(&origin->identity, origin_time));
	if (stream == origin)
		return true;
	if (!has_time_of_day(stream) || !has_time_of_day(origin))
		return shares_clock(&stream->identity, &origin->identity);
	*ret = (int64_t)((uint64_t)*ret + tw_stream__wall_offset(stream) - tw_stream__wall_offset(origin));
	return true;
}
