/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversions of printf: parses them in a format string, and writes numbers and texts with them. */
#include "schema/print/arith.h"
#include "schema/print/put.h"

/* Return: enum tw_put_flags; 0 for another character */
static uint8_t flag_of(char c)
{
	static const char flags[] = "-+ #0"; /* in the order of the bits of enum tw_put_flags */
	const char *at = memchr(flags, c, sizeof(flags) - 1);

	return (uint8_t)(at ? 1u << (at - flags) : 0);
}

/* Cuts a width or a precision. */
static int32_t read_count(struct tw_text *text, bool *ret_star)
{
	int32_t count = 0;

	*ret_star = tw_text__skip_char(text, '*');
	while (!*ret_star && text->len && tw_text__is_digit(*text->at)) {
		if (count < TW_PUT_WIDTH_MAX)
			count = count * 10 + (*text->at - '0');
		tw_text__cut(text, 1);
	}
	return count < TW_PUT_WIDTH_MAX ? count : TW_PUT_WIDTH_MAX;
}

/* Cuts h, l and other length modifiers. Return: size of the integer, bytes */
static uint8_t read_length(struct tw_text *text, uint8_t long_size)
{
	if (tw_text__skip_char(text, 'h'))
		return tw_text__skip_char(text, 'h') ? 1 : 2;
	if (tw_text__skip_char(text, 'l'))
		return tw_text__skip_char(text, 'l') ? 8 : long_size;
	if (tw_text__skip_char(text, 'L') || tw_text__skip_char(text, 'q') || tw_text__skip_char(text, 'j'))
		return 8;
	if (tw_text__skip_char(text, 'z') || tw_text__skip_char(text, 'Z') || tw_text__skip_char(text, 't'))
		return long_size;
	return 4;
}

bool tw_conversion__parse(struct tw_text *text, uint8_t long_size, struct tw_conversion *ret)
{
	struct tw_conversion conversion = { .spec.precision = -1 };
	struct tw_text left = *text;

	tw_text__cut(&left, 1);
	while (left.len && flag_of(*left.at)) {
		conversion.spec.flags |= flag_of(*left.at);
		tw_text__cut(&left, 1);
	}
	conversion.spec.width = read_count(&left, &conversion.star_width);
	if (tw_text__skip_char(&left, '.'))
		conversion.spec.precision = read_count(&left, &conversion.star_precision);
	conversion.spec.size = read_length(&left, long_size);
	if (!left.len || !memchr("diuxXocsp", *left.at, 9))
		return false;
	conversion.spec.letter = *left.at;
	tw_text__cut(&left, 1);
	if (conversion.spec.letter == 'p')
		tw_pointer__cut(&left, &conversion.pointer);
	*text = left;
	*ret = conversion;
	return true;
}

#define DIGITS_MAX 22 /* digits of a u64 in octal */

/* A number in parts: the prefix, and the digits at the end of @digits. zeros_of() returns the number of zeros between them. */
struct number_parts {
	char prefix[3];
	unsigned int n_prefix, n_digits;
	char digits[DIGITS_MAX];
};

static uint64_t width_of(const struct tw_put_spec *spec)
{
	const uint64_t width = (uint64_t)(spec->width < 0 ? -(int64_t)spec->width : spec->width);

	return width < TW_PUT_WIDTH_MAX ? width : TW_PUT_WIDTH_MAX;
}

static bool is_left(const struct tw_put_spec *spec)
{
	return spec->width < 0 || spec->flags & TW_PUT_LEFT;
}

static void write_digits(struct number_parts *number, uint64_t value, unsigned int base, bool capital)
{
	const char *digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";
	char *at = number->digits + DIGITS_MAX;

	while (value) {
		*--at = digits[value % base];
		value /= base;
	}
	number->n_digits = (unsigned int)(number->digits + DIGITS_MAX - at);
}

static void decimal(struct number_parts *number, const struct tw_put_spec *spec, uint64_t value, bool is_signed)
{
	const bool negative = is_signed && (int64_t)value < 0;

	if (negative)
		number->prefix[number->n_prefix++] = '-';
	else if (is_signed && spec->flags & TW_PUT_PLUS)
		number->prefix[number->n_prefix++] = '+';
	else if (is_signed && spec->flags & TW_PUT_SPACE)
		number->prefix[number->n_prefix++] = ' ';
	write_digits(number, negative ? -value : value, 10, false);
}

static void hexadecimal(struct number_parts *number, const struct tw_put_spec *spec, uint64_t value)
{
	if (spec->flags & TW_PUT_ALT && value) {
		number->prefix[number->n_prefix++] = '0';
		number->prefix[number->n_prefix++] = spec->letter;
	}
	write_digits(number, value, 16, spec->letter == 'X');
}

/* Return: number of leading zeros, which the precision, the flag `#` of %o, or the flag `0` with a width requires. */
static uint64_t zeros_of(const struct number_parts *number, const struct tw_put_spec *spec)
{
	uint64_t least = spec->precision < 0 ? 1 : (uint64_t)spec->precision;
	const uint64_t width = width_of(spec);

	if (spec->letter == 'o' && spec->flags & TW_PUT_ALT && least <= number->n_digits)
		least = number->n_digits + 1;
	if (spec->precision < 0 && spec->flags & TW_PUT_ZERO && !is_left(spec) && width > number->n_prefix + least)
		least = width - number->n_prefix;
	if (least > TW_PUT_WIDTH_MAX)
		least = TW_PUT_WIDTH_MAX;
	return least > number->n_digits ? least - number->n_digits : 0;
}

/* Pads a text of @len bytes to the width. Called before the text with @left true, and after it with @left false; only one call pads. */
static void pad(struct tw_line *line, const struct tw_put_spec *spec, uint64_t len, bool left)
{
	if (left != is_left(spec) && width_of(spec) > len)
		tw_line__fill(line, ' ', width_of(spec) - len);
}

static void put_number(struct tw_line *line, const struct tw_put_spec *spec, const struct number_parts *number)
{
	const uint64_t zeros = zeros_of(number, spec), len = number->n_prefix + zeros + number->n_digits;

	pad(line, spec, len, true);
	tw_line__bytes(line, number->prefix, number->n_prefix);
	tw_line__fill(line, '0', zeros);
	tw_line__bytes(line, number->digits + DIGITS_MAX - number->n_digits, number->n_digits);
	pad(line, spec, len, false);
}

void tw_put__number(struct tw_line *line, const struct tw_put_spec *spec, uint64_t value)
{
	const bool is_signed = spec->letter == 'd' || spec->letter == 'i';
	struct number_parts number;

	if (spec->letter == 'c') {
		const struct tw_put_spec plain = { .flags = spec->flags, .width = spec->width, .precision = -1 };

		tw_put__string(line, &plain, &(char){ (char)value }, 1);
		return;
	}
	value = tw_arith__narrow(value, spec->size ? spec->size : 4, is_signed);
	if (!spec->flags && !spec->width && spec->precision < 0) {
		if (is_signed) {
			tw_line__i64(line, (int64_t)value);
			return;
		}
		if (spec->letter == 'x') {
			tw_line__hex(line, value);
			return;
		}
	}
	number.n_prefix = 0;
	if (spec->letter == 'x' || spec->letter == 'X')
		hexadecimal(&number, spec, value);
	else if (spec->letter == 'o')
		write_digits(&number, value, 8, false);
	else
		decimal(&number, spec, value, is_signed);
	put_number(line, spec, &number);
}

void tw_put__string(struct tw_line *line, const struct tw_put_spec *spec, const void *text, size_t len)
{
	const char *nul;

	if (spec->precision >= 0 && len > (uint32_t)spec->precision)
		len = (uint32_t)spec->precision;
	nul = len ? memchr(text, '\0', len) : NULL;
	if (nul)
		len = (size_t)(nul - (const char *)text);
	pad(line, spec, len, true);
	tw_line__bytes(line, text, len);
	pad(line, spec, len, false);
}

void tw_put__fit(struct tw_line *line, const struct tw_put_spec *spec, size_t from)
{
	size_t len = tw_line__len(line) - from, fill, before;

	if (line->unchecked > line->text + from)
		line->unchecked = line->text; /* the text is cut or moved below, so the line must be escaped again */
	if (spec->precision >= 0 && len > (uint32_t)spec->precision) {
		len = (uint32_t)spec->precision;
		line->at = line->text + from + len;
	}
	if (width_of(spec) <= len)
		return;
	fill = width_of(spec) - len;
	before = tw_line__len(line);
	tw_line__fill(line, ' ', fill);
	fill = tw_line__len(line) - before;
	if (is_left(spec))
		return;
	memmove(line->text + from + fill, line->text + from, len);
	memset(line->text + from, ' ', fill);
}
