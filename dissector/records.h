/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function for each control record. */
#ifndef TW_RECORDS_H
#define TW_RECORDS_H

#include "dissector/packet-tracewire.h"

/*
 * Puts the record's fields into @tree and appends to @info what is worth knowing at a glance.
 * Return: false for a malformed value.
 */
typedef bool (*tw_record_dissector)(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv,
				    struct tw_line *info);

/* Those that the dissector may learn from; in the first pass it does. */
bool tw_records__schema(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__host(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__clock(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__exchange(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__offset(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__want(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__refused(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__comm(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);
bool tw_records__symbol(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info);

/** tw_records__append_time() - "5000.000000500" */
static inline void tw_records__append_time(struct tw_line *line, uint64_t ns)
{
	tw_line__u64(line, ns / 1000000000);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % 1000000000, 9, '0');
}

#endif
