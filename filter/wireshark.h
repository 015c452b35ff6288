/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Texts and patterns as Wireshark's display filters have them. */
#ifndef TW_WIRESHARK_H
#define TW_WIRESHARK_H

#include "base/line.h"

/** tw_wireshark__text() - append a text in quotes */
void tw_wireshark__text(struct tw_line *line, const void *text, size_t len);

/** tw_wireshark__pattern() - append a regular expression in quotes, as it is */
void tw_wireshark__pattern(struct tw_line *line, const void *pattern, size_t len);

/** tw_wireshark__glob() - append the regular expression for one of the kernel's patterns, in quotes */
void tw_wireshark__glob(struct tw_line *line, const uint8_t *pattern, size_t len);

/** tw_wireshark__can_text() - whether a text is one of those that Wireshark has as they are (base/printable.h) */
bool tw_wireshark__can_text(const uint8_t *text, size_t len);

#endif
