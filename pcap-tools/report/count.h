/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. Counts the selected events instead of printing them. */
#ifndef TW_REPORT_COUNT_H
#define TW_REPORT_COUNT_H

#include "pcap-tools/report/report_impl.h"

/** tw_report_count__event() - count an event in options->counts. Return: 0 or -ENOMEM */
int tw_report_count__event(struct tw_report *report, const struct tw_report_event *event);

/** tw_report_count__finish() - after the last event: set the names of the streams and the range in options->counts. Return: 0 or -ENOMEM */
int tw_report_count__finish(struct tw_report *report);

#endif
