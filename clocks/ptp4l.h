/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of ptp4l (linuxptp), by management messages over its socket in /run: IEEE 1588-2019, clause 15, and linuxptp's
 * TIME_STATUS_NP and PORT_PROPERTIES_NP. After ptp4l was found the caller never waits: one call sends the requests, the next one reads
 * the answers.
 */
#ifndef TW_PTP4L_H
#define TW_PTP4L_H

#include <stdbool.h>
#include <stdint.h>

/* Port states of IEEE 1588-2019, table 20, that are used. */
enum tw_ptp_state {
	TW_PTP_MASTER = 6,
	TW_PTP_UNCALIBRATED = 8,
	TW_PTP_SLAVE = 9,
	TW_PTP_GRAND_MASTER = 10, /* specific to linuxptp */
};

#define TW_PTP4L_INTERFACE 32

struct tw_ptp4l_status {
	bool has_master; /* there is a master, which is another clock */
	int64_t offset;  /* last measured offset from the master, ns */
	int64_t path_delay; /* mean of both path delays, ns; the offset is wrong by half of their difference, which is at most this */
	int16_t utc_offset; /* TAI - UTC, s */
	bool ptp_timescale; /* the master's time is TAI; otherwise it is arbitrary, as with software time stamps */
	uint8_t state;      /* enum tw_ptp_state: of the port that follows the master, otherwise of any port */
	uint8_t time_stamps; /* 0 = software time stamps: it adjusts CLOCK_REALTIME itself; otherwise the network card's clock */
	char interface[TW_PTP4L_INTERFACE];
};

/* The ptp4l that answers: its domainNumber and transportSpecific. */
struct tw_ptp_profile {
	uint8_t domain, transport;
};

struct tw_ptp4l {
	int fd;
	unsigned int asked; /* rounds without an answer */
	bool found;         /* there was an answer, in that profile */
	struct tw_ptp_profile profile;
	uint16_t id; /* port number used in requests */
	uint16_t sequence;
	unsigned int have; /* messages received for the next status, one bit each */
	struct tw_ptp4l_status next;
};

/**
 * tw_ptp4l__open() - find ptp4l in any of the common domains; waits at most 20 ms, and not at all if there is none
 *
 * Without a ptp4l, or memory for a socket, there are no answers.
 */
void tw_ptp4l__open(struct tw_ptp4l *ptp);

/**
 * tw_ptp4l__look() - read the answers since the last call, and send new requests
 * Return: false if answers are missing.
 */
bool tw_ptp4l__look(struct tw_ptp4l *ptp, struct tw_ptp4l_status *ret);

void tw_ptp4l__close(struct tw_ptp4l *ptp);

#endif
