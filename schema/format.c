/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format text is parsed line by line into one block of memory: the format, its fields and their strings. All strings but the system are
 * parts of the text. Their NULs need no extra memory, because each of these strings has syntax beside it in the text (such as `name:`) that
 * is not stored. The length of the text is therefore sufficient for these strings. After the last line, schema/type.c determines the types
 * of the fields.
 */
#include "schema/format.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/type.h"

/*
 * A C declaration, split into parts. Only declarations that kernels, vendor trees, probes and user events write into formats are supported.
 * The type is the text before the name and the text after it. For example, the parts of "char comm[16]" are "char", "comm" and "[16]".
 */
struct decl {
	struct tw_text before, name, after;
};

static bool ends_name(char c)
{
	return tw_text__is_space(c) || strchr("*()[]&,;", c);
}

/* Cuts the array brackets off the end, for example `[2][4]`. Return: false if an opening bracket is missing. */
static bool cut_brackets(struct tw_text *text)
{
	while (text->len && text->at[text->len - 1] == ']') {
		size_t depth = 0;

		do {
			if (!text->len)
				return false;
			text->len--;
			if (text->at[text->len] == ']')
				depth++;
			else if (text->at[text->len] == '[')
				depth--;
		} while (depth);
		*text = tw_text__rtrim(*text);
	}
	return true;
}

/* A pointer to a function has its name in the middle: `void (*done)(int)`. Return: beginning of the name, or NULL. */
static const char *function_name(struct tw_text decl)
{
	struct tw_text rest = decl;
	const char *open = memchr(decl.at, '(', decl.len);

	if (!open)
		return NULL;
	tw_text__cut(&rest, (size_t)(open + 1 - decl.at));
	if (!tw_text__skip(&rest, "*"))
		return NULL;
	return tw_text__ltrim(rest).at;
}

static bool split_function(struct tw_text decl, struct decl *ret)
{
	const char *end = decl.at + decl.len;
	const char *name = function_name(decl);
	const char *p = name;

	if (!name)
		return false;
	while (p < end && !ends_name(*p))
		p++;
	ret->name = (struct tw_text){ name, (size_t)(p - name) };
	ret->before = tw_text__rtrim((struct tw_text){ decl.at, (size_t)(name - decl.at) });
	ret->after = (struct tw_text){ p, (size_t)(end - p) };
	return ret->name.len > 0;
}

/* Return: false, with @ret undefined, if there is no name or no type. */
static bool split_decl(struct tw_text decl, struct decl *ret)
{
	struct tw_text rest;
	const char *name;

	decl = tw_text__trim(decl);
	if (decl.len && decl.at[decl.len - 1] == ')')
		return split_function(decl, ret);
	rest = decl;
	if (!cut_brackets(&rest))
		return false;
	for (name = rest.at + rest.len; name > rest.at && !ends_name(name[-1]); name--)
		;
	ret->name = (struct tw_text){ name, (size_t)(rest.at + rest.len - name) };
	ret->before = tw_text__rtrim((struct tw_text){ rest.at, (size_t)(name - rest.at) });
	ret->after = tw_text__ltrim((struct tw_text){ rest.at + rest.len, decl.len - rest.len });
	return ret->name.len && ret->before.len;
}

/*
 * One line of a format:
 *
 *	field:char comm[16];	offset:8;	size:16;	signed:0;
 */
struct field_line {
	struct decl decl;
	uint32_t offset, size; /* bytes */
	bool has_sign;         /* the line has `signed:`; the first kernels with formats did not write it */
	bool is_signed;
};

/* Cuts `field:` off the front of a line; in the system `ftrace` of old kernels, also `field special:`. */
static bool skip_keyword(struct tw_text *line)
{
	if (!tw_text__skip(line, "field"))
		return false;
	tw_text__skip(line, "special");
	return tw_text__skip(line, ":");
}

/* Cuts the declaration, up to the semicolon before `offset:`. The declaration may contain other semicolons. */
static bool cut_decl(struct tw_text *line, struct tw_text *ret)
{
	const char *start = line->at;
	struct tw_text rest = *line;
	const char *semicolon;

	while (rest.len && (semicolon = memchr(rest.at, ';', rest.len))) {
		tw_text__cut(&rest, (size_t)(semicolon + 1 - rest.at));
		if (!tw_text__skip(&rest, "offset:"))
			continue;
		*ret = (struct tw_text){ start, (size_t)(semicolon - start) };
		*line = rest;
		return true;
	}
	return false;
}

/* Cuts `NUMBER;`; the semicolon may be missing at the end of the line. */
static bool cut_number(struct tw_text *line, uint32_t *ret)
{
	if (!tw_text__number(line, TW_FORMAT_EXTENT_MAX, ret))
		return false;
	return tw_text__skip(line, ";") || !tw_text__ltrim(*line).len;
}

/* Whether the line is meant as a field, well-formed or not. */
static bool is_field_line(struct tw_text line)
{
	return skip_keyword(&line);
}

/* Return: NULL with @ret set, or a description of what is missing, with @ret undefined. */
static const char *parse_field_line(struct tw_text line, struct field_line *ret)
{
	struct tw_text decl;
	uint32_t sign = 0;

	if (!skip_keyword(&line))
		return "\"field:\"";
	if (!cut_decl(&line, &decl))
		return "\"; offset:\" after a declaration";
	if (!split_decl(decl, &ret->decl))
		return "a C type and a name after \"field:\"";
	if (!cut_number(&line, &ret->offset))
		return "a number of bytes after \"offset:\"";
	if (!tw_text__skip(&line, "size:") || !cut_number(&line, &ret->size))
		return "\"size:\" and a number of bytes";
	ret->has_sign = tw_text__skip(&line, "signed:");
	if (ret->has_sign && !cut_number(&line, &sign))
		return "0 or 1 after \"signed:\"";
	ret->is_signed = sign != 0;
	return NULL;
}

struct format_parser {
	struct tw_text text; /* text that is left */
	unsigned int line;   /* number of the current line, from 1 */
	struct tw_format *format;
	char *strings; /* where the next string is stored */
	bool has_name, has_id, has_blank;
	struct tw_error *error;
};

static const char *keep(struct format_parser *p, struct tw_text text)
{
	char *string = p->strings;

	memcpy(string, text.at, text.len);
	string[text.len] = '\0';
	p->strings += text.len + 1;
	return string;
}

static int expected(const struct format_parser *p, const char *what)
{
	const struct tw_format *f = p->format;

	if (!p->has_name)
		return tw_error__set(p->error, -EINVAL,
				     "the format text of an event%s%s cannot be read: line %u, expected %s",
				     *f->system ? " of " : "", f->system, p->line, what);
	return tw_error__set(p->error, -EINVAL, "the format text of %s%s%s cannot be read: line %u, expected %s",
			     f->system, *f->system ? ":" : "", f->name, p->line, what);
}

static int parse_field(struct format_parser *p, struct tw_text line)
{
	struct tw_field *field = &p->format->fields[p->format->n_fields];
	struct field_line parts;
	const char *missing = parse_field_line(line, &parts);

	if (missing)
		return expected(p, missing);
	field->name = keep(p, parts.decl.name);
	field->type = keep(p, parts.decl.before);
	p->strings--; /* both parts of the type are one string */
	keep(p, parts.decl.after);
	field->offset = parts.offset;
	field->size = parts.size;
	field->is_signed = parts.has_sign ? parts.is_signed : tw_type__parse(field->type).is_signed;
	p->format->n_fields++;
	return 0;
}

static int parse_name(struct format_parser *p, struct tw_text line)
{
	line = tw_text__trim(line);
	if (!line.len)
		return expected(p, "the event's name after \"name:\"");
	p->format->name = keep(p, line);
	p->has_name = true;
	return 0;
}

static int parse_id(struct format_parser *p, struct tw_text line)
{
	uint32_t id;

	if (!tw_text__number(&line, UINT16_MAX, &id) || tw_text__trim(line).len)
		return expected(p, "a number up to 65535 after \"ID:\"");
	p->format->id = (uint16_t)id;
	p->has_id = true;
	return 0;
}

/* Lines of an unknown kind are skipped, because some vendors add such lines. */
static int parse_line(struct format_parser *p, struct tw_text line)
{
	if (is_field_line(line))
		return parse_field(p, line);
	if (!p->has_name && tw_text__skip(&line, "name:"))
		return parse_name(p, line);
	if (!p->has_id && tw_text__skip(&line, "ID:"))
		return parse_id(p, line);
	/* The blank line after the first fields ends the common fields. */
	if (!tw_text__trim(line).len && !p->has_blank && p->format->n_fields) {
		p->has_blank = true;
		p->format->n_common = p->format->n_fields;
	}
	return 0;
}

/* The print fmt is the last element of the text: everything up to the end of the text belongs to it. */
static bool parse_print(struct format_parser *p, struct tw_text line)
{
	const char *end = p->text.at + p->text.len;

	if (!tw_text__skip(&line, "print fmt:"))
		return false;
	line.len = (size_t)(end - line.at);
	p->format->print_fmt = keep(p, tw_text__trim(line));
	return true;
}

static int parse_lines(struct format_parser *p)
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

/* In formats without a blank line, the common fields are recognised by their names. */
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

/* Counts lines that are meant as fields, to compute the size of the format's block of memory. */
static size_t count_fields(struct tw_text text)
{
	struct tw_text line;
	size_t n = 0;

	while (tw_text__line(&text, &line))
		n += is_field_line(line);
	return n;
}

static int check_text(struct tw_text text, const char *system, struct tw_error *error)
{
	if (text.len > TW_FORMAT_TEXT_MAX)
		return tw_error__set(error, -E2BIG, "a format text of system \"%s\" has %zu bytes, the limit is %d",
				     system, text.len, TW_FORMAT_TEXT_MAX);
	if (text.len && memchr(text.at, '\0', text.len))
		return tw_error__set(error, -EINVAL, "a format text of system \"%s\" contains a NUL byte", system);
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

int tw_format__parse(const char *text, size_t len, const char *system, struct tw_format **ret, struct tw_error *error)
{
	struct format_parser p = { .text = { text, len }, .error = error };
	int err = check_text(p.text, system, error);
	size_t n_fields;

	if (err)
		return err;
	n_fields = count_fields(p.text);
	if (n_fields > TW_FORMAT_FIELDS_MAX)
		return tw_error__set(error, -E2BIG, "a format text of system \"%s\" has %zu fields, the limit is %d",
				     system, n_fields, TW_FORMAT_FIELDS_MAX);
	p.format = new_format(n_fields, p.text, system, &p.strings);
	if (!p.format)
		return tw_error__set(error, -ENOMEM, "no memory for a format of system \"%s\"", system);
	err = parse_lines(&p);
	if (err) {
		tw_format__free(p.format);
		return err;
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

static int too_long(struct tw_error *error, const char *what, size_t len)
{
	return tw_error__set(error, -E2BIG, "a %s text has %zu bytes, the limit is %d", what, len, TW_FORMAT_TEXT_MAX);
}

static int no_page(struct tw_error *error, unsigned int line, const char *what)
{
	return tw_error__set(error, -EINVAL, "the header_page text cannot be read: line %u, expected %s", line, what);
}

static bool check_page(const struct field_line *commit, const struct field_line *data)
{
	return (commit->size == 4 || commit->size == 8) && data->offset <= UINT16_MAX &&
	       data->offset >= commit->offset + commit->size;
}

int tw_page_layout__parse(const char *text, size_t len, struct tw_page_layout *ret, struct tw_error *error)
{
	struct field_line commit = { 0 }, data = { 0 }, field;
	struct tw_text rest = { text, len }, line;
	unsigned int n = 0;

	if (len > TW_FORMAT_TEXT_MAX)
		return too_long(error, "header_page", len);
	while (tw_text__line(&rest, &line)) {
		const char *missing = parse_field_line(line, &field);

		n++;
		if (missing && tw_text__trim(line).len)
			return no_page(error, n, missing);
		if (!missing && tw_text__equals(field.decl.name, "commit"))
			commit = field;
		else if (!missing && tw_text__equals(field.decl.name, "data"))
			data = field;
	}
	if (!check_page(&commit, &data))
		return no_page(error, n,
			       "a field \"commit\" of 4 or 8 bytes and a field \"data\" after it, before the end");
	ret->commit_offset = (uint16_t)commit.offset;
	ret->commit_size = (uint16_t)commit.size;
	ret->data_offset = (uint16_t)data.offset;
	return 0;
}

/* Reads `KEY  : SIGN NUMBER` or `KEY SIGN NUMBER`, with any white space. Return: whether the line has this form. */
static bool entry_line(struct tw_text line, const char *key, const char *sign, uint32_t max, uint8_t *ret)
{
	uint32_t number;

	if (!tw_text__skip(&line, key))
		return false;
	tw_text__skip(&line, ":");
	if (!tw_text__skip(&line, sign) || !tw_text__number(&line, max, &number))
		return false;
	*ret = (uint8_t)number;
	return true;
}

static void parse_entry_line(struct tw_text line, struct tw_entry_layout *layout)
{
	const struct {
		const char *key, *sign;
		uint32_t max;
		uint8_t *ret;
	} lines[] = {
		{ "type_len", "", 8, &layout->type_len_bits },
		{ "time_delta", "", 32, &layout->time_delta_bits },
		{ "padding", "type ==", 255, &layout->padding },
		{ "time_extend", "type ==", 255, &layout->time_extend },
		{ "time_stamp", "type ==", 255, &layout->time_stamp },
		{ "data max type_len", "==", 255, &layout->data_max },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (entry_line(line, lines[i].key, lines[i].sign, lines[i].max, lines[i].ret))
			return;
}

int tw_entry_layout__parse(const char *text, size_t len, struct tw_entry_layout *ret, struct tw_error *error)
{
	struct tw_entry_layout layout = { 0 };
	struct tw_text rest = { text, len }, line;

	if (len > TW_FORMAT_TEXT_MAX)
		return too_long(error, "header_event", len);
	while (tw_text__line(&rest, &line))
		parse_entry_line(line, &layout);
	if (!layout.type_len_bits || layout.type_len_bits + layout.time_delta_bits != 32 || !layout.padding ||
	    !layout.time_extend || !layout.data_max)
		return tw_error__set(
			error, -EINVAL,
			"the header_event text cannot be read: expected type_len and time_delta, with 32 bits "
			"together, and values for 'padding', 'time_extend' and 'data max type_len'");
	/* Kernels before 4.17 reserve the last type_len for time stamps, although header_event does not say so. */
	if (!layout.time_stamp)
		layout.time_stamp = (uint8_t)(layout.time_extend + 1);
	*ret = layout;
	return 0;
}
