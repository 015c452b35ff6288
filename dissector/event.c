/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dissects one event: the items that each event has, its text, its fields, and its text in the Info column. */
#include "dissector/packet-tracewire.h"
#include "dissector/socket_timeline.h"

static void append_hex(struct tw_line *line, uint64_t value)
{
	tw_line__str(line, "0x");
	tw_line__hex(line, value);
}

/* "schedule+0x1f", followed by the module's name if it has one. */
static void append_symbol(struct tw_line *line, const struct tw_symbol *symbol, uint64_t address)
{
	tw_line__str(line, symbol->name);
	tw_line__char(line, '+');
	append_hex(line, address - symbol->address);
	if (symbol->module) {
		tw_line__str(line, " [");
		tw_line__str(line, symbol->module);
		tw_line__char(line, ']');
	}
}

/* "[0] schedule+0x1f (0xffffffff81a0001f)" */
static void append_stack_frame(struct tw_line *line, uint64_t address, const struct tw_symbol *symbol, uint32_t i)
{
	tw_line__char(line, '[');
	tw_line__u64(line, i);
	tw_line__str(line, "] ");
	if (symbol)
		append_symbol(line, symbol, address);
	tw_line__str(line, symbol ? " (" : "");
	append_hex(line, address);
	tw_line__str(line, symbol ? ")" : "");
}

static void append_value(struct tw_line *line, const struct tw_shown_field *shown, bool hex, uint64_t value)
{
	if (hex)
		append_hex(line, value);
	else if (shown->type >= TW_FTYPE_I8 && shown->type <= TW_FTYPE_I64)
		tw_line__i64(line, (int64_t)value);
	else
		tw_line__u64(line, value);
}

/*
 * Whether a value is shown in hexadecimal: addresses, pointers, and flags in an unsigned field. A signed field with flags, such as
 * prev_state, may contain more than flags, so it is shown in decimal.
 */
static bool is_hex(const struct tw_shown_field *shown)
{
	return shown->has_addresses || shown->type == TW_FTYPE_POINTER ||
	       (shown->value_strings && shown->value_strings->flags && !shown->field->is_signed);
}

/* A field, and the Wireshark field under which it is shown. The type of the Wireshark field may be wider than the field's type, or text. */
struct named_field {
	struct tw_dissect *d;
	proto_tree *tree;
	const struct tw_shown_field *shown;
	const struct tw_record *record;
	int hf;             /* the Wireshark field; -1 = not wanted */
	enum tw_ftype type; /* type of the Wireshark field */
	bool hidden;
};

/* Return: the names of the field's values; NULL if there are none. The names of system calls are unknown until a HOST arrives. */
static const struct tw_print_names *names_of(const struct named_field *p)
{
	if (p->shown->is_syscall)
		return p->d->stream ? tw_syscalls__names((enum tw_machine)p->d->stream->machine) : NULL;
	return p->shown->value_strings;
}

/* Appends " (NAME)": the word that the event's text has for the value or, if the text has none or is not made, the value string. */
static void append_word(struct tw_line *line, const struct named_field *p, uint64_t value)
{
	const struct tw_shown_field *shown = p->shown;
	const struct tw_print_names *names = names_of(p);
	const struct tw_line before = *line;
	bool has;

	tw_line__str(line, " (");
	if (shown->words && p->d->program_left) /* 0 after may_print() used it up */
		has = tw_print__word(shown->words, shown->field, p->record, line);
	else
		has = names && tw_print_names__put(names, value, line);
	if (has)
		tw_line__char(line, ')');
	else
		*line = before;
}

/* Sets the label of a number, if the label shows more than the value: a word, a symbol, or an index in a stack. */
static void label_number(proto_item *item, const struct named_field *p, uint64_t value, const struct tw_symbol *symbol,
			 uint32_t i)
{
	const struct tw_shown_field *shown = p->shown;
	char buf[ITEM_LABEL_LENGTH];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (!item || !PTREE_DATA(item)->visible ||
	    (!names_of(p) && !shown->words && !shown->has_addresses && !shown->is_stack))
		return;
	if (shown->is_stack) {
		append_stack_frame(&line, value, symbol, i);
	} else {
		tw_line__str(&line, shown->field->name);
		tw_line__str(&line, ": ");
		append_value(&line, shown, is_hex(shown), value);
		if (symbol) {
			tw_line__str(&line, " (");
			append_symbol(&line, symbol, value);
			tw_line__char(&line, ')');
		} else {
			append_word(&line, p, value);
		}
	}
	proto_item_set_text(item, "%s", tw_shown__end(&line));
}

/* Hides the item if the field is hidden. Return: the item, for setting its label; NULL if it is hidden */
static proto_item *finish(const struct named_field *p, proto_item *item)
{
	if (!p->hidden)
		return item;
	proto_item_set_hidden(item);
	return NULL;
}

static proto_item *put_value_text(const struct named_field *p, int hf, const struct tw_value *value,
				  struct tw_line *line)
{
	return tw_put_text(p->d, p->tree, hf, tw_dissect__at(p->d, p->record->data + value->offset), (int)value->len,
			   tw_shown__end(line));
}

static proto_item *put_number(const struct named_field *p, const struct tw_value *value)
{
	char buf[32];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (tw_ftype__class(p->type) == TW_CLASS_NUMBER)
		return finish(p,
			      tw_put_number(p->d, p->tree, p->hf, tw_dissect__at(p->d, p->record->data + value->offset),
					    (int)value->len, value->u));
	if (p->type != TW_FTYPE_TEXT)
		return NULL;
	append_value(&line, p->shown, p->shown->type == TW_FTYPE_POINTER, value->u);
	return finish(p, put_value_text(p, p->hf, value, &line));
}

/* Adds the symbol's name as a hidden item, for filters, and marks the frame with the symbol as a dependency, for exports. */
static void put_symbol(const struct named_field *p, const struct tw_value *value, const struct tw_symbol *symbol,
		       uint32_t frame)
{
	char buf[TW_SYMBOL_NAME_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	tw_dissect__depend(p->d, frame);
	if (!tw_tree__wants(p->tree, hf_trace_symbol))
		return;
	tw_line__str(&line, symbol->name);
	proto_item_set_hidden(put_value_text(p, hf_trace_symbol, value, &line));
}

static bool find_symbol(const struct named_field *p, const struct tw_value *value, struct tw_symbol *ret,
			uint32_t *ret_frame)
{
	if (p->hidden || !(p->shown->has_addresses || p->shown->is_stack) || !p->d->lookups_left)
		return false;
	if (!--p->d->lookups_left)
		tw_dissect__expert(
			p->d, &ei_trace_limit,
			"The frame's limit of address look-ups is reached; later addresses are not looked up");
	return p->d->stream && tw_stream__symbol(p->d->stream, value->u, ret, ret_frame);
}

static void put_names(const struct named_field *p, const struct tw_print_names *names, const struct tw_value *value)
{
	char buf[TW_VALUE_STRING_TEXT_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (tw_print_names__put(names, value->u, &line))
		proto_item_set_hidden(put_value_text(p, p->shown->names->hf->id, value, &line));
}

static void dissect_number(const struct named_field *p, const struct tw_value *value, uint32_t i)
{
	const struct tw_print_names *names = names_of(p);
	struct tw_symbol symbol;
	uint32_t frame;
	const bool is_known = find_symbol(p, value, &symbol, &frame);
	proto_item *item;

	if (names && p->shown->names && !p->hidden && tw_name__wanted(p->tree, p->shown->names))
		put_names(p, names, value);
	if (p->hf > 0) {
		item = put_number(p, value);
		label_number(item, p, value->u, is_known ? &symbol : NULL, i);
		if (item && names && names->flags && tw_tree__is_shown(p->tree))
			tw_put_bits(p->d, item, names, p->record->data + value->offset, value);
	}
	if (is_known)
		put_symbol(p, value, &symbol, frame);
}

/* If a stack is shorter than its array, the kernel ends it with an element that is 0, or has all bits set. */
static bool ends_stack(const struct tw_value *caller)
{
	return !caller->u || caller->u == (caller->len == 8 ? UINT64_MAX : UINT32_MAX);
}

static void dissect_elements(const struct named_field *p, const struct tw_value *array)
{
	struct tw_value element;

	for (uint32_t i = 0; i < TW_ELEMENTS_MAX; i++) {
		if (tw_value__element(p->shown->field, array, i, &element))
			return;
		if (p->shown->is_stack && ends_stack(&element))
			return;
		dissect_number(p, &element, i);
	}
	if (!tw_value__element(p->shown->field, array, TW_ELEMENTS_MAX, &element))
		tw_dissect__expert(p->d, &ei_trace_limit, "An array has more elements than are shown");
}

static void dissect_mask(const struct named_field *p, const struct tw_value *mask)
{
	char buf[TW_MASK_TEXT_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	tw_value__list_bits(mask, p->shown->long_size, &line);
	finish(p, tw_put_text(p->d, p->tree, p->hf, tw_dissect__at(p->d, mask->data), (int)mask->len,
			      tw_shown__end(&line)));
}

static void dissect_bytes(const struct named_field *p, const struct tw_value *value)
{
	if ((p->type == TW_FTYPE_IPV4 && value->len != 4) || (p->type == TW_FTYPE_IPV6 && value->len != 16))
		return;
	finish(p, tw_put_bytes(p->d, p->tree, p->hf, value->data, value->len));
}

static void dissect_value(const struct named_field *p, const struct tw_value *value)
{
	const enum tw_ftype_class own = tw_ftype__class((enum tw_ftype)p->shown->type);
	const enum tw_ftype_class name = tw_ftype__class(p->type);

	if (own == TW_CLASS_NUMBER) {
		if (value->kind == TW_FIELD_ARRAY)
			dissect_elements(p, value);
		else
			dissect_number(p, value, 0);
	} else if (own == TW_CLASS_TEXT) {
		if (name == TW_CLASS_TEXT && value->kind == TW_FIELD_BITMASK)
			dissect_mask(p, value);
		else if (name == TW_CLASS_TEXT)
			dissect_bytes(p, value);
	} else if (name == own || name == TW_CLASS_BYTES) {
		dissect_bytes(p, value);
	}
}

/* A stack extends to the end of the record, whatever the size of its field. */
static int read_value(const struct tw_shown_field *shown, const struct tw_record *record, struct tw_value *ret)
{
	struct tw_field field;

	if (!shown->is_stack)
		return tw_field__read(shown->field, record, ret);
	field = *shown->field;
	field.place = TW_PLACE_REST;
	return tw_field__read(&field, record, ret);
}

/* Return: false if the field is not inside the record. */
static bool put_value(struct tw_dissect *d, proto_tree *tree, const struct tw_shown_field *shown,
		      const struct tw_record *record)
{
	const bool wanted = shown->name && tw_name__wanted(tree, shown->name);
	const bool any_wanted = shown->any && tw_name__wanted(tree, shown->any);
	const bool others_wanted = tree && (shown->has_addresses || shown->is_stack ||
					    (shown->names && tw_name__wanted(tree, shown->names)));
	struct named_field p = { .d = d, .tree = tree, .shown = shown, .record = record };
	struct tw_value value;

	if (!wanted && !any_wanted && !others_wanted && shown->field->place == TW_PLACE_FIXED &&
	    (uint64_t)shown->field->offset + shown->field->size <= record->len)
		return true; /* the field is not wanted, and is inside the record */
	if (read_value(shown, record, &value))
		return false;
	if (wanted || others_wanted) {
		p.hf = wanted ? shown->name->hf->id : -1;
		p.type = wanted ? (enum tw_ftype)shown->name->type : TW_FTYPE_U64;
		dissect_value(&p, &value);
	}
	if (any_wanted) {
		p.hf = shown->any->hf->id;
		p.type = (enum tw_ftype)shown->any->type;
		p.hidden = true;
		dissect_value(&p, &value);
	}
	return true;
}

/* The text of an event, as printed by the kernel. It is made only if a column, the tree or a filter needs it. */
#define FIELD_COST 64 /* cost of printing one field of an event without a print program, in bytes of a print program */

static bool may_print(struct tw_dissect *d, const struct tw_event_type *type)
{
	const size_t cost =
		type->event->print ? tw_print__memory(type->event->print) : FIELD_COST * (size_t)type->n_fields;

	if (!d->text_left || !d->program_left)
		return false; /* the exhausted limit was reported */
	if (cost <= d->program_left) {
		d->program_left -= (uint32_t)cost;
		return true;
	}
	d->program_left = 0;
	tw_dissect__expert(d, &ei_trace_limit,
			   "Formatting the texts of the frame's events takes too long; later events have no text");
	return false;
}

static void account(struct tw_dissect *d, const struct tw_line *line)
{
	const size_t len = tw_line__len(line);

	if (line->cut)
		tw_dissect__expert(d, &ei_trace_limit, "The event's text is too long to be shown completely");
	if (len < d->text_left) {
		d->text_left -= (uint32_t)len;
		return;
	}
	d->text_left = 0;
	tw_dissect__expert(d, &ei_trace_limit, "The frame's events have more text than is shown");
}

/* Return: the text of the event, in a buffer that the next call reuses; "" after a limit of the frame was reached. */
static const char *event_text(struct tw_dissect *d, const struct tw_event_type *type, const struct tw_record *record)
{
	static char buf[TW_PRINT_LINE_MAX + 1];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (may_print(d, type)) {
		if (type->event->print && !record->cut)
			tw_print__run(type->event->print, record, &d->stream->print_host, &line);
		else
			tw_print__fields(type->event->format, record, &line);
		account(d, &line);
	}
	return tw_shown__end(&line);
}

struct event {
	struct tw_event_view view;
	uint64_t seq;
	bool filtered;
	bool beyond_limit;                   /* its format is not used because a limit was reached */
	struct tw_event_type *type;          /* NULL if its format is unknown */
	const char *comm;                    /* NULL if it is unknown */
	const char *text;                    /* NULL if it is not wanted */
	const struct tw_socket_stamp *stamp; /* NULL if it is no socket event with a time stamp */
	struct tw_record record;
};

/* Return: the name that the event's task had at the time of the event; NULL if it is unknown. */
static const char *task_name(struct tw_dissect *d, const struct tw_event_view *view)
{
	const struct tw_task_name *name;

	if (!view->pid)
		return "<idle>";
	name = d->stream ? tw_tasks__name(&d->stream->tasks, view->pid, view->time) : NULL;
	if (!name)
		return NULL;
	tw_dissect__depend(d, name->position);
	return tw_shown__of(d, name->name, name->len);
}

static void depend_on_metadata(struct tw_dissect *d, const struct event *e)
{
	uint32_t last = 0;

	if (!d->tree || !d->stream)
		return;
	tw_dissect__depend(d, d->stream->host_position);
	if (d->stream->clock_position != d->stream->host_position)
		tw_dissect__depend(d, d->stream->clock_position);
	tw_dissect__depend(d, d->stream->printk_position);
	for (uint32_t i = 0; e->type && i < e->type->n_frames; i++) {
		if (e->type->frames[i] != last && e->type->frames[i] != d->stream->host_position)
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
	tw_line__str(line, e->comm ? e->comm : "<...>"); /* as printed by the kernel */
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
		tw_line__str(line, e->beyond_limit ? ": format beyond a limit" : ": format not received yet");
		return;
	}
	tw_line__str(line, e->type->event->format->name);
	tw_line__str(line, *e->text == ' ' ? ":" : ": ");
	tw_line__str(line, e->text);
}

static void put_name(struct tw_dissect *d, proto_tree *tree, int hf, const struct event *e, const char *text)
{
	proto_item_set_generated(tw_put_text(d, tree, hf, tw_dissect__at(d, e->view.record), 2, text));
}

static void put_time_of_day(struct tw_dissect *d, proto_tree *tree, int at, uint64_t ns)
{
	if (d->stream && d->stream->has_wall)
		proto_item_set_generated(
			tw_put_number(d, tree, hf_trace_time_epoch, at, 0, ns + tw_stream__wall_offset(d->stream)));
}

/* Adds the items that each event has. The offsets of the common fields used here are the same in all kernels. */
static void put_facts(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	const int at = tw_dissect__at(d, e->view.record);
	const uint64_t ns = tw_dissect__ns(d, e->view.time);

	tw_put_number(d, tree, hf_trace_time, at - 4, 4, ns);
	put_time_of_day(d, tree, at, ns);
	tw_put_number(d, tree, hf_trace_seq, at, 0, e->seq);
	if (e->type) {
		put_name(d, tree, hf_trace_system, e, e->type->event->format->system);
		put_name(d, tree, hf_trace_event, e, e->type->event->format->name);
	}
	tw_put_number(d, tree, hf_trace_event_id, at, 2, e->view.id);
	tw_put_number(d, tree, hf_trace_flags, at + 2, 1, e->view.common_flags);
	tw_put_number(d, tree, hf_trace_common_preempt_count, at + 3, 1, e->view.common_preempt_count);
	tw_put_number(d, tree, hf_trace_pid, at + 4, 4, e->view.pid);
	if (e->comm)
		put_name(d, tree, hf_trace_comm, e, e->comm);
	if (d->frame.cpu != TW_CPU_NONE)
		tw_put_number(d, tree, hf_trace_cpu, at, 0, d->frame.cpu);
	if (d->stream && *d->stream->identity.host)
		put_name(d, tree, hf_trace_host, e, d->stream->identity.host);
	if (e->filtered)
		tw_put_number(d, tree, hf_trace_filtered, at, 0, 1);
}

/*
 * Adds the ends of the interval that contains the event's time by the capture host's clock. The packet's time is that of its first event, so
 * packets with several events have no interval.
 */
static void put_interval(struct tw_dissect *d, proto_tree *tree, int at, uint64_t error)
{
	const nstime_t *time = &d->pinfo->abs_ts;
	uint64_t ns;

	if (d->frame.events > 1 || !(d->pinfo->presence_flags & PINFO_HAS_TS) || time->secs < 0)
		return;
	ns = (uint64_t)time->secs * 1000000000 + (uint64_t)time->nsecs;
	if (error > ns || ns > UINT64_MAX - error)
		return;
	proto_item_set_generated(tw_put_number(d, tree, hf_trace_time_earliest, at, 0, ns - error));
	proto_item_set_generated(tw_put_number(d, tree, hf_trace_time_latest, at, 0, ns + error));
}

/* Adds the error bound of the packet's time, and whether the packet's order relative to another stream is certain. */
static void put_certainty(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	const struct tw_time_error *error = tw_dissect__time_error(d);
	const enum tw_time_order order = tw_dissect__order(d);

	if (error && error->ns != TW_ERROR_UNKNOWN) {
		const int at = tw_dissect__at(d, e->view.record);

		proto_item_set_generated(tw_put_number(d, tree, hf_trace_time_error, at, 0, error->ns));
		put_interval(d, tree, at, error->ns);
	}
	if (order != TW_ORDER_NO_OTHER)
		put_name(d, tree, hf_trace_order, e, order == TW_ORDER_CERTAIN ? "certain" : "uncertain");
	if (error)
		tw_dissect__depend(d, error->frame);
}

static void put_text(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	if (e->text)
		proto_item_set_generated(tw_put_text(d, tree, hf_trace_text, tw_dissect__at(d, e->view.record),
						     (int)e->view.len, e->text));
	if (e->type->refusal)
		tw_dissect__expert(d, &ei_trace_no_print, e->type->refusal);
}

static void put_fields(struct tw_dissect *d, proto_tree *tree, const struct event *e)
{
	bool inside = true;

	for (uint32_t i = 0; i < e->type->n_fields && d->items_left; i++)
		inside &= put_value(d, tree, &e->type->fields[i], &e->record);
	if (!inside && !e->record.cut)
		tw_dissect__expert(d, &ei_trace_bad_field, NULL);
}

/* Sets the plugin's line in the details of a frame with one event. */
static void show_title(struct tw_dissect *d, const struct event *e)
{
	const char *name = e->type ? e->type->event->format->name : "unknown format";

	proto_item_set_text(d->item, "Kernel trace event: %s, %s-%d [%03u]%s", tw_shown__of(d, name, strlen(name)),
			    e->comm ? e->comm : "<...>", (int32_t)e->view.pid, d->frame.cpu,
			    e->filtered ? " (filtered)" : "");
}

/* Keeps the task of a frame with one event for the Source column, if the host is unknown. */
static void keep_task(struct tw_dissect *d, const struct event *e)
{
	if (d->frame.events <= 1 && e->comm && !(d->stream && *d->stream->identity.host))
		d->task = wmem_strdup_printf(d->pinfo->pool, "%s-%d", e->comm, (int32_t)e->view.pid);
}

static void put_event(struct tw_dissect *d, const struct event *e)
{
	const bool alone = d->frame.events <= 1;
	proto_tree *tree = d->tree;

	if (!alone)
		tree = tw_put_subtree(d, tree, ett_trace_record, e->view.record, e->view.len,
				      e->type ? e->type->event->format->name : "Event of unknown format");
	else if (tw_tree__is_shown(d->tree))
		show_title(d, e);
	put_facts(d, tree, e);
	put_certainty(d, tree, e);
	if (e->type) {
		put_text(d, tree, e);
		put_fields(d, tree, e);
		if (e->stamp)
			tw_socket_timeline__put_event(d, tree, tw_dissect__at(d, e->view.record), e->stamp);
		return;
	}
	if (e->view.len > TW_RECORD_COMMON)
		tw_put_bytes(d, tree, hf_trace_record, e->view.record + TW_RECORD_COMMON,
			     e->view.len - TW_RECORD_COMMON);
	if (!e->beyond_limit)
		tw_dissect__expert(d, &ei_trace_no_schema, NULL);
}

/* Return: why the format of an event is not used although it may have been received; NULL if no limit was reached */
static const char *limit_of(const struct tw_dissect *d, const struct tw_event_type *type)
{
	if (type)
		return "The formats of the frame's new event types exceed a limit; this event is not decoded";
	if (!d->schema && d->frame.schema_id)
		return "The format of this event is unknown: the capture has more streams or schemas than the limit";
	return tw_dissect_formats_full
		       ? "The format of this event is unknown: the capture has more format texts than the limit"
		       : NULL;
}

static bool prepare(struct tw_dissect *d, struct tw_event_type *type)
{
	if (type->event->format->memory > d->prepare_left)
		return false;
	d->prepare_left -= type->event->format->memory;
	tw_event_type__prepare(d->stream, type);
	return true;
}

/* Return: the type of an event, also if only the cache has its format; NULL if the format is unknown */
static struct tw_event_type *type_of(struct tw_dissect *d, const struct event *e)
{
	struct tw_event_type *type = tw_event_type__find(d->schema, e->view.id);

	if (type || !d->schema)
		return type;
	tw_dissect__read_cache(d);
	return tw_event_type__find(d->schema, e->view.id);
}

static void find_type(struct tw_dissect *d, struct event *e)
{
	struct tw_event_type *type = type_of(d, e);
	const char *limit;

	if (type && (type->fields || prepare(d, type))) {
		e->type = type;
		return;
	}
	limit = limit_of(d, type);
	e->beyond_limit = limit;
	if (limit)
		tw_dissect__expert(d, &ei_trace_limit, limit);
}

static void begin_events(struct tw_dissect *d, const struct tw_event_view *first)
{
	d->first_event_time = first->time;
	if (d->first_pass && d->stream)
		tw_dissect__update_order(d);
}

static const struct tw_socket_stamp *find_stamp(struct tw_dissect *d, const struct event *e)
{
	const struct tw_event_type *type = type_of(d, e);
	const struct tw_socket_stamp *stamp;

	if (!type || !type->socket)
		return NULL;
	stamp = tw_socket_timeline__event(d, type->socket, &e->record, e->view.time);
	if (!stamp && tw_socket_stamps_full)
		tw_dissect__expert(d, &ei_trace_limit,
				   "The capture has more socket events and packets than the limit; "
				   "this event is not in the timelines of packets");
	return stamp;
}

void tw_dissect__event(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const bool wants_info = d->wants_info && !d->n_events;
	struct event e = { .filtered = tlv->type == TW_TLV_FILTERED, .seq = d->frame.seq + d->n_events };

	if (!tw_event__parse(tlv, d->frame.base_time, &e.view)) {
		tw_dissect__expert(d, &ei_trace_malformed, NULL);
		return;
	}
	if (!d->n_events++)
		begin_events(d, &e.view);
	e.record = (struct tw_record){
		.data = e.view.record,
		.len = e.view.len,
		.big_endian = d->frame.flags & TW_FLAG_BODY_BE,
		.from_wire = true,
		.cut = d->is_cut,
	};
	if (tw_socket_stamps_on || d->first_pass) /* the cache may have the formats of socket events */
		e.stamp = find_stamp(d, &e);
	if (!d->items_left || (!d->tree && !wants_info))
		return;
	find_type(d, &e);
	e.comm = task_name(d, &e.view);
	if (e.type && (wants_info || tw_tree__wants(d->tree, hf_trace_text)))
		e.text = event_text(d, e.type, &e.record);
	keep_task(d, &e);
	if (wants_info)
		append_event(d, &e);
	if (d->tree) {
		depend_on_metadata(d, &e);
		put_event(d, &e);
	}
}
