/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_printk(): the record has the address of the format and the arguments as the kernel's vbin_printf() packs them.
 * Integers are aligned to their size, those of 8 bytes to 4; texts stand there with their NUL.
 */
#include "base/bytes.h"
#include "schema/print/special.h"

#define NUMBER_MAX 0xffff /* of a width or precision; more is as much */

#define POINTER_LETTERS_MAX 8 /* behind %p */

enum { IP, FMT, BUF };

struct arguments {
	const uint8_t *data;
	uint32_t len, at;
	bool big_endian;
	uint8_t long_size;
};

static bool take_number(struct arguments *args, uint8_t size, uint64_t *ret)
{
	const uint32_t align = size == 8 ? 4 : size, at = (args->at + align - 1) / align * align;

	if (at > args->len || args->len - at < size)
		return false;
	args->at = at + size;
	if (size == 8)
		*ret = tw_load64(args->data + at, args->big_endian);
	else if (size == 4)
		*ret = tw_load32(args->data + at, args->big_endian);
	else
		*ret = size == 2 ? tw_load16(args->data + at, args->big_endian) : args->data[at];
	return true;
}

/* What is not terminated goes to the end of the record. */
static bool take_text(struct arguments *args, const char **ret, size_t *ret_len)
{
	const uint32_t left = args->len - args->at;
	const uint8_t *nul;

	if (!left)
		return false;
	*ret = (const char *)args->data + args->at;
	nul = memchr(*ret, '\0', left);
	*ret_len = nul ? (size_t)(nul - (args->data + args->at)) : left;
	args->at += nul ? (uint32_t)*ret_len + 1 : left;
	return true;
}

static const char *parse_flags(const char *at, struct tw_put_spec *spec)
{
	static const char letters[] = "-+ #0"; /* in the order of enum tw_put_flags */
	const char *letter;

	for (; *at && (letter = strchr(letters, *at)); at++)
		spec->flags |= (uint8_t)(1 << (letter - letters));
	return at;
}

/* Digits, or a `*` for the next argument. Return: NULL if that is not there. */
static const char *parse_number(const char *at, struct arguments *args, int32_t *ret)
{
	uint64_t value;

	if (*at == '*') {
		if (!take_number(args, 4, &value))
			return NULL;
		*ret = (int32_t)(uint32_t)value;
		return at + 1;
	}
	for (; *at >= '0' && *at <= '9'; at++)
		*ret = *ret < NUMBER_MAX ? *ret * 10 + (*at - '0') : NUMBER_MAX;
	return at;
}

static const char *parse_size(const char *at, uint8_t long_size, struct tw_put_spec *spec)
{
	spec->size = 4;
	for (;; at++) {
		if (*at == 'h')
			spec->size = spec->size == 2 ? 1 : 2;
		else if (*at == 'L' || *at == 'j' || (*at == 'l' && at[1] == 'l'))
			spec->size = 8;
		else if (*at == 'l' || *at == 'z' || *at == 'Z' || *at == 't')
			spec->size = spec->size == 8 ? 8 : long_size;
		else
			return at;
	}
}

/* The part of a conversion up to its letter. Return: the letter, or NULL without the arguments. */
static const char *parse_spec(const char *at, struct arguments *args, struct tw_put_spec *spec)
{
	*spec = (struct tw_put_spec){ .precision = -1 };
	at = parse_number(parse_flags(at, spec), args, &spec->width);
	if (at && *at == '.') {
		spec->precision = 0;
		at = parse_number(at + 1, args, &spec->precision);
	}
	if (!at)
		return NULL;
	at = parse_size(at, args->long_size, spec);
	spec->letter = *at;
	return at;
}

static bool put_text(struct arguments *args, const struct tw_put_spec *spec, struct tw_line *line)
{
	const char *text;
	size_t len;

	if (!take_text(args, &text, &len))
		return false;
	tw_put__string(line, spec, text, len);
	return true;
}

/* Pointers of these are in the record; of others, what they point to, already as text. */
static bool is_by_value(const char *letters)
{
	const char c = letters[0];

	if (c == 'f' || c == 'F')
		return letters[1] != 'w';
	return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) || strchr("SsxKe", c);
}

static size_t count_letters(const char *letters)
{
	size_t n = 0;

	while ((letters[n] >= '0' && letters[n] <= '9') || (letters[n] >= 'a' && letters[n] <= 'z') ||
	       (letters[n] >= 'A' && letters[n] <= 'Z'))
		n++;
	return n;
}

/* @at: behind the p. Return: behind all that belongs to it, or NULL without the argument. */
static const char *put_pointer(struct arguments *args, const char *at, const struct tw_put_spec *spec,
			       const struct tw_print_host *host, struct tw_line *line)
{
	struct tw_pointer pointer;
	uint64_t address;

	if (!is_by_value(at))
		return put_text(args, spec, line) ? at + count_letters(at) : NULL;
	if (!take_number(args, args->long_size, &address))
		return NULL;
	at += tw_pointer__parse(at, strnlen(at, POINTER_LETTERS_MAX), &pointer);
	tw_put__address(line, &pointer, address, host);
	return at;
}

/* @at: behind the %. Return: behind the conversion, or NULL where nothing more can be printed. */
static const char *put_conversion(struct arguments *args, const char *at, const struct tw_print_host *host,
				  struct tw_line *line)
{
	struct tw_put_spec spec;
	uint64_t value;

	at = parse_spec(at, args, &spec);
	if (!at || !*at)
		return NULL;
	if (*at == '%') {
		tw_line__char(line, '%');
		return at + 1;
	}
	if (*at == 'p')
		return put_pointer(args, at + 1, &spec, host, line);
	if (*at == 's')
		return put_text(args, &spec, line) ? at + 1 : NULL;
	if (!strchr("diuxXoc", *at))
		return NULL;
	if (*at == 'c')
		spec.size = 1;
	if (!take_number(args, spec.size, &value))
		return NULL;
	tw_put__number(line, &spec, value);
	return at + 1;
}

static void put_format(const char *format, struct arguments *args, const struct tw_print_host *host,
		       struct tw_line *line)
{
	const char *end = format + strlen(format), *percent;

	/* The one at the end is of the log, not of the event. */
	if (end > format && end[-1] == '\n')
		end--;
	while (format && format < end && !line->cut) {
		percent = memchr(format, '%', (size_t)(end - format));
		tw_line__bytes(line, format, (size_t)((percent ? percent : end) - format));
		if (!percent)
			return;
		format = put_conversion(args, percent + 1, host, line);
	}
}

void tw_special__bprint(const struct tw_special *special, const struct tw_record *record,
			const struct tw_print_host *host, struct tw_line *line)
{
	struct arguments args = { .big_endian = record->big_endian, .long_size = special->format->long_size };
	const uint32_t start = special->fields[BUF]->offset;
	const char *format = NULL;
	uint64_t ip, address;

	if (!tw_special__number(special->fields[IP], record, &ip) ||
	    !tw_special__number(special->fields[FMT], record, &address))
		return;
	tw_put__symbol(line, ip, false, host);
	tw_line__str(line, ": ");
	if (host && host->strings)
		format = tw_strings__find(host->strings, address);
	if (!format) {
		tw_line__str(line, "(NO FORMAT FOUND at ");
		tw_line__hex(line, address);
		tw_line__str(line, ")\n");
		return;
	}
	if (start < record->len) {
		args.data = record->data + start;
		args.len = record->len - start;
	}
	put_format(format, &args, host, line);
}
