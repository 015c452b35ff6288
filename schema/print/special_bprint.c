/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_printk(): the record has the address of the format and the arguments as the kernel's vbin_printf() packs them.
 * Integers are aligned to their size, those of 8 bytes to 4; texts stand there with their NUL.
 */
#include "base/bytes.h"
#include "schema/print/special.h"

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
	*ret = tw_load_uint(args->data + at, size, args->big_endian);
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

/* A width or precision that a `*` has among the arguments. */
static bool take_star(struct arguments *args, bool star, int32_t *ret)
{
	uint64_t value;

	if (!star)
		return true;
	if (!take_number(args, 4, &value))
		return false;
	*ret = (int32_t)(uint32_t)value;
	return true;
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

/* What the kernel takes for letters of a pointer. */
static bool is_letter(char c)
{
	return tw_text__is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Pointers of these letters are in the record; of others, what they point to, already as text. */
static bool is_by_value(struct tw_text letters)
{
	if (!letters.len || !is_letter(*letters.at))
		return true;
	if (*letters.at == 'f' || *letters.at == 'F')
		return letters.len < 2 || letters.at[1] != 'w';
	return memchr("SsxKe", *letters.at, 5);
}

/* @letters: behind the p; @format: behind those that belong to the pointer, cut further if more do */
static bool put_pointer(struct arguments *args, const struct tw_conversion *conversion, struct tw_text letters,
			struct tw_text *format, const struct tw_print_host *host, struct tw_line *line)
{
	uint64_t address;

	if (is_by_value(letters)) {
		if (!take_number(args, args->long_size, &address))
			return false;
		tw_put__address(line, &conversion->pointer, address, host);
		return true;
	}
	while (format->len && is_letter(*format->at))
		tw_text__cut(format, 1);
	return put_text(args, &conversion->spec, line);
}

static bool put_number(struct arguments *args, struct tw_put_spec *spec, struct tw_line *line)
{
	uint64_t value;

	if (spec->letter == 'c')
		spec->size = 1;
	if (!take_number(args, spec->size, &value))
		return false;
	tw_put__number(line, spec, value);
	return true;
}

/* @format is on the %, and is cut behind the conversion. Return: false where nothing more can be printed */
static bool put_conversion(struct arguments *args, struct tw_text *format, const struct tw_print_host *host,
			   struct tw_line *line)
{
	struct tw_conversion conversion;
	struct tw_text letters = *format;

	if (tw_text__skip(format, "%%")) {
		tw_line__char(line, '%');
		return true;
	}
	if (!tw_conversion__parse(format, args->long_size, &conversion) ||
	    !take_star(args, conversion.star_width, &conversion.spec.width) ||
	    !take_star(args, conversion.star_precision, &conversion.spec.precision))
		return false;
	if (conversion.spec.letter == 's')
		return put_text(args, &conversion.spec, line);
	if (conversion.spec.letter != 'p')
		return put_number(args, &conversion.spec, line);
	tw_text__cut(&letters, (size_t)((const char *)memchr(letters.at, 'p', letters.len) - letters.at) + 1);
	return put_pointer(args, &conversion, letters, format, host, line);
}

static void put_format(struct tw_text format, struct arguments *args, const struct tw_print_host *host,
		       struct tw_line *line)
{
	/* The one at the end is of the log, not of the event. */
	if (format.len && format.at[format.len - 1] == '\n')
		format.len--;
	while (format.len && !line->cut) {
		const char *percent = memchr(format.at, '%', format.len);
		const size_t len = percent ? (size_t)(percent - format.at) : format.len;

		tw_line__bytes(line, format.at, len);
		tw_text__cut(&format, len);
		if (format.len && !put_conversion(args, &format, host, line))
			return;
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
	put_format((struct tw_text){ format, strlen(format) }, &args, host, line);
}
