/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write values of an expression, each in one of its notations. */
#ifndef LITERAL_H
#define LITERAL_H

#include "base/line.h"
#include "chance.h"

/** literal__number() - write a number in any base; @is_signed: @value is an int64_t */
void literal__number(struct tw_line *line, struct chance *chance, uint64_t value, bool is_signed);

/** literal__seconds() - write ns as seconds with nine decimals */
void literal__seconds(struct tw_line *line, uint64_t ns);

/** literal__text() - write a text in quotes of either kind, or raw, with escapes if needed */
void literal__text(struct tw_line *line, struct chance *chance, const uint8_t *text, uint32_t len);

/** literal__bytes() - write bytes as aa:bb:cc, with any of the separators */
void literal__bytes(struct tw_line *line, struct chance *chance, const uint8_t *bytes, uint32_t len);

/** literal__address() - write 4 or 16 bytes as an IP address, optionally with a prefix */
void literal__address(struct tw_line *line, struct chance *chance, const uint8_t *bytes, uint32_t len,
		      bool with_prefix);

/** literal__mask() - write the bits of a mask as a list in quotes */
void literal__mask(struct tw_line *line, uint64_t bits);

#endif
