/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire stream`: what its files share, and the ways that a stream can go. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <linux/if_ether.h>
#include <stdio.h>

#include "cli/run_interface.h"
#include "cli/run_options.h"
#include "transport/receiver.h"
#include "vnet/limit.h"
#include "vnet/listeners.h"
#include "vnet/tx_udp.h"

struct stream;

/* A kind of output. What has nothing to do may be NULL: joined, summarize. */
struct stream_way {
	unsigned int events_per_frame;                    /* unless the user has chosen */
	bool (*leaves_host)(const struct stream *stream); /* events may; asked before anything is opened */
	int (*open)(struct stream *stream, const struct tw_producer *producer, struct tw_error *err);
	int (*open_sink)(struct stream *stream, unsigned int thread, struct tw_sink **ret, struct tw_error *err);
	/* As in struct tw_producer_options. */
	int (*open_questions)(struct stream *stream, struct tw_receiver **ret, struct tw_error *err);
	/* Somebody may have begun to listen. */
	bool (*joined)(struct stream *stream);
	/* Where events go, and, in parentheses that stay open, how: for a status line. */
	void (*tell)(const struct stream *stream, FILE *out);
	/* What else to say in the end. */
	void (*summarize)(const struct stream *stream, FILE *out);
	/* Also of what was opened half-way. Return: 0 or -errno */
	int (*close)(struct stream *stream, struct tw_error *err);
};

extern const struct stream_way stream_on_interface;
extern const struct stream_way stream_over_udp;

struct stream {
	struct run_config run; /* first: the options' config */
	const char *host;      /* of --udp */
	uint8_t destination[ETH_ALEN];
	bool has_destination;
	uint64_t rate; /* bits per second; 0 = no limit */
	uint64_t latency_ms;
	bool raw_pointers;

	const struct stream_way *way;
	struct tw_limit *limit;

	struct run_wire wire; /* on an interface */
	struct tw_listeners *listeners;

	struct tw_udp_address to; /* over UDP */
	struct tw_tx_udp *udp;
	char how[64]; /* transport of the first sink */

	_Atomic uint64_t refusals; /* how often a receiver has said that it does not take the stream */
	_Atomic uint16_t why;      /* the last time: enum tw_refused_why */
};

#endif
