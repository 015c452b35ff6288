/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of JSON (RFC 8259): always valid UTF-8, whatever the texts hold. */
#ifndef TW_JSON_H
#define TW_JSON_H

#include "base/line.h"

/** tw_json__text() - append a text from outside, without quotes around it; what base/printable.h escapes is escaped in the string's value */
void tw_json__text(struct tw_line *line, const void *text, size_t len);

/** tw_json__shown() - the same of what is on a line for people already: line breaks and tabs are layout, and stay */
void tw_json__shown(struct tw_line *line, const void *text, size_t len);

#endif
