/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a comparison after the name: operators and values for numbers, texts and bytes. */
#include <string.h>

#include "literal.h"
#include "predicate.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static const char *const orders[] = { " == ", " eq ", " != ", " ne ", " < ",  " lt ", " <= ", " le ",
				      " > ",  " gt ", " >= ", " ge ", " == ", " == ", "==",   "!=" };

static void put_order(struct writing *w)
{
	tw_line__str(&w->line, orders[chance__below(w->chance, COUNT(orders))]);
}

static void put_in(struct writing *w)
{
	tw_line__str(&w->line, chance__percent(w->chance, 70) ? " in {" : " not in {");
}

static uint64_t draw_number(struct writing *w, unsigned int bits, bool is_signed)
{
	const uint64_t value = chance__number(w->chance, bits);
	const unsigned int unused = 64 - bits;

	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static void put_number(struct writing *w, struct wanted *wanted, unsigned int bits, bool is_signed)
{
	wanted->number = draw_number(w, bits, is_signed);
	literal__number(&w->line, w->chance, wanted->number, is_signed);
	predicate__want(w, wanted);
}

static void put_range(struct writing *w, struct wanted *wanted, unsigned int bits, bool is_signed)
{
	uint64_t low = draw_number(w, bits, is_signed), high = draw_number(w, bits, is_signed);
	const bool is_wrong = is_signed ? (int64_t)low > (int64_t)high : low > high;

	wanted->number = is_wrong ? high : low;
	high = is_wrong ? low : high;
	literal__number(&w->line, w->chance, wanted->number, is_signed);
	tw_line__str(&w->line, "..");
	literal__number(&w->line, w->chance, high, is_signed);
	predicate__want(w, wanted);
	wanted->number = high;
	predicate__want(w, wanted);
}

static void put_numbers(struct writing *w, struct wanted *wanted, unsigned int bits, bool is_signed)
{
	put_in(w);
	for (uint32_t i = 1 + chance__below(w->chance, 5); i; i--) {
		if (chance__percent(w->chance, 30))
			put_range(w, wanted, bits, is_signed);
		else
			put_number(w, wanted, bits, is_signed);
		tw_line__str(&w->line, i > 1 ? ", " : "}");
	}
}

static void put_masked(struct writing *w, struct wanted *wanted, unsigned int bits)
{
	const uint64_t mask = chance__number(w->chance, bits) | 1ull << chance__below(w->chance, bits);

	tw_line__str(&w->line, " & ");
	literal__number(&w->line, w->chance, mask, false);
	wanted->number = chance__number(w->chance, bits) & mask;
	predicate__want(w, wanted);
	if (chance__percent(w->chance, 40))
		return;
	put_order(w);
	literal__number(&w->line, w->chance, wanted->number, false);
}

void predicate__number(struct writing *w, struct wanted wanted, unsigned int bits, bool is_signed)
{
	switch (chance__below(w->chance, 10)) {
	case 0: /* the name alone */
		break;
	case 1:
	case 2:
		put_masked(w, &wanted, bits);
		break;
	case 3:
	case 4:
		put_numbers(w, &wanted, bits, is_signed);
		break;
	default:
		put_order(w);
		put_number(w, &wanted, bits, is_signed);
	}
}

static void draw_text(struct writing *w, struct wanted *wanted, uint32_t least, uint32_t most)
{
	static const char plain[] = "aabk01-/:.", any[] = "ab \"'\\\n\x01\x80\xff*?[";
	const uint32_t room = most < 12 ? most : 12;

	wanted->len = least + (room > least ? chance__below(w->chance, room - least + 1) : 0);
	for (uint32_t i = 0; i < wanted->len; i++)
		wanted->bytes[i] = (uint8_t)(w->options->printable || chance__percent(w->chance, 85)
						     ? plain[chance__below(w->chance, sizeof(plain) - 1)]
						     : any[chance__below(w->chance, sizeof(any) - 1)]);
}

static void put_text(struct writing *w, struct wanted *wanted, uint32_t least, uint32_t most)
{
	draw_text(w, wanted, least, most);
	literal__text(&w->line, w->chance, wanted->bytes, wanted->len);
	predicate__want(w, wanted);
}

/* Writes a pattern, and notes a text that it matches. */
static void put_glob(struct writing *w, struct wanted *wanted)
{
	static const struct {
		const char *pattern, *takes;
	} parts[] = { { "*", "" },    { "*", "xy" },  { "?", "q" },     { "[a-c]", "b" }, { "[!a-c]", "d" },
		      { "a", "a" },   { "b1", "b1" }, { "k", "k" },     { "-", "-" },     { "[]x]", "]" },
		      { "\\*", "*" }, { "\\?", "?" }, { "[k-", "[k-" }, { "/", "/" } };
	uint8_t pattern[64];
	uint32_t len = 0;

	wanted->len = 0;
	for (uint32_t i = 1 + chance__below(w->chance, 5); i; i--) {
		const uint32_t which = chance__below(w->chance, w->options->printable ? 9 : COUNT(parts));
		const size_t p = strlen(parts[which].pattern), t = strlen(parts[which].takes);

		memcpy(pattern + len, parts[which].pattern, p);
		memcpy(wanted->bytes + wanted->len, parts[which].takes, t);
		len += (uint32_t)p;
		wanted->len += (uint32_t)t;
	}
	tw_line__str(&w->line, " ~ ");
	literal__text(&w->line, w->chance, pattern, len);
	predicate__want(w, wanted);
}

static void put_matches(struct writing *w, struct wanted *wanted)
{
	static const struct {
		const char *pattern, *found;
	} patterns[] = { { "^a", "ab" },        { "b$", "ab" },           { "a.*b", "a01b" }, { "[0-9]+", "k10" },
			 { "(a|b)k?1", "bk1" }, { "^[ab]{2,3}$", "aba" }, { "KA", "ka" } };
	const uint32_t which = chance__below(w->chance, COUNT(patterns));

	tw_line__str(&w->line, " matches ");
	literal__text(&w->line, w->chance, (const uint8_t *)patterns[which].pattern,
		      (uint32_t)strlen(patterns[which].pattern));
	wanted->len = (uint32_t)strlen(patterns[which].found);
	memcpy(wanted->bytes, patterns[which].found, wanted->len);
	predicate__want(w, wanted);
}

/* Writes a comparison of a mask with a list of bits. */
static void put_mask(struct writing *w, struct wanted *wanted)
{
	wanted->number = chance__number(w->chance, 64);
	predicate__want(w, wanted);
	tw_line__str(&w->line, chance__percent(w->chance, 60) ? " == " : " != ");
	literal__mask(&w->line, wanted->number);
}

static void put_texts(struct writing *w, struct wanted *wanted, uint32_t most)
{
	put_in(w);
	for (uint32_t i = 1 + chance__below(w->chance, 4); i; i--) {
		put_text(w, wanted, 0, most);
		tw_line__str(&w->line, i > 1 ? ", " : "}");
	}
}

void predicate__text(struct writing *w, struct wanted wanted, uint32_t most)
{
	if (!most) {
		put_mask(w, &wanted);
		return;
	}
	switch (chance__below(w->chance, 12)) {
	case 0:
		break;
	case 1:
		put_matches(w, &wanted);
		break;
	case 2:
	case 3:
		put_glob(w, &wanted);
		break;
	case 4:
	case 5:
		tw_line__str(&w->line, " contains ");
		put_text(w, &wanted, 1, most < 4 ? most : 4);
		break;
	case 6:
		put_texts(w, &wanted, most);
		break;
	default:
		put_order(w);
		put_text(w, &wanted, 0, most);
	}
}

static void draw_bytes(struct writing *w, struct wanted *wanted, uint32_t len)
{
	wanted->len = len;
	for (uint32_t i = 0; i < len; i++)
		wanted->bytes[i] = (uint8_t)chance__number(w->chance, 8);
}

void predicate__bytes(struct writing *w, struct wanted wanted, const struct tw_field *field)
{
	const bool is_fixed = field->place == TW_PLACE_FIXED;
	const bool is_small = is_fixed && field->size && field->size <= WANTED_BYTES;

	if (chance__percent(w->chance, 10))
		return;
	if (is_small && (field->size == 4 || field->size == 16) && chance__percent(w->chance, 60)) {
		draw_bytes(w, &wanted, field->size);
		tw_line__str(&w->line, chance__percent(w->chance, 60) ? " == " : " != ");
		literal__address(&w->line, w->chance, wanted.bytes, wanted.len, true);
	} else if (is_small && chance__percent(w->chance, 60)) {
		draw_bytes(w, &wanted, field->size);
		put_order(w);
		literal__bytes(&w->line, w->chance, wanted.bytes, wanted.len);
	} else {
		draw_bytes(w, &wanted, is_small && field->size < 3 ? 1 : 1 + chance__below(w->chance, 3));
		tw_line__str(&w->line, " contains ");
		literal__bytes(&w->line, w->chance, wanted.bytes, wanted.len);
	}
	predicate__want(w, &wanted);
}
