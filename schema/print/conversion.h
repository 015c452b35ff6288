/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. The pieces of a format string: what stands as it is, and conversions. */
#ifndef TW_PRINT_CONVERSION_H
#define TW_PRINT_CONVERSION_H

#include "schema/print/program.h"
#include "schema/text.h"

/**
 * tw_conversion__parse() - cut a conversion; @text is on its '%'
 * @long_size: of the traced host, bytes
 * @ret: its spec's letter is 'p' for pointers
 *
 * Return: false if it is none that we know; then nothing is cut.
 */
bool tw_conversion__parse(struct tw_text *text, uint8_t long_size, struct tw_print_conversion *ret);

#endif
