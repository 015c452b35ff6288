/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. Decides which events and losses the options select, except for the filter, which report.c evaluates. */
#ifndef TW_REPORT_SELECTION_H
#define TW_REPORT_SELECTION_H

#include "pcap-tools/report/report_impl.h"

/**
 * tw_report_selection__wants_event() - whether the options select an event, by its time, CPU, type and task
 * The first call sets the origin of relative times, so it is called for each event of the capture.
 */
bool tw_report_selection__wants_event(struct tw_report *report, const struct tw_report_event *event);

/** tw_report_selection__wants_loss() - whether the options select a loss, by its time and CPU */
bool tw_report_selection__wants_loss(const struct tw_report *report, const struct tw_report_loss *loss);

/**
 * tw_report_selection__range() - the time from since to until, ns, limited to the capture's times
 * Return: false without since and until, or if the first event cannot be compared with them.
 */
bool tw_report_selection__range(const struct tw_report *report, uint64_t *ret_ns);

/** tw_report_selection__check() - check the times, at the end. Return: 0; -EINVAL if no time can be compared with since and until */
int tw_report_selection__check(const struct tw_report *report, const char *name, struct tw_error *error);

#endif
