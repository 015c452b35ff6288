/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>

#include "base/printable.h"

#define ROOM  512 /* free bytes that make_room() ensures: enough for a value or a piece of a string, with punctuation */
#define PIECE 64  /* largest piece of a string, bytes before escaping; each byte becomes at most 6 bytes */

void tw_json__to_line(struct tw_json *json, struct tw_line *line, bool spaced)
{
	json->line = line;
	json->file = NULL;
	json->spaced = spaced;
	json->depth = 0;
	json->level[0].has_values = json->level[0].lines = false;
}

void tw_json__to_file(struct tw_json *json, FILE *file, bool spaced)
{
	tw_json__to_line(json, &json->own, spaced);
	json->own = tw_line__on(json->buffer, sizeof(json->buffer));
	json->file = file;
}

static void flush(struct tw_json *json)
{
	fwrite(json->buffer, 1, tw_line__len(&json->own), json->file);
	json->own.at = json->buffer;
}

static void make_room(struct tw_json *json)
{
	if (json->file && json->own.end - json->own.at < ROOM)
		flush(json);
}

static void begin_line(struct tw_json *json, unsigned int depth)
{
	tw_line__char(json->line, '\n');
	tw_line__fill(json->line, ' ', 2 * (size_t)depth);
}

/* Append a text with JSON escapes. The text is already escaped by base/printable.h, and may have line breaks and tabs. */
static void put_printable(struct tw_line *line, const char *at, size_t len)
{
	for (const char *end = at + len, *begin = at;; begin = ++at) {
		while (at < end && (uint8_t)*at >= 0x20 && *at != '"' && *at != '\\')
			at++;
		tw_line__bytes(line, begin, (size_t)(at - begin));
		if (at == end)
			return;
		tw_line__char(line, '\\');
		if (*at == '"' || *at == '\\') {
			tw_line__char(line, *at);
		} else if (*at == '\n' || *at == '\t') {
			tw_line__char(line, *at == '\n' ? 'n' : 't');
		} else {
			tw_line__str(line, "u00");
			tw_line__hex_byte(line, (uint8_t)*at);
		}
	}
}

static void put_text(struct tw_json *json, const char *at, size_t len)
{
	tw_line__char(json->line, '"');
	for (size_t piece; len; at += piece, len -= piece) {
		const size_t most = json->file ? tw_printable__cut(at, len, PIECE) : len;

		make_room(json);
		piece = tw_printable__plain(at, most);
		put_printable(json->line, at, piece);
		if (piece == most)
			continue;
		tw_line__str(json->line, "\\\\x");
		tw_line__hex_byte(json->line, (uint8_t)at[piece++]);
	}
	tw_line__char(json->line, '"');
}

struct tw_line *tw_json__value(struct tw_json *json, const char *key)
{
	const bool lines = json->level[json->depth].lines;

	make_room(json);
	if (json->level[json->depth].has_values)
		tw_line__bytes(json->line, ", ", json->spaced && !lines ? 2 : 1);
	if (lines)
		begin_line(json, json->depth);
	json->level[json->depth].has_values = true;
	if (key) {
		put_text(json, key, strlen(key));
		tw_line__bytes(json->line, ": ", json->spaced ? 2 : 1);
	}
	return json->line;
}

void tw_json__open(struct tw_json *json, const char *key, char bracket)
{
	tw_line__char(tw_json__value(json, key), bracket);
	assert(json->depth < TW_JSON_DEPTH_MAX);
	json->depth++;
	json->level[json->depth].close = bracket == '{' ? '}' : ']';
	json->level[json->depth].has_values = json->level[json->depth].lines = false;
}

void tw_json__lines(struct tw_json *json)
{
	json->level[json->depth].lines = true;
}

void tw_json__close(struct tw_json *json)
{
	assert(json->depth);
	make_room(json);
	if (json->level[json->depth].lines && json->level[json->depth].has_values)
		begin_line(json, json->depth - 1);
	tw_line__char(json->line, json->level[json->depth--].close);
	if (json->depth)
		return;
	tw_line__char(json->line, '\n');
	if (json->file)
		flush(json);
}

void tw_json__text(struct tw_json *json, const char *key, const void *text, size_t len)
{
	tw_json__value(json, key);
	put_text(json, text, len);
}

void tw_json__str(struct tw_json *json, const char *key, const char *str)
{
	tw_json__text(json, key, str, strlen(str));
}

void tw_json__printable(struct tw_json *json, const char *key, const void *text, size_t len)
{
	tw_line__char(tw_json__value(json, key), '"');
	put_printable(json->line, text, len);
	tw_line__char(json->line, '"');
}

void tw_json__u64(struct tw_json *json, const char *key, uint64_t value)
{
	tw_line__u64(tw_json__value(json, key), value);
}

void tw_json__i64(struct tw_json *json, const char *key, int64_t value)
{
	tw_line__i64(tw_json__value(json, key), value);
}

void tw_json__bool(struct tw_json *json, const char *key, bool value)
{
	tw_line__str(tw_json__value(json, key), value ? "true" : "false");
}

void tw_json__null(struct tw_json *json, const char *key)
{
	tw_line__str(tw_json__value(json, key), "null");
}

void tw_json__id(struct tw_json *json, const char *key, uint64_t id)
{
	char text[20];

	tw_line__bytes(tw_json__value(json, key), text, (size_t)snprintf(text, sizeof(text), "\"%016" PRIx64 "\"", id));
}

void tw_json__seconds(struct tw_json *json, const char *key, uint64_t ns)
{
	struct tw_line *line = tw_json__value(json, key);

	tw_line__char(line, '"');
	tw_line__seconds(line, ns);
	tw_line__char(line, '"');
}

void tw_json__str_or_null(struct tw_json *json, const char *key, const char *str)
{
	if (*str)
		tw_json__str(json, key, str);
	else
		tw_json__null(json, key);
}

void tw_json__u64_or_null(struct tw_json *json, const char *key, uint64_t value)
{
	if (value == UINT64_MAX)
		tw_json__null(json, key);
	else
		tw_json__u64(json, key, value);
}

void tw_json__seconds_or_null(struct tw_json *json, const char *key, uint64_t ns)
{
	if (ns)
		tw_json__seconds(json, key, ns);
	else
		tw_json__null(json, key);
}

void tw_json__u64_str(struct tw_json *json, const char *key, uint64_t value)
{
	struct tw_line *line = tw_json__value(json, key);

	tw_line__char(line, '"');
	tw_line__u64(line, value);
	tw_line__char(line, '"');
}

void tw_json__i64_str(struct tw_json *json, const char *key, int64_t value)
{
	struct tw_line *line = tw_json__value(json, key);

	tw_line__char(line, '"');
	tw_line__i64(line, value);
	tw_line__char(line, '"');
}
