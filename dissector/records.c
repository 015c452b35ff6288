/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control records: what they teach the dissector, their fields, and their word in the Info column. */
#include "dissector/metadata.h"
#include "dissector/tasks.h"

#define INFO_RECORDS_MAX 8 /* named in the Info column; the rest is counted */

static void append_time(struct tw_text *t, uint64_t ns)
{
	tw_text__u64(t, ns / 1000000000);
	tw_text__literal(t, ".", 1);
	tw_text__padded(t, ns % 1000000000, 9);
}

static uint64_t ns_of(const struct tw_dissect *d, uint64_t time)
{
	return tw_stream__ns(d->stream, time);
}

static bool dissect_lost(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, d->frame.base_time, &lost))
		return false;
	tw_put_number(d, tree, tw_fixed(TW_FIX_LOST_TIME), at, 4, ns_of(d, lost.time));
	tw_put_number(d, tree, tw_fixed(TW_FIX_LOST_WHERE), at + 4, 2, lost.where);
	tw_put_number(d, tree, tw_fixed(TW_FIX_LOST_UNKNOWN), at + 6, 2, lost.unknown);
	tw_put_number(d, tree, tw_fixed(TW_FIX_LOST_COUNT), at + 8, 8, lost.count);
	if (lost.unknown)
		tw_text__str(info, " unknown number of");
	else
		tw_text__literal(info, " ", 1), tw_text__u64(info, lost.count);
	tw_text__str(info, " events (");
	tw_text__str(info, val_to_str_const(lost.where, tw_lost_names, "unknown place"));
	tw_text__literal(info, ")", 1);
	return true;
}

static bool dissect_watermark(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
			      struct tw_text *info)
{
	const uint8_t *entry;
	struct tw_watermark_view mark;
	uint16_t channel;
	uint64_t seq;

	if (!tw_watermark__parse(tlv, &mark))
		return false;
	tw_put_number(d, tree, tw_fixed(TW_FIX_WATERMARK_TIME), tw_dissect__at(d, tlv->value), 8, ns_of(d, mark.time));
	while (entry = mark.channels.at, tw_watermark__next(&mark.channels, &channel, &seq)) {
		tw_put_number(d, tree, tw_fixed(TW_FIX_WATERMARK_CHANNEL), tw_dissect__at(d, entry), 2, channel);
		tw_put_number(d, tree, tw_fixed(TW_FIX_WATERMARK_SEQ), tw_dissect__at(d, entry) + 4, 8, seq);
	}
	tw_text__literal(info, " ", 1);
	append_time(info, ns_of(d, mark.time));
	return !mark.channels.left;
}

/* Text and system as unpacked: only when somebody looks, as unpacking takes time. */
static void put_schema_text(struct tw_dissect *d, proto_tree *tree, const struct tw_schema_view *view)
{
	const int at = tw_dissect__at(d, view->data);
	struct tw_schema_text text;

	if (!tw_tree__wants(tree, tw_fixed(TW_FIX_SCHEMA_TEXT)) &&
	    !tw_tree__wants(tree, tw_fixed(TW_FIX_SCHEMA_SYSTEM)))
		return;
	if (tw_metadata__unpack(d, view, &text, NULL))
		return;
	tw_put_text(d, tree, tw_fixed(TW_FIX_SCHEMA_SYSTEM), at, (int)view->len, text.system);
	tw_put_text(d, tree, tw_fixed(TW_FIX_SCHEMA_TEXT), at, (int)view->len,
		    wmem_strndup(d->pinfo->pool, text.text, text.len));
}

static void append_schema(const struct tw_dissect *d, const struct tw_schema_view *view, struct tw_text *info)
{
	const struct tw_event_type *type = d->schema ? tw_schema_id__type(d->schema, view->event_id) : NULL;

	tw_text__literal(info, " ", 1);
	tw_text__u64(info, (uint64_t)view->index + 1);
	tw_text__literal(info, "/", 1);
	tw_text__u64(info, view->total);
	tw_text__literal(info, " ", 1);
	if (view->kind != TW_SCHEMA_EVENT) {
		tw_text__str(info, val_to_str_const(view->kind, tw_schema_kind_names, "of unknown kind"));
	} else if (type) {
		tw_text__foreign(info, type->format->system, strlen(type->format->system));
		tw_text__literal(info, ":", 1);
		tw_text__foreign(info, type->format->name, strlen(type->format->name));
	}
}

static bool dissect_schema(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_error err = { "" };
	struct tw_schema_view view;

	if (!tw_schema_tlv__parse(tlv, &view))
		return false;
	if (d->first_pass && tw_metadata__learn(d, &view, &err))
		tw_dissect__expert(d, TW_EXPERT_BAD_SCHEMA, err.text);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SCHEMA_KIND), at, 1, view.kind);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SCHEMA_ENCODING), at + 1, 1, view.encoding);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SCHEMA_EVENT_ID), at + 2, 2, view.event_id);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SCHEMA_RAW_LENGTH), at + 4, 4, view.raw_length);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SCHEMA_INDEX), at + 8, 4, view.index);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SCHEMA_TOTAL), at + 12, 4, view.total);
	put_schema_text(d, tree, &view);
	append_schema(d, &view, info);
	return true;
}

struct host_attr {
	enum tw_fixed field;
	bool is_number;
};

#define IS_NUMBER_text   false
#define IS_NUMBER_number true
static const struct host_attr host_attrs[] = {
#define X(num, name, type, key, what) [num] = { TW_FIX_HOST_##name, IS_NUMBER_##type },
	TW_HOST_LIST(X)
#undef X
};

static void learn_host(struct tw_dissect *d, const struct tw_attr_view *attr, uint64_t number)
{
	struct tw_stream *stream = d->stream;

	switch (attr->attr) {
	case TW_HOST_NAME:
		stream->host = wmem_strndup(wmem_file_scope(), (const char *)attr->value, attr->len);
		break;
	case TW_HOST_LONG_SIZE:
		stream->long_size = number == 4 || number == 8 ? (uint8_t)number : 0;
		break;
	case TW_HOST_CLOCK_MULT:
		stream->mult = (uint32_t)number;
		break;
	case TW_HOST_CLOCK_SHIFT:
		stream->shift = number < 64 ? (uint32_t)number : 0;
		break;
	default:
		break;
	}
}

static void dissect_host_attr(struct tw_dissect *d, proto_tree *tree, const struct tw_attr_view *attr, bool learn)
{
	const struct host_attr *known = attr->attr < G_N_ELEMENTS(host_attrs) ? &host_attrs[attr->attr] : NULL;
	const bool is_number = known && known->is_number && attr->len == 8;
	const uint64_t number = is_number ? tw_load_be64(attr->value) : 0;

	if (!known || !known->field || (known->is_number && !is_number))
		tw_put_bytes(d, tree, tw_fixed(TW_FIX_TLV_VALUE), attr->value, attr->len);
	else if (is_number)
		tw_put_number(d, tree, tw_fixed(known->field), tw_dissect__at(d, attr->value), 8, number);
	else
		tw_put_bytes(d, tree, tw_fixed(known->field), attr->value, attr->len);
	if (learn && known && (is_number || !known->is_number))
		learn_host(d, attr, number);
}

static bool dissect_host(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const bool learn = d->first_pass && d->stream && !d->stream->host_frame;
	struct tw_cursor attrs = { tlv->value, tlv->len };
	struct tw_attr_view attr;

	while (tw_host__next(&attrs, &attr)) {
		dissect_host_attr(d, tree, &attr, learn);
		if (attr.attr == TW_HOST_NAME || attr.attr == TW_HOST_RELEASE || attr.attr == TW_HOST_MACHINE) {
			tw_text__literal(info, " ", 1);
			tw_text__foreign(info, attr.value, attr.len);
		}
	}
	if (learn)
		d->stream->host_frame = d->pinfo->num;
	return !attrs.left;
}

static bool dissect_clock(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	const int first = (int)(offsetof(struct tw_clock_tlv, trace) - sizeof(struct tw_tlv));
	struct tw_clock_view clock;

	if (!tw_clock__parse(tlv, &clock))
		return false;
	if (d->first_pass && d->stream)
		d->stream->clock_frame = d->pinfo->num;
	tw_put_number(d, tree, tw_fixed(TW_FIX_CLOCK_VALID), at, 4, clock.valid);
	tw_put_number(d, tree, tw_fixed(TW_FIX_CLOCK_ERROR), at + 4, 4, clock.error_ns);
#define X(bit, name, field, what)                                                              \
	if (clock.valid & 1u << (bit))                                                         \
		tw_put_number(d, tree, tw_fixed(TW_FIX_CLOCK_##name), at + first + (bit)*8, 8, \
			      (bit) == TW_CLOCK_TRACE ? ns_of(d, clock.reading[bit]) : clock.reading[bit]);
	TW_CLOCK_LIST(X)
#undef X
	tw_text__literal(info, " ", 1);
	append_time(info, ns_of(d, clock.reading[TW_CLOCK_TRACE]));
	return true;
}

static bool dissect_comm(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_comm_view comm;

	if (!tw_comm__parse(tlv, &comm))
		return false;
	if (d->first_pass && d->stream && !tw_stream__learn_task(d->stream, &comm, d->pinfo->num))
		tw_dissect__expert(d, TW_EXPERT_LIMIT, "The capture has more task names than the dissector keeps");
	tw_put_number(d, tree, tw_fixed(TW_FIX_COMM_ORIGIN), at, 1, comm.origin);
	tw_put_number(d, tree, tw_fixed(TW_FIX_COMM_TIME), at + 4, 8, ns_of(d, comm.time));
	tw_put_number(d, tree, tw_fixed(TW_FIX_COMM_PID), at + 12, 4, comm.pid);
	tw_put_number(d, tree, tw_fixed(TW_FIX_COMM_TGID), at + 16, 4, comm.tgid);
	tw_put_bytes(d, tree, tw_fixed(TW_FIX_COMM_NAME), comm.name, comm.len);
	tw_text__literal(info, " ", 1);
	tw_text__u64(info, comm.pid);
	tw_text__literal(info, "=", 1);
	tw_text__foreign(info, comm.name, comm.len);
	return true;
}

static bool dissect_symbol(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_symbol_view symbol;

	if (!tw_symbol__parse(tlv, &symbol))
		return false;
	tw_put_number(d, tree, tw_fixed(TW_FIX_SYMBOL_SIZE), at, 4, symbol.size);
	tw_put_number(d, tree, tw_fixed(TW_FIX_SYMBOL_ADDRESS), at + 4, 8, symbol.address);
	tw_put_bytes(d, tree, tw_fixed(TW_FIX_SYMBOL_NAME), symbol.name, symbol.len);
	tw_text__literal(info, " ", 1);
	tw_text__foreign(info, symbol.name, symbol.len);
	return true;
}

static const enum tw_fixed stat_fields[] = {
#define X(num, name, key, what) [num] = TW_FIX_STAT_##name,
	TW_STAT_LIST(X)
#undef X
};

static bool dissect_stats(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	struct tw_cursor stats = { tlv->value, tlv->len };
	struct tw_stat_view stat;
	const uint8_t *entry;

	(void)info;
	while (entry = stats.at, tw_stats__next(&stats, &stat)) {
		const int at = tw_dissect__at(d, entry);

		tw_put_number(d, tree, tw_fixed(TW_FIX_STATS_CHANNEL), at + 2, 2, stat.channel);
		if (stat.stat < G_N_ELEMENTS(stat_fields) && stat_fields[stat.stat]) {
			tw_put_number(d, tree, tw_fixed(stat_fields[stat.stat]), at + 4, 8, stat.value);
			continue;
		}
		tw_put_number(d, tree, tw_fixed(TW_FIX_STATS_ID), at, 2, stat.stat);
		tw_put_number(d, tree, tw_fixed(TW_FIX_STATS_VALUE), at + 4, 8, stat.value);
	}
	return !stats.left;
}

static bool dissect_auth(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	const int at = tw_dissect__at(d, tlv->value);

	(void)info;
	if (tlv->len < 4)
		return false;
	tw_put_number(d, tree, tw_fixed(TW_FIX_AUTH_ALGORITHM), at, 2, tw_load_be16(tlv->value));
	tw_put_number(d, tree, tw_fixed(TW_FIX_AUTH_KEY), at + 2, 2, tw_load_be16(tlv->value + 2));
	if (tlv->len > 4)
		tw_put_bytes(d, tree, tw_fixed(TW_FIX_AUTH_TAG), tlv->value + 4, tlv->len - 4);
	return true;
}

static bool dissect_other(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_text *info)
{
	(void)info;
	if (tlv->len)
		tw_put_bytes(d, tree, tw_fixed(TW_FIX_TLV_VALUE), tlv->value, tlv->len);
	return true;
}

/* Returns false for a malformed value; appends what is worth knowing to @info. */
typedef bool (*record_dissector)(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
				 struct tw_text *info);

static record_dissector dissector_of(uint16_t type)
{
	static const record_dissector by_type[] = {
		[TW_TLV_LOST] = dissect_lost,     [TW_TLV_WATERMARK] = dissect_watermark,
		[TW_TLV_SCHEMA] = dissect_schema, [TW_TLV_HOST] = dissect_host,
		[TW_TLV_CLOCK] = dissect_clock,   [TW_TLV_COMM] = dissect_comm,
		[TW_TLV_SYMBOL] = dissect_symbol, [TW_TLV_STATS] = dissect_stats,
		[TW_TLV_AUTH] = dissect_auth,
	};

	return type < G_N_ELEMENTS(by_type) && by_type[type] ? by_type[type] : dissect_other;
}

void tw_dissect__tlv_header(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv)
{
	const int at = tw_dissect__at(d, tlv->value) - (int)sizeof(struct tw_tlv);

	if (d->bytes.reassembled)
		return; /* only the parts have headers */
	tw_put_number(d, tree, tw_fixed(TW_FIX_TLV), at, 2, tlv->type);
	tw_put_number(d, tree, tw_fixed(TW_FIX_TLV_LENGTH), at + 2, 2, tlv->len + sizeof(struct tw_tlv));
}

static const char *label_of(uint16_t type)
{
	const char *name = tw_tlv__name(type);

	return name ? name : "Unknown record";
}

void tw_dissect__record(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const char *label = label_of(tlv->type);
	proto_tree *tree = tw_put_subtree(d, d->tree, TW_SUB_RECORD, tlv->value, tlv->len, label);
	char buf[128];
	struct tw_text info = tw_text__on(buf, sizeof(buf));

	tw_text__str(&info, label);
	tw_dissect__tlv_header(d, tree, tlv);
	if (!dissector_of(tlv->type)(d, tree, tlv, &info))
		tw_dissect__expert(d, TW_EXPERT_MALFORMED, NULL);
	tw_text__end(&info);
	if (tlv->type == TW_TLV_LOST)
		tw_dissect__expert(d, TW_EXPERT_LOST, buf);
	if (tlv->type != TW_TLV_PAD && d->wants_info && d->n_others++ < INFO_RECORDS_MAX) {
		if (d->info.at != d->info_buf)
			tw_text__literal(&d->info, ", ", 2);
		tw_text__literal(&d->info, buf, (size_t)(info.at - buf));
	}
}
