/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predicate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "literal.h"
#include "records.h"
#include "schema/print.h"

uint8_t compared_as(const struct tw_field *field)
{
	if (field->kind == TW_FIELD_STRING || field->kind == TW_FIELD_BITMASK)
		return TW_AS_TEXT;
	if (field->kind == TW_FIELD_BYTES || (field->kind == TW_FIELD_ARRAY && field->elem_size == 1))
		return TW_AS_BYTES;
	return TW_AS_NUMBER;
}

void predicate__want(struct writing *w, const struct wanted *wanted)
{
	if (w->e->n_wanted < WANTED_MAX)
		w->e->wanted[w->e->n_wanted++] = *wanted;
}

static bool is_key(const char *name)
{
	static const char *const keys[] = { "event", "system", "pid",  "comm", "COMM", "cpu",
					    "CPU",   "flags",  "host", "time", "any",  "common_pid" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], name))
			return true;
	return !strncmp(name, "common_", 7);
}

/* Characters that a name cannot have are written as `_`. */
static void put_name(struct writing *w, const char *name)
{
	for (; *name; name++)
		tw_line__char(&w->line, isalnum((unsigned char)*name) || *name == '-' ? *name : '_');
}

static void put_path(struct writing *w, const struct tw_format *format, const struct tw_field *field)
{
	const uint32_t how = chance__below(w->chance, 10);

	if (chance__percent(w->chance, 15))
		tw_line__str(&w->line, "trace.");
	if (how < 5) {
		put_name(w, format->system);
		tw_line__char(&w->line, '.');
	}
	if (how < 8) {
		put_name(w, format->name);
		tw_line__char(&w->line, '.');
	} else if (how == 8 || is_key(field->name)) {
		tw_line__str(&w->line, "any.");
	}
	put_name(w, field->name);
}

/* Return: false if the print format has no name for the field, or none that can be typed. */
static bool put_word(struct writing *w, const struct tw_format *format, const struct tw_field *field,
		     struct wanted wanted)
{
	struct tw_print *print = tw_print__new(format);
	struct tw_print_names names;
	bool has = false;

	if (print && tw_print__names(print, field, &names) && tw_print_names__can_compare(&names, field)) {
		const struct tw_print_name *name = &names.names[chance__below(w->chance, names.n)];

		has = strlen(name->name) > 1 && strspn(name->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(name->name);
		if (has) {
			tw_line__str(&w->line, chance__percent(w->chance, 70) ? " == " : " != ");
			tw_line__str(&w->line, name->name);
			wanted.number = name->value;
			predicate__want(w, &wanted);
		}
	}
	tw_print__free(print);
	return has;
}

void predicate__field(struct writing *w, const struct tw_format *format, const struct tw_field *field)
{
	struct wanted wanted = { .operand = TW_ON_FIELD, .compared = compared_as(field) };

	snprintf(wanted.field, sizeof(wanted.field), "%s", field->name);
	put_path(w, format, field);
	if (wanted.compared == TW_AS_TEXT)
		predicate__text(w, wanted,
				field->kind == TW_FIELD_BITMASK  ? 0
				: field->place == TW_PLACE_FIXED ? field->size
								 : WANTED_BYTES);
	else if (wanted.compared == TW_AS_BYTES)
		predicate__bytes(w, wanted, field);
	else if (!chance__percent(w->chance, 50) || !put_word(w, format, field, wanted))
		predicate__number(w, wanted, field->elem_size * 8u, field->is_signed);
}

static void put_own_name(struct writing *w)
{
	static const char *const ops[] = { " == ", " != ", " eq ", " < ", " >= " };
	const struct tw_schema *schema = w->e->pool->schema;
	const bool is_event = chance__percent(w->chance, 70);
	const struct tw_format *format = w->e->format;
	const char *name;

	if (chance__percent(w->chance, 30))
		format = tw_schema__at(schema, chance__below(w->chance, (uint32_t)tw_schema__count(schema)));
	name = is_event ? format->name : format->system;
	tw_line__str(&w->line, is_event ? "event" : "system");
	if (chance__percent(w->chance, 20)) {
		tw_line__str(&w->line, " ~ \"");
		tw_line__bytes(&w->line, name, strlen(name) / 2);
		tw_line__str(&w->line, "*\"");
		return;
	}
	tw_line__str(&w->line, ops[chance__below(w->chance, 5)]);
	literal__text(&w->line, w->chance, (const uint8_t *)name, (uint32_t)strlen(name));
}

static void put_time(struct writing *w, struct wanted wanted)
{
	static const char *const ops[] = { " < ", " <= ", " > ", " >= ", " == ", " != " };

	wanted.number = RECORDS_T0 + chance__below(w->chance, RECORDS_T_SPAN);
	predicate__want(w, &wanted);
	tw_line__str(&w->line, "time");
	if (chance__percent(w->chance, 20)) {
		tw_line__str(&w->line, " in {");
		literal__seconds(&w->line, wanted.number);
		tw_line__str(&w->line, "..");
		literal__seconds(&w->line, wanted.number + RECORDS_T_SPAN / 4);
		tw_line__char(&w->line, '}');
		return;
	}
	tw_line__str(&w->line, ops[chance__below(w->chance, 6)]);
	literal__seconds(&w->line, wanted.number);
}

void predicate__key(struct writing *w)
{
	static const struct {
		const char *name;
		uint8_t operand, bits;
		bool is_signed;
	} keys[] = {
		{ "pid", TW_ON_PID, 32, true },  { "common_pid", TW_ON_PID, 32, true },
		{ "cpu", TW_ON_CPU, 16, false }, { "flags", TW_ON_FLAGS, 8, false },
		{ "CPU", TW_ON_CPU, 16, false }, { "common_preempt_count", TW_ON_PREEMPT, 8, false },
	};
	const uint32_t n = sizeof(keys) / sizeof(keys[0]);
	const uint32_t which = chance__below(w->chance, n + (w->options->in_frames ? 4 : 8));
	struct wanted wanted = { .operand = TW_ON_TIME };

	if (which < n) {
		wanted.operand = keys[which].operand;
		tw_line__str(&w->line, keys[which].name);
		predicate__number(w, wanted, keys[which].bits, keys[which].is_signed);
	} else if (which == n) {
		put_time(w, wanted);
	} else if (which < n + 4) {
		put_own_name(w);
	} else {
		wanted.operand = which % 4 ? TW_ON_COMM : TW_ON_HOST;
		wanted.compared = TW_AS_TEXT;
		tw_line__str(&w->line, which % 4 ? "comm" : "host");
		predicate__text(w, wanted, 16);
	}
}
