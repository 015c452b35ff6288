/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. Finds names that the capture does not have: those of events and columns in the options, and names in the filter. */
#ifndef TW_REPORT_NAMES_H
#define TW_REPORT_NAMES_H

#include "pcap-tools/report/report_impl.h"

/**
 * tw_report_names__check() - check that the formats of the capture have all names in the options
 * @at_end: no formats will follow. If false, the call is at the first event to print, and the rest of the file is searched, too, unless the
 * file is a pipe
 * Return: 0, or -EINVAL with report->refusal filled.
 */
int tw_report_names__check(struct tw_report *report, bool at_end);

/* Takes a format of the capture. Return: whether the search goes on. */
typedef bool tw_report_take_format(void *ctx, const struct tw_format *format);

/** tw_report_names__search() - pass the known formats to @take */
void tw_report_names__search(const struct tw_report *report, tw_report_take_format *take, void *ctx);

#endif
