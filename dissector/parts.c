/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PART records. Wireshark's own code reassembles them. wire/parts.h is not used, because it keeps a whole record only until the next call.
 * Later passes visit frames in any order: at the frame with the last piece, they need the whole record and a list of the pieces' frames.
 * Metadata in a reassembled record are used in the first pass only, like metadata in other records.
 */
#include "dissector/packet-tracewire.h"

static reassembly_table table;

/* Identifies a record. The u32 id that Wireshark passes is the id in the PART, which is unique only within a channel. */
struct part_key {
	uint64_t stream_id;
	uint32_t id;
	uint16_t channel;
};

/* An unfinished record; tracked in the first pass only. */
struct unfinished {
	struct part_key key;
	uint32_t pieces; /* received so far */
};

static wmem_map_t *unfinished; /* struct part_key -> struct unfinished */

static struct part_key key_of(const struct tw_dissect *d, uint32_t id)
{
	return (struct part_key){ .stream_id = d->frame.stream_id, .id = id, .channel = d->frame.channel };
}

static guint hash_key(gconstpointer data)
{
	const struct part_key *key = data;
	const uint64_t mixed = (key->stream_id ^ key->channel) * 0x9e3779b97f4a7c15u + key->id;

	return (guint)(mixed >> 32 ^ mixed);
}

static gboolean keys_equal(gconstpointer a, gconstpointer b)
{
	const struct part_key *x = a, *y = b;

	return x->stream_id == y->stream_id && x->id == y->id && x->channel == y->channel;
}

static gpointer new_key(const packet_info *pinfo _U_, const guint32 id, const void *data)
{
	struct part_key *key = g_slice_new(struct part_key);

	*key = key_of(data, id);
	return key;
}

static void free_key(gpointer key)
{
	g_slice_free(struct part_key, key);
}

static const reassembly_table_functions key_functions = {
	hash_key, keys_equal, new_key, new_key, free_key, free_key,
};

static const fragment_items items = {
	.ett_fragment = &ett_trace_parts,
	.ett_fragments = &ett_trace_parts,
	.hf_fragments = &hf_trace_parts,
	.hf_fragment = &hf_trace_parts_part,
	.hf_fragment_overlap = &hf_trace_parts_overlap,
	.hf_fragment_overlap_conflict = &hf_trace_parts_overlap_conflict,
	.hf_fragment_multiple_tails = &hf_trace_parts_multiple_tails,
	.hf_fragment_too_long_fragment = &hf_trace_parts_too_long,
	.hf_fragment_error = &hf_trace_parts_error,
	.hf_fragment_count = &hf_trace_parts_count,
	.hf_reassembled_in = &hf_trace_parts_in,
	.hf_reassembled_length = &hf_trace_parts_length,
	.hf_reassembled_data = &hf_trace_parts_data,
	.tag = "pieces",
};

static void open_capture(void)
{
	unfinished = wmem_map_new(wmem_file_scope(), hash_key, keys_equal);
}

void tw_dissect__register_parts(void)
{
	reassembly_table_register(&table, &key_functions);
	register_init_routine(open_capture);
}

/* Counts a piece of the record @id. Return: false if the record has too many pieces, or too many records are unfinished. */
static bool count_piece(const struct tw_dissect *d, uint32_t id)
{
	const struct part_key key = key_of(d, id);
	struct unfinished *begun = wmem_map_lookup(unfinished, &key);

	if (!begun) {
		if (wmem_map_size(unfinished) >= TW_UNFINISHED_PARTS_MAX)
			return false;
		begun = wmem_new0(wmem_file_scope(), struct unfinished);
		begun->key = key;
		wmem_map_insert(unfinished, &begun->key, begun);
	}
	return ++begun->pieces <= TW_REASSEMBLED_PIECES_MAX;
}

static void put_part(struct tw_dissect *d, proto_tree *tree, const struct tw_part_view *part)
{
	const int at = tw_dissect__at(d, part->bytes) - (int)(sizeof(struct tw_part) - sizeof(struct tw_tlv));

	tw_put_number(d, tree, hf_trace_part_type, at, 2, part->inner_type);
	tw_put_number(d, tree, hf_trace_part_id, at + 4, 4, part->id);
	tw_put_number(d, tree, hf_trace_part_total, at + 8, 4, part->total);
	tw_put_number(d, tree, hf_trace_part_offset, at + 12, 4, part->offset);
	tw_put_bytes(d, tree, hf_trace_part_bytes, part->bytes, part->len);
}

static void append_part(struct tw_dissect *d, const struct tw_part_view *part)
{
	const char *name = tw_tlv__name(part->inner_type);

	if (!d->wants_info)
		return;
	tw_line__str(&d->info, !tw_line__len(&d->info) ? "PART of " : ", PART of ");
	tw_line__str(&d->info, name ? name : "unknown record");
	tw_line__str(&d->info, ", bytes ");
	tw_line__u64(&d->info, part->offset);
	tw_line__str(&d->info, " to ");
	tw_line__u64(&d->info, (uint64_t)part->offset + part->len - 1);
	tw_line__str(&d->info, " of ");
	tw_line__u64(&d->info, part->total);
}

/* Wireshark adds an item for each piece to the whole record. Return: @tree if the frame's limit allows these items, otherwise NULL */
static proto_tree *tree_for_pieces(struct tw_dissect *d, proto_tree *tree, const fragment_head *head)
{
	uint32_t n = 1;

	for (const fragment_item *item = head ? head->next : NULL; item; item = item->next)
		n++;
	if (n >= d->items_left)
		return NULL;
	d->items_left -= n;
	return tree;
}

static bool make_whole(struct tw_dissect *d, const struct tw_part_view *part, const fragment_head *head, tvbuff_t *tvb,
		       struct tw_reassembled *ret)
{
	ret->tvb = tvb;
	ret->tlv = (struct tw_tlv_view){
		.type = part->inner_type,
		.value = tvb_get_ptr(tvb, 0, (int)part->total),
		.len = part->total,
	};
	if (ret->tlv.len + sizeof(struct tw_tlv) < tw_tlv__min(ret->tlv.type)) {
		tw_dissect__expert(d, &ei_trace_malformed, NULL);
		return false;
	}
	ret->n_frames = 0;
	for (const fragment_item *item = head->next; item && ret->n_frames < TW_REASSEMBLED_FRAMES_MAX;
	     item = item->next)
		ret->frames[ret->n_frames++] = item->frame;
	return true;
}

bool tw_dissect__part(struct tw_dissect *d, const struct tw_tlv_view *tlv, struct tw_reassembled *ret)
{
	proto_tree *tree = tw_put_subtree(d, d->tree, ett_trace_record, tlv->value, tlv->len, "PART");
	struct tw_part_view part;
	struct part_key key;
	fragment_head *head;
	tvbuff_t *tvb;

	tw_dissect__tlv_header(d, tree, tlv);
	if (!tw_part__parse(tlv, &part)) {
		tw_dissect__expert(d, &ei_trace_malformed, NULL);
		return false;
	}
	put_part(d, tree, &part);
	/* Records that are too large, PARTs of PARTs and unknown records are not reassembled. */
	if (part.total > TW_REASSEMBLED_MAX || part.inner_type == TW_TLV_PART || !tw_tlv__name(part.inner_type)) {
		tw_dissect__expert(
			d, &ei_trace_limit,
			"The record of this piece is not reassembled: it is too large, a PART, or of unknown type");
		return false;
	}
	if (tw_dissect__was_refused(d))
		return false;
	if (d->first_pass && !count_piece(d, part.id)) {
		tw_dissect__refuse(
			d, &ei_trace_limit,
			"The record of this piece is not reassembled: it has too many pieces, or too many records are incomplete");
		return false;
	}
	head = fragment_add_check(&table, d->bytes.tvb, tw_dissect__at(d, part.bytes), d->pinfo, part.id, d,
				  part.offset, (guint32)part.len, part.offset + part.len < part.total);
	tvb = process_reassembled_data(d->bytes.tvb, tw_dissect__at(d, part.bytes), d->pinfo, "Whole record", head,
				       &items, NULL, tree_for_pieces(d, tree, head));
	if (d->first_pass && head) {
		key = key_of(d, part.id);
		wmem_free(wmem_file_scope(), wmem_map_remove(unfinished, &key));
	}
	if (tvb && tvb_captured_length(tvb) == part.total)
		return make_whole(d, &part, head, tvb, ret);
	append_part(d, &part);
	return false;
}
