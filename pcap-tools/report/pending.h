/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to report. A queue of events that wait before they are printed. An entry of the function graph waits for the next event of its
 * CPU, which may be its exit; events after the entry wait for it. Losses wait too: they are printed before the next event of their CPU.
 */
#ifndef TW_REPORT_PENDING_H
#define TW_REPORT_PENDING_H

#include "pcap-tools/report/report_impl.h"

#define TW_REPORT_PENDING_MAX   8192 /* limit of waiting events; beyond it, the oldest is printed without its exit */
#define TW_REPORT_PENDING_BYTES (4u << 20) /* the same limit, in bytes of their records */

struct tw_report_pending;

/** tw_report_pending__new() - @report: borrowed. Return: NULL without memory */
struct tw_report_pending *tw_report_pending__new(struct tw_report *report);

/** tw_report_pending__event() - print an event, with the loss before it, or keep a copy. Return: 0, -ENOMEM, or a failure of write() */
int tw_report_pending__event(struct tw_report_pending *pending, struct tw_report_event *event);

/** tw_report_pending__lost() - keep a loss, to be printed before the next event of its CPU. Return: 0, or a failure of write() */
int tw_report_pending__lost(struct tw_report_pending *pending, struct tw_stream *stream, uint16_t cpu,
			    const struct tw_lost_view *lost);

/** tw_report_output__flush() - write the collected bytes. Return: 0, or -errno of this or an earlier write() */
int tw_report_output__flush(struct tw_report_output *out);

/** tw_report_pending__flush() - print all waiting events and losses, at the end of the file */
int tw_report_pending__flush(struct tw_report_pending *pending);

/** tw_report_pending__free() - NULL is fine */
void tw_report_pending__free(struct tw_report_pending *pending);

#endif
