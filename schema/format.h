/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of an event: parses the `format` texts of tracefs. From any kernel: 32 and 64 bit, both byte orders, vendor trees. Texts
 * are untrusted: every loop advances, nothing recurses, sizes are limited as below.
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
	TW_FIELD_UINT, /* integers of 1, 2, 4 or 8 bytes */
	TW_FIELD_INT,
	TW_FIELD_BOOL,
	TW_FIELD_ENUM,    /* an integer whose type is an enum; is_signed as in the format */
	TW_FIELD_POINTER, /* an address of 4 or 8 bytes */
	TW_FIELD_STRING,  /* char array, up to its first NUL; also every __data_loc char[] and __rel_loc char[] */
	TW_FIELD_ARRAY,   /* elements of elem_size bytes, of kind elem_kind */
	TW_FIELD_BITMASK, /* bitmask_t, cpumask_t: bit n of an array of longs */
	TW_FIELD_BYTES,   /* structs and all other types */
};

/* The place of a field's bytes. */
enum tw_field_place {
	TW_PLACE_FIXED,    /* at offset, size bytes */
	TW_PLACE_DATA_LOC, /* at offset, a u32: low 16 bits offset in the record, high 16 bits length */
	TW_PLACE_REL_LOC,  /* the same, with the offset counted from the end of the u32 */
	TW_PLACE_REST,     /* at offset, up to the end of the record, as `char buf[]` of ftrace:print */
};

struct tw_field {
	const char *name;
	const char
		*type; /* as in the format, with brackets at the end: "char[16]", "__data_loc char[]", "const char *" */
	uint32_t offset;    /* in the record, bytes */
	uint32_t size;      /* of the field itself, bytes: 4 for __data_loc, mostly 0 for TW_PLACE_REST */
	uint32_t count;     /* elements of a fixed array; 0 = scalar, or given in the record */
	uint16_t elem_size; /* of one element, bytes; of the scalar itself; 1 for strings and bytes */
	uint8_t kind;       /* enum tw_field_kind */
	uint8_t elem_kind;  /* of the elements of TW_FIELD_ARRAY, otherwise kind */
	uint8_t place;      /* enum tw_field_place */
	bool is_signed;     /* of the value or the elements */
	bool is_common;     /* it precedes the blank line of the format */
};

struct tw_format {
	const char *system; /* "" for header_page and header_event */
	const char *name;
	const char *print_fmt; /* "" if there is none; unchanged from the text */
	uint16_t id;
	uint16_t n_fields;
	uint16_t n_common;    /* the first ones of the fields */
	uint8_t long_size;    /* of the traced kernel, bytes: 4 or 8 */
	bool long_size_shown; /* shown by a long or a pointer among the fields; otherwise long_size is assumed: 8 */
	uint32_t memory;      /* memory of this and all it points to, bytes */
	struct tw_field *fields;
};

/**
 * tw_format__parse() - parse the text of events/SYSTEM/EVENT/format
 * @text: need not be NUL-terminated and is not kept
 * @system: copied
 * @ret: the caller's; tw_format__free()
 * Return: 0; -EINVAL if the text is not a format (line and expected text in @error), -E2BIG beyond a limit, -ENOMEM.
 */
int tw_format__parse(const char *text, size_t len, const char *system, struct tw_format **ret, struct tw_error *error);

/** tw_format__assume_long_size() - set the size of a long, 4 or 8 bytes, in arrays and bitmasks; no effect if long_size_shown */
void tw_format__assume_long_size(struct tw_format *format, uint8_t long_size);

/** tw_format__free() - NULL is fine */
void tw_format__free(struct tw_format *format);

/** tw_format__find() - the field of that name, or NULL */
const struct tw_field *tw_format__find(const struct tw_format *format, const char *name);

/*
 * The kernel's layout of a sub-buffer and its entries, from events/header_page and events/header_event. Needed to read raw sub-buffers:
 * of a ring, or of a recording of another kernel.
 */

/* The sub-buffer's layout, from events/header_page. Offsets and sizes in bytes. */
struct tw_page_layout {
	uint16_t commit_offset; /* of the commit word */
	uint16_t commit_size;   /* its size: a long of the traced kernel */
	uint16_t data_offset;   /* where events begin */
};

/** tw_page_layout__parse() - parse events/header_page. Return: 0, or -EINVAL or -E2BIG with @error filled */
int tw_page_layout__parse(const char *text, size_t len, struct tw_page_layout *ret, struct tw_error *error);

/* The numbers of events/header_event. */
struct tw_entry_layout {
	uint8_t type_len_bits, time_delta_bits;
	uint8_t padding, time_extend, time_stamp; /* type_len values */
	uint8_t data_max;                         /* largest type_len that is a length in words */
};

/** tw_entry_layout__parse() - parse events/header_event. Return: 0, or -EINVAL or -E2BIG with @error filled */
int tw_entry_layout__parse(const char *text, size_t len, struct tw_entry_layout *ret, struct tw_error *error);

#endif
