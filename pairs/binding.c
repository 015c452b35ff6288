/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/binding.h"

#include <errno.h>

#include "base/nearest.h"

#define SYMBOL_TEXT_MAX 256

static bool is_name(const char *name, const char *part)
{
	return !name || !strcmp(name, part);
}

bool tw_pair_binding__is_of(const struct tw_pair_event *event, const struct tw_format *format)
{
	return is_name(event->system, format->system) && is_name(event->event, format->name);
}

static struct tw_pair_value find_value(const struct tw_format *format, const char *name)
{
	static const struct {
		const char *name;
		struct tw_pair_value value;
	} of_all[] = { { "cpu", { TW_PAIR_CPU, NULL } },
		       { "pid", { TW_PAIR_PID, NULL } },
		       { "comm", { TW_PAIR_COMM, NULL } } };
	const struct tw_field *field = tw_format__find(format, name);

	if (field)
		return (struct tw_pair_value){ TW_PAIR_FIELD, field };
	for (size_t i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
		if (!strcmp(name, of_all[i].name))
			return of_all[i].value;
	}
	return (struct tw_pair_value){ TW_PAIR_NO_VALUE, NULL };
}

/* Begins an error with the place in the text that defines the pair. */
#define REFUSE(error, pair, event, fmt, ...)                                                                   \
	tw_error__set(error, -EINVAL, "%s" fmt, TW_PAIR_PLACE((pair)->source, (event)->line, (event)->column), \
		      __VA_ARGS__)

static int refuse_key(const struct tw_pair *pair, const struct tw_pair_event *event, const struct tw_format *format,
		      const char *name, struct tw_error *error)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, name);
	for (uint16_t i = 0; i < format->n_fields; i++)
		tw_nearest__offer(&nearest, format->fields[i].name);
	return REFUSE(error, pair, event, "%s has no field '%s', which is a key of pair %s%s%s%s", format->name, name,
		      pair->name, nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
		      nearest.best ? "?" : "");
}

static bool can_be_key(const struct tw_pair_value *value)
{
	return value->kind != TW_PAIR_FIELD || tw_field__address(value->field) != TW_ADDRESS_NONE ||
	       (value->field->kind != TW_FIELD_ARRAY && value->field->kind != TW_FIELD_BITMASK &&
		value->field->kind != TW_FIELD_BYTES);
}

int tw_pair_binding__make(const struct tw_pair *pair, const struct tw_pair_event *event, const struct tw_format *format,
			  const char *const *by, size_t n_by, struct tw_pair_binding *ret, struct tw_error *error)
{
	*ret = (struct tw_pair_binding){ .event = event };
	for (size_t i = 0; i < event->n_keys; i++) {
		ret->keys[i] = find_value(format, event->keys[i]);
		if (ret->keys[i].kind == TW_PAIR_NO_VALUE)
			return refuse_key(pair, event, format, event->keys[i], error);
		if (!can_be_key(&ret->keys[i]))
			return REFUSE(
				error, pair, event,
				"field '%s' of %s cannot be a key: it is neither a number nor a text nor an IP address",
				event->keys[i], format->name);
	}
	for (size_t i = 0; i < n_by; i++)
		ret->by[i] = find_value(format, by[i]);
	return 0;
}

bool tw_pair_value__is_text(const struct tw_pair_value *value)
{
	return value->kind == TW_PAIR_COMM || (value->kind == TW_PAIR_FIELD && value->field->kind >= TW_FIELD_STRING);
}

static bool has_number(const struct tw_value *value)
{
	return value->kind == TW_FIELD_UINT || value->kind == TW_FIELD_INT || value->kind == TW_FIELD_BOOL ||
	       value->kind == TW_FIELD_ENUM || value->kind == TW_FIELD_POINTER;
}

/* Return: the number of a text as a key; TW_PAIR_NO_NAME if it cannot be told from other texts, or if there is no memory */
static uint64_t number_of(struct tw_pair_names *names, const char *text, size_t len)
{
	const uint32_t number = tw_pair_names__add(names, text, len);

	return number == TW_PAIR_OTHER || len >= TW_PAIR_NAME_MAX ? TW_PAIR_NO_NAME : number;
}

/* Return: the number of an IP address, as number_of() of its bytes in hexadecimal digits */
static uint64_t number_of_address(struct tw_pair_names *names, const struct tw_value *value)
{
	char text[TW_PAIR_NAME_MAX];
	struct tw_line line = tw_line__on(text, sizeof(text));

	for (uint32_t i = 0; i < value->len; i++)
		tw_line__hex_byte(&line, value->data[i]);
	return number_of(names, text, tw_line__len(&line));
}

/* Reads a value as a number, or as the number of its text in @names. */
static bool read_key(const struct tw_pair_value *value, const struct tw_pair_input *input, struct tw_pair_names *names,
		     uint64_t *ret)
{
	struct tw_value v;

	switch (value->kind) {
	case TW_PAIR_CPU:
		*ret = input->cpu;
		return true;
	case TW_PAIR_PID:
		*ret = input->pid;
		return true;
	case TW_PAIR_COMM:
		*ret = input->comm ? number_of(names, input->comm, input->comm_len) : TW_PAIR_NO_NAME;
		return *ret != TW_PAIR_NO_NAME;
	case TW_PAIR_FIELD:
		if (tw_field__read(value->field, input->record, &v))
			return false;
		if (has_number(&v))
			*ret = v.u;
		else if (tw_field__address(value->field) != TW_ADDRESS_NONE)
			*ret = number_of_address(names, &v);
		else
			*ret = number_of(names, (const char *)v.data, v.len);
		return has_number(&v) || *ret != TW_PAIR_NO_NAME;
	case TW_PAIR_NO_VALUE:
		break;
	}
	return false;
}

bool tw_pair_binding__key(const struct tw_pair_binding *binding, const struct tw_pair_input *input,
			  struct tw_pair_names *names, struct tw_pairing_key *ret)
{
	*ret = (struct tw_pairing_key){ .stream = input->stream };
	for (size_t i = 0; i < binding->event->n_keys; i++) {
		if (!read_key(&binding->keys[i], input, names, &ret->values[i]))
			return false;
	}
	return true;
}

bool tw_pair_binding__value(const struct tw_pair_binding *binding, const struct tw_pair_input *input, uint64_t *ret,
			    bool *ret_negative)
{
	const struct tw_pair_value *value = &binding->keys[0];
	struct tw_value v;

	*ret_negative = false;
	if (value->kind == TW_PAIR_CPU || value->kind == TW_PAIR_PID) {
		*ret = value->kind == TW_PAIR_CPU ? input->cpu : input->pid;
		return true;
	}
	if (value->kind != TW_PAIR_FIELD || tw_field__read(value->field, input->record, &v) || !has_number(&v))
		return false;
	*ret = v.u;
	*ret_negative = v.kind == TW_FIELD_INT && v.i < 0;
	return true;
}

bool tw_pair_binding__is_named(const struct tw_pair_binding *binding, const struct tw_print *print)
{
	const struct tw_field *field = binding->keys[0].field;
	struct tw_print_names names;

	if (binding->keys[0].kind != TW_PAIR_FIELD)
		return binding->keys[0].kind == TW_PAIR_COMM;
	if (field->kind == TW_FIELD_POINTER || field->kind == TW_FIELD_ENUM || field->kind >= TW_FIELD_STRING)
		return true;
	return print && (tw_print__has_word(print, field) || tw_print__names(print, field, &names));
}

/* Formats the value as the name that the print fmt has for it. Return: false, with nothing appended, if there is none */
static bool put_name(const struct tw_field *field, const struct tw_value *v, const struct tw_pair_input *input,
		     struct tw_line *line)
{
	struct tw_print_names names;

	if (!input->print)
		return false;
	return tw_print__word(input->print, field, input->record, line) ||
	       (tw_print__names(input->print, field, &names) && tw_print_names__put(&names, v->u, line));
}

/* Formats a device as MAJOR,MINOR, as block events do. In the kernel, a dev_t has 20 bits for the minor number. */
static void put_device(uint64_t device, struct tw_line *line)
{
	tw_line__u64(line, device >> 20);
	tw_line__char(line, ',');
	tw_line__u64(line, device & 0xfffff);
}

/* Formats a number as its name, as a device, as a symbol, or as a number. */
static void put_number(const struct tw_field *field, const struct tw_value *v, const struct tw_pair_input *input,
		       struct tw_line *line)
{
	struct tw_symbol symbol;

	if (put_name(field, v, input, line))
		return;
	if (!strcmp(field->type, "dev_t")) {
		put_device(v->u, line);
		return;
	}
	if (v->kind == TW_FIELD_POINTER) {
		if (input->host && input->host->symbols && tw_symbols__find(input->host->symbols, v->u, &symbol))
			tw_line__str(line, symbol.name);
		else
			tw_line__0x(line, v->u);
	} else if (v->kind == TW_FIELD_INT || (v->kind == TW_FIELD_ENUM && tw_field__is_signed(field))) {
		tw_line__i64(line, v->i);
	} else {
		tw_line__u64(line, v->u);
	}
}

/* The name of a field's value. The names of numbers are cached. */
static uint32_t name_field(const struct tw_field *field, const struct tw_pair_input *input, struct tw_pair_names *names)
{
	char text[SYMBOL_TEXT_MAX];
	struct tw_line line = tw_line__on(text, sizeof(text));
	struct tw_value v;
	uint32_t name;

	if (tw_field__read(field, input->record, &v))
		return tw_pair_names__add(names, "?", 1);
	if (!has_number(&v)) /* a line of trace_marker ends with a line break, which is not part of its text */
		return tw_pair_names__add(names, (const char *)v.data, v.len - (v.len && v.data[v.len - 1] == '\n'));
	name = tw_pair_names__cached(names, field, v.u);
	if (name != TW_PAIR_NO_NAME)
		return name;
	put_number(field, &v, input, &line);
	name = tw_pair_names__add(names, text, tw_line__len(&line));
	tw_pair_names__cache(names, field, v.u, name);
	return name;
}

static uint32_t name_number(uint64_t number, struct tw_pair_names *names)
{
	char text[24];
	struct tw_line line = tw_line__on(text, sizeof(text));

	tw_line__u64(&line, number);
	return tw_pair_names__add(names, text, tw_line__len(&line));
}

/* The name of a value of an event. Return: TW_PAIR_NO_NAME without memory */
static uint32_t name_value(const struct tw_pair_value *value, const struct tw_pair_input *input,
			   struct tw_pair_names *names)
{
	switch (value->kind) {
	case TW_PAIR_FIELD:
		return name_field(value->field, input, names);
	case TW_PAIR_CPU:
		return name_number(input->cpu, names);
	case TW_PAIR_PID:
		return name_number(input->pid, names);
	case TW_PAIR_COMM:
		return input->comm ? tw_pair_names__add(names, input->comm, input->comm_len)
				   : tw_pair_names__add(names, "<...>", 5);
	case TW_PAIR_NO_VALUE:
		break;
	}
	return TW_PAIR_NO_NAME;
}

uint32_t tw_pair_binding__value_name(const struct tw_pair_binding *binding, const struct tw_pair_input *input,
				     struct tw_pair_names *names)
{
	return name_value(&binding->keys[0], input, names);
}

bool tw_pair_binding__group(const struct tw_pair_binding *binding, const struct tw_pair_input *input, size_t n_by,
			    struct tw_pair_names *names, uint64_t *ret)
{
	for (size_t i = 0; i < n_by; i++) {
		if (binding->by[i].kind == TW_PAIR_NO_VALUE)
			continue;
		ret[i] = name_value(&binding->by[i], input, names);
		if (ret[i] == TW_PAIR_NO_NAME)
			return false;
	}
	return true;
}
