/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of sockets, from the socket events of a capture or of a live run: figures of flows and programs. */
#ifndef TW_SOCKET_TIMES_H
#define TW_SOCKET_TIMES_H

#include "filter/filter.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/sockets/follow.h"

struct tw_socket_times_options {
	const struct tw_filter *filter; /* events that do not match are ignored; NULL = none. Borrowed */
	void (*step)(void *ctx,
		     const struct tw_socket_step *step); /* called for each event of a flow; NULL = not called */
	void *ctx;
};

/* What was measured since the beginning, or since tw_socket_times__clear(). */
struct tw_socket_times_result {
	struct tw_event_reader_stats read;        /* since the beginning; its ledger is complete after the last event */
	struct tw_capture_filter_stats filtered;  /* since the beginning */
	struct tw_undecided_predicates undecided; /* of the filter; complete after the last event */
	uint64_t unknown;                         /* events whose format is unknown */
	uint64_t unreadable;  /* socket events that lack a field; since the beginning, as the counters below */
	uint64_t forgotten;   /* messages that were not followed to their end, for lack of room */
	uint64_t backwards;   /* stages that would end before they begin, which are left out */
	uint64_t stray_drops; /* dropped packets of no known flow */
	uint64_t socket_events;
	/* One in this number of messages has events: the smallest and the largest number; 0 = no event says so */
	uint64_t sample_min, sample_max;
	/* Received data were seen at the device, before their socket is known; before they were read; when they were read. Since the beginning */
	bool has_devices, has_arrivals, has_reads;
	bool has[TW_SOCKET_KIND_COUNT]; /* the events were selected, so a counter of 0 means that there was none */
	struct tw_socket_flow **flows;  /* those with events; the caller may change the order */
	size_t n_flows;
	struct tw_socket_program **programs;
	size_t n_programs;
	const struct tw_socket_figures *other_flows, *other_programs; /* for which the tables had no room */
	uint64_t n_other_flows;                                       /* since the beginning */
};

struct tw_socket_times;

/** tw_socket_times__new() - begin without events. @options: borrowed. Return: 0; -EINVAL if the filter is invalid; -ENOMEM */
int tw_socket_times__new(const struct tw_socket_times_options *options, struct tw_socket_times **ret,
			 struct tw_error *error);

/** tw_socket_times__free() - free @times, which may be NULL */
void tw_socket_times__free(struct tw_socket_times *times);

/**
 * tw_socket_times__read() - take the events of a capture; called once
 * @in: file descriptor of the capture; @name is its name in error texts
 * Return: 0; -EBADMSG if the capture is damaged: the events before the damage were taken; -ENODATA, -EPROTONOSUPPORT as from
 * tw_event_reader__check(); -ENOMEM; another -errno of reading.
 */
int tw_socket_times__read(struct tw_socket_times *times, int in, const char *name, struct tw_error *error);

/*
 * The same for the frames of a live run, in which the producer starts after tw_socket_times__begin(). tw_socket_times__end() takes the
 * events that the merge still holds, and completes the result. A failure of tw_socket_times__frame() is final.
 */
int tw_socket_times__begin(struct tw_socket_times *times, struct tw_error *error);
int tw_socket_times__frame(struct tw_socket_times *times, const void *data, size_t len, struct tw_error *error);
int tw_socket_times__end(struct tw_socket_times *times, struct tw_error *error);

/** tw_socket_times__result() - the figures so far; valid until the next call of another function. Return: NULL without memory */
const struct tw_socket_times_result *tw_socket_times__result(struct tw_socket_times *times);

/** tw_socket_times__clear() - begin new figures. Messages that are on their way stay: what they do later counts for the new figures */
void tw_socket_times__clear(struct tw_socket_times *times);

#endif
