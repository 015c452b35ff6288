/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that receive frames, order them and write pcapng: for a viewer, or as a capture. */
#ifndef CLI_RECEIVER_H
#define CLI_RECEIVER_H

#include <sys/types.h>

#include "clocks/clock_poller.h"
#include "pcap-tools/admission/admission.h"
#include "pcap-tools/record/recorder.h"
#include "transport/receiver.h"

#define RECEIVER_RING \
	(32u << 20) /* buffer size for a struct tw_receiver used here, bytes, so that the writer may pause */

struct receiver_options {
	/* Owned by the receiver from the start on, also after a failure; the recorder's output too. */
	struct tw_receiver *rx;
	struct tw_recorder_options recorder; /* the output; number and size of slots are set by the receiver */
	/*
	 * The senders continue after the end: later frames are not taken, and an interface that goes down may come up again. If false,
	 * everything that was sent is taken.
	 */
	bool others_send;
	bool asks;            /* poll producers' clocks: they are on other machines, or strangers */
	size_t of_one_source; /* with asks: limits of struct tw_admission_options */
	uint64_t unanswered;
	bool (*is_over)(void *ctx); /* called from time to time: the frames are no longer wanted; NULL = never */
	void *ctx;
};

struct receiver_stats {
	struct tw_archive_stats archive;
	struct tw_archive_report *streams; /* to be freed with free() */
	size_t n_streams;
	struct tw_receiver_stats rx;
	struct tw_clock_poller_stats asked;
	struct tw_refusals refusals; /* of streams that were not admitted */
	uint64_t too_long;           /* frames larger than the frame_max of @rx; not taken */
};

struct receiver;

/**
 * receiver__start() - begin to receive
 *
 * If it ends by itself, because the frames are no longer wanted, the recorder is full or something failed, it calls stop__request().
 */
int receiver__start(const struct receiver_options *options, struct receiver **ret, struct tw_error *error);

/** receiver__recorder() - for tw_recorder__reports() and similar calls; borrowed until receiver__finish() */
struct tw_recorder *receiver__recorder(struct receiver *receiver);

/** receiver__crowded() - frames so far of streams whose clocks are not polled, because there are too many; called by any thread */
uint64_t receiver__crowded(const struct receiver *receiver);
/** receiver__refusals() - recent numbers; called by any thread */
void receiver__refusals(struct receiver *receiver, struct tw_refusals *ret);

/* The kernel's ids of its threads: the one that receives, and the one that writes. */
pid_t receiver__tid(const struct receiver *receiver);
pid_t receiver__writer_tid(const struct receiver *receiver);

/**
 * receiver__finish() - take the rest of the receiving ring, release everything, end the threads
 * @ret: the accounting, also after a failure
 * Return: 0, also if the frames were no longer wanted; otherwise the first failure.
 */
int receiver__finish(struct receiver *receiver, struct receiver_stats *ret, struct tw_error *error);

#endif
