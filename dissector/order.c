/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/order.h"

struct tw_time_errors {
	struct tw_time_error *all; /* in the order of frames, which the first pass goes in */
	uint32_t n, cap;
};

static struct tw_time_errors *errors_of(struct tw_dissector_stream *stream)
{
	if (!stream->time_errors && tw_capture__allow(sizeof(*stream->time_errors)))
		stream->time_errors = wmem_new0(wmem_file_scope(), struct tw_time_errors);
	return stream->time_errors;
}

static void append(struct tw_time_errors *errors, struct tw_time_error error)
{
	if (errors->n == errors->cap) {
		errors->cap = errors->cap ? errors->cap * 2 : 1;
		errors->all = wmem_realloc(wmem_file_scope(), errors->all, errors->cap * sizeof(*errors->all));
	}
	errors->all[errors->n++] = error;
}

bool tw_stream__learn_time_error(struct tw_dissector_stream *stream, uint64_t ns, uint32_t frame)
{
	struct tw_time_errors *errors = errors_of(stream);
	const struct tw_time_error *last;
	bool allowed;

	if (!errors)
		return false;
	last = errors->n ? &errors->all[errors->n - 1] : NULL;
	if (last && last->ns == ns)
		return true;
	/* An array that grows by doubling has up to as much again. */
	allowed = tw_capture__allow(2 * sizeof(*errors->all));
	/* An old bound must not stand for a new one; the one entry that says so needs no leave. */
	if (allowed || (last && last->ns != TW_ERROR_UNKNOWN))
		append(errors, (struct tw_time_error){ allowed ? ns : TW_ERROR_UNKNOWN, frame });
	return allowed;
}

/* How many came before @frame. Most look-ups want the last one. */
static uint32_t errors_before(const struct tw_time_errors *errors, uint32_t frame)
{
	uint32_t low = 0, high = errors->n;

	if (high && errors->all[high - 1].frame < frame)
		return high;
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (errors->all[mid].frame < frame)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct tw_time_error *tw_stream__time_error(const struct tw_dissector_stream *stream, uint32_t frame)
{
	const uint32_t n = stream->time_errors ? errors_before(stream->time_errors, frame) : 0;

	return n ? &stream->time_errors->all[n - 1] : NULL;
}

#define FRAMES_LEAST 4096 /* of the array, when it is needed at all */

struct seen {
	const struct tw_dissector_stream *stream; /* NULL if there was none */
	__int128 time;                            /* ns */
	uint64_t error_ns;                        /* TW_ERROR_UNKNOWN */
};

static struct seen last, last_of_another; /* newest packet, and newest of any other stream than that one's */
static uint8_t *orders;                   /* enum tw_order by frame */
static size_t n_orders;
static size_t full_from; /* the frame from which on there was no memory for them; 0 = there is */

static void forget(void)
{
	last = last_of_another = (struct seen){ 0 };
	orders = NULL;
	n_orders = 0;
	full_from = 0;
}

void tw_order__register(void)
{
	register_init_routine(forget);
}

static struct seen seen_now(const struct tw_dissector_stream *stream, const packet_info *pinfo)
{
	const struct tw_time_error *error = tw_stream__time_error(stream, pinfo->num);
	const bool has_time = pinfo->presence_flags & PINFO_HAS_TS;

	return (struct seen){
		.stream = stream,
		.time = (__int128)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs,
		.error_ns = error && has_time ? error->ns : TW_ERROR_UNKNOWN,
	};
}

static enum tw_order compare(const struct seen *a, const struct seen *b)
{
	const __int128 apart = a->time < b->time ? b->time - a->time : a->time - b->time;

	if (a->error_ns == TW_ERROR_UNKNOWN || b->error_ns == TW_ERROR_UNKNOWN)
		return TW_ORDER_UNCERTAIN;
	return apart <= (__int128)a->error_ns + b->error_ns ? TW_ORDER_UNCERTAIN : TW_ORDER_CERTAIN;
}

static bool make_room(size_t frame)
{
	const size_t n = frame < FRAMES_LEAST ? FRAMES_LEAST : 2 * frame;

	if (frame < n_orders)
		return true;
	if (full_from || !tw_capture__allow(n - n_orders))
		return false;
	orders = wmem_realloc(wmem_file_scope(), orders, n);
	memset(orders + n_orders, TW_ORDER_NO_OTHER, n - n_orders);
	n_orders = n;
	return true;
}

static void keep(size_t frame, enum tw_order order)
{
	if (make_room(frame))
		orders[frame] = (uint8_t)order;
	else if (!full_from)
		full_from = frame;
}

void tw_order__learn(const struct tw_dissector_stream *stream, const packet_info *pinfo)
{
	const struct seen now = seen_now(stream, pinfo);

	if (last.stream && last.stream != stream)
		last_of_another = last;
	last = now;
	if (last_of_another.stream)
		keep(pinfo->num, compare(&last_of_another, &now));
}

enum tw_order tw_order__of(uint32_t frame)
{
	if (full_from && frame >= full_from)
		return TW_ORDER_UNCERTAIN;
	return frame < n_orders ? (enum tw_order)orders[frame] : TW_ORDER_NO_OTHER;
}
