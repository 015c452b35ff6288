/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of an event, parsed from its `format` text in tracefs. The text may be from any kernel, also from a vendor's, with 32 or 64
 * bits and in either byte order. Texts are untrusted: every loop advances, nothing recurses, and the limits below apply.
 */
#ifndef TW_FORMAT_H
#define TW_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TW_FORMAT_TEXT_MAX   (256 * 1024)       /* bytes of one format text */
#define TW_FORMAT_FIELDS_MAX 1024               /* fields of one event, including common fields */
#define TW_FORMAT_EXTENT_MAX (16 * 1024 * 1024) /* largest offset or size of a field, bytes; larger than any record */

/* The type of a field. */
enum tw_field_kind {
	TW_FIELD_UINT, /* unsigned integer of 1, 2, 4 or 8 bytes */
	TW_FIELD_INT,  /* signed integer of 1, 2, 4 or 8 bytes */
	TW_FIELD_BOOL,
	TW_FIELD_ENUM,    /* an integer whose type is an enum; is_signed as in the format */
	TW_FIELD_POINTER, /* an address of 4 or 8 bytes */
	TW_FIELD_STRING,  /* char array, up to its first NUL; also every __data_loc char[] and __rel_loc char[] */
	TW_FIELD_ARRAY,   /* elements of elem_size bytes, of kind elem_kind */
	TW_FIELD_BITMASK, /* array of longs: bitmask_t, cpumask_t, ..., or a dynamic array that is printed as a mask */
	TW_FIELD_BYTES,   /* struct, union, or field of a size that no integer has */
};

/* Where the bytes of a field are in the record. */
enum tw_field_place {
	TW_PLACE_FIXED,    /* the field's `size` bytes are at its `offset` */
	TW_PLACE_DATA_LOC, /* a u32 is at `offset`: low 16 bits = offset of the bytes, high 16 bits = their length */
	TW_PLACE_REL_LOC,  /* as TW_PLACE_DATA_LOC, but the offset in the u32 is relative to the end of the u32 */
	TW_PLACE_REST,     /* from `offset` to the end of the record, for example `char buf[]` of ftrace:print */
};

struct tw_field {
	const char *name;
	const char
		*type; /* as in the format, with brackets at the end: "char[16]", "__data_loc char[]", "const char *" */
	uint32_t offset;    /* in the record, bytes */
	uint32_t size;      /* as in the format, bytes: 4 for __data_loc and __rel_loc, mostly 0 for TW_PLACE_REST */
	uint32_t count;     /* elements of a fixed array; 0 = a scalar, or an array whose length is in the record */
	uint16_t elem_size; /* bytes of one element, or of the scalar itself; 1 for strings and bytes */
	uint8_t kind;       /* enum tw_field_kind */
	uint8_t elem_kind;  /* kind of the elements of a TW_FIELD_ARRAY; in other fields, the same as @kind */
	uint8_t place;      /* enum tw_field_place */
	bool is_signed; /* from `signed:`, or else from the type; tw_field__is_signed() is false for kinds without a sign */
	bool is_common; /* the field precedes the blank line, or is named common_... in a format without a blank line */
};

struct tw_format {
	const char *system; /* a copy of the argument of tw_format__parse() */
	const char *name;
	const char *print_fmt; /* "" if there is none; as in the text, without white space at its ends */
	uint16_t id;
	uint16_t n_fields;
	uint16_t n_common;    /* number of common fields; they are the first of the fields */
	uint8_t long_size;    /* size of the traced kernel's long, bytes: 4 or 8 */
	uint8_t machine;      /* architecture of the traced host: enum tw_machine of schema/syscalls.h */
	bool long_size_shown; /* a long or a pointer among the fields has this size; if false, long_size is assumed */
	uint32_t memory;      /* size of this struct and of all memory that it points to, bytes */
	struct tw_field *fields;
};

/**
 * tw_format__parse() - parse the text of events/SYSTEM/EVENT/format
 * @text: need not be NUL-terminated and is not kept
 * @system: copied
 * @ret: the caller frees it with tw_format__free(); its long_size is 8 until tw_format__assume_long_size(), unless the fields show 4
 * Return: 0; -EINVAL if the text is not a format; -E2BIG beyond a limit; -ENOMEM. For -EINVAL, @error has the reason, usually the line and
 * what is expected there.
 */
int tw_format__parse(const char *text, size_t len, const char *system, struct tw_format **ret, struct tw_error *error);

/** tw_format__assume_long_size() - set the size of a long, 4 or 8 bytes, in arrays and bitmasks; no effect if long_size_shown */
void tw_format__assume_long_size(struct tw_format *format, uint8_t long_size);

/** tw_format__free() - free @format, which may be NULL */
void tw_format__free(struct tw_format *format);

/** tw_format__find() - find the first field called @name. Return: NULL if there is none; borrowed from @format */
const struct tw_field *tw_format__find(const struct tw_format *format, const char *name);

/*
 * The kernel's layout of a sub-buffer and its entries, from events/header_page and events/header_event. A reader of raw sub-buffers, from a
 * ring or from a recording of another kernel, needs this layout.
 */

/* The sub-buffer's layout, from events/header_page. Offsets and sizes in bytes. */
struct tw_page_layout {
	uint16_t commit_offset; /* offset of the commit word */
	uint16_t commit_size;   /* size of the commit word, which is a long of the traced kernel */
	uint16_t data_offset;   /* offset of the first event */
};

/** tw_page_layout__parse() - parse events/header_page. Return: 0, or -EINVAL or -E2BIG with @error filled */
int tw_page_layout__parse(const char *text, size_t len, struct tw_page_layout *ret, struct tw_error *error);

/* The numbers of events/header_event. */
struct tw_entry_layout {
	uint8_t type_len_bits, time_delta_bits;   /* widths of the parts of an entry's first word, bits; together 32 */
	uint8_t padding, time_extend, time_stamp; /* values of type_len for entries without an event */
	uint8_t data_max;                         /* largest type_len that is an event's length, in words of 4 bytes */
};

/** tw_entry_layout__parse() - parse events/header_event. Return: 0, or -EINVAL or -E2BIG with @error filled */
int tw_entry_layout__parse(const char *text, size_t len, struct tw_entry_layout *ret, struct tw_error *error);

#endif
