/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON writer (RFC 8259). It writes value by value to a line or, through a small buffer, to a FILE. It adds commas, and
 * tw_json__close() writes the matching bracket. A text may have any bytes, but the string that is written is valid UTF-8: each byte that
 * base/printable.h escapes becomes the four characters `\xHH` in the string's value.
 */
#ifndef TW_JSON_H
#define TW_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/line.h"

#define TW_JSON_DEPTH_MAX 16 /* limit of open objects and arrays; only an assert() checks it */

struct tw_json {
	struct tw_line *line;
	FILE *file;         /* NULL = output to @line only */
	bool spaced;        /* {"a": 1, "b": 2}; otherwise {"a":1,"b":2} */
	unsigned int depth; /* number of open objects and arrays */
	struct {
		char close;
		bool has_values;
		bool lines;             /* each value is on a separate line */
	} level[TW_JSON_DEPTH_MAX + 1]; /* index: depth; level 0 is the document */
	struct tw_line own;             /* the line used for output to a FILE */
	char buffer[1024];              /* memory of @own */
};

/** tw_json__to_line() - begin a JSON text on @line; if the text does not fit, it is cut */
void tw_json__to_line(struct tw_json *json, struct tw_line *line, bool spaced);

/** tw_json__to_file() - begin a JSON text in a FILE; the last bytes are written when the outermost bracket is closed */
void tw_json__to_file(struct tw_json *json, FILE *file, bool spaced);

/**
 * tw_json__open() - open an object, '{', or an array, '['
 * @key: as for all values: the name in the surrounding object; NULL in an array and at the outermost level
 */
void tw_json__open(struct tw_json *json, const char *key, char bracket);

/** tw_json__lines() - write each value of the innermost object or array on a separate line */
void tw_json__lines(struct tw_json *json);

/** tw_json__close() - close the innermost object or array; after the outermost one, write a line break */
void tw_json__close(struct tw_json *json);

/** tw_json__text() - write @len bytes, which may be any bytes, as a string; tw_json__str() takes a C string */
void tw_json__text(struct tw_json *json, const char *key, const void *text, size_t len);
void tw_json__str(struct tw_json *json, const char *key, const char *str);

/**
 * tw_json__printable() - write a string that is already escaped by base/printable.h; line breaks and tabs become `\n` and `\t`
 * If the output is a FILE, the string may have at most 256 bytes including its JSON escapes, because it is written in one piece.
 */
void tw_json__printable(struct tw_json *json, const char *key, const void *text, size_t len);

/** tw_json__u64(), tw_json__i64() - write a decimal number; tw_json__bool() - `true` or `false`; tw_json__null() - `null` */
void tw_json__u64(struct tw_json *json, const char *key, uint64_t value);
void tw_json__i64(struct tw_json *json, const char *key, int64_t value);
void tw_json__bool(struct tw_json *json, const char *key, bool value);
void tw_json__null(struct tw_json *json, const char *key);

/**
 * tw_json__str_or_null(), tw_json__u64_or_null(), tw_json__seconds_or_null() - write a value; `null` if it is unknown
 * An empty string, UINT64_MAX, and the time 0 stand for an unknown value.
 */
void tw_json__str_or_null(struct tw_json *json, const char *key, const char *str);
void tw_json__u64_or_null(struct tw_json *json, const char *key, uint64_t value);
void tw_json__seconds_or_null(struct tw_json *json, const char *key, uint64_t ns);

/** tw_json__u64_str(), tw_json__i64_str() - write a decimal number as a string, because readers may round large numbers */
void tw_json__u64_str(struct tw_json *json, const char *key, uint64_t value);
void tw_json__i64_str(struct tw_json *json, const char *key, int64_t value);

/** tw_json__id() - write a string of 16 hexadecimal digits */
void tw_json__id(struct tw_json *json, const char *key, uint64_t id);

/** tw_json__seconds() - write a time as a string of seconds, with nine decimals */
void tw_json__seconds(struct tw_json *json, const char *key, uint64_t ns);

/**
 * tw_json__value() - begin a value of a kind for which there is no function above
 * Return: the line to which the caller appends the value. If the output is a FILE, the value may have at most 256 bytes.
 */
struct tw_line *tw_json__value(struct tw_json *json, const char *key);

#endif
