/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to events. The ledgers of the streams of a capture, as in `tracewire info`: the stored ledger if the file has one,
 * otherwise a ledger counted from the frames.
 */
#ifndef TW_EVENT_ACCOUNTING_H
#define TW_EVENT_ACCOUNTING_H

#include "pcap-tools/events/frames.h"
#include "pcap-tools/events/offsets.h"
#include "pcap-tools/events/reader_impl.h"

/* Counters and times of a stream, in tw_stream.user[] from its first frame on. */
struct tw_event_counts {
	uint64_t losses;   /* LOST records so far */
	uint64_t events;   /* in the file */
	uint64_t filtered; /* FILTERED events in frames that were not merged */
	uint64_t damaged;  /* events that cannot be read, in frames that were not merged */
	uint64_t receiver; /* events lost at the receiver, according to LOST records */
	struct tw_event_offsets offsets;
	bool has_stored;
	struct tw_ledger stored; /* the ledger that the writer of the file stored; valid if has_stored */
};

/** tw_event_accounting__stream() - find the counters of a stream, or add them. Return: NULL without memory */
struct tw_event_counts *tw_event_accounting__stream(struct tw_event_reader *reader, struct tw_stream *stream);

/** tw_event_accounting__lost() - count a LOST record */
void tw_event_accounting__lost(struct tw_stream *stream, struct tw_event_counts *s, const struct tw_tlv_view *tlv,
			       const struct tw_lost_view *lost);

/** tw_event_accounting__frame() - count the events of a frame. @events, @filtered: EVENT and FILTERED records that were found in it */
void tw_event_accounting__frame(struct tw_event_counts *s, const struct tw_event_frame *frame, uint64_t events,
				uint64_t filtered);

/** tw_event_accounting__finish() - make the ledgers, and add them up in the stats; called after tw_event_frames__flush() */
void tw_event_accounting__finish(struct tw_event_reader *reader);

/** tw_event_accounting__fini() - free the counters of all streams */
void tw_event_accounting__fini(struct tw_event_reader *reader);

#endif
