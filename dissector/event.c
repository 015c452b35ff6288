/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One event: the eight facts that every event has, its text, its fields, and its line in the Info column. */
#include "dissector/addresses.h"
#include "dissector/metadata.h"
#include "dissector/order.h"
#include "dissector/packet-tracewire.h"
#include "dissector/tasks.h"
#include "dissector/time_error.h"
#include "dissector/value.h"

struct event {
	struct tw_event_view view;
	uint64_t seq;
	bool filtered;
	struct tw_event_type *type; /* NULL if its format is not known */
	const char *comm;           /* NULL if it is not known */
	const char *text;           /* NULL if nobody wants it */
	struct tw_record record;
};

/* Return: NULL if nobody told. */
static const char *task_name(struct tw_dissect *d, const struct tw_event_view *view)
{
	const struct tw_task_name *name;

	if (!view->pid)
		return "<idle>";
	name = d->stream ? tw_stream__task_name(d->stream, view->pid, view->time) : NULL;
	if (!name)
		return NULL;
	tw_dissect__depend(d, name->frame);
	return name->name;
}

static void depend_on_metadata(struct tw_dissect *d, const struct event *e)
{
	uint32_t last = 0;

	if (!d->tree || !d->stream)
		return;
	tw_dissect__depend(d, d->stream->host_frame);
	if (d->stream->clock_frame != d->stream->host_frame)
		tw_dissect__depend(d, d->stream->clock_frame);
	tw_dissect__depend(d, tw_stream__strings_frame(d->stream));
	for (uint32_t i = 0; e->type && i < e->type->n_frames; i++) {
		if (e->type->frames[i] != last && e->type->frames[i] != d->stream->host_frame)
			tw_dissect__depend(d, e->type->frames[i]);
		last = e->type->frames[i];
	}
}

/* "comm-pid [cpu] event: text" */
static void append_event(struct tw_dissect *d, const struct event *e)
{
	struct tw_line *line = &d->info;

	if (tw_line__len(line))
		tw_line__str(line, ", ");
	if (d->frame.events > 1) {
		tw_line__u64(line, d->frame.events);
		tw_line__str(line, " events: ");
	}
	if (e->comm)
		tw_line__str(line, e->comm);
	else
		tw_line__str(line, "<...>"); /* the kernel's own word for it */
	tw_line__char(line, '-');
	tw_line__i64(line, (int32_t)e->view.pid);
	tw_line__str(line, " [");
	tw_line__digits(line, d->frame.cpu, 3, '0');
	tw_line__str(line, "] ");
	if (e->filtered)
		tw_line__str(line, "(filtered) ");
	if (!e->type) {
		tw_line__str(line, "event ");
		tw_line__u64(line, e->view.id);
		tw_line__str(line, ": format not seen yet");
		return;
	}
	tw_line__str(line, e->type->format->name);
	tw_line__str(line, *e->text == ' ' ? ":" : ": ");
	tw_line__str(line, e->text);
}

static void put_name(struct tw_dissect *d, proto_tree *tree, int hf, const struct event *e, const char *text)
{
	proto_item *item = tw_put_text(d, tree, hf, tw_dissect__at(d, e->view.record), 2, text);

	if (item)
		proto_item_set_generated(item);
}

/* Where in the record the common fields are is the same for all kernels. */
static void put_facts(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	const int at = tw_dissect__at(d, e->view.record);
	const uint64_t ns = tw_stream__ns(d->stream, e->view.time);

	tw_put_number(d, tree, hf_trace_time, at - 4, 4, ns);
	tw_put_number(d, tree, hf_trace_seq, at, 0, e->seq);
	if (e->type) {
		put_name(d, tree, hf_trace_system, e, e->type->format->system);
		put_name(d, tree, hf_trace_event, e, e->type->format->name);
	}
	tw_put_number(d, tree, hf_trace_event_id, at, 2, e->view.id);
	tw_put_number(d, tree, hf_trace_flags, at + 2, 1, e->view.common_flags);
	tw_put_number(d, tree, hf_trace_common_preempt_count, at + 3, 1, e->view.common_preempt_count);
	tw_put_number(d, tree, hf_trace_pid, at + 4, 4, e->view.pid);
	if (e->comm)
		put_name(d, tree, hf_trace_comm, e, e->comm);
	if (d->frame.cpu != TW_CPU_NONE)
		tw_put_number(d, tree, hf_trace_cpu, at, 0, d->frame.cpu);
	if (d->stream && d->stream->host)
		put_name(d, tree, hf_trace_host, e, d->stream->host);
	if (e->filtered)
		tw_put_number(d, tree, hf_trace_filtered, at, 0, 1);
}

/* How good the packet's time is, and its order among other streams' packets. */
static void put_certainty(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	const struct tw_time_error *error = d->stream ? tw_stream__time_error(d->stream, d->pinfo->num) : NULL;
	const enum tw_order order = d->stream ? tw_order__of(d->pinfo->num) : TW_ORDER_NO_OTHER;
	proto_item *item = NULL;

	if (error && error->ns != TW_ERROR_UNKNOWN)
		item = tw_put_number(d, tree, hf_trace_time_error, tw_dissect__at(d, e->view.record), 0, error->ns);
	if (item)
		proto_item_set_generated(item);
	if (order != TW_ORDER_NO_OTHER)
		put_name(d, tree, hf_trace_order, e, order == TW_ORDER_CERTAIN ? "certain" : "uncertain");
	if (error)
		tw_dissect__depend(d, error->frame);
}

static void put_text(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	proto_item *item;

	if (e->text) {
		item = tw_put_text(d, tree, hf_trace_text, tw_dissect__at(d, e->view.record), (int)e->view.len,
				   e->text);
		if (item)
			proto_item_set_generated(item);
	}
	if (e->type->refusal)
		tw_dissect__expert(d, &ei_trace_no_print, e->type->refusal);
}

static void put_fields(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	bool inside = true;

	for (uint32_t i = 0; i < e->type->n_fields && d->items_left; i++)
		inside &= tw_value__put(d, tree, &e->type->fields[i], &e->record);
	if (!inside && !e->record.cut)
		tw_dissect__expert(d, &ei_trace_bad_field, NULL);
}

static void put_event(struct tw_dissect *d, const struct event *e)
{
	const bool alone = d->frame.events <= 1;
	proto_tree *tree = d->tree;

	if (!alone)
		tree = tw_put_subtree(d, tree, ett_trace_record, e->view.record, e->view.len,
				      e->type ? e->type->format->name : "Event of unknown format");
	put_facts(d, tree, e);
	put_certainty(d, tree, e);
	if (e->type) {
		put_text(d, tree, e);
		put_fields(d, tree, e);
		return;
	}
	if (e->view.len > TW_RECORD_COMMON)
		tw_put_bytes(d, tree, hf_trace_record, e->view.record + TW_RECORD_COMMON,
			     e->view.len - TW_RECORD_COMMON);
	tw_dissect__expert(d, &ei_trace_no_schema, NULL);
}

static bool prepare(struct tw_dissect *d, struct tw_event_type *type)
{
	if (type->format->memory > d->prepare_left) {
		tw_dissect__expert(d, &ei_trace_limit,
				   "The frame has more new kinds of events than the dissector takes in");
		return false;
	}
	d->prepare_left -= type->format->memory;
	tw_event_type__prepare(type);
	return true;
}

static struct tw_event_type *type_of(struct tw_dissect *d, uint16_t id)
{
	struct tw_event_type *type = d->schema ? tw_schema_id__type(d->schema, id) : NULL;

	if (!type && d->schema && !d->schema->cache_tried)
		type = tw_metadata__from_cache(d, id);
	if (type && !type->fields && !prepare(d, type))
		return NULL;
	return type;
}

void tw_dissect__event(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const bool wants_info = d->wants_info && !d->n_events;
	struct event e = { .filtered = tlv->type == TW_TLV_FILTERED, .seq = d->frame.seq + d->n_events };

	if (!tw_event__parse(tlv, d->frame.base_time, &e.view)) {
		tw_dissect__expert(d, &ei_trace_malformed, NULL);
		return;
	}
	if (!d->n_events++ && d->first_pass && d->stream)
		tw_order__learn(d->stream, d->pinfo);
	if (!d->items_left || (!d->tree && !wants_info))
		return;
	e.type = type_of(d, e.view.id);
	e.comm = task_name(d, &e.view);
	e.record = (struct tw_record){
		.data = e.view.record,
		.len = e.view.len,
		.big_endian = d->frame.flags & TW_FLAG_BODY_BE,
		.from_wire = true,
		.cut = d->is_cut,
	};
	if (e.type && (wants_info || tw_tree__wants(d->tree, hf_trace_text)))
		e.text = tw_dissect__text(d, e.type, &e.record);
	if (wants_info)
		append_event(d, &e);
	if (d->tree) {
		depend_on_metadata(d, &e);
		put_event(d, &e);
	}
}
