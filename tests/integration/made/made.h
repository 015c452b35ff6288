/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made streams for a real capture host: no kernel traced their events. The real encoder writes their frames, which real sockets send. Their
 * clocks are invented, so that the true times are known. Any failure ends the program with an error.
 */
#ifndef TW_TEST_MADE_H
#define TW_TEST_MADE_H

#include <linux/if_packet.h>
#include <netinet/in.h>

#include "base/time.h"
#include "wire/encode.h"

#define MADE_CHANNELS 8
#define MADE_STREAMS  256
#define MADE_WAITING  64
#define MADE_EPOCH    (1000 * TW_NS_PER_SECOND) /* reading of each stream's clock at the start of the program, ns */

#define MS TW_NS_PER_MS

struct made_stream;

/* A request that is being delayed, and later the response to it. */
struct made_answer {
	uint64_t at; /* end of the delay: time since the start of the program, ns; 0 = free entry */
	struct made_stream *stream;
	struct tw_time_sync_view exchange;
	struct sockaddr_storage to;
	socklen_t to_len;
	bool heard; /* the request has arrived at the stream, and @at is the time at which the response is sent */
};

/* A socket that several streams share. */
struct made_wire {
	int fd;
	bool link; /* true = Ethernet; false = UDP to this host */
	uint16_t port;
	struct sockaddr_ll to;
	struct made_stream *streams[MADE_STREAMS];
	size_t n_streams;
	struct made_answer waiting[MADE_WAITING];
	uint64_t answered;
};

void made_wire__udp(struct made_wire *w, uint16_t port);
void made_wire__link(struct made_wire *w, const char *ifname);
void made_wire__send(struct made_wire *w, const void *frame, size_t len);
/* With UDP, wait until the capture host's socket has at most CATCH_UP_BYTES of unread data, so that it drops no frame. */
void made_wire__let_catch_up(const struct made_wire *w);
/* With UDP, wait until the capture host has received all frames. */
void made_wire__let_take_all(const struct made_wire *w);

/**
 * made_wire__arrive() - wait until all frames that this program sent are in the receiving sockets
 *
 * The function sends a datagram to itself. The datagram arrives after all earlier frames, because the program stays on one CPU, whose queue
 * keeps the order.
 */
void made_wire__arrive(void);

/* Answer requests until @until, a time since the start of the program, ns. */
void made_wire__run(struct made_wire *w, uint64_t until);

/*
 * made_now() returns the time since the start of the program, ns; made_real() returns this host's wall clock at such a time, ns. The wall
 * clock must not be set while the program runs.
 */
uint64_t made_now(void);
uint64_t made_real(uint64_t now);

struct made_stream {
	/* Set by the caller. */
	uint64_t id;
	const char *name;
	uint16_t n_channels;
	int64_t ahead; /* the stream's wall clock minus this host's, at the start of the program, ns */
	double drift;  /* drift of the stream's clock against this host's, ns per ns */
	bool answers; /* the stream answers requests; a request is delayed by @there ns, the response to it by @back ns */
	uint64_t there, back;
	/* Internal state. */
	struct made_wire *wire;
	uint64_t seqs[MADE_CHANNELS + 1]; /* next sequence numbers by channel; index 0 = the control channel */
	uint64_t recorded;
	struct tw_frame frame;
	uint8_t buf[TW_FRAME_MAX + TW_COPY_STEP];
};

void made_stream__join(struct made_stream *s, struct made_wire *w);
/* Return: reading of the stream's clock, or of its wall clock, ns, at @now, a time since the start of the program */
uint64_t made_stream__time(const struct made_stream *s, uint64_t now);
uint64_t made_stream__real(const struct made_stream *s, uint64_t now);

/* Begin a frame of a channel; the caller adds events and ends it. */
void made_stream__begin(struct made_stream *s, uint16_t channel, uint64_t time);
/* Add an event of the task @pid to the frame that was begun. Return: false if the frame has no room */
bool made_stream__event(struct made_stream *s, uint64_t time, uint32_t pid);
void made_stream__end(struct made_stream *s);

/* Send a frame with one record. */
void made_stream__host(struct made_stream *s, uint64_t time);
void made_stream__clock(struct made_stream *s, const struct tw_clock_view *clock);
void made_stream__clock_now(struct made_stream *s, uint64_t now);
void made_stream__one_event(struct made_stream *s, uint16_t channel, uint64_t time, uint32_t pid);
void made_stream__watermark(struct made_stream *s, uint64_t time);
/* Send the stream's END five times. */
void made_stream__stop(struct made_stream *s, uint64_t time);

#endif
