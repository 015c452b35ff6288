/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words that a print fmt has for the values of a field, as __print_symbolic() and __print_flags() list them. In the
 * tree each event type shows its own. Filters take a word where the filter name has got words: from the first event type
 * that brought some, as Wireshark has one list for a name.
 */
#ifndef TW_WORDS_H
#define TW_WORDS_H

#include "dissector/fields.h"
#include "schema/print.h"

/** tw_words__give() - make filters on @name take these words, unless it has some or its type can't. @name: may be NULL */
void tw_words__give(struct tw_name *name, const struct tw_print_name *words, uint32_t n);

/** tw_words__register_format() - make all fields of an event known to filters, with their words */
void tw_words__register_format(const struct tw_format *format);

/** tw_words__append() - "WORD" for that value, "A|B|0x10" for flags. Return: false, nothing appended, if none is known */
bool tw_words__append(struct tw_line *line, const struct tw_print_names *words, uint64_t value);

#endif
