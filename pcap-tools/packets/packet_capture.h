/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures packets on interfaces with libpcap, for a recording that has events and packets. Packets wait in a buffer of the kernel, which
 * counts those that do not fit. A capture belongs to one thread, except while it is opened.
 */
#ifndef TW_PACKET_CAPTURE_H
#define TW_PACKET_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TW_PACKET_CAPTURE_MAX    64          /* limit of interfaces */
#define TW_PACKET_CAPTURE_BUFFER (32u << 20) /* default size of an interface's buffer, bytes */
#define TW_PACKET_CAPTURE_LATE \
	100000000ull /* a packet is read within this time after its stamp, ns; later ones may be out of order */

struct tw_packet_capture_options {
	const char *const *interfaces; /* names; @n of them */
	size_t n;
	const char *filter; /* in the language of pcap-filter(7), for all interfaces; NULL = none */
	uint32_t snaplen;   /* bytes kept of a packet; 0 = the largest packet of a file */
	uint64_t buffer;    /* size of the buffer of an interface, bytes; 0 = TW_PACKET_CAPTURE_BUFFER */
};

/* An interface that is captured. */
struct tw_packet_interface {
	const char *name, *filter; /* filter: "" = none */
	uint16_t linktype;         /* LINKTYPE_ value */
	uint32_t snaplen;
};

/* Counters of an interface. */
struct tw_packet_counters {
	uint64_t received; /* packets that passed the filter, with those below */
	uint64_t dropped;  /* those that did not fit the buffer */
	uint64_t unread;   /* those that are still in the buffer, about */
	const char *gone;  /* why no more packets are captured; NULL = it goes on */
};

/* One packet, borrowed during the call. */
struct tw_captured_packet {
	size_t interface; /* index in the options */
	uint64_t time;    /* stamp of the kernel, converted to CLOCK_MONOTONIC, ns */
	uint32_t error;   /* bound of the error of the conversion, ns */
	const uint8_t *data;
	uint32_t len, original; /* captured bytes; length on the link */
};

/* Takes a packet. Return: 0, or -errno, which ends the reading */
typedef int tw_packet_capture_take(void *ctx, const struct tw_captured_packet *packet);

struct tw_packet_capture;

/**
 * tw_packet_capture__open() - begin to capture on all interfaces; none is put into promiscuous mode
 * Return: 0; -ENODEV if an interface does not exist; -EINVAL for an invalid filter; -EPERM, -ENETDOWN, -EIO; -ENOMEM
 */
int tw_packet_capture__open(const struct tw_packet_capture_options *options, struct tw_packet_capture **ret,
			    struct tw_error *error);

/** tw_packet_capture__close() - end the capture; NULL is fine */
void tw_packet_capture__close(struct tw_packet_capture *c);

/** tw_packet_capture__n() - number of interfaces */
size_t tw_packet_capture__n(const struct tw_packet_capture *c);

/** tw_packet_capture__interface() - describe an interface; its texts are borrowed */
void tw_packet_capture__interface(const struct tw_packet_capture *c, size_t i, struct tw_packet_interface *ret);

/**
 * tw_packet_capture__read() - take the packets that wait, but not without end
 * @ret_all: whether all packets that waited were taken
 *
 * An interface that goes away is left out from then on; see `gone` of its counters.
 *
 * Return: 0, or the result of @take.
 */
int tw_packet_capture__read(struct tw_packet_capture *c, tw_packet_capture_take *take, void *ctx, bool *ret_all);

/**
 * tw_packet_capture__stop() - capture no more packets; those in the buffers can still be read
 * When all are read, the sum of `dropped` and the packets that were taken is `received`.
 */
void tw_packet_capture__stop(struct tw_packet_capture *c);

/**
 * tw_packet_capture__counters() - the counters of an interface; `gone` is borrowed
 * To be called before 2^32 more packets were received, because those of libpcap have 32 bits.
 */
void tw_packet_capture__counters(struct tw_packet_capture *c, size_t i, struct tw_packet_counters *ret);

#endif
