/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ptp4l (linuxptp) says of itself, by management messages over its socket in /run: IEEE 1588-2019, clause 15, and linuxptp's
 * TIME_STATUS_NP and PORT_PROPERTIES_NP. Once found nobody waits for it: questions go out with one call, what was answered comes with
 * the next.
 */
#ifndef TW_PTP4L_H
#define TW_PTP4L_H

#include <stdbool.h>
#include <stdint.h>

/* Port states of IEEE 1588-2019, table 20, as far as they matter. */
enum tw_ptp_state {
	TW_PTP_MASTER = 6,
	TW_PTP_UNCALIBRATED = 8,
	TW_PTP_SLAVE = 9,
	TW_PTP_GRAND_MASTER = 10, /* linuxptp's own */
};

#define TW_PTP4L_INTERFACE 32

struct tw_ptp4l_status {
	bool has_master; /* there is one, and we are not it */
	int64_t offset;  /* from the master as last measured, ns */
	int64_t path_delay; /* mean of the ways there and back, ns; half of their difference, by which the offset is wrong, is no more */
	int16_t utc_offset;  /* TAI - UTC, s */
	bool ptp_timescale;  /* the master's time is TAI; else it is its own, as with software time stamps */
	uint8_t state;       /* enum tw_ptp_state: of the port that follows the master, or of any */
	uint8_t time_stamps; /* 0 = software: it keeps CLOCK_REALTIME itself; else the network card's clock */
	char interface[TW_PTP4L_INTERFACE];
};

/* Which ptp4l answers: its domainNumber and transportSpecific. */
struct tw_ptp_profile {
	uint8_t domain, transport;
};

struct tw_ptp4l {
	int fd;
	unsigned int asked; /* rounds without an answer */
	bool found;         /* somebody answered, in that profile */
	struct tw_ptp_profile profile;
	uint16_t id; /* of ours, as a port's */
	uint16_t sequence;
	unsigned int have; /* what the next status has already, one bit a message */
	struct tw_ptp4l_status next;
};

/**
 * tw_ptp4l__open() - find it, in any of the common domains; waits 20 ms for it at most, not at all if there is none
 *
 * Without a ptp4l, or memory for a socket, there will be no answers.
 */
void tw_ptp4l__open(struct tw_ptp4l *ptp);

/**
 * tw_ptp4l__look() - what it has answered since the last call, and ask anew
 * Return: false if it has not answered all.
 */
bool tw_ptp4l__look(struct tw_ptp4l *ptp, struct tw_ptp4l_status *ret);

void tw_ptp4l__close(struct tw_ptp4l *ptp);

#endif
