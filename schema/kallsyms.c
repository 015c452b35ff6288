/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/kallsyms: `ffffffff81000010 T name	[module]` a line. */
#include <errno.h>
#include <stdlib.h>

#include "schema/symbols.h"
#include "schema/text.h"

struct symbol_line {
	uint64_t address;
	struct tw_text name, module;
};

struct lines {
	struct symbol_line *lines;
	size_t n, room;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool cut_address(struct tw_text *text, uint64_t *ret)
{
	uint64_t value = 0;
	size_t n = 0;

	*text = tw_text__ltrim(*text);
	for (; n < text->len && n < 16 && hex_digit(text->at[n]) >= 0; n++)
		value = value << 4 | (uint64_t)hex_digit(text->at[n]);
	tw_text__cut(text, n);
	*ret = value;
	return n && text->len && tw_text__is_space(text->at[0]);
}

static struct tw_text cut_word(struct tw_text *text)
{
	struct tw_text word;
	size_t n = 0;

	*text = tw_text__ltrim(*text);
	while (n < text->len && !tw_text__is_space(text->at[n]))
		n++;
	word = (struct tw_text){ text->at, n };
	tw_text__cut(text, n);
	return word;
}

/* Mapping symbols of Arm and the offsets of per-CPU variables are no names of addresses. */
static bool parse_line(struct tw_text line, struct symbol_line *ret)
{
	struct tw_text type;

	if (!cut_address(&line, &ret->address))
		return false;
	type = cut_word(&line);
	ret->name = cut_word(&line);
	if (type.len != 1 || !ret->name.len || ret->name.len > TW_SYMBOL_NAME_MAX)
		return false;
	if (ret->name.at[0] == '$' || type.at[0] == 'A' || type.at[0] == 'a')
		return false;
	ret->module = (struct tw_text){ NULL, 0 };
	if (tw_text__skip(&line, "[")) {
		ret->module = cut_word(&line);
		if (ret->module.len && ret->module.at[ret->module.len - 1] == ']')
			ret->module.len--;
	}
	return ret->module.len <= TW_SYMBOL_NAME_MAX;
}

static int keep(struct lines *lines, const struct symbol_line *line)
{
	if (lines->n == TW_SYMBOLS_MAX)
		return -E2BIG;
	if (lines->n == lines->room) {
		const size_t room = lines->room ? 2 * lines->room : 1024;
		struct symbol_line *grown = realloc(lines->lines, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		lines->lines = grown;
		lines->room = room;
	}
	lines->lines[lines->n++] = *line;
	return 0;
}

/* By address; of one address, the last in the text first. */
static int order(const void *a, const void *b)
{
	const struct symbol_line *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name.at > y->name.at ? -1 : x->name.at < y->name.at;
}

/*
 * Of several names of an address, libtraceevent takes for the address itself whichever its binary search meets first, and
 * for addresses behind it the first of the text. What is printed shall be the same.
 */
static const struct symbol_line *met_first(const struct lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->n, middle = 0;

	while (low < high) {
		middle = (low + high) / 2;
		if (lines->lines[middle].address == address)
			break;
		if (lines->lines[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return &lines->lines[middle];
}

static int add_line(struct tw_symbols *symbols, const struct symbol_line *line, uint64_t size)
{
	return tw_symbols__add(symbols, line->address, size, line->name.at, line->name.len, line->module.at,
			       line->module.len);
}

static int add_all(struct tw_symbols *symbols, const struct lines *lines)
{
	int err = 0;

	for (size_t i = 0; !err && i < lines->n; i++) {
		const struct symbol_line *line = &lines->lines[i], *met = line;
		size_t same = 1;

		while (i + 1 < lines->n && line[same].address == line->address) {
			same++;
			i++;
		}
		if (same > 1)
			met = met_first(lines, line->address);
		if (met != line + same - 1)
			err = add_line(symbols, met, 1);
		if (!err)
			err = add_line(symbols, line + same - 1, 0);
	}
	return err;
}

int tw_symbols__parse(struct tw_symbols *symbols, const char *text, size_t len)
{
	struct tw_text rest = { text, len }, line;
	struct symbol_line parsed;
	struct lines lines = { 0 };
	int err = 0;

	while (!err && tw_text__line(&rest, &line))
		if (parse_line(line, &parsed))
			err = keep(&lines, &parsed);
	if (lines.n)
		qsort(lines.lines, lines.n, sizeof(*lines.lines), order);
	if (!err)
		err = add_all(symbols, &lines);
	free(lines.lines);
	return err;
}
