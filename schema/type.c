/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Type texts are C, so a handful of words decides: the tags (enum, struct), the integer words, and names that the
 * kernel uses everywhere. The size of a scalar comes from the format; a name's size is needed for arrays only.
 */
#include "schema/type.h"

#include "schema/type_name.h"

/* The words of a type, counted. */
struct words {
	unsigned int longs, ints, shorts, chars, signeds, unsigneds;
	bool is_enum, is_struct;
	struct tw_text last; /* that is none of these */
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

static void count_word(struct words *words, struct tw_text word)
{
	if (tw_text__equals(word, "long"))
		words->longs++;
	else if (tw_text__equals(word, "int"))
		words->ints++;
	else if (tw_text__equals(word, "short"))
		words->shorts++;
	else if (tw_text__equals(word, "char"))
		words->chars++;
	else if (tw_text__equals(word, "signed"))
		words->signeds++;
	else if (tw_text__equals(word, "unsigned"))
		words->unsigneds++;
	else if (tw_text__equals(word, "enum"))
		words->is_enum = true;
	else if (tw_text__equals(word, "struct") || tw_text__equals(word, "union"))
		words->is_struct = true;
	else if (!tw_text__equals(word, "const") && !tw_text__equals(word, "volatile"))
		words->last = word;
}

/* One of C's own integer types. Return: false if the words are none. */
static bool parse_integer(const struct words *words, struct tw_type *ret)
{
	if (!words->longs && !words->ints && !words->shorts && !words->chars && !words->signeds && !words->unsigneds)
		return false;
	if (words->chars)
		ret->elem_size = 1;
	else if (words->shorts)
		ret->elem_size = 2;
	else if (words->longs)
		ret->elem_size = words->longs > 1 ? 8 : TW_TYPE_LONG;
	else
		ret->elem_size = 4;
	ret->is_char = words->chars && !words->signeds && !words->unsigneds && !ret->is_table;
	ret->is_signed = !words->unsigneds;
	ret->kind = ret->is_signed ? TW_FIELD_INT : TW_FIELD_UINT;
	return true;
}

static void parse_words(const struct words *words, struct tw_type *ret)
{
	const struct tw_type_name *known = tw_type_name__find(words->last);

	if (words->is_struct) {
		ret->kind = tw_text__equals(words->last, "cpumask") ? TW_FIELD_BITMASK : TW_FIELD_BYTES;
		ret->elem_size = ret->kind == TW_FIELD_BITMASK ? TW_TYPE_LONG : TW_TYPE_UNKNOWN;
	} else if (words->is_enum) {
		ret->kind = TW_FIELD_ENUM;
		ret->elem_size = 4;
	} else if (!parse_integer(words, ret) && known) {
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

/* Two pairs of brackets, `[2][16]`, and not one in the other, `[SIZE[2]]`. */
static bool is_table(struct tw_text brackets)
{
	for (size_t i = 1; i < brackets.len; i++)
		if (brackets.at[i - 1] == ']' && brackets.at[i] == '[')
			return true;
	return false;
}

/* Cut everything from the first bracket on and look at what is in it. */
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

/* Cut the argument list of a pointer to a function, `void (*)(int)`. Return: false if it is none. */
static bool cut_arguments(struct tw_text *text)
{
	const char *open = memchr(text->at, '(', text->len);

	if (!open)
		return false;
	text->len = (size_t)(open - text->at);
	return true;
}

static void set_pointer(struct tw_type *type)
{
	type->kind = TW_FIELD_POINTER;
	type->elem_size = TW_TYPE_LONG;
	type->is_char = false;
	type->is_signed = false;
}

void tw_type__parse(struct tw_text text, struct tw_type *ret)
{
	struct words words = { 0 };
	struct tw_text word;
	bool is_function, has_star;

	memset(ret, 0, sizeof(*ret));
	ret->kind = TW_FIELD_UINT;
	parse_place(&text, ret);
	is_function = cut_arguments(&text);
	parse_brackets(&text, ret);
	has_star = memchr(text.at, '*', text.len) != NULL;
	while (cut_word(&text, &word))
		count_word(&words, word);
	parse_words(&words, ret);
	/* `__data_loc cpumask_t *name` is the mask itself: there the star only says that it is elsewhere. */
	if (is_function || (has_star && (ret->place == TW_PLACE_FIXED || ret->is_array)))
		set_pointer(ret);
}
