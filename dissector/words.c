/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/words.h"

#include "dissector/packet-tracewire.h"
#include "dissector/shown.h"

#define WORD_MAX 128 /* bytes of one, with NUL */

static size_t used; /* of TW_WORDS_BYTES_MAX */

static bool allow(size_t n)
{
	if (n > TW_WORDS_BYTES_MAX - used)
		return false;
	used += n;
	return true;
}

static const char *copy_word(const char *word)
{
	char buf[WORD_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	tw_line__str(&line, word);
	return wmem_strdup(wmem_epan_scope(), tw_shown__end(&line));
}

static size_t size_of(const struct tw_print_name *words, uint32_t n)
{
	size_t size = (n + 1) * sizeof(val64_string);

	for (uint32_t i = 0; i < n; i++)
		size += MIN(strlen(words[i].name) + 1, WORD_MAX);
	return size;
}

static const value_string *strings32(const struct tw_print_name *words, uint32_t n)
{
	value_string *strings = wmem_alloc0_array(wmem_epan_scope(), value_string, n + 1);

	for (uint32_t i = 0; i < n; i++)
		strings[i] = (value_string){ (uint32_t)words[i].value, copy_word(words[i].name) };
	return strings;
}

static const val64_string *strings64(const struct tw_print_name *words, uint32_t n)
{
	val64_string *strings = wmem_alloc0_array(wmem_epan_scope(), val64_string, n + 1);

	for (uint32_t i = 0; i < n; i++)
		strings[i] = (val64_string){ words[i].value, copy_word(words[i].name) };
	return strings;
}

/* Wireshark reads both when a filter is compiled or a column filled, not before: they may come after registration. */
void tw_words__give(struct tw_name *name, const struct tw_print_name *words, uint32_t n)
{
	header_field_info *hf = name ? name->hf : NULL;

	if (!hf || hf->strings || !n || n > TW_WORDS_PER_NAME_MAX || name->type > TW_TYPE_I64 ||
	    !allow(size_of(words, n)))
		return;
	if (name->type == TW_TYPE_U64 || name->type == TW_TYPE_I64) {
		hf->strings = strings64(words, n);
		hf->display |= BASE_VAL64_STRING;
	} else {
		hf->strings = strings32(words, n);
	}
}

static void give_words(const struct tw_format *format, const struct tw_print *print, const struct tw_field *field,
		       struct tw_name *name)
{
	struct tw_print_names words;

	if (!print || !tw_print__names(print, field, &words))
		return;
	tw_words__give(name, words.names, words.n);
	if (words.flags)
		tw_fields__flags(format->system, format->name, field->name);
}

/* Most print formats have none: not compiled then. */
static bool may_have_words(const struct tw_format *format)
{
	return strstr(format->print_fmt, "__print_symbolic") || strstr(format->print_fmt, "__print_flags");
}

void tw_words__register_format(const struct tw_format *format)
{
	struct tw_print *print = may_have_words(format) ? tw_print__new(format) : NULL;

	for (unsigned int i = format->n_common; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];
		const enum tw_type type = tw_type__of(field);

		give_words(format, print, field, tw_fields__name(format->system, format->name, field->name, type));
		if (tw_preferences.any)
			tw_fields__any(field->name, type);
	}
	tw_print__free(print);
}

static bool append_flags(struct tw_line *line, const struct tw_print_names *words, uint64_t value)
{
	uint64_t left = value;

	for (uint32_t i = 0; i < words->n && left; i++) {
		const uint64_t mask = words->names[i].value;

		if (!mask || (left & mask) != mask)
			continue;
		if (left != value)
			tw_line__str(line, words->delimiter);
		tw_line__str(line, words->names[i].name);
		left &= ~mask;
	}
	if (left == value)
		return false;
	if (left) {
		tw_line__str(line, words->delimiter);
		tw_line__str(line, "0x");
		tw_line__hex(line, left);
	}
	return true;
}

bool tw_words__append(struct tw_line *line, const struct tw_print_names *words, uint64_t value)
{
	if (words->flags)
		return append_flags(line, words, value);
	for (uint32_t i = 0; i < words->n; i++) {
		if (words->names[i].value == value) {
			tw_line__str(line, words->names[i].name);
			return true;
		}
	}
	return false;
}
