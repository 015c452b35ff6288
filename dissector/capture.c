/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the open capture: its streams (stream/streams.h), the error bounds of their packet times, and results of the first pass for
 * single frames: gaps, refused data, and whether the order of packets is certain. Frames update this state only in the first pass, in the
 * order of the capture. Look-ups do not change the state. It is freed when the capture is closed.
 */
#include "dissector/packet-tracewire.h"

/* The error bounds from the OFFSET records of a stream, in the order of frames. */
struct time_errors {
	struct tw_time_error *all;
	uint32_t n, cap;
};

/* A packet with events. */
struct event_packet {
	const struct tw_stream *stream; /* NULL = no such packet yet */
	__int128 time;                  /* ns */
	uint64_t error_ns;              /* error bound of the time, or TW_ERROR_UNKNOWN */
};

/* Keys of data stored with a frame. */
enum { SEQUENCE, FIRST_REFUSAL };

struct refused_tlv {
	expert_field *ei;
	const char *text;
};

#define ORDERS_MIN 4096 /* smallest size of orders[], in frames */

uint32_t tw_dissect_cache_read;
bool tw_dissect_formats_full;
static struct tw_streams *streams; /* NULL if there was no memory */
static unsigned int user;          /* the element user[user] of a struct tw_stream points to its struct time_errors */
static struct tw_hash_table
	channels;         /* key: the stream's number << 16 | the channel's; value: struct tw_stream_channel */
static uint32_t refusals; /* number of stored messages about refused data, at most TW_REFUSALS_MAX */

static struct event_packet last,
	last_of_another; /* the last packet with events, and the last packet with events of any other stream */
static uint8_t *orders;  /* enum tw_time_order by frame */
static size_t n_orders;
static size_t orders_full_from; /* first frame whose order is not stored, because of the limit of memory; 0 = none */

static void *resize(void *ctx _U_, void *memory, size_t old_size _U_, size_t new_size)
{
	if (new_size)
		return wmem_realloc(wmem_file_scope(), memory, new_size);
	wmem_free(wmem_file_scope(), memory);
	return NULL;
}

static const struct tw_alloc file_scope = { .resize = resize };

static void open_capture(void)
{
	static const struct tw_streams_options options = {
		.keeps = true,
		.history = TW_HISTORY_ALL,
		.alloc = &file_scope,
		.wants = TW_STREAM_WANTS_FORMATS,
	};

	streams = tw_streams__new(&options);
	if (streams)
		user = tw_streams__add_user(streams, &(struct tw_stream_user){ .ctx = NULL });
	channels = (struct tw_hash_table){ .alloc = &file_scope,
					   .key_size = sizeof(uint64_t),
					   .value_size = sizeof(struct tw_stream_channel) };
	tw_dissect_cache_read = refusals = 0;
	tw_dissect_formats_full = false;
	last = last_of_another = (struct event_packet){ 0 };
	orders = NULL;
	n_orders = orders_full_from = 0;
}

/* Frees formats, compiled print fmts, symbols and strings, which are on the heap. Wireshark frees all other state with its file scope. */
static void close_capture(void)
{
	tw_streams__free(streams);
	streams = NULL;
}

void tw_dissect__register_capture(void)
{
	register_init_routine(open_capture);
	register_cleanup_routine(close_capture);
}

void tw_dissect__find_stream(struct tw_dissect *d)
{
	if (!streams)
		return;
	if (!d->first_pass) {
		d->stream = tw_streams__find(streams, d->frame.stream_id);
		d->schema = d->stream ? tw_stream__schema(d->stream, d->frame.schema_id) : NULL;
		return;
	}
	tw_streams__set_position(streams, d->pinfo->num);
	d->stream = tw_streams__get(streams, d->frame.stream_id);
	if (d->stream && d->frame.schema_id)
		d->schema = tw_stream__get_schema(d->stream, d->frame.schema_id);
}

/* Return: NULL beyond the capture's limits */
static struct tw_stream_channel *channel_of(const struct tw_dissect *d)
{
	const uint64_t key = (uint64_t)d->stream->number << 16 | d->frame.channel;
	void *channel = tw_hash_table__find_u64(&channels, key);

	if (!channel && tw_streams__take(streams, tw_hash_table__growth(&channels)))
		tw_hash_table__put_u64(&channels, key, &channel);
	return channel;
}

static const struct tw_sequence_note *check_sequence(const struct tw_dissect *d)
{
	struct tw_stream_channel *channel = channel_of(d);
	struct tw_sequence_note found, *note;

	if (!channel)
		return NULL;
	found.arrival = tw_stream_channel__see(channel, d->frame.seq, d->frame.events, &found.missing);
	if (found.arrival == TW_STREAM_IN_ORDER)
		return NULL;
	note = wmem_new(wmem_file_scope(), struct tw_sequence_note);
	*note = found;
	return note;
}

const struct tw_sequence_note *tw_dissect__sequence(struct tw_dissect *d)
{
	const struct tw_sequence_note *note;

	if (!d->first_pass)
		return p_get_proto_data(wmem_file_scope(), d->pinfo, proto_trace, SEQUENCE);
	note = d->stream ? check_sequence(d) : NULL;
	if (note)
		p_add_proto_data(wmem_file_scope(), d->pinfo, proto_trace, SEQUENCE, (void *)note);
	return note;
}

/* The key differs for a PART and for the record that it completes. */
static uint32_t refusal_key(const struct tw_dissect *d)
{
	return FIRST_REFUSAL + 2 * d->n_tlvs + d->bytes.reassembled;
}

void tw_dissect__refuse(struct tw_dissect *d, expert_field *ei, const char *text)
{
	struct refused_tlv *refused;

	tw_dissect__expert(d, ei, text);
	if (refusals >= TW_REFUSALS_MAX)
		return;
	refusals++;
	refused = wmem_new(wmem_file_scope(), struct refused_tlv);
	*refused = (struct refused_tlv){ ei, wmem_strdup(wmem_file_scope(), text) };
	p_add_proto_data(wmem_file_scope(), d->pinfo, proto_trace, refusal_key(d), refused);
}

bool tw_dissect__was_refused(struct tw_dissect *d)
{
	const struct refused_tlv *refused;

	if (d->first_pass)
		return false;
	refused = p_get_proto_data(wmem_file_scope(), d->pinfo, proto_trace, refusal_key(d));
	if (refused)
		tw_dissect__expert(d, refused->ei, refused->text);
	return refused;
}

bool tw_dissect__add_time_error(struct tw_dissect *d, uint64_t ns)
{
	struct time_errors *errors = d->stream->user[user];
	const struct tw_time_error *newest;
	bool allowed;

	if (!errors) {
		if (!tw_streams__take(streams, sizeof(*errors)))
			return false;
		d->stream->user[user] = errors = wmem_new0(wmem_file_scope(), struct time_errors);
	}
	newest = errors->n ? &errors->all[errors->n - 1] : NULL;
	if (newest && newest->ns == ns)
		return true;
	/* Each entry is counted twice: the array grows by doubling, so up to half of it is unused. */
	allowed = tw_streams__take(streams, 2 * sizeof(*errors->all));
	/* Beyond the limit, an entry that makes the bound unknown is still added, so that the old bound does not apply to later packets. */
	if (!allowed && (!newest || newest->ns == TW_ERROR_UNKNOWN))
		return false;
	if (errors->n == errors->cap) {
		errors->cap = errors->cap ? errors->cap * 2 : 1;
		errors->all = wmem_realloc(wmem_file_scope(), errors->all, errors->cap * sizeof(*errors->all));
	}
	errors->all[errors->n++] = (struct tw_time_error){ allowed ? ns : TW_ERROR_UNKNOWN, d->pinfo->num };
	return allowed;
}

const struct tw_time_error *tw_dissect__time_error(const struct tw_dissect *d)
{
	const struct time_errors *errors = d->stream ? d->stream->user[user] : NULL;
	uint32_t low = 0, high = errors ? errors->n : 0;

	if (high && errors->all[high - 1].frame < d->pinfo->num)
		low = high; /* most look-ups are for the last entry */
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (errors->all[mid].frame < d->pinfo->num)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &errors->all[low - 1] : NULL;
}

static enum tw_time_order compare(const struct event_packet *a, const struct event_packet *b)
{
	const __int128 apart = a->time < b->time ? b->time - a->time : a->time - b->time;

	if (a->error_ns == TW_ERROR_UNKNOWN || b->error_ns == TW_ERROR_UNKNOWN)
		return TW_ORDER_UNCERTAIN;
	return apart <= (__int128)a->error_ns + b->error_ns ? TW_ORDER_UNCERTAIN : TW_ORDER_CERTAIN;
}

static bool make_room(size_t frame)
{
	const size_t n = frame < ORDERS_MIN ? ORDERS_MIN : 2 * frame;

	if (frame < n_orders)
		return true;
	if (orders_full_from || !tw_streams__take(streams, n - n_orders))
		return false;
	orders = wmem_realloc(wmem_file_scope(), orders, n);
	memset(orders + n_orders, TW_ORDER_NO_OTHER, n - n_orders);
	n_orders = n;
	return true;
}

void tw_dissect__update_order(struct tw_dissect *d)
{
	const packet_info *pinfo = d->pinfo;
	const struct tw_time_error *error = tw_dissect__time_error(d);
	const struct event_packet now = {
		.stream = d->stream,
		.time = (__int128)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs,
		.error_ns = error && pinfo->presence_flags & PINFO_HAS_TS ? error->ns : TW_ERROR_UNKNOWN,
	};

	if (last.stream && last.stream != d->stream)
		last_of_another = last;
	last = now;
	if (!last_of_another.stream)
		return;
	if (make_room(pinfo->num))
		orders[pinfo->num] = (uint8_t)compare(&last_of_another, &now);
	else if (!orders_full_from)
		orders_full_from = pinfo->num;
}

enum tw_time_order tw_dissect__order(const struct tw_dissect *d)
{
	const uint32_t frame = d->pinfo->num;

	if (!d->stream)
		return TW_ORDER_NO_OTHER;
	if (orders_full_from && frame >= orders_full_from)
		return TW_ORDER_UNCERTAIN;
	return frame < n_orders ? (enum tw_time_order)orders[frame] : TW_ORDER_NO_OTHER;
}
