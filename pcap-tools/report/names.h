/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. Finds names in the options (of events and of columns) and in the filter that the capture does not have. */
#ifndef TW_REPORT_NAMES_H
#define TW_REPORT_NAMES_H

#include "pcap-tools/report/report_impl.h"

/**
 * tw_report_names__check() - check that the formats of the capture have all names in the options
 * @at_end: no formats will follow; false = called at the first event to print: also searches the rest of the file, unless it is a pipe
 * Return: 0, or -EINVAL with report->refusal filled.
 */
int tw_report_names__check(struct tw_report *report, bool at_end);

/* Takes a format of the capture. Return: whether the search goes on. */
typedef bool tw_report_take_format(void *ctx, const struct tw_format *format);

/** tw_report_names__search() - pass the known formats to @take */
void tw_report_names__search(const struct tw_report *report, tw_report_take_format *take, void *ctx);

#endif
