/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to report. Events that wait for the next event of their CPU before they are printed: an entry of the function graph, whose
 * exit may follow at once, and the events after it; and losses, which are reported before the next event of their CPU.
 */
#ifndef TW_REPORT_PENDING_H
#define TW_REPORT_PENDING_H

#include "pcap-tools/report/report_impl.h"

#define TW_REPORT_PENDING_MAX   8192       /* events that wait; beyond it the oldest is printed as it is */
#define TW_REPORT_PENDING_BYTES (4u << 20) /* bytes of their records */

struct tw_report_pending;

/** tw_report_pending__new() - @report: borrowed. Return: NULL without memory */
struct tw_report_pending *tw_report_pending__new(struct tw_report *report);

/** tw_report_pending__event() - print an event, with the loss before it, or keep a copy. Return: 0, or a failure of write() */
int tw_report_pending__event(struct tw_report_pending *pending, struct tw_report_event *event);

/** tw_report_pending__lost() - print a loss before the next event of its CPU */
int tw_report_pending__lost(struct tw_report_pending *pending, struct tw_stream *stream, uint16_t cpu,
			    const struct tw_lost_view *lost);

/** tw_report_output__flush() - write the collected bytes. Return: 0, or the failure of this or an earlier write() */
int tw_report_output__flush(struct tw_report_output *out);

/** tw_report_pending__flush() - print all that waits: the end */
int tw_report_pending__flush(struct tw_report_pending *pending);

/** tw_report_pending__free() - NULL is fine */
void tw_report_pending__free(struct tw_report_pending *pending);

#endif
