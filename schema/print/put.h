/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. Single conversions of a print fmt: append a value or some bytes of a record as text to a line. These
 * functions do not use formats and fields. The caller passes the number of bytes, and no byte after them is read.
 */
#ifndef TW_PRINT_PUT_H
#define TW_PRINT_PUT_H

#include "base/line.h"
#include "schema/print.h"
#include "schema/text_cursor.h"

#define TW_PUT_WIDTH_MAX TW_PRINT_LINE_MAX /* largest width, bytes; a larger width is reduced to this one */

enum tw_put_flags {
	TW_PUT_LEFT = 1,  /* '-' */
	TW_PUT_PLUS = 2,  /* '+' */
	TW_PUT_SPACE = 4, /* ' ' */
	TW_PUT_ALT = 8,   /* '#' */
	TW_PUT_ZERO = 16, /* '0' */
};

/* A printf conversion. */
struct tw_put_spec {
	char letter;       /* d i u x X o c s; any other letter counts as u */
	uint8_t flags;     /* enum tw_put_flags */
	uint8_t size;      /* size of an integer: 1 (hh), 2 (h), 4 or 8 (l, ll, z) */
	int32_t width;     /* 0 = none; a negative one comes from a `*`, and means TW_PUT_LEFT */
	int32_t precision; /* negative = none */
};

/* The letters after %p. The first four kinds print the pointer's value, the other kinds print bytes at the address. */
enum tw_pointer_kind {
	TW_POINTER_PLAIN,         /* %p %px %pK and unknown letters: 0x1234, or (nil) */
	TW_POINTER_SYMBOL,        /* %ps %pf */
	TW_POINTER_SYMBOL_OFFSET, /* %pS %pF %pB %pSR */
	TW_POINTER_ERROR,         /* %pe: an error as a number, -12 for -ENOMEM; other values as PLAIN */
	TW_POINTER_MAC,           /* %pM %pMF %pMR %pm %pmR */
	TW_POINTER_IP4,           /* %pI4 %pi4, optionally with [hnbl] */
	TW_POINTER_IP6,           /* %pI6 %pI6c %pi6 */
	TW_POINTER_SOCKADDR,      /* %pIS %piS, optionally with any of [pfschnbl] */
	TW_POINTER_UUID,          /* %pU %pUb %pUB %pUl %pUL */
	TW_POINTER_HEX,           /* %ph %phC %phD %phN; the width is the number of bytes */
	TW_POINTER_BITMAP,        /* %*pb: 32-bit words in hexadecimal; the width is the number of bits */
	TW_POINTER_BITMAP_LIST,   /* %*pbl: 0-3,7 */
};

struct tw_pointer {
	uint8_t kind;   /* enum tw_pointer_kind */
	bool capital;   /* I of %pI4, %pI6 and %pIS: the usual form; B and L of %pU: upper-case digits */
	bool reverse;   /* reversed byte order */
	bool compress;  /* c of IPv6 */
	bool port;      /* p of %pIS */
	bool by_host;   /* h: in the byte order of the traced host */
	char separator; /* printed between bytes; 0 = none */
};

/** tw_pointer__is_bytes() - whether the bytes at the address are printed, not the value of the pointer */
static inline bool tw_pointer__is_bytes(const struct tw_pointer *pointer)
{
	return pointer->kind >= TW_POINTER_MAC;
}

/** tw_pointer__is_symbol() - whether the address is printed as a symbol */
static inline bool tw_pointer__is_symbol(const struct tw_pointer *pointer)
{
	return pointer->kind == TW_POINTER_SYMBOL || pointer->kind == TW_POINTER_SYMBOL_OFFSET;
}

/* A conversion of a format string. */
struct tw_conversion {
	struct tw_put_spec spec;
	struct tw_pointer pointer;
	bool star_width, star_precision; /* given by `*`: the value is on the stack, the width below the precision */
	const struct tw_field *field;    /* the bytes that a pointer's conversion prints */
};

/**
 * tw_conversion__parse() - cut a conversion; @text is at its '%'
 * @long_size: size of the traced host's long, bytes
 * @ret: its spec's letter is 'p' for pointers
 * Return: false, with nothing cut, if the conversion is unknown.
 */
bool tw_conversion__parse(struct tw_text *text, uint8_t long_size, struct tw_conversion *ret);

/** tw_put__number() - append @value as %d, %i, %u, %x, %X, %o or %c */
void tw_put__number(struct tw_line *line, const struct tw_put_spec *spec, uint64_t value);

/** tw_put__string() - append at most @len bytes, up to the first NUL, as %s; @len bytes must be readable */
void tw_put__string(struct tw_line *line, const struct tw_put_spec *spec, const void *text, size_t len);

/** tw_put__fit() - apply the width and precision of a %s to the text appended since tw_line__len() was @from */
void tw_put__fit(struct tw_line *line, const struct tw_put_spec *spec, size_t from);

/** tw_pointer__cut() - cut the letters after `%p` that belong to the conversion; @letters: the text after the p */
void tw_pointer__cut(struct tw_text *letters, struct tw_pointer *ret);

/** tw_put__address() - print a pointer's value; @host may be NULL. Not for kinds that print bytes */
void tw_put__address(struct tw_line *line, const struct tw_pointer *pointer, uint64_t address,
		     const struct tw_print_host *host);

/** tw_put__symbol() - append the symbol that contains @address, with `+0x12` if @with_offset; if none is known, the address as `0x1234` */
void tw_put__symbol(struct tw_line *line, uint64_t address, bool with_offset, const struct tw_print_host *host);

/* Bytes of a record, and the byte order of its host. */
struct tw_put_bytes {
	const uint8_t *data;
	uint32_t len;
	bool big_endian;
};

/**
 * tw_put__pointed() - print the bytes that a pointer refers to
 * @spec: its width limits the bytes of TW_POINTER_HEX and the bits of a bitmap; 0 = all. TW_POINTER_HEX prints at most 64 bytes
 * @long_size: size of the traced host's long, bytes: bitmaps are arrays of longs
 */
void tw_put__pointed(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_spec *spec,
		     const struct tw_put_bytes *bytes, uint8_t long_size);

/** tw_put__symbolic() - __print_symbolic(): append the first name of @value; if there is none, @value in hexadecimal, such as 0x1f */
void tw_put__symbolic(struct tw_line *line, const struct tw_print_names *names, uint64_t value);

/** tw_put__flags() - __print_flags(): append the names of the set bits, and then the bits without a name as a number such as 0x1f */
void tw_put__flags(struct tw_line *line, const struct tw_print_names *names, uint64_t value);

/** tw_put__hex() - __print_hex(), for @separator ' ', or __print_hex_str(), for @separator 0 */
void tw_put__hex(struct tw_line *line, const struct tw_put_bytes *bytes, char separator);

/** tw_put__array() - __print_array() of elements of @elem_size bytes: 1, 2, 4 or 8 */
void tw_put__array(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t elem_size);

/* The layout in a call of __print_hex_dump(prefix, prefix_type, rowsize, groupsize, buf, len, ascii). */
struct tw_put_dump {
	const char *prefix;  /* text before each line, NUL-terminated */
	uint8_t prefix_type; /* 0 = none, 1 = address, 2 = offset: the kernel's DUMP_PREFIX_* */
	uint32_t row;        /* bytes per line; any value other than 32 means 16 */
	uint32_t group;      /* bytes per number; any value other than 2, 4 and 8 means 1 */
	bool ascii;
};

/** tw_put__dump() - __print_hex_dump() of @bytes; @address: address of the first byte, for prefix_type 1 */
void tw_put__dump(struct tw_line *line, const struct tw_put_dump *dump, const struct tw_put_bytes *bytes,
		  uint64_t address);

/**
 * tw_put__bits() - append the first @n bits of a mask as %*pb and __get_bitmask() print them
 * The text has comma-separated words of 32 bits in hexadecimal, the highest word first.
 */
void tw_put__bits(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t n, uint8_t long_size);

/** tw_put__bit_list() - append the first @n bits of a mask as %*pbl and libtraceevent's __get_cpumask() print them: 0-3,7 */
void tw_put__bit_list(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t n, uint8_t long_size);

#endif
