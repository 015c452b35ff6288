/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "schema/print/program.h"
#include "schema/syscalls.h"

/* Frees the memory of a program that is refused or no longer needed. The format and the reason of a refusal stay. */
static void drop_program(struct tw_print *print)
{
	free(print->ops);
	free(print->word_ops);
	free(print->words);
	free(print->texts);
	free(print->conversions);
	free(print->names);
	free(print->tables);
	free(print->table_fields);
	free(print->strings);
	free(print->addresses.fields);
	free(print->pointers.fields);
	*print = (struct tw_print){ .format = print->format, .why = print->why };
}

static int list_addresses(struct tw_print *print)
{
	const struct tw_format *format = print->format;

	print->addresses.fields = calloc(format->n_fields, sizeof(const struct tw_field *));
	if (!print->addresses.fields)
		return -ENOMEM;
	print->addresses.size = format->n_fields;
	for (uint16_t i = 0; i < format->n_fields; i++)
		if (tw_ftrace__is_address(format, &format->fields[i]))
			print->addresses.fields[print->addresses.n++] = &format->fields[i];
	return 0;
}

struct tw_print *tw_print__new(const struct tw_format *format)
{
	struct tw_print *print = calloc(1, sizeof(*print));
	int err;

	if (!print)
		return NULL;
	print->format = format;
	err = tw_ftrace__bind(format, &print->ftrace) ? list_addresses(print) : tw_print__compile(print);
	if (!err && tw_print__memory(print) > TW_PRINT_MEMORY_MAX) {
		err = tw_error__set(&print->why, -E2BIG, "the compiled print fmt needs more than %u bytes",
				    TW_PRINT_MEMORY_MAX);
	}
	if (!err)
		return print;
	drop_program(print);
	print->refusal = print->why.text;
	if (err != -ENOMEM)
		return print;
	free(print);
	return NULL;
}

void tw_print__free(struct tw_print *print)
{
	if (!print)
		return;
	drop_program(print);
	free(print);
}

const char *tw_print__refusal(const struct tw_print *print)
{
	return print->refusal;
}

size_t tw_print__memory(const struct tw_print *print)
{
	return sizeof(*print) + (print->ops_size + print->word_ops_size) * sizeof(*print->ops) +
	       print->words_size * sizeof(*print->words) + print->texts_size +
	       print->conversions_size * sizeof(*print->conversions) + print->n_names * sizeof(*print->names) +
	       print->n_tables * (sizeof(*print->tables) + sizeof(*print->table_fields)) + print->n_strings +
	       (print->addresses.size + print->pointers.size) * sizeof(*print->addresses.fields);
}

const struct tw_field *const *tw_print__addresses(const struct tw_print *print, size_t *ret_n)
{
	*ret_n = print->addresses.n;
	return print->addresses.fields;
}

bool tw_print__is_pointer(const struct tw_print *print, const struct tw_field *field)
{
	return tw_print_list__has(&print->pointers, field) || tw_print_list__has(&print->addresses, field);
}

static bool are_same(const struct tw_print_names *a, const struct tw_print_names *b)
{
	if (a->n != b->n || a->flags != b->flags)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->names[i].value != b->names[i].value || strcmp(a->names[i].name, b->names[i].name))
			return false;
	return true;
}

bool tw_print__names(const struct tw_print *print, const struct tw_field *field, struct tw_print_names *ret)
{
	const struct tw_print_names *found = NULL;

	if (tw_syscalls__is_number(print->format, field)) {
		*ret = *tw_syscalls__names((enum tw_machine)print->format->machine);
		return ret->n > 0;
	}
	for (uint32_t i = 0; i < print->n_tables; i++) {
		const struct tw_print_names *table = &print->tables[i];

		if (print->table_fields[i] != field || !table->n)
			continue;
		if (found && found->mask == table->mask && !are_same(found, table))
			return false;
		found = found ? found : table;
	}
	if (found)
		*ret = *found;
	return found;
}

static void put_scalar(struct tw_line *line, const struct tw_field *field, const struct tw_value *value)
{
	const bool is_long = strstr(field->type, "long"); /* libtraceevent's interpretation of a type */
	const bool is_hex = is_long && (!field->is_signed || field->size == 4);

	if (value->kind == TW_FIELD_POINTER || is_hex) {
		tw_line__0x(line, field->size == 4 ? (uint32_t)value->u : value->u);
	} else if (field->is_signed) {
		if (field->size == 2 && value->i >= 0 && value->i < 10)
			tw_line__char(line, ' '); /* libtraceevent pads shorts to two characters */
		tw_line__i64(line, value->i);
	} else {
		tw_line__u64(line, value->u);
	}
}

static void put_bytes(struct tw_line *line, const struct tw_value *value)
{
	tw_line__str(line, "ARRAY[");
	for (uint32_t i = 0; i < value->len && !line->cut; i++) {
		if (i)
			tw_line__bytes(line, ", ", 2);
		tw_line__hex_byte(line, value->data[i]);
	}
	tw_line__char(line, ']');
}

void tw_print__fields(const struct tw_format *format, const struct tw_record *record, struct tw_line *line)
{
	struct tw_value value;

	for (uint16_t i = format->n_common; i < format->n_fields && !line->cut; i++) {
		const struct tw_field *field = &format->fields[i];
		const bool is_there = !tw_field__read(field, record, &value);

		if (!is_there && record->cut)
			continue;
		tw_line__char(line, ' ');
		tw_line__str(line, field->name);
		tw_line__char(line, '=');
		if (!is_there)
			continue;
		if (value.kind == TW_FIELD_STRING)
			tw_line__bytes(line, value.data, value.len);
		else if (value.kind == TW_FIELD_ARRAY || value.kind == TW_FIELD_BITMASK || value.kind == TW_FIELD_BYTES)
			put_bytes(line, &value);
		else
			put_scalar(line, field, &value);
	}
	tw_printable__end(line);
}
