/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escaping of untrusted texts: names of tasks, hosts, events and files, strings of records. Such texts may have any bytes. Texts on
 * terminals, in files and in Wireshark are escaped by the same rule, which docs/safety.md describes.
 *
 * An unprintable byte is shown as four characters, `\x` and two hexadecimal digits in lower case: ESC is `\x1b`. Unprintable are:
 *
 * - control characters: C0, including tab and line break, DEL, and C1 (U+0080 to U+009F);
 * - characters that change the direction of text: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069;
 * - line separators (U+2028, U+2029), the byte order mark (U+FEFF), annotations (U+FFF9 to U+FFFB), noncharacters (U+FFFE, U+FFFF);
 * - each byte that is not part of valid UTF-8.
 *
 * A character of several bytes is escaped byte by byte: U+202E is `\xe2\x80\xae`. A backslash is not escaped, so that ordinary texts, and
 * texts that are already escaped, stay unchanged. Therefore `\x1b` in a result is an escaped byte, or four characters of the original text.
 */
#ifndef TW_PRINTABLE_H
#define TW_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/line.h"

#define TW_PRINTABLE_ESCAPED 4 /* characters of one escaped byte */

/** tw_printable__plain() - length of the longest prefix of @text that needs no escaping, bytes */
size_t tw_printable__plain(const void *text, size_t len);

/** tw_printable__shown_len() - length of @text after escaping, bytes */
size_t tw_printable__shown_len(const void *text, size_t len);

/**
 * tw_printable__escape() - escape, in place, the text appended since the last call for this line
 * Text that does not fit after escaping is cut between two characters. A line of kind TW_LINE_BYTES stays unchanged.
 */
void tw_printable__escape(struct tw_line *line);

/**
 * tw_printable__layout() - escape the line so far, then append @layout (line breaks, tabs, words) without escaping
 * On a line of kind TW_LINE_FLAT, a blank replaces each line break and tab of @layout.
 */
void tw_printable__layout(struct tw_line *line, const char *layout);

/** tw_printable__cut() - length of @text after a cut to at most @most bytes that leaves no broken UTF-8 character at the end */
size_t tw_printable__cut(const void *text, size_t len, size_t most);

/** tw_printable__shorten() - cut a line to at most @len bytes, and leave no broken UTF-8 character at the end */
void tw_printable__shorten(struct tw_line *line, size_t len);

/** tw_printable__end() - escape the rest of a line, except a line break at its end; on a TW_LINE_FLAT line, remove this line break */
void tw_printable__end(struct tw_line *line);

/**
 * tw_printable__copy() - escape a text and store it as a NUL-terminated string
 * @size: bytes at @to, at least 1; a longer string is cut between two characters
 */
void tw_printable__copy(char *to, size_t size, const void *from, size_t len);

/** tw_printable__mend() - escape a NUL-terminated string in place; @size: bytes of memory at @text */
void tw_printable__mend(char *text, size_t size);

#endif
