/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control records that teach the dissector something: formats, the host, names of tasks and addresses. */
#include "dissector/addresses.h"
#include "dissector/metadata.h"
#include "dissector/records.h"
#include "dissector/tasks.h"

/* Text and system as unpacked: only when somebody looks, as unpacking takes time. */
static void put_schema_text(struct tw_dissect *d, proto_tree *tree, const struct tw_schema_view *view)
{
	const int at = tw_dissect__at(d, view->data);
	struct tw_schema_text text;

	if (!tw_tree__wants(tree, hf_trace_schema_text) && !tw_tree__wants(tree, hf_trace_schema_system))
		return;
	if (tw_metadata__unpack(d, view, &text, NULL))
		return;
	tw_put_text(d, tree, hf_trace_schema_system, at, (int)view->len, text.system);
	tw_put_text(d, tree, hf_trace_schema_text, at, (int)view->len,
		    tw_shown__dup(d->pinfo->pool, text.text, strnlen(text.text, MIN(text.len, TW_SCHEMA_SHOWN_MAX))));
}

static void append_schema(const struct tw_dissect *d, const struct tw_schema_view *view, struct tw_line *info)
{
	const struct tw_event_type *type = d->schema ? tw_schema_id__type(d->schema, view->event_id) : NULL;

	tw_line__char(info, ' ');
	tw_line__u64(info, (uint64_t)view->index + 1);
	tw_line__char(info, '/');
	tw_line__u64(info, view->total);
	tw_line__char(info, ' ');
	if (view->kind != TW_SCHEMA_EVENT) {
		tw_line__str(info, val_to_str_const(view->kind, tw_schema_kind_names, "of unknown kind"));
	} else if (type) {
		tw_line__str(info, type->format->system);
		tw_line__char(info, ':');
		tw_line__str(info, type->format->name);
	}
}

bool tw_records__schema(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_error err = { "" };
	struct tw_schema_view view;

	if (!tw_schema_tlv__parse(tlv, &view))
		return false;
	if (d->first_pass && tw_metadata__learn(d, &view, &err))
		tw_dissect__refuse(d, &ei_trace_bad_schema, err.text);
	tw_put_number(d, tree, hf_trace_schema_kind, at, 1, view.kind);
	tw_put_number(d, tree, hf_trace_schema_encoding, at + 1, 1, view.encoding);
	tw_put_number(d, tree, hf_trace_schema_event_id, at + 2, 2, view.event_id);
	tw_put_number(d, tree, hf_trace_schema_raw_length, at + 4, 4, view.raw_length);
	tw_put_number(d, tree, hf_trace_schema_index, at + 8, 4, view.index);
	tw_put_number(d, tree, hf_trace_schema_total, at + 12, 4, view.total);
	put_schema_text(d, tree, &view);
	append_schema(d, &view, info);
	return true;
}

static void learn_host(struct tw_dissect *d, const struct tw_attr_view *attr, uint64_t number)
{
	struct tw_stream *stream = d->stream;

	switch (attr->attr) {
	case TW_HOST_NAME:
		stream->host = tw_shown__dup(wmem_file_scope(), attr->value, attr->len);
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
	const int hf = attr->attr < TW_HOST_ATTRS ? hf_trace_host_attr[attr->attr] : -1;
	const bool is_number = hf > 0 && proto_registrar_get_ftype(hf) == FT_UINT64;
	const bool is_bytes = hf <= 0 || (is_number && attr->len != 8);
	const uint64_t number = is_number && !is_bytes ? tw_load_be64(attr->value) : 0;

	if (is_bytes)
		tw_put_bytes(d, tree, hf_trace_tlv_value, attr->value, attr->len);
	else if (is_number)
		tw_put_number(d, tree, hf, tw_dissect__at(d, attr->value), 8, number);
	else
		tw_put_bytes(d, tree, hf, attr->value, attr->len);
	if (learn && !is_bytes)
		learn_host(d, attr, number);
}

bool tw_records__host(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const bool learn = d->first_pass && d->stream && !d->stream->host_frame;
	struct tw_cursor attrs = { tlv->value, tlv->len };
	struct tw_attr_view attr;

	while (tw_host__next(&attrs, &attr)) {
		dissect_host_attr(d, tree, &attr, learn);
		if (attr.attr == TW_HOST_NAME || attr.attr == TW_HOST_RELEASE || attr.attr == TW_HOST_MACHINE) {
			tw_line__char(info, ' ');
			tw_line__bytes(info, attr.value, attr.len);
		}
	}
	if (learn)
		d->stream->host_frame = d->pinfo->num;
	return !attrs.left;
}

bool tw_records__comm(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_comm_view comm;

	if (!tw_comm__parse(tlv, &comm))
		return false;
	if (d->first_pass && d->stream && !tw_stream__learn_task(d->stream, &comm, d->pinfo->num))
		tw_dissect__refuse(d, &ei_trace_limit, "The capture has more task names than the dissector keeps");
	tw_put_number(d, tree, hf_trace_comm_origin, at, 1, comm.origin);
	tw_put_number(d, tree, hf_trace_comm_time, at + 4, 8, tw_stream__ns(d->stream, comm.time));
	tw_put_number(d, tree, hf_trace_comm_pid, at + 12, 4, comm.pid);
	tw_put_number(d, tree, hf_trace_comm_tgid, at + 16, 4, comm.tgid);
	tw_put_bytes(d, tree, hf_trace_comm_name, comm.name, comm.len);
	tw_line__char(info, ' ');
	tw_line__u64(info, comm.pid);
	tw_line__char(info, '=');
	tw_line__bytes(info, comm.name, comm.len);
	return true;
}

bool tw_records__symbol(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv, struct tw_line *info)
{
	const int at = tw_dissect__at(d, tlv->value);
	struct tw_symbol_view symbol;

	if (!tw_symbol__parse(tlv, &symbol))
		return false;
	if (d->first_pass && d->stream && !tw_stream__learn_symbol(d->stream, &symbol, d->pinfo->num))
		tw_dissect__refuse(d, &ei_trace_limit, "The capture has more symbols than the dissector keeps");
	tw_put_number(d, tree, hf_trace_symbol_size, at, 4, symbol.size);
	tw_put_number(d, tree, hf_trace_symbol_address, at + 4, 8, symbol.address);
	tw_put_bytes(d, tree, hf_trace_symbol_name, symbol.name, symbol.len);
	tw_line__char(info, ' ');
	tw_line__bytes(info, symbol.name, symbol.len);
	return true;
}
