/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room: the words of its texts. */
#ifndef TW_LEDGER_STATE_H
#define TW_LEDGER_STATE_H

#include "base/line.h"
#include "pcap-tools/ledger/ledger.h"

#define TW_LEDGER_BEGINS "ledger version=1"

extern const char *const tw_place_keys[], *const tw_place_headings[]; /* TW_PLACE_COUNT */
extern const char *const tw_fact_keys[];                              /* TW_FACT_COUNT */

/** tw_ledger_text__begin() - a line on @size bytes, one of them for the NUL that tw_ledger_text__end() puts behind it */
struct tw_line tw_ledger_text__begin(char *ret, size_t size);
size_t tw_ledger_text__end(struct tw_line *line);

/** tw_ledger_text__difference() - the number, or @unknown */
void tw_ledger_text__difference(struct tw_line *line, const struct tw_ledger *ledger, const char *unknown);

#endif
