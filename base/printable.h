/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts from outside may hold any bytes: names of tasks, hosts, events and files, strings of records. This is the one rule by
 * which they are shown, on terminals, in files and in Wireshark; docs/safety.md states it.
 *
 * A byte that must not be shown becomes four characters, `\x` and two hexadecimal digits in small letters: ESC is `\x1b`. So are shown:
 *
 *   - control characters: C0, among them tab and line break, DEL, and C1 (U+0080 to U+009F);
 *   - characters that change the direction of the text around them: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069;
 *   - characters that break lines, annotate, or are none: U+2028, U+2029, U+FEFF, U+FFF9 to U+FFFB, U+FFFE, U+FFFF;
 *   - every byte that is not part of valid UTF-8.
 *
 * A character of several bytes is shown as all of them: U+202E is `\xe2\x80\xae`. A backslash is shown as it is, so that ordinary texts
 * stay what they are and a text that was shown once does not change any more; `\x1b` may therefore also be what the text says.
 */
#ifndef TW_PRINTABLE_H
#define TW_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/line.h"

#define TW_PRINTABLE_ESCAPED 4 /* characters that a byte becomes at most */

/** tw_printable__plain() - length of the part of a text, from its begin, that is shown as it is */
size_t tw_printable__plain(const void *text, size_t len);

/** tw_printable__shown_len() - length of a text as it is shown */
size_t tw_printable__shown_len(const void *text, size_t len);

/**
 * tw_printable__escape() - apply the rule to what has come onto the line since it was applied last
 *
 * In place. What does not fit any more is cut, between two characters. A line of TW_LINE_BYTES stays as it is.
 */
void tw_printable__escape(struct tw_line *line);

/**
 * tw_printable__layout() - apply the rule to the line so far, then append our own line breaks, tabs and words unchanged
 *
 * On a line of TW_LINE_FLAT a blank stands for a line break and for a tab.
 */
void tw_printable__layout(struct tw_line *line, const char *layout);

/** tw_printable__cut() - length of a text that is cut to @most bytes, fewer where a character would be broken */
size_t tw_printable__cut(const void *text, size_t len, size_t most);

/** tw_printable__shorten() - cut a line to @len bytes, fewer where a character would be broken */
void tw_printable__shorten(struct tw_line *line, size_t len);

/** tw_printable__end() - apply the rule at the end of a text, whose last line break is layout; TW_LINE_FLAT leaves it out */
void tw_printable__end(struct tw_line *line);

/**
 * tw_printable__copy() - a text as it is shown, as a string
 * @size: of @to, 1 at least; cut between two characters, with a NUL at the end
 */
void tw_printable__copy(char *to, size_t size, const void *from, size_t len);

/** tw_printable__mend() - the same in place, of a string in @size bytes */
void tw_printable__mend(char *text, size_t size);

#endif
