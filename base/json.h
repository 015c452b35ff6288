/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON (RFC 8259), written value by value onto a line or, through a small buffer, to a FILE. The writer adds commas and the right
 * closing brackets. Strings are valid UTF-8 for any text: bytes that base/printable.h escapes are escaped in their value.
 */
#ifndef TW_JSON_H
#define TW_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/line.h"

#define TW_JSON_DEPTH_MAX 16

struct tw_json {
	struct tw_line *line;
	FILE *file;         /* NULL: the text stays on the line */
	bool spaced;        /* {"a": 1, "b": 2}, otherwise {"a":1,"b":2} */
	unsigned int depth; /* objects and arrays that are open */
	struct {
		char close;
		bool has_values;
		bool lines; /* each value is on a separate line */
	} level[TW_JSON_DEPTH_MAX];
	struct tw_line own;
	char buffer[1024]; /* of @own, before it is written to the FILE */
};

/** tw_json__to_line() - begin a text on a line, which is cut if the text does not fit */
void tw_json__to_line(struct tw_json *json, struct tw_line *line, bool spaced);

/** tw_json__to_file() - begin a text in a FILE, which is complete when the outermost bracket is closed */
void tw_json__to_file(struct tw_json *json, FILE *file, bool spaced);

/** tw_json__open() - begin an object, '{', or an array, '['. The @key of values in an array and of the outermost one is NULL */
void tw_json__open(struct tw_json *json, const char *key, char bracket);

/** tw_json__lines() - write each value of the innermost object or array on a separate line */
void tw_json__lines(struct tw_json *json);

/** tw_json__close() - close the innermost object or array; a line break ends the outermost */
void tw_json__close(struct tw_json *json);

/** tw_json__text() - a string of any bytes; tw_json__str(): of a C string */
void tw_json__text(struct tw_json *json, const char *key, const void *text, size_t len);
void tw_json__str(struct tw_json *json, const char *key, const char *str);

/** tw_json__printable() - a string that is printable already; its line breaks and tabs are kept */
void tw_json__printable(struct tw_json *json, const char *key, const void *text, size_t len);

void tw_json__u64(struct tw_json *json, const char *key, uint64_t value);
void tw_json__i64(struct tw_json *json, const char *key, int64_t value);
void tw_json__bool(struct tw_json *json, const char *key, bool value);
void tw_json__null(struct tw_json *json, const char *key);

/** tw_json__id() - a string of 16 hexadecimal digits */
void tw_json__id(struct tw_json *json, const char *key, uint64_t id);

/** tw_json__value() - any other value. Return: the line to write it on; at most 256 bytes of it if the output is a FILE */
struct tw_line *tw_json__value(struct tw_json *json, const char *key);

#endif
