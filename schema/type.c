/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

#include "schema/text_cursor.h"

/* Sorted by name. */
static const struct tw_type_name type_names[] = {
	{ "_Bool", 1, false, TW_FIELD_BOOL },
	{ "__be16", 2, false, TW_FIELD_UINT },
	{ "__be32", 4, false, TW_FIELD_UINT },
	{ "__be64", 8, false, TW_FIELD_UINT },
	{ "__le16", 2, false, TW_FIELD_UINT },
	{ "__le32", 4, false, TW_FIELD_UINT },
	{ "__le64", 8, false, TW_FIELD_UINT },
	{ "__s16", 2, true, TW_FIELD_INT },
	{ "__s32", 4, true, TW_FIELD_INT },
	{ "__s64", 8, true, TW_FIELD_INT },
	{ "__s8", 1, true, TW_FIELD_INT },
	{ "__u16", 2, false, TW_FIELD_UINT },
	{ "__u32", 4, false, TW_FIELD_UINT },
	{ "__u64", 8, false, TW_FIELD_UINT },
	{ "__u8", 1, false, TW_FIELD_UINT },
	{ "bitmask_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "bool", 1, false, TW_FIELD_BOOL },
	{ "cpumask_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "cpumask_var_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "dma_addr_t", 8, false, TW_FIELD_UINT },
	{ "gid_t", 4, false, TW_FIELD_UINT },
	{ "int16_t", 2, true, TW_FIELD_INT },
	{ "int32_t", 4, true, TW_FIELD_INT },
	{ "int64_t", 8, true, TW_FIELD_INT },
	{ "int8_t", 1, true, TW_FIELD_INT },
	{ "ktime_t", 8, true, TW_FIELD_INT },
	{ "loff_t", 8, true, TW_FIELD_INT },
	{ "nodemask_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "pid_t", 4, true, TW_FIELD_INT },
	{ "s16", 2, true, TW_FIELD_INT },
	{ "s32", 4, true, TW_FIELD_INT },
	{ "s64", 8, true, TW_FIELD_INT },
	{ "s8", 1, true, TW_FIELD_INT },
	{ "sector_t", 8, false, TW_FIELD_UINT },
	{ "size_t", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "ssize_t", TW_TYPE_LONG, true, TW_FIELD_INT },
	{ "u16", 2, false, TW_FIELD_UINT },
	{ "u32", 4, false, TW_FIELD_UINT },
	{ "u64", 8, false, TW_FIELD_UINT },
	{ "u8", 1, false, TW_FIELD_UINT },
	{ "uid_t", 4, false, TW_FIELD_UINT },
	{ "uint", 4, false, TW_FIELD_UINT },
	{ "uint16_t", 2, false, TW_FIELD_UINT },
	{ "uint32_t", 4, false, TW_FIELD_UINT },
	{ "uint64_t", 8, false, TW_FIELD_UINT },
	{ "uint8_t", 1, false, TW_FIELD_UINT },
	{ "uintptr_t", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "ulong", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "ushort", 2, false, TW_FIELD_UINT },
};

static int compare(const void *key, const void *entry)
{
	const struct tw_text *word = key;
	const char *name = ((const struct tw_type_name *)entry)->name;
	const int order = strncmp(word->at, name, word->len);

	return order ? order : -(name[word->len] != '\0');
}

const struct tw_type_name *tw_type_name__find(struct tw_text word)
{
	const size_t size = sizeof(type_names[0]);

	return word.len ? bsearch(&word, type_names, sizeof(type_names) / size, size, compare) : NULL;
}

/* C's keywords in types. */
enum keyword { LONG, INT, SHORT, CHAR, SIGNED, UNSIGNED, ENUM, STRUCT, UNION, CONST, VOLATILE, KEYWORDS };

static const char *const keywords[] = { "long", "int",    "short", "char",  "signed",  "unsigned",
					"enum", "struct", "union", "const", "volatile" };

/* The words of a type. */
struct type_words {
	unsigned int n[KEYWORDS]; /* number of times that each keyword occurs */
	struct tw_text last;      /* the last word that is not a keyword */
};

static bool is_between_words(char c)
{
	return tw_text__is_space(c) || c == '*';
}

static bool cut_word(struct tw_text *text, struct tw_text *ret)
{
	while (text->len && is_between_words(*text->at))
		tw_text__cut(text, 1);
	ret->at = text->at;
	for (ret->len = 0; text->len && !is_between_words(*text->at); ret->len++)
		tw_text__cut(text, 1);
	return ret->len > 0;
}

static void count_word(struct type_words *words, struct tw_text word)
{
	for (unsigned int i = 0; i < KEYWORDS; i++) {
		if (tw_text__equals(word, keywords[i])) {
			words->n[i]++;
			return;
		}
	}
	words->last = word;
}

/* Finds the integer type of C that the keywords name. Return: false if they name no integer type. */
static bool parse_integer(const unsigned int n[KEYWORDS], struct tw_type *ret)
{
	if (!n[LONG] && !n[INT] && !n[SHORT] && !n[CHAR] && !n[SIGNED] && !n[UNSIGNED])
		return false;
	if (n[CHAR])
		ret->elem_size = 1;
	else if (n[SHORT])
		ret->elem_size = 2;
	else if (n[LONG])
		ret->elem_size = n[LONG] > 1 ? 8 : TW_TYPE_LONG;
	else
		ret->elem_size = 4;
	ret->is_char = n[CHAR] && !n[SIGNED] && !n[UNSIGNED] && !ret->is_table;
	ret->is_signed = !n[UNSIGNED];
	ret->kind = ret->is_signed ? TW_FIELD_INT : TW_FIELD_UINT;
	return true;
}

static void parse_words(const struct type_words *words, struct tw_type *ret)
{
	const struct tw_type_name *known = tw_type_name__find(words->last);

	if (words->n[STRUCT] || words->n[UNION]) {
		ret->kind = tw_text__equals(words->last, "cpumask") ? TW_FIELD_BITMASK : TW_FIELD_BYTES;
		ret->elem_size = ret->kind == TW_FIELD_BITMASK ? TW_TYPE_LONG : TW_TYPE_UNKNOWN;
	} else if (words->n[ENUM]) {
		ret->kind = TW_FIELD_ENUM;
		ret->elem_size = 4;
	} else if (!parse_integer(words->n, ret) && known) {
		ret->kind = known->kind;
		ret->elem_size = known->size;
		ret->is_signed = known->is_signed;
	}
}

static void parse_place(struct tw_text *text, struct tw_type *ret)
{
	if (tw_text__skip(text, "__data_loc"))
		ret->place = TW_PLACE_DATA_LOC;
	else if (tw_text__skip(text, "__rel_loc"))
		ret->place = TW_PLACE_REL_LOC;
}

/* Whether one pair of brackets follows another, as in `[2][16]`. A pair inside another pair, as in `[SIZE[2]]`, does not count. */
static bool is_table(struct tw_text brackets)
{
	for (size_t i = 1; i < brackets.len; i++)
		if (brackets.at[i - 1] == ']' && brackets.at[i] == '[')
			return true;
	return false;
}

/* Cuts the text at the first bracket, and sets the members of @ret that depend on the brackets. */
static void parse_brackets(struct tw_text *text, struct tw_type *ret)
{
	const char *open = memchr(text->at, '[', text->len);
	struct tw_text rest = *text;
	uint32_t count;

	if (!open)
		return;
	ret->is_array = true;
	ret->is_table = is_table((struct tw_text){ open, text->len - (size_t)(open - text->at) });
	tw_text__cut(&rest, (size_t)(open + 1 - text->at));
	text->len = (size_t)(open - text->at);
	if (tw_text__number(&rest, TW_FORMAT_EXTENT_MAX, &count) && tw_text__skip(&rest, "]") &&
	    !tw_text__trim(rest).len)
		ret->count = count;
}

/* Cuts a type at its first parenthesis. Return: false if it has none. Only pointers to functions have one: `void (*)(int)`. */
static bool cut_arguments(struct tw_text *text)
{
	const char *open = memchr(text->at, '(', text->len);

	if (!open)
		return false;
	text->len = (size_t)(open - text->at);
	return true;
}

struct tw_type tw_type__parse(const char *type)
{
	struct tw_type parsed = { .kind = TW_FIELD_UINT };
	struct tw_text text = { type, strlen(type) }, word;
	struct type_words words = { .n = { 0 } };
	bool is_function, has_star;

	parse_place(&text, &parsed);
	is_function = cut_arguments(&text);
	parse_brackets(&text, &parsed);
	has_star = memchr(text.at, '*', text.len);
	while (cut_word(&text, &word))
		count_word(&words, word);
	parse_words(&words, &parsed);
	/* `__data_loc cpumask_t *name` is the mask itself: the star only means that the mask is elsewhere in the record. */
	if (is_function || (has_star && (parsed.place == TW_PLACE_FIXED || parsed.is_array))) {
		parsed.kind = TW_FIELD_POINTER;
		parsed.elem_size = TW_TYPE_LONG;
		parsed.is_char = false;
		parsed.is_signed = false;
	}
	return parsed;
}

static uint8_t shown_long_size(const struct tw_type *type, uint32_t field_size)
{
	uint32_t size = field_size;

	if (type->place != TW_PLACE_FIXED || type->elem_size != TW_TYPE_LONG || type->kind == TW_FIELD_BITMASK)
		return 0;
	if (type->is_array)
		size = type->count && field_size % type->count == 0 ? field_size / type->count : 0;
	return size == 4 || size == 8 ? (uint8_t)size : 0;
}

/* If the length of a fixed array is a number, the element size is the field's size divided by it. Return: bytes; 0 = unknown */
static uint16_t element_size(const struct tw_type *type, uint8_t long_size, const struct tw_field *field)
{
	if (field->place == TW_PLACE_FIXED && type->count && field->size % type->count == 0 &&
	    tw_type__is_integer_size(field->size / type->count))
		return (uint16_t)(field->size / type->count);
	return type->elem_size == TW_TYPE_LONG ? long_size : type->elem_size;
}

/* Whether values of @kind can be read from @size bytes. An address has 4 or 8 bytes. */
static bool is_readable(uint8_t kind, uint32_t size)
{
	return kind != TW_FIELD_BYTES && tw_type__is_integer_size(size) && (kind != TW_FIELD_POINTER || size >= 4);
}

static void apply_array(const struct tw_type *type, uint8_t long_size, struct tw_field *field)
{
	const uint16_t size = element_size(type, long_size, field);
	const bool fits = is_readable(type->kind, size) && (field->place != TW_PLACE_FIXED || field->size % size == 0);

	field->kind = field->elem_kind = TW_FIELD_BYTES;
	field->elem_size = 1;
	if (type->is_char) {
		field->kind = field->elem_kind = TW_FIELD_STRING;
	} else if (type->kind == TW_FIELD_BITMASK) {
		field->kind = field->elem_kind = TW_FIELD_BITMASK;
		field->elem_size = long_size;
	} else if (fits) {
		field->kind = TW_FIELD_ARRAY;
		field->elem_kind = type->kind;
		field->elem_size = size;
	}
	if (field->place == TW_PLACE_FIXED)
		field->count = field->size / field->elem_size;
}

static void apply_scalar(const struct tw_type *type, struct tw_field *field)
{
	const bool readable = is_readable(type->kind, field->size);

	field->kind = field->elem_kind = readable ? type->kind : TW_FIELD_BYTES;
	field->elem_size = readable ? (uint16_t)field->size : 1;
}

static void apply_type(const struct tw_type *type, uint8_t long_size, bool to_end, struct tw_field *field)
{
	struct tw_type shape = *type;

	if (shape.kind == TW_FIELD_UINT || shape.kind == TW_FIELD_INT)
		shape.kind = field->is_signed ? TW_FIELD_INT : TW_FIELD_UINT;
	if (type->place != TW_PLACE_FIXED &&
	    field->size != 4) /* a location has four bytes: the meaning of other sizes is unknown */
		shape = (struct tw_type){ .kind = TW_FIELD_BYTES, .place = TW_PLACE_FIXED };
	field->place = to_end ? (uint8_t)TW_PLACE_REST : shape.place;
	field->count = 0;
	if (shape.is_array || field->place != TW_PLACE_FIXED || shape.kind == TW_FIELD_BITMASK)
		apply_array(&shape, long_size, field);
	else
		apply_scalar(&shape, field);
}

/* Cuts the name and the opening parenthesis of a function that prints masks. Return: false if the text has no such function here. */
static bool skip_printer(struct tw_text *text)
{
	static const char *const printers[] = { "__get_bitmask(", "__get_cpumask(", "__get_rel_bitmask(",
						"__get_rel_cpumask(" };

	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++)
		if (tw_text__skip(text, printers[i]))
			return true;
	return false;
}

static void mark(struct tw_format *format, struct tw_text name)
{
	for (uint16_t i = 0; i < format->n_fields; i++) {
		struct tw_field *field = &format->fields[i];

		if (field->kind == TW_FIELD_ARRAY && field->elem_size == format->long_size &&
		    field->place != TW_PLACE_FIXED && tw_text__equals(name, field->name))
			field->kind = field->elem_kind = TW_FIELD_BITMASK;
	}
}

static void find_bitmasks(struct tw_format *format)
{
	struct tw_text text = { format->print_fmt, strlen(format->print_fmt) };
	const char *underscore;

	/* A hostile text may have very many calls. The number of fields is a sufficient limit: a format prints each mask about once. */
	for (uint16_t left = format->n_fields; left && (underscore = memchr(text.at, '_', text.len));) {
		const char *close;

		tw_text__cut(&text, (size_t)(underscore - text.at));
		if (!skip_printer(&text)) {
			tw_text__cut(&text, 1);
			continue;
		}
		left--;
		close = memchr(text.at, ')', text.len);
		if (!close)
			return;
		mark(format, tw_text__trim((struct tw_text){ text.at, (size_t)(close - text.at) }));
		tw_text__cut(&text, (size_t)(close - text.at));
	}
}

/* Whether a field is @name of @event in the system `ftrace`. Two fields of this system differ, in records, from what the format states. */
static bool is_ftrace_field(const struct tw_format *format, const struct tw_field *field, const char *event,
			    const char *name)
{
	return !strcmp(format->system, "ftrace") && !strcmp(format->name, event) && !strcmp(field->name, name);
}

static void find_long_size(struct tw_format *format)
{
	format->long_size = 8;
	for (uint16_t i = 0; i < format->n_fields && !format->long_size_shown; i++) {
		const struct tw_type type = tw_type__parse(format->fields[i].type);
		const uint8_t size = shown_long_size(&type, format->fields[i].size);

		if (size) {
			format->long_size = size;
			format->long_size_shown = true;
		}
	}
}

/* Return: the largest end of a field, as an offset in the record, bytes. */
static uint32_t extent(const struct tw_format *format)
{
	uint32_t end = 0;

	for (uint16_t i = 0; i < format->n_fields; i++)
		if (format->fields[i].offset + format->fields[i].size > end)
			end = format->fields[i].offset + format->fields[i].size;
	return end;
}

static void apply_types(struct tw_format *format)
{
	const uint32_t end = extent(format);

	for (uint16_t i = 0; i < format->n_fields; i++) {
		struct tw_field *field = &format->fields[i];
		const struct tw_type type = tw_type__parse(field->type);
		/* The format of kernel_stack declares caller[8]. Its records often have another number of callers. */
		const bool to_end = (!field->size && field->offset >= end) ||
				    is_ftrace_field(format, field, "kernel_stack", "caller");

		apply_type(&type, format->long_size, to_end, field);
		if (is_ftrace_field(format, field, "raw_data",
				    "buf")) /* bytes that a program wrote to trace_marker_raw: no text */
			field->kind = field->elem_kind = TW_FIELD_BYTES;
	}
	find_bitmasks(format);
}

void tw_format__find_types(struct tw_format *format)
{
	find_long_size(format);
	apply_types(format);
}

void tw_format__assume_long_size(struct tw_format *format, uint8_t long_size)
{
	if (format->long_size_shown || (long_size != 4 && long_size != 8))
		return;
	format->long_size = long_size;
	apply_types(format);
}
