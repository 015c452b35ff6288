/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/time_error.h"

struct tw_time_errors {
	struct tw_time_error *all; /* in the order of frames, which the first pass goes in */
	uint32_t n, cap;
};

static struct tw_time_errors *errors_of(struct tw_stream *stream)
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

bool tw_stream__learn_time_error(struct tw_stream *stream, uint64_t ns, uint32_t frame)
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

const struct tw_time_error *tw_stream__time_error(const struct tw_stream *stream, uint32_t frame)
{
	const uint32_t n = stream->time_errors ? errors_before(stream->time_errors, frame) : 0;

	return n ? &stream->time_errors->all[n - 1] : NULL;
}
