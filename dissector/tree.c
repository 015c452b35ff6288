/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds items and expert infos. Items are added within the frame's limits, and only if they are displayed or a filter needs them. */
#include "dissector/packet-tracewire.h"

static bool take_item(struct tw_dissect *d)
{
	if (!d->items_left)
		return false;
	if (!--d->items_left)
		tw_dissect__expert(d, &ei_trace_limit, "The frame has more items than are shown; the rest is left out");
	return true;
}

static bool may_put(struct tw_dissect *d, const proto_tree *tree, int hf)
{
	return tw_tree__wants(tree, hf) && take_item(d);
}

proto_item *tw_put_number(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, uint64_t value)
{
	nstime_t time;

	if (!may_put(d, tree, hf))
		return NULL;
	switch (proto_registrar_get_ftype(hf)) {
	case FT_UINT8:
	case FT_UINT16:
	case FT_UINT32:
	case FT_FRAMENUM:
		return proto_tree_add_uint(tree, hf, d->bytes.tvb, at, len, (uint32_t)value);
	case FT_INT8:
	case FT_INT16:
	case FT_INT32:
		return proto_tree_add_int(tree, hf, d->bytes.tvb, at, len, (int32_t)value);
	case FT_UINT64:
		return proto_tree_add_uint64(tree, hf, d->bytes.tvb, at, len, value);
	case FT_INT64:
		return proto_tree_add_int64(tree, hf, d->bytes.tvb, at, len, (int64_t)value);
	case FT_BOOLEAN:
		return proto_tree_add_boolean(tree, hf, d->bytes.tvb, at, len, (uint32_t)value);
	case FT_RELATIVE_TIME:
	case FT_ABSOLUTE_TIME:
		time = (nstime_t){ (time_t)(value / 1000000000), (int)(value % 1000000000) };
		return proto_tree_add_time(tree, hf, d->bytes.tvb, at, len, &time);
	default:
		return NULL;
	}
}

proto_item *tw_put_signed_time(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, int64_t ns)
{
	nstime_t time = { (time_t)(ns / 1000000000), (int)(ns % 1000000000) };

	if (!may_put(d, tree, hf))
		return NULL;
	return proto_tree_add_time(tree, hf, d->bytes.tvb, at, len, &time);
}

proto_item *tw_put_bytes(struct tw_dissect *d, proto_tree *tree, int hf, const void *p, size_t len)
{
	const int at = tw_dissect__at(d, p);
	const bool is_text = proto_registrar_get_ftype(hf) == FT_STRING;

	if (!may_put(d, tree, hf))
		return NULL;
	if (is_text && tw_printable__plain(p, len) < len)
		return proto_tree_add_string(tree, hf, d->bytes.tvb, at, (int)len,
					     tw_shown__dup(d->pinfo->pool, p, len));
	return proto_tree_add_item(tree, hf, d->bytes.tvb, at, (int)len, is_text ? ENC_UTF_8 : ENC_NA);
}

proto_item *tw_put_text(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, const char *text)
{
	if (!may_put(d, tree, hf))
		return NULL;
	return proto_tree_add_string(tree, hf, d->bytes.tvb, at, len, tw_shown__of(d, text, strlen(text)));
}

proto_tree *tw_put_subtree(struct tw_dissect *d, proto_tree *tree, int ett, const void *p, size_t len,
			   const char *label)
{
	if (!tw_tree__is_shown(tree) || !take_item(d))
		return tree; /* fields that only a filter uses need no branch */
	return proto_tree_add_subtree(tree, d->bytes.tvb, tw_dissect__at(d, p), (int)len, ett, NULL,
				      tw_shown__of(d, label, strlen(label)));
}

void tw_dissect__expert(struct tw_dissect *d, expert_field *ei, const char *text)
{
	if (text)
		expert_add_info_format(d->pinfo, d->item, ei, "%s", tw_shown__of(d, text, strlen(text)));
	else
		expert_add_info(d->pinfo, d->item, ei);
}

char *tw_shown__dup(wmem_allocator_t *scope, const void *text, size_t len)
{
	const size_t size = tw_printable__shown_len(text, len) + 1;
	char *shown = wmem_alloc(scope, size);

	tw_printable__copy(shown, size, text, len);
	return shown;
}
