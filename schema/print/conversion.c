/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/print/conversion.h"

static uint8_t flag_of(char c)
{
	switch (c) {
	case '-':
		return TW_PUT_LEFT;
	case '+':
		return TW_PUT_PLUS;
	case ' ':
		return TW_PUT_SPACE;
	case '#':
		return TW_PUT_ALT;
	case '0':
		return TW_PUT_ZERO;
	default:
		return 0;
	}
}

static bool skip(struct tw_text *text, char c)
{
	if (!text->len || *text->at != c)
		return false;
	tw_text__cut(text, 1);
	return true;
}

/* A width or a precision. */
static int32_t read_count(struct tw_text *text, bool *ret_star)
{
	int32_t count = 0;

	*ret_star = skip(text, '*');
	while (!*ret_star && text->len && tw_text__is_digit(*text->at)) {
		if (count < TW_PUT_WIDTH_MAX)
			count = count * 10 + (*text->at - '0');
		tw_text__cut(text, 1);
	}
	return count < TW_PUT_WIDTH_MAX ? count : TW_PUT_WIDTH_MAX;
}

/* h, l and their like. Return: bytes */
static uint8_t read_length(struct tw_text *text, uint8_t long_size)
{
	if (skip(text, 'h'))
		return skip(text, 'h') ? 1 : 2;
	if (skip(text, 'l'))
		return skip(text, 'l') ? 8 : long_size;
	if (skip(text, 'L') || skip(text, 'q') || skip(text, 'j'))
		return 8;
	if (skip(text, 'z') || skip(text, 'Z') || skip(text, 't'))
		return long_size;
	return 4;
}

bool tw_conversion__parse(struct tw_text *text, uint8_t long_size, struct tw_print_conversion *ret)
{
	struct tw_print_conversion conversion = { .spec.precision = -1 };
	struct tw_text left = *text;

	tw_text__cut(&left, 1);
	while (left.len && flag_of(*left.at)) {
		conversion.spec.flags |= flag_of(*left.at);
		tw_text__cut(&left, 1);
	}
	conversion.spec.width = read_count(&left, &conversion.star_width);
	if (skip(&left, '.'))
		conversion.spec.precision = read_count(&left, &conversion.star_precision);
	conversion.spec.size = read_length(&left, long_size);
	if (!left.len || !memchr("diuxXocsp", *left.at, 9))
		return false;
	conversion.spec.letter = *left.at;
	tw_text__cut(&left, 1);
	if (conversion.spec.letter == 'p')
		tw_text__cut(&left, tw_pointer__parse(left.at, left.len, &conversion.pointer));
	*text = left;
	*ret = conversion;
	return true;
}
