/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that receive frames, bring them into order and write pcapng: for a viewer, or as a capture. */
#ifndef CLI_RECEIVER_H
#define CLI_RECEIVER_H

#include <sys/types.h>

#include "clocks/clock_poller.h"
#include "pcap-tools/admission/admission.h"
#include "pcap-tools/record/recorder.h"
#include "transport/receiver.h"

#define RECEIVER_RING (32u << 20) /* bytes that a struct tw_receiver for it should hold, so that the writer may pause */

struct receiver_options {
	/* The receiver's from the start on, also of one that failed: so is the recorder's output. */
	struct tw_receiver *rx;
	struct tw_recorder_options recorder; /* where it goes; the receiver knows how many slots and how large */
	/*
	 * Who sends does not end with us: what arrives after the end is not taken, and an interface that goes down may come up again.
	 * Else everything that was sent is taken.
	 */
	bool others_send;
	bool asks;            /* producers for their clocks: they are other machines', or strangers */
	size_t of_one_source; /* with asks: see struct tw_admission_options; the same */
	uint64_t unanswered;
	bool (*is_over)(void *ctx); /* asked now and then: nobody wants any more; NULL = never */
	void *ctx;
};

struct receiver_stats {
	struct tw_archive_stats archive;
	struct tw_archive_report *streams; /* to be freed with free() */
	size_t n_streams;
	struct tw_receiver_stats rx;
	struct tw_clock_poller_stats asked;
	struct tw_refusals refusals; /* of streams that were not admitted */
	uint64_t too_long;           /* frames beyond the frame_max of @rx; not taken */
};

struct receiver;

/**
 * receiver__start() - receive from now on
 *
 * When it ends by itself, because nobody wants any more, the recorder is full or something broke, stop__request() is called.
 */
int receiver__start(const struct receiver_options *options, struct receiver **ret, struct tw_error *error);

/** receiver__recorder() - for tw_recorder__reports() and the like; borrowed until receiver__finish() */
struct tw_recorder *receiver__recorder(struct receiver *receiver);

/** receiver__crowded() - frames so far of streams that are not asked for their clocks, of which there are too many; any thread */
uint64_t receiver__crowded(const struct receiver *receiver);
/** receiver__refusals() - of late; any thread */
void receiver__refusals(struct receiver *receiver, struct tw_refusals *ret);

/* What its threads are called by the kernel: the one that receives, and the one that writes. */
pid_t receiver__tid(const struct receiver *receiver);
pid_t receiver__writer_tid(const struct receiver *receiver);

/**
 * receiver__finish() - take what is still in the receiving ring, let everything out, end the threads
 * @ret: the books, also after a failure
 * Return: 0, also when nobody reads any more; else the first failure.
 */
int receiver__finish(struct receiver *receiver, struct receiver_stats *ret, struct tw_error *error);

#endif
