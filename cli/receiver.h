/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that receives frames, and a thread that orders the events and writes pcapng: for the viewer of `live`, and for `capture`. */
#ifndef CLI_RECEIVER_H
#define CLI_RECEIVER_H

#include <sys/types.h>

#include "clocks/card_stamps.h"
#include "clocks/clock_poller.h"
#include "pcap-tools/admission/admission.h"
#include "pcap-tools/record/recorder.h"
#include "transport/receiver.h"

/* Buffer size of the struct tw_receiver in struct receiver_options, bytes; large, so that the writer may pause. */
#define RECEIVER_RING (32u << 20)

struct receiver_options {
	/* receiver__start() takes ownership of rx, recorder.output and recorder.packets, even if it fails. */
	struct tw_receiver *rx;
	struct tw_recorder_options recorder; /* its slots and slot_bytes are set by the receiver */
	/*
	 * True: senders may still send when receiver__finish() is called, and frames that arrive after the call are not recorded. If the
	 * interface goes down, the receiver waits until the interface is up again. False: senders have stopped when receiver__finish()
	 * is called, which takes frames until none is left. If the interface goes down, reception ends.
	 */
	bool others_send;
	struct tw_card_stamps
		*cards; /* for stamps of network cards; used by the receiver until its end; NULL = none are used */
	bool asks;      /* poll the producers' clocks, and limit the streams, because producers may be untrusted */
	/* of_one_source and unanswered: see struct tw_admission_options; used only if @asks is true */
	size_t of_one_source;
	uint64_t unanswered;
	/* Called periodically. Returns true when no more frames are needed. NULL = frames are needed until receiver__finish(). */
	bool (*is_over)(const void *ctx);
	const void *ctx;
};

struct receiver_stats {
	struct tw_archive_stats archive;
	struct tw_archive_report *streams; /* to be freed with free() */
	size_t n_streams;
	struct tw_receiver_stats rx;
	struct tw_clock_poller_stats asked;
	struct tw_refusals refusals; /* frames of streams that were not admitted */
	uint64_t too_long;           /* frames larger than the frame_max of @rx; not recorded */
};

struct receiver;

/**
 * receiver__start() - begin to receive
 *
 * stop__request() is called if the writer fails, or when reception ends. Reception may end before receiver__finish() is called: if is_over
 * returns true, the recorder is full, or receiving fails. Return: 0, or -errno with @error filled.
 */
int receiver__start(const struct receiver_options *options, struct receiver **ret, struct tw_error *error);

/** receiver__recorder() - the recorder, for tw_recorder__reports() and similar calls; borrowed until receiver__finish() */
struct tw_recorder *receiver__recorder(struct receiver *receiver);

/** receiver__stamp_by_cards() - whether to request transmit stamps of cards for requests: tw_sync_state.card_stamps; at first, no */
void receiver__stamp_by_cards(struct receiver *receiver, bool on);

/** receiver__crowded() - number of frames of streams that get no clock requests for lack of memory; any thread may call it */
uint64_t receiver__crowded(const struct receiver *receiver);

/** receiver__refusals() - get the numbers of refused frames, which are updated about every 100 ms; any thread may call it */
void receiver__refusals(struct receiver *receiver, struct tw_refusals *ret);

/** receiver__tid() - the kernel's id of the thread that receives; tw_recorder__tid() returns that of the thread that writes */
pid_t receiver__tid(const struct receiver *receiver);

/**
 * receiver__finish() - take the remaining frames, write them, end the threads and free the receiver
 * @ret: the accounting, also after a failure
 * Return: 0, also if the output has no reader any more; -errno of the recorder's failure or, if the recorder did not fail, the receiver's.
 */
int receiver__finish(struct receiver *receiver, struct receiver_stats *ret, struct tw_error *error);

#endif
