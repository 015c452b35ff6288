/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/printable.h"

#include <stdbool.h>

#define EACH(byte) ((byte)*0x0101010101010101u)
#define WIDE       16

typedef int8_t wide __attribute__((vector_size(WIDE)));
typedef uint64_t halves __attribute__((vector_size(WIDE)));

/* Return: length of the UTF-8 character at @s; 0 if it is invalid or cut. Overlong forms, surrogates and U+110000 or more are invalid. */
static size_t utf8_length(const uint8_t *s, size_t len)
{
	size_t n;

	if (*s < 0x80)
		return 1;
	n = *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Whether a character from U+0080 to U+FFFF must be escaped. */
static bool is_harmful(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x0080, 0x009f }, { 0x061c, 0x061c }, { 0x200e, 0x200f }, { 0x2028, 0x202e },
		{ 0x2066, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xfffe, 0xffff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	}
	return false;
}

/* Return: length of the character at @s if it is shown unchanged; 0 if the byte *@s must be escaped. */
static size_t shown(const uint8_t *s, size_t len)
{
	const size_t n = utf8_length(s, len);

	if (n == 1)
		return *s >= 0x20 && *s != 0x7f;
	if (n == 2 && is_harmful((*s & 0x1fu) << 6 | (s[1] & 0x3fu)))
		return 0;
	if (n == 3 && is_harmful((*s & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu)))
		return 0;
	return n;
}

static inline uint64_t eight_at(const uint8_t *at)
{
	uint64_t eight;

	memcpy(&eight, at, sizeof(eight));
	return eight;
}

/* Load four bytes into both halves of the result. */
static inline uint64_t four_at(const uint8_t *at)
{
	uint32_t four;

	memcpy(&four, at, sizeof(four));
	return (uint64_t)four << 32 | four;
}

/*
 * Find bytes outside the range ' ' to '~' among eight bytes. Return: 0 if there are none; otherwise a number in which the top bit of each
 * such byte is set. In this number, the top bits of other bytes above the lowest such byte may be set, too.
 */
static inline uint64_t not_plain(uint64_t eight)
{
	const uint64_t del = eight ^ EACH(0x7f);

	return (eight | (eight - EACH(0x20)) | (del - EACH(0x01))) & EACH(0x80);
}

/* Find bytes outside ' ' to '~' among sixteen bytes. Return: -1 for each such byte, 0 for others. Bytes above 0x7f are negative. */
static inline wide not_plain_wide(const uint8_t *at)
{
	wide bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return (bytes < 0x20) | (bytes == 0x7f);
}

static inline bool is_any(wide bytes)
{
	const halves both = (halves)bytes;

	return both[0] | both[1];
}

/*
 * Return: @len if the text has at least four bytes and all of them are from ' ' to '~', as in nearly every text. For other texts, return a
 * lower bound of the length of the prefix with such bytes. The last block that is checked may overlap the block before it.
 */
static size_t plain_ascii(const uint8_t *s, size_t len)
{
	size_t i = 0;

	while (len - i >= 2 * WIDE && !is_any(not_plain_wide(s + i) | not_plain_wide(s + i + WIDE)))
		i += 2 * WIDE;
	if (len - i >= WIDE && !is_any(not_plain_wide(s + i)))
		i += WIDE;
	if (len - i >= WIDE)
		return i;
	if (len >= WIDE)
		return is_any(not_plain_wide(s + len - WIDE)) ? i : len;
	if (len >= 8)
		return not_plain(eight_at(s)) | not_plain(eight_at(s + len - 8)) ? 0 : len;
	if (len >= 4)
		return not_plain(four_at(s)) | not_plain(four_at(s + len - 4)) ? 0 : len;
	return 0;
}

size_t tw_printable__plain(const void *text, size_t len)
{
	const uint8_t *s = text;
	size_t i = plain_ascii(s, len), n;

	while (i < len) {
		if (len - i >= 8 && !not_plain(eight_at(s + i)))
			n = 8;
		else
			n = s[i] >= 0x20 && s[i] < 0x7f ? 1 : shown(s + i, len - i);
		if (!n)
			break;
		i += n;
	}
	return i;
}

size_t tw_printable__shown_len(const void *text, size_t len)
{
	const uint8_t *s = text;
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		const size_t plain = tw_printable__plain(s + i, len - i);

		n += plain;
		i += plain;
		if (i++ < len)
			n += TW_PRINTABLE_ESCAPED;
	}
	return n;
}

/* Return: length of @s without an incomplete UTF-8 character at its end; the bytes of such a character would be escaped as invalid. */
static size_t without_broken_end(const uint8_t *s, size_t len)
{
	for (size_t back = 1; back < 4 && back <= len; back++) {
		const uint8_t c = s[len - back];

		if (c >= 0xc0)
			return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) > back ? len - back : len;
		if (c < 0x80)
			break;
	}
	return len;
}

/* Return: length of the longest prefix that fits @room bytes after escaping. */
static size_t fitting(const uint8_t *s, size_t len, size_t room)
{
	size_t i = 0;

	while (i < len) {
		const size_t n = shown(s + i, len - i), wants = n ? n : TW_PRINTABLE_ESCAPED;

		if (wants > room)
			break;
		room -= wants;
		i += n ? n : 1;
	}
	return i;
}

/*
 * Escape @len bytes at @at in place. The bytes are first moved to the end of the memory. Writing does not overtake reading, because each
 * unread byte becomes at least one byte, and all of the escaped text fits.
 */
static void expand(struct tw_line *line, uint8_t *at, size_t len)
{
	const size_t fits = fitting(at, len, (size_t)(line->end - (char *)at));
	const uint8_t *from = (uint8_t *)line->end - fits, *end = (uint8_t *)line->end;

	if (fits < len)
		line->cut = true;
	memmove((uint8_t *)line->end - fits, at, fits);
	while (from < end) {
		const size_t n = shown(from, (size_t)(end - from));

		if (n) {
			memmove(at, from, n);
			at += n;
			from += n;
		} else {
			const uint8_t c = *from++;

			*at++ = '\\';
			*at++ = 'x';
			*at++ = (uint8_t) "0123456789abcdef"[c >> 4];
			*at++ = (uint8_t) "0123456789abcdef"[c & 0xf];
		}
	}
	line->at = (char *)at;
}

void tw_printable__escape(struct tw_line *line)
{
	uint8_t *begin = (uint8_t *)(line->unchecked < line->at ? line->unchecked : line->at);
	size_t len = (size_t)(line->at - (char *)begin), plain;

	if (!len || line->kind == TW_LINE_BYTES)
		return;
	plain = tw_printable__plain(begin, len);
	if (plain < len && line->cut) {
		len = without_broken_end(begin, len);
		line->at = (char *)begin + len;
	}
	if (plain < len)
		expand(line, begin + plain, len - plain);
	line->unchecked = line->at;
}

size_t tw_printable__cut(const void *text, size_t len, size_t most)
{
	return len > most ? without_broken_end(text, most) : len;
}

void tw_printable__shorten(struct tw_line *line, size_t len)
{
	line->at = line->text + tw_printable__cut(line->text, tw_line__len(line), len);
}

void tw_printable__layout(struct tw_line *line, const char *layout)
{
	tw_printable__escape(line);
	for (; *layout; layout++) {
		const bool is_blank = line->kind == TW_LINE_FLAT && (*layout == '\n' || *layout == '\t');

		tw_line__char(line, is_blank ? ' ' : *layout);
	}
	line->unchecked = line->at;
}

void tw_printable__end(struct tw_line *line)
{
	const bool has_break =
		line->kind != TW_LINE_BYTES && line->at > line->unchecked && line->at[-1] == '\n' && !line->cut;

	line->at -= has_break;
	tw_printable__escape(line);
	if (has_break && line->kind == TW_LINE_TEXT)
		tw_printable__layout(line, "\n");
}

void tw_printable__copy(char *to, size_t size, const void *from, size_t len)
{
	struct tw_line line = tw_line__of(to, size - 1, TW_LINE_TEXT);

	tw_line__bytes(&line, from, len);
	tw_printable__escape(&line);
	*line.at = '\0';
}

void tw_printable__mend(char *text, size_t size)
{
	struct tw_line line = tw_line__of(text, size - 1, TW_LINE_TEXT);

	line.at += strnlen(text, size - 1);
	line.cut = line.at == line.end;
	tw_printable__escape(&line);
	*line.at = '\0';
}
