/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format text is read line by line into one block of memory: the format, its fields and their strings. All strings
 * are pieces of the text, each with more syntax around it than the NUL it gets, so the text's length is room enough for
 * them. What the fields' types mean is worked out when all are there: schema/format_types.c.
 */
#include "schema/format.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/field_line.h"
#include "schema/format_types.h"
#include "schema/type.h"

struct parser {
	struct tw_text text; /* still to be read */
	unsigned int line;   /* number of the last one */
	struct tw_format *format;
	char *strings; /* where the next one goes */
	bool has_name, has_id, has_blank;
	struct tw_error *err;
};

static const char *keep(struct parser *p, struct tw_text text)
{
	char *string = p->strings;

	memcpy(string, text.at, text.len);
	string[text.len] = '\0';
	p->strings += text.len + 1;
	return string;
}

/* The two parts of a type become one string. */
static const char *keep_type(struct parser *p, const struct tw_decl *decl)
{
	const char *type = keep(p, decl->before);

	p->strings--;
	keep(p, decl->after);
	return type;
}

static int expected(const struct parser *p, const char *what)
{
	const struct tw_format *f = p->format;

	return tw_error__set(p->err, -EINVAL, "the format text of %s%s%s cannot be read: line %u, expected %s",
			     f->system, *f->system ? ":" : "", p->has_name ? f->name : "an event", p->line, what);
}

static int parse_field(struct parser *p, struct tw_text line)
{
	struct tw_field *field = &p->format->fields[p->format->n_fields];
	struct tw_field_line parts;
	const char *missing = tw_field_line__parse(line, &parts);
	struct tw_type type;

	if (missing)
		return expected(p, missing);
	field->name = keep(p, parts.decl.name);
	field->type = keep_type(p, &parts.decl);
	field->offset = parts.offset;
	field->size = parts.size;
	tw_type__parse((struct tw_text){ field->type, strlen(field->type) }, &type);
	field->is_signed = parts.has_sign ? parts.is_signed : type.is_signed;
	p->format->n_fields++;
	return 0;
}

/* The blank line behind the first fields ends the common ones. */
static void parse_blank(struct parser *p)
{
	if (!p->has_blank && p->format->n_fields) {
		p->has_blank = true;
		p->format->n_common = p->format->n_fields;
	}
}

static int parse_name(struct parser *p, struct tw_text line)
{
	line = tw_text__trim(line);
	if (!line.len)
		return expected(p, "the event's name behind \"name:\"");
	p->format->name = keep(p, line);
	p->has_name = true;
	return 0;
}

static int parse_id(struct parser *p, struct tw_text line)
{
	uint32_t id;

	if (!tw_text__number(&line, UINT16_MAX, &id) || tw_text__trim(line).len)
		return expected(p, "a number up to 65535 behind \"ID:\"");
	p->format->id = (uint16_t)id;
	p->has_id = true;
	return 0;
}

/* Lines of no known kind are somebody's addition and skipped. */
static int parse_line(struct parser *p, struct tw_text line)
{
	if (tw_field_line__is(line))
		return parse_field(p, line);
	if (!p->has_name && tw_text__skip(&line, "name:"))
		return parse_name(p, line);
	if (!p->has_id && tw_text__skip(&line, "ID:"))
		return parse_id(p, line);
	if (!tw_text__trim(line).len)
		parse_blank(p);
	return 0;
}

/* The print format is the last thing in the text, whatever it contains. */
static bool parse_print(struct parser *p, struct tw_text line)
{
	const char *end = p->text.at + p->text.len;

	if (!tw_text__skip(&line, "print fmt:"))
		return false;
	line.len = (size_t)(end - line.at);
	p->format->print_fmt = keep(p, tw_text__trim(line));
	return true;
}

static int parse_lines(struct parser *p)
{
	struct tw_text line;
	int err = 0;

	while (!err && tw_text__line(&p->text, &line)) {
		p->line++;
		if (parse_print(p, line))
			break;
		err = parse_line(p, line);
	}
	if (!err && !p->has_name)
		err = expected(p, "a line \"name:\" before the end");
	if (!err && !p->has_id)
		err = expected(p, "a line \"ID:\" before the end");
	return err;
}

/* Formats that lost their blank line on the way have their common fields by name. */
static void mark_common(struct tw_format *format, bool has_blank)
{
	uint16_t n = 0;

	if (!has_blank) {
		while (n < format->n_fields && !strncmp(format->fields[n].name, "common_", 7))
			n++;
		format->n_common = n;
	}
	for (n = 0; n < format->n_common; n++)
		format->fields[n].is_common = true;
}

/* Lines that want to be fields, counted to know the block's size. */
static size_t count_fields(struct tw_text text)
{
	struct tw_text line;
	size_t n = 0;

	while (tw_text__line(&text, &line))
		n += tw_field_line__is(line);
	return n;
}

static int check_text(struct tw_text text, const char *system, struct tw_error *err)
{
	if (text.len > TW_FORMAT_TEXT_MAX)
		return tw_error__set(err, -E2BIG, "a format text of system \"%s\" has %zu bytes, the limit is %d",
				     system, text.len, TW_FORMAT_TEXT_MAX);
	if (text.len && memchr(text.at, '\0', text.len))
		return tw_error__set(err, -EINVAL,
				     "a format text of system \"%s\" has a NUL byte inside, so it is no text", system);
	return 0;
}

static struct tw_format *new_format(size_t n_fields, struct tw_text text, const char *system, char **ret_strings)
{
	const size_t fields_size = n_fields * sizeof(struct tw_field);
	const size_t system_size = strlen(system) + 1;
	const size_t memory = sizeof(struct tw_format) + fields_size + system_size + text.len;
	struct tw_format *format;

	if (memory > UINT32_MAX || !(format = calloc(1, memory)))
		return NULL;
	format->fields = (struct tw_field *)(format + 1);
	format->system = memcpy((char *)(format + 1) + fields_size, system, system_size);
	format->print_fmt = format->system + system_size - 1;
	format->name = format->print_fmt;
	format->memory = (uint32_t)memory;
	*ret_strings = (char *)(format + 1) + fields_size + system_size;
	return format;
}

int tw_format__parse(const char *text, size_t len, const char *system, struct tw_format **ret, struct tw_error *err)
{
	struct parser p = { .text = { text, len }, .err = err };
	int error = check_text(p.text, system, err);
	size_t n_fields;

	if (error)
		return error;
	n_fields = count_fields(p.text);
	if (n_fields > TW_FORMAT_FIELDS_MAX)
		return tw_error__set(err, -E2BIG, "a format text of system \"%s\" has %zu fields, the limit is %d",
				     system, n_fields, TW_FORMAT_FIELDS_MAX);
	p.format = new_format(n_fields, p.text, system, &p.strings);
	if (!p.format)
		return tw_error__set(err, -ENOMEM, "no memory for a format of system \"%s\"", system);
	error = parse_lines(&p);
	if (error) {
		tw_format__free(p.format);
		return error;
	}
	mark_common(p.format, p.has_blank);
	tw_format__find_types(p.format);
	*ret = p.format;
	return 0;
}

void tw_format__free(struct tw_format *format)
{
	free(format);
}

const struct tw_field *tw_format__find(const struct tw_format *format, const char *name)
{
	for (uint16_t i = 0; i < format->n_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}
