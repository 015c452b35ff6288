/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records about clocks: the producer's, how far they are from a receiver's and what goes with its questions, and what a recording's times rest on. */
#include "dissector/records.h"
#include "dissector/time_error.h"

bool tw_records__clock(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	const int first = (int)(offsetof(struct tw_clock_tlv, trace) - sizeof(struct tw_tlv));
	struct tw_clock_view clock;

	if (!tw_clock__parse(tlv, &clock))
		return false;
	if (d->first_pass && d->stream)
		d->stream->clock_frame = d->pinfo->num;
	tw_put_number(d, tree, hf_trace_clock_valid, at, 4, clock.valid);
	tw_put_number(d, tree, hf_trace_clock_error, at + 4, 4, clock.error_ns);
	if (clock.sync_ns)
		tw_put_number(d, tree, hf_trace_clock_sync, at + 8, 4, clock.sync_ns);
#define X(bit, name, field, what)                                                                    \
	if (clock.valid & 1u << (bit))                                                               \
		tw_put_number(d, tree, hf_trace_clock_reading[bit], at + first + (bit)*8, 8,         \
			      (bit) == TW_CLOCK_TRACE ? tw_stream__ns(d->stream, clock.reading[bit]) \
						      : clock.reading[bit]);
	TW_CLOCK_LIST(X)
#undef X
	tw_line__char(info, ' ');
	tw_records__append_time(info, tw_stream__ns(d->stream, clock.reading[TW_CLOCK_TRACE]));
	return true;
}

bool tw_records__exchange(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_exchange_view exchange;
	bool is_answer;

	if (!tw_exchange__parse(tlv, &exchange))
		return false;
	is_answer = exchange.received || exchange.answered;
	tw_put_number(d, tree, hf_trace_exchange_id, at, 4, exchange.id);
	tw_put_number(d, tree, hf_trace_exchange_asked, at + 4, 8, exchange.asked);
	if (is_answer) {
		tw_put_number(d, tree, hf_trace_exchange_received, at + 12, 8,
			      tw_stream__ns(d->stream, exchange.received));
		tw_put_number(d, tree, hf_trace_exchange_answered, at + 20, 8,
			      tw_stream__ns(d->stream, exchange.answered));
	}
	tw_line__char(info, ' ');
	tw_line__u64(info, exchange.id);
	tw_line__str(info, is_answer ? ": answer" : ": question");
	return true;
}

bool tw_records__want(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_cursor c = { .at = tlv->value, .left = tlv->len };
	uint16_t what;

	while (tw_want__next(&c, &what)) {
		tw_put_number(d, tree, hf_trace_want_what, tw_dissect__at(d, c.at) - 2, 2, what);
		tw_line__char(info, ' ');
		tw_line__str(info, val_to_str_const(what, tw_want_names, "something unknown"));
	}
	return !c.left;
}

bool tw_records__refused(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_cursor c = { .at = tlv->value, .left = tlv->len };
	uint16_t why;

	while (tw_refused__next(&c, &why)) {
		tw_put_number(d, tree, hf_trace_refused_why, tw_dissect__at(d, c.at) - 2, 2, why);
		tw_line__str(info, ": ");
		tw_line__str(info, val_to_str_const(why, tw_refused_names, "something unknown"));
	}
	return !c.left;
}

/* "35 \xc2\xb5s": never less than it is, as it is a bound. */
static void append_bound(struct tw_line *line, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, " s" }, { 1000000, " ms" }, { 1000, " \xc2\xb5s" }, { 1, " ns" } };
	size_t i = 0;

	while (units[i].ns > 1 && ns < 10 * units[i].ns)
		i++;
	tw_line__u64(line, ns / units[i].ns + (ns % units[i].ns != 0));
	tw_line__str(line, units[i].name);
}

/* "3600.000 s"; what is shorter than a second to the ns. */
static void append_seconds(struct tw_line *line, uint64_t ns)
{
	if (ns < 1000000000) {
		tw_records__append_time(line, ns);
	} else {
		tw_line__u64(line, ns / 1000000000);
		tw_line__char(line, '.');
		tw_line__digits(line, ns % 1000000000 / 1000000, 3, '0');
	}
	tw_line__str(line, " s");
}

static void append_change(struct tw_line *line, const struct tw_offset_view *offset)
{
	const uint64_t size = offset->step < 0 ? -(uint64_t)offset->step : (uint64_t)offset->step;

	if (offset->kind == TW_OFFSET_STEP) {
		tw_line__str(line, "wall clock set by ");
		tw_line__char(line, offset->step < 0 ? '-' : '+');
	} else {
		tw_line__str(line, "suspended for ");
	}
	append_seconds(line, size);
}

static void append_error(struct tw_line *line, const struct tw_offset_view *offset)
{
	if (offset->error_ns == TW_ERROR_UNKNOWN) {
		tw_line__str(line, "how far times are from the capture host's clock is not known");
		return;
	}
	tw_line__str(line, "times are within ");
	append_bound(line, offset->error_ns);
	tw_line__str(line, " of the capture host's clock (");
	tw_line__str(line, val_to_str_const(offset->method, tw_offset_method_names, "by unknown means"));
	tw_line__char(line, ')');
}

static void put_offset(struct tw_dissect *d, proto_tree *tree, const struct tw_offset_view *offset, int at)
{
	tw_put_number(d, tree, hf_trace_offset_kind, at, 2, offset->kind);
	tw_put_number(d, tree, hf_trace_offset_method, at + 2, 2, offset->method);
	tw_put_number(d, tree, hf_trace_offset_time, at + 4, 8, tw_stream__ns(d->stream, offset->time));
	tw_put_signed_time(d, tree, hf_trace_offset_offset, at + 12, 8, offset->offset);
	if (offset->step)
		tw_put_signed_time(d, tree, hf_trace_offset_step, at + 20, 8, offset->step);
	if (offset->error_ns != TW_ERROR_UNKNOWN)
		tw_put_number(d, tree, hf_trace_offset_error, at + 28, 8, offset->error_ns);
	tw_put_number(d, tree, hf_trace_offset_drift, at + 36, 4, (uint64_t)offset->drift);
}

static void note_change(struct tw_dissect *d, const struct tw_offset_view *offset)
{
	char buf[64];
	struct tw_line text = tw_shown__on(buf, sizeof(buf));

	append_change(&text, offset);
	tw_dissect__expert(d, offset->kind == TW_OFFSET_STEP ? &ei_trace_step : &ei_trace_suspend,
			   tw_shown__end(&text));
}

bool tw_records__offset(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_offset_view offset;

	if (!tw_offset__parse(tlv, &offset))
		return false;
	if (d->first_pass && d->stream && !tw_stream__learn_time_error(d->stream, offset.error_ns, d->pinfo->num))
		tw_dissect__refuse(d, &ei_trace_limit, "The capture has more OFFSETs than the dissector keeps");
	put_offset(d, tree, &offset, tw_dissect__at(d, tlv->value));
	tw_line__str(info, ": ");
	if (offset.kind == TW_OFFSET_STEP || offset.kind == TW_OFFSET_SUSPEND) {
		note_change(d, &offset);
		append_change(info, &offset);
		tw_line__str(info, "; ");
	}
	append_error(info, &offset);
	return true;
}
