/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control records: their fields, and their word in the Info column. */
#include "dissector/records.h"

/* What the kernel's counter grew by is the least where nobody knows how many it was. */
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
	tw_put_number(d, tree, hf_trace_lost_time, at, 4, tw_stream__ns(d->stream, lost.time));
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
	tw_put_number(d, tree, hf_trace_watermark_time, tw_dissect__at(d, tlv->value), 8,
		      tw_stream__ns(d->stream, mark.time));
	while (entry = mark.channels.at, tw_watermark__next(&mark.channels, &channel, &seq)) {
		tw_put_number(d, tree, hf_trace_watermark_channel, tw_dissect__at(d, entry), 2, channel);
		tw_put_number(d, tree, hf_trace_watermark_next_seq, tw_dissect__at(d, entry) + 4, 8, seq);
	}
	tw_line__char(info, ' ');
	tw_records__append_time(info, tw_stream__ns(d->stream, mark.time));
	return !mark.channels.left;
}

static bool dissect_stats(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	struct tw_cursor stats = { tlv->value, tlv->len };
	struct tw_stat_view stat;
	const uint8_t *entry;

	(void)info;
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

static bool dissect_auth(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);

	(void)info;
	if (tlv->len < 4)
		return false;
	tw_put_number(d, tree, hf_trace_auth_algorithm, at, 2, tw_load_be16(tlv->value));
	tw_put_number(d, tree, hf_trace_auth_key_id, at + 2, 2, tw_load_be16(tlv->value + 2));
	if (tlv->len > 4)
		tw_put_bytes(d, tree, hf_trace_auth_tag, tlv->value + 4, tlv->len - 4);
	return true;
}

static bool dissect_end(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	(void)d;
	(void)tree;
	(void)tlv;
	tw_line__str(info, " of the stream");
	return true;
}

static bool dissect_other(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	(void)info;
	if (tlv->len)
		tw_put_bytes(d, tree, hf_trace_tlv_value, tlv->value, tlv->len);
	return true;
}

/* What there is of a cut one explains nothing, and is shown as it is. */
static tw_record_dissector dissector_of(const struct tw_dissect *d, uint16_t type)
{
	static const tw_record_dissector by_type[] = {
		[TW_TLV_LOST] = dissect_lost,
		[TW_TLV_WATERMARK] = dissect_watermark,
		[TW_TLV_SCHEMA] = tw_records__schema,
		[TW_TLV_HOST] = tw_records__host,
		[TW_TLV_CLOCK] = tw_records__clock,
		[TW_TLV_COMM] = tw_records__comm,
		[TW_TLV_SYMBOL] = tw_records__symbol,
		[TW_TLV_STATS] = dissect_stats,
		[TW_TLV_AUTH] = dissect_auth,
		[TW_TLV_END] = dissect_end,
		[TW_TLV_EXCHANGE] = tw_records__exchange,
		[TW_TLV_OFFSET] = tw_records__offset,
		[TW_TLV_WANT] = tw_records__want,
		[TW_TLV_REFUSED] = tw_records__refused,
	};

	return !d->is_cut && type < G_N_ELEMENTS(by_type) && by_type[type] ? by_type[type] : dissect_other;
}

void tw_dissect__tlv_header(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv)
{
	const int at = tw_dissect__at(d, tlv->value) - (int)sizeof(struct tw_tlv);

	if (d->bytes.reassembled)
		return; /* only the parts have headers */
	tw_put_number(d, tree, hf_trace_tlv, at, 2, tlv->type);
	tw_put_number(d, tree, hf_trace_tlv_length, at + 2, 2, tw_load_be16(tlv->value - 2));
}

static const char *label_of(uint16_t type)
{
	const char *name = tw_tlv__name(type);

	return name ? name : "Unknown record";
}

void tw_dissect__record(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const char *label = label_of(tlv->type);
	proto_tree *tree = tw_put_subtree(d, d->tree, ett_trace_record, tlv->value, tlv->len, label);
	char buf[128];
	struct tw_line info = tw_shown__on(buf, sizeof(buf));

	tw_line__str(&info, label);
	tw_dissect__tlv_header(d, tree, tlv);
	tw_dissect__was_refused(d);
	if (!dissector_of(d, tlv->type)(d, tree, tlv, &info))
		tw_dissect__expert(d, &ei_trace_malformed, NULL);
	tw_shown__end(&info);
	if (tlv->type == TW_TLV_LOST)
		tw_dissect__expert(d, &ei_trace_lost, buf);
	if (tlv->type != TW_TLV_PAD && d->wants_info && d->n_others++ < TW_INFO_RECORDS_MAX) {
		if (tw_line__len(&d->info))
			tw_line__str(&d->info, ", ");
		tw_line__bytes(&d->info, buf, tw_line__len(&info));
	}
}
