/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dissects all records except events and PARTs: adds their fields, and their texts in the Info column. */
#include "dissector/packet-tracewire.h"

/*
 * Adds a record's fields to @tree and appends a summary to @info. Return: false for a malformed value.
 */
typedef bool (*record_dissector)(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
				 struct tw_line *info);

/* @p: the reading in the packet */
static void put_phc(struct tw_dissect *d, proto_tree *tree, const struct tw_phc_view *phc, const uint8_t *p)
{
	const int at = tw_dissect__at(d, p);
	proto_tree *sub = tw_put_subtree(d, tree, ett_trace_record, p, sizeof(struct tw_phc),
					 wmem_strdup_printf(d->pinfo->pool, "/dev/ptp%u", phc->index));

	tw_put_number(d, sub, hf_trace_phc_index, at, 2, phc->index);
	tw_put_number(d, sub, hf_trace_phc_method, at + (int)offsetof(struct tw_phc, method), 1, phc->method);
	tw_put_number(d, sub, hf_trace_phc_error, at + (int)offsetof(struct tw_phc, error_ns), 4, phc->error_ns);
	if (phc->sync_ns)
		tw_put_number(d, sub, hf_trace_phc_sync, at + (int)offsetof(struct tw_phc, sync_ns), 4, phc->sync_ns);
	tw_put_number(d, sub, hf_trace_phc_time, at + (int)offsetof(struct tw_phc, phc), 8, phc->phc);
	tw_put_number(d, sub, hf_trace_phc_trace, at + (int)offsetof(struct tw_phc, trace), 8,
		      tw_dissect__ns(d, phc->trace));
}

/* Adds what a CLOCK of full length has in addition to the readings. */
static void put_clock_more(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			   const struct tw_clock_view *clock)
{
	const size_t full = sizeof(struct tw_clock_tlv) - sizeof(struct tw_tlv);
	const int at = tw_dissect__at(d, tlv->value) - (int)sizeof(struct tw_tlv);

	if (tlv->len < full)
		return;
	tw_put_number(d, tree, hf_trace_clock_tai_offset, at + (int)offsetof(struct tw_clock_tlv, tai_offset), 4,
		      (uint64_t)clock->tai_offset);
	tw_put_number(d, tree, hf_trace_clock_leap, at + (int)offsetof(struct tw_clock_tlv, leap), 2, clock->leap);
	for (unsigned int i = 0; i < clock->n_phcs; i++)
		put_phc(d, tree, &clock->phcs[i], tlv->value + full + i * sizeof(struct tw_phc));
}

/* Whether the stream's clock is TAI, and is UTC in fact, because no program has set the kernel's TAI offset. */
static bool lacks_tai(const struct tw_dissect *d, const struct tw_tlv_view *tlv, const struct tw_clock_view *clock)
{
	return tlv->len >= sizeof(struct tw_clock_tlv) - sizeof(struct tw_tlv) && !clock->tai_offset && d->stream &&
	       !strcmp(d->stream->identity.clock, "tai");
}

/* Appends the states of the clocks that affect times. */
static void append_clock(struct tw_line *info, const struct tw_clock_view *clock)
{
	if (clock->leap) {
		tw_line__str(info, ", ");
		tw_line__str(info, val_to_str_const(clock->leap, tw_leap_names, "unknown leap state"));
	}
	for (unsigned int i = 0; i < clock->n_phcs; i++) {
		tw_line__str(info, ", ptp");
		tw_line__u64(info, clock->phcs[i].index);
	}
}

static bool dissect_clock(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	const int first = (int)(offsetof(struct tw_clock_tlv, trace) - sizeof(struct tw_tlv));
	struct tw_clock_view clock;

	if (!tw_clock__parse(tlv, &clock))
		return false;
	tw_put_number(d, tree, hf_trace_clock_valid, at, 4, clock.valid);
	tw_put_number(d, tree, hf_trace_clock_error, at + 4, 4, clock.error_ns);
	if (clock.sync_ns)
		tw_put_number(d, tree, hf_trace_clock_sync, at + 8, 4, clock.sync_ns);
#define X(bit, name, field, what)                                                            \
	if (clock.valid & 1u << (bit))                                                       \
		tw_put_number(d, tree, hf_trace_clock_reading[bit], at + first + (bit)*8, 8, \
			      (bit) == TW_CLOCK_TRACE ? tw_dissect__ns(d, clock.reading[bit]) : clock.reading[bit]);
	TW_CLOCK_LIST(X)
#undef X
	put_clock_more(d, tree, tlv, &clock);
	tw_line__char(info, ' ');
	tw_line__seconds(info, tw_dissect__ns(d, clock.reading[TW_CLOCK_TRACE]));
	append_clock(info, &clock);
	if (lacks_tai(d, tlv, &clock))
		tw_line__str(info, ", TAI offset not set");
	return true;
}

static void put_stamps(struct tw_dissect *d, proto_tree *tree, const struct tw_time_sync_view *exchange, int at)
{
	tw_put_number(d, tree, hf_trace_exchange_received_by, at + 28, 1, exchange->received_by);
	tw_put_number(d, tree, hf_trace_exchange_answered_by, at + 29, 1, exchange->answered_by);
	if (!exchange->sent_by)
		return;
	tw_put_number(d, tree, hf_trace_exchange_sent_by, at + 30, 1, exchange->sent_by);
	tw_put_number(d, tree, hf_trace_exchange_previous, at + 32, 4, exchange->previous);
	tw_put_number(d, tree, hf_trace_exchange_sent, at + 36, 8, tw_dissect__ns(d, exchange->sent));
}

static bool dissect_time_sync(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			      struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_time_sync_view exchange;
	bool is_answer;

	if (!tw_time_sync__parse(tlv, &exchange))
		return false;
	is_answer = exchange.received || exchange.answered;
	tw_put_number(d, tree, hf_trace_exchange_id, at, 4, exchange.id);
	tw_put_number(d, tree, hf_trace_exchange_asked, at + 4, 8, exchange.asked);
	if (is_answer) {
		tw_put_number(d, tree, hf_trace_exchange_received, at + 12, 8, tw_dissect__ns(d, exchange.received));
		tw_put_number(d, tree, hf_trace_exchange_answered, at + 20, 8, tw_dissect__ns(d, exchange.answered));
		if (!exchange.is_short)
			put_stamps(d, tree, &exchange, at);
	}
	tw_line__char(info, ' ');
	tw_line__u64(info, exchange.id);
	tw_line__str(info, is_answer ? ": response" : ": request");
	return true;
}

static bool dissect_metadata_request(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
				     struct tw_line *info)
{
	struct tw_cursor c = { .at = tlv->value, .left = tlv->len };
	uint16_t what;

	while (tw_number_tlv__next(&c, &what)) {
		tw_put_number(d, tree, hf_trace_want_what, tw_dissect__at(d, c.at) - 2, 2, what);
		tw_line__char(info, ' ');
		tw_line__str(info, val_to_str_const(what, tw_metadata_request_names, "something unknown"));
	}
	return !c.left;
}

static bool dissect_refused(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_cursor c = { .at = tlv->value, .left = tlv->len };
	uint16_t why;

	while (tw_number_tlv__next(&c, &why)) {
		tw_put_number(d, tree, hf_trace_refused_why, tw_dissect__at(d, c.at) - 2, 2, why);
		tw_line__str(info, ": ");
		tw_line__str(info, val_to_str_const(why, tw_refused_names, "something unknown"));
	}
	return !c.left;
}

/* Appends an error bound, such as "35 ms". The number is rounded up, because it is an upper bound. */
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

/* Appends a time, such as "3600.000 s". A time of a second or more has three decimals, a shorter time has nine. */
static void append_seconds(struct tw_line *line, uint64_t ns)
{
	if (ns < 1000000000) {
		tw_line__seconds(line, ns);
	} else {
		tw_line__u64(line, ns / 1000000000);
		tw_line__char(line, '.');
		tw_line__digits(line, ns % 1000000000 / 1000000, 3, '0');
	}
	tw_line__str(line, " s");
}

/* The kinds of OFFSET that stand for a change of a clock. */
static const struct {
	const char *text;
	bool has_sign;
	expert_field *expert;
} changes[TW_OFFSET_KINDS] = {
	[TW_OFFSET_STEP] = { "wall clock set by ", true, &ei_trace_step },
	[TW_OFFSET_SUSPEND] = { "suspended for ", false, &ei_trace_suspend },
	[TW_OFFSET_LEAP] = { "leap second: wall clock set by ", true, &ei_trace_leap },
	[TW_OFFSET_TAI] = { "TAI offset changed by ", true, &ei_trace_tai },
	[TW_OFFSET_REFERENCE] = { "reference set by ", true, &ei_trace_step },
};

static bool is_change(const struct tw_offset_view *offset)
{
	return offset->kind < TW_OFFSET_KINDS && changes[offset->kind].text;
}

static void append_change(struct tw_line *line, const struct tw_offset_view *offset)
{
	const uint64_t size = offset->step < 0 ? -(uint64_t)offset->step : (uint64_t)offset->step;

	tw_line__str(line, changes[offset->kind].text);
	if (changes[offset->kind].has_sign)
		tw_line__char(line, offset->step < 0 ? '-' : '+');
	append_seconds(line, size);
}

static void append_error(struct tw_line *line, const struct tw_offset_view *offset)
{
	if (offset->error_ns == TW_ERROR_UNKNOWN) {
		tw_line__str(line, "the error bound of the times is unknown");
		return;
	}
	tw_line__str(line, "times are within ");
	append_bound(line, offset->error_ns);
	tw_line__str(line, " of the reference clock (");
	tw_line__str(line, val_to_str_const(offset->method, tw_offset_method_names, "by unknown means"));
	tw_line__char(line, ')');
}

static void put_offset(struct tw_dissect *d, proto_tree *tree, const struct tw_offset_view *offset, int at)
{
	tw_put_number(d, tree, hf_trace_offset_kind, at, 2, offset->kind);
	tw_put_number(d, tree, hf_trace_offset_method, at + 2, 2, offset->method);
	tw_put_number(d, tree, hf_trace_offset_time, at + 4, 8, tw_dissect__ns(d, offset->time));
	tw_put_signed_time(d, tree, hf_trace_offset_offset, at + 12, 8, offset->offset);
	if (offset->step)
		tw_put_signed_time(d, tree, hf_trace_offset_step, at + 20, 8, offset->step);
	if (offset->error_ns != TW_ERROR_UNKNOWN)
		tw_put_number(d, tree, hf_trace_offset_error, at + 28, 8, offset->error_ns);
	tw_put_number(d, tree, hf_trace_offset_drift, at + 36, 4, (uint64_t)offset->drift);
	if (!offset->by.asked) /* nothing is known of an exchange */
		return;
	tw_put_number(d, tree, hf_trace_offset_asked_by, at + 40, 1, offset->by.asked);
	tw_put_number(d, tree, hf_trace_offset_received_by, at + 41, 1, offset->by.received);
	tw_put_number(d, tree, hf_trace_offset_answered_by, at + 42, 1, offset->by.answered);
	tw_put_number(d, tree, hf_trace_offset_arrived_by, at + 43, 1, offset->by.arrived);
}

static void report_change(struct tw_dissect *d, const struct tw_offset_view *offset)
{
	char buf[64];
	struct tw_line text = tw_shown__on(buf, sizeof(buf));

	append_change(&text, offset);
	tw_dissect__expert(d, changes[offset->kind].expert, tw_shown__end(&text));
}

static bool dissect_offset(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_offset_view offset;

	if (!tw_offset__parse(tlv, &offset))
		return false;
	put_offset(d, tree, &offset, tw_dissect__at(d, tlv->value));
	tw_line__str(info, ": ");
	if (is_change(&offset)) {
		report_change(d, &offset);
		append_change(info, &offset);
		tw_line__str(info, "; ");
	}
	append_error(info, &offset);
	return true;
}

static bool wants_texts(proto_tree *tree)
{
	return tw_tree__wants(tree, hf_trace_schema_text) || tw_tree__wants(tree, hf_trace_schema_system);
}

/* @at, @len: the payload in the packet. It is decompressed only if text or system are displayed or in a filter, which saves time. */
static void put_schema_text(struct tw_dissect *d, proto_tree *tree, int at, int len, const struct tw_schema_view *view)
{
	struct tw_schema_text text;

	if (!wants_texts(tree) || tw_dissect__unpack_schema(d, view, &text, NULL))
		return;
	tw_put_text(d, tree, hf_trace_schema_system, at, len, text.system);
	tw_put_text(d, tree, hf_trace_schema_text, at, len,
		    tw_shown__dup(d->pinfo->pool, text.text, strnlen(text.text, MIN(text.len, TW_SCHEMA_SHOWN_MAX))));
}

static const char *schema_label(const struct tw_dissect *d, const struct tw_schema_view *view)
{
	const struct tw_event_type *type = tw_event_type__find(d->schema, view->event_id);

	if (view->kind != TW_SCHEMA_EVENT || !type)
		return val_to_str_const(view->kind, tw_schema_kind_names, "text of unknown kind");
	return wmem_strdup_printf(d->pinfo->pool, "%s:%s", type->event->format->system, type->event->format->name);
}

static void put_schema_group(struct tw_dissect *d, proto_tree *tree, const struct tw_schema_view *group)
{
	const int at = tw_dissect__at(d, group->data), len = (int)group->len;
	struct tw_schema_group texts;
	struct tw_schema_view view;

	if (!wants_texts(tree) || tw_dissect__unpack_group(d, group, &texts, NULL))
		return;
	while (tw_schema_group__next(&texts, &view)) {
		proto_tree *sub =
			tw_put_subtree(d, tree, ett_trace_record, group->data, group->len, schema_label(d, &view));

		tw_put_number(d, sub, hf_trace_schema_kind, at, len, view.kind);
		tw_put_number(d, sub, hf_trace_schema_event_id, at, len, view.event_id);
		tw_put_number(d, sub, hf_trace_schema_index, at, len, view.index);
		put_schema_text(d, sub, at, len, &view);
	}
}

static void append_schema(const struct tw_dissect *d, const struct tw_schema_view *view, struct tw_line *info)
{
	tw_line__char(info, ' ');
	tw_line__u64(info, (uint64_t)view->index + 1);
	tw_line__char(info, '/');
	tw_line__u64(info, view->total);
	tw_line__char(info, ' ');
	tw_line__str(info, schema_label(d, view));
}

static bool dissect_schema(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_schema_view view;

	if (!tw_schema_tlv__parse(tlv, &view))
		return false;
	tw_put_number(d, tree, hf_trace_schema_kind, at, 1, view.kind);
	tw_put_number(d, tree, hf_trace_schema_encoding, at + 1, 1, view.encoding);
	tw_put_number(d, tree, hf_trace_schema_event_id, at + 2, 2, view.event_id);
	tw_put_number(d, tree, hf_trace_schema_raw_length, at + 4, 4, view.raw_length);
	tw_put_number(d, tree, hf_trace_schema_index, at + 8, 4, view.index);
	tw_put_number(d, tree, hf_trace_schema_total, at + 12, 4, view.total);
	if (view.kind == TW_SCHEMA_GROUP)
		put_schema_group(d, tree, &view);
	else
		put_schema_text(d, tree, tw_dissect__at(d, view.data), (int)view.len, &view);
	append_schema(d, &view, info);
	return true;
}

static void dissect_host_attr(struct tw_dissect *d, proto_tree *tree, const struct tw_attr_view *attr)
{
	const int hf = attr->attr < TW_HOST_ATTRS ? hf_trace_host_attr[attr->attr] : -1;
	const bool is_number = hf > 0 && proto_registrar_get_ftype(hf) == FT_UINT64;

	if (hf <= 0 || (is_number && attr->len != 8))
		tw_put_bytes(d, tree, hf_trace_tlv_value, attr->value, attr->len);
	else if (is_number)
		tw_put_number(d, tree, hf, tw_dissect__at(d, attr->value), 8, tw_load_be64(attr->value));
	else
		tw_put_bytes(d, tree, hf, attr->value, attr->len);
}

static bool dissect_host(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_cursor attrs = { tlv->value, tlv->len };
	struct tw_attr_view attr;

	while (tw_host__next(&attrs, &attr)) {
		dissect_host_attr(d, tree, &attr);
		if (attr.attr == TW_HOST_NAME || attr.attr == TW_HOST_RELEASE || attr.attr == TW_HOST_MACHINE) {
			tw_line__char(info, ' ');
			tw_line__bytes(info, attr.value, attr.len);
		}
	}
	return !attrs.left;
}

static bool dissect_comm(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_comm_view comm;

	if (!tw_comm__parse(tlv, &comm))
		return false;
	tw_put_number(d, tree, hf_trace_comm_origin, at, 1, comm.origin);
	tw_put_number(d, tree, hf_trace_comm_time, at + 4, 8, tw_dissect__ns(d, comm.time));
	tw_put_number(d, tree, hf_trace_comm_pid, at + 12, 4, comm.pid);
	tw_put_number(d, tree, hf_trace_comm_tgid, at + 16, 4, comm.tgid);
	tw_put_bytes(d, tree, hf_trace_comm_name, comm.name, comm.len);
	tw_line__char(info, ' ');
	tw_line__u64(info, comm.pid);
	tw_line__char(info, '=');
	tw_line__bytes(info, comm.name, comm.len);
	return true;
}

static bool dissect_symbol(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_symbol_view symbol;

	if (!tw_symbol__parse(tlv, &symbol))
		return false;
	tw_put_number(d, tree, hf_trace_symbol_size, at, 4, symbol.size);
	tw_put_number(d, tree, hf_trace_symbol_address, at + 4, 8, symbol.address);
	tw_put_bytes(d, tree, hf_trace_symbol_name, symbol.name, symbol.len);
	tw_line__char(info, ' ');
	tw_line__bytes(info, symbol.name, symbol.len);
	return true;
}

/*
 * Appends the number of lost events. With the flag UNKNOWN, the count is the growth of the kernel's counter since the channel's last LOST.
 * These events were lost at some time since that LOST. The count is 0 if an earlier LOST already contained the events of this loss.
 */
static void append_count(struct tw_line *info, const struct tw_lost_view *lost)
{
	if (lost->unknown && !lost->count) {
		tw_line__str(info, " unknown number of");
		return;
	}
	tw_line__str(info, lost->unknown ? " at least " : " ");
	tw_line__u64(info, lost->count);
}

static bool dissect_lost(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, d->frame.base_time, &lost))
		return false;
	tw_put_number(d, tree, hf_trace_lost_time, at, 4, tw_dissect__ns(d, lost.time));
	tw_put_number(d, tree, hf_trace_lost_where, at + 4, 2, lost.where);
	tw_put_number(d, tree, hf_trace_lost_unknown, at + 6, 2, lost.unknown);
	tw_put_number(d, tree, hf_trace_lost_count, at + 8, 8, lost.count);
	append_count(info, &lost);
	tw_line__str(info, " events (");
	tw_line__str(info, val_to_str_const(lost.where, tw_lost_names, "unknown place"));
	tw_line__char(info, ')');
	return true;
}

static bool dissect_watermark(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			      struct tw_line *info)
{
	const uint8_t *entry;
	struct tw_watermark_view mark;
	uint16_t channel;
	uint64_t seq;

	if (!tw_watermark__parse(tlv, &mark))
		return false;
	tw_put_number(d, tree, hf_trace_watermark_time, tw_dissect__at(d, tlv->value), 8, tw_dissect__ns(d, mark.time));
	while (entry = mark.channels.at, tw_watermark__next(&mark.channels, &channel, &seq)) {
		tw_put_number(d, tree, hf_trace_watermark_channel, tw_dissect__at(d, entry), 2, channel);
		tw_put_number(d, tree, hf_trace_watermark_next_seq, tw_dissect__at(d, entry) + 4, 8, seq);
	}
	tw_line__char(info, ' ');
	tw_line__seconds(info, tw_dissect__ns(d, mark.time));
	return !mark.channels.left;
}

static bool dissect_stats(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			  struct tw_line *info _U_)
{
	struct tw_cursor stats = { tlv->value, tlv->len };
	struct tw_stat_view stat;
	const uint8_t *entry;

	while (entry = stats.at, tw_stats__next(&stats, &stat)) {
		const int at = tw_dissect__at(d, entry);

		tw_put_number(d, tree, hf_trace_stats_channel, at + 2, 2, stat.channel);
		if (stat.stat < TW_STATS && hf_trace_stat[stat.stat] > 0) {
			tw_put_number(d, tree, hf_trace_stat[stat.stat], at + 4, 8, stat.value);
			continue;
		}
		tw_put_number(d, tree, hf_trace_stats_id, at, 2, stat.stat);
		tw_put_number(d, tree, hf_trace_stats_value, at + 4, 8, stat.value);
	}
	return !stats.left;
}

static bool dissect_auth(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			 struct tw_line *info _U_)
{
	const int at = tw_dissect__at(d, tlv->value);

	if (tlv->len < 4)
		return false;
	tw_put_number(d, tree, hf_trace_auth_algorithm, at, 2, tw_load_be16(tlv->value));
	tw_put_number(d, tree, hf_trace_auth_key_id, at + 2, 2, tw_load_be16(tlv->value + 2));
	if (tlv->len > 4)
		tw_put_bytes(d, tree, hf_trace_auth_tag, tlv->value + 4, tlv->len - 4);
	return true;
}

static bool dissect_end(struct tw_dissect *d _U_, proto_tree *tree _U_, const struct tw_tlv_view *tlv _U_,
			struct tw_line *info)
{
	tw_line__str(info, " of the stream");
	return true;
}

static bool dissect_other(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			  struct tw_line *info _U_)
{
	if (tlv->len)
		tw_put_bytes(d, tree, hf_trace_tlv_value, tlv->value, tlv->len);
	return true;
}

/* Return: the function for a type of record. The available part of a truncated record is shown as bytes. */
static record_dissector dissector_of(const struct tw_dissect *d, uint16_t type)
{
	static const record_dissector by_type[] = {
		[TW_TLV_LOST] = dissect_lost,
		[TW_TLV_WATERMARK] = dissect_watermark,
		[TW_TLV_SCHEMA] = dissect_schema,
		[TW_TLV_HOST] = dissect_host,
		[TW_TLV_CLOCK] = dissect_clock,
		[TW_TLV_COMM] = dissect_comm,
		[TW_TLV_SYMBOL] = dissect_symbol,
		[TW_TLV_STATS] = dissect_stats,
		[TW_TLV_AUTH] = dissect_auth,
		[TW_TLV_END] = dissect_end,
		[TW_TLV_TIME_SYNC] = dissect_time_sync,
		[TW_TLV_OFFSET] = dissect_offset,
		[TW_TLV_METADATA_REQUEST] = dissect_metadata_request,
		[TW_TLV_REFUSED] = dissect_refused,
	};

	return !d->is_cut && type < G_N_ELEMENTS(by_type) && by_type[type] ? by_type[type] : dissect_other;
}

void tw_dissect__tlv_header(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv)
{
	const int at = tw_dissect__at(d, tlv->value) - (int)sizeof(struct tw_tlv);

	if (d->bytes.reassembled)
		return; /* only the PARTs have headers */
	tw_put_number(d, tree, hf_trace_tlv, at, 2, tlv->type);
	tw_put_number(d, tree, hf_trace_tlv_length, at + 2, 2, tw_load_be16(tlv->value - 2));
}

/* Updates the state of the stream with a record of metadata, if it is valid. Decompresses a SCHEMA within the frame's limit. */
static void update_state(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	struct tw_error error = { "" };
	uint64_t refused;
	struct tw_offset_view offset;
	struct tw_schema_view schema;

	if (tlv->type == TW_TLV_SCHEMA) {
		if (tw_schema_tlv__parse(tlv, &schema) && tw_dissect__add_schema(d, &schema, &error))
			tw_dissect__refuse(d, &ei_trace_bad_schema, error.text);
	} else if (!d->stream) {
		return;
	} else if (tlv->type == TW_TLV_OFFSET) {
		if (tw_offset__parse(tlv, &offset) && !tw_dissect__add_time_error(d, offset.error_ns))
			tw_dissect__refuse(d, &ei_trace_limit, "The capture has more OFFSET records than the limit");
	} else {
		refused = tw_streams__refused(d->stream->table);
		tw_stream__update(d->stream, &d->frame, tlv);
		if (tw_streams__refused(d->stream->table) != refused)
			tw_dissect__refuse(d, &ei_trace_limit,
					   tlv->type == TW_TLV_COMM ? "The capture has more task names than the limit"
								    : "The capture has more symbols than the limit");
	}
}

void tw_dissect__record(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const char *name = tw_tlv__name(tlv->type), *label = name ? name : "Unknown record";
	proto_tree *tree = tw_put_subtree(d, d->tree, ett_trace_record, tlv->value, tlv->len, label);
	char buf[128];
	struct tw_line info = tw_shown__on(buf, sizeof(buf));

	tw_line__str(&info, label);
	tw_dissect__tlv_header(d, tree, tlv);
	tw_dissect__was_refused(d);
	if (d->first_pass && !d->is_cut)
		update_state(d, tlv);
	if (!dissector_of(d, tlv->type)(d, tree, tlv, &info))
		tw_dissect__expert(d, &ei_trace_malformed, NULL);
	tw_shown__end(&info);
	if (tlv->type == TW_TLV_LOST)
		tw_dissect__expert(d, &ei_trace_lost, buf);
	if (tlv->type == TW_TLV_PAD || !d->wants_info)
		return;
	if ((!d->is_cut && tw_metadata_info__count(d, tlv, buf + strlen(label))) ||
	    d->n_others++ >= TW_INFO_RECORDS_MAX)
		return;
	if (tw_line__len(&d->info))
		tw_line__str(&d->info, ", ");
	tw_line__bytes(&d->info, buf, tw_line__len(&info));
}
