/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of ptp4l (linuxptp), read with management messages over its socket, /run/ptp4l or /run/ptp/ptp4l: IEEE 1588-2019, clause 15,
 * and linuxptp's TIME_STATUS_NP and PORT_PROPERTIES_NP. Only answers that root sent count. Only tw_ptp4l__open() waits: each
 * tw_ptp4l__look() sends requests, and the next call reads the answers.
 */
#ifndef TW_PTP4L_H
#define TW_PTP4L_H

#include <stdbool.h>
#include <stdint.h>

/* Some of the port states of IEEE 1588-2019, table 20. */
enum tw_ptp_state {
	TW_PTP_MASTER = 6,
	TW_PTP_UNCALIBRATED = 8,
	TW_PTP_SLAVE = 9,
	TW_PTP_GRAND_MASTER = 10, /* specific to linuxptp */
};

#define TW_PTP4L_INTERFACE 32

struct tw_ptp4l_status {
	bool has_master;    /* ptp4l knows a master other than itself */
	int64_t offset;     /* last measured offset from the master, ns */
	int64_t path_delay; /* mean of the delays of both directions, ns; a bound of the error of @offset */
	int16_t utc_offset; /* TAI - UTC, s */
	bool utc_offset_valid, time_traceable; /* by the grandmaster's word */
	uint8_t clock_class, accuracy;         /* of the grandmaster: IEEE 1588-2019, tables 4 and 5 */
	bool ptp_timescale; /* true: the master's time is TAI; false: it is arbitrary, as with software time stamps */
	uint8_t grandmaster
		[8]; /* clock identity of the grandmaster: the clock at the root of the PTP network, which may be ptp4l's own */
	uint8_t state;       /* enum tw_ptp_state, of the port that follows a master, or else of any port */
	uint8_t time_stamps; /* 0 = software: ptp4l adjusts CLOCK_REALTIME; otherwise it adjusts the network card's clock */
	char interface[TW_PTP4L_INTERFACE]; /* network interface of the port of @state */
};

/* The header fields that must match for ptp4l to answer a message: domainNumber and transportSpecific. */
struct tw_ptp_profile {
	uint8_t domain, transport;
};

struct tw_ptp4l {
	int fd;         /* -1 = no socket */
	bool connected; /* @fd is connected to a socket of ptp4l */
	bool is_denied; /* there is a socket of ptp4l, and this process may not write to it, because it is not root */
	unsigned int asked; /* number of rounds of requests since the last answer */
	bool found;         /* ptp4l has answered requests with @profile */
	struct tw_ptp_profile profile;
	uint16_t id;                 /* source port number in requests */
	uint16_t sequence;           /* sequence number of the current round of requests */
	unsigned int have;           /* answers received in this round: bit n = request n */
	struct tw_ptp4l_status next; /* filled by the answers of this round */
};

/**
 * tw_ptp4l__open() - open a socket and find ptp4l in any of the common profiles; waits at most 20 ms, and only if ptp4l runs
 *
 * While ptp4l does not run, or if no socket could be opened, tw_ptp4l__look() returns false.
 */
void tw_ptp4l__open(struct tw_ptp4l *ptp);

/**
 * tw_ptp4l__look() - read the answers to the requests of the last call, and send new requests
 * Return: false, with @ret unchanged, if an answer is missing.
 */
bool tw_ptp4l__look(struct tw_ptp4l *ptp, struct tw_ptp4l_status *ret);

/**
 * tw_ptp4l__utc() - whether the grandmaster says that its time is traceable to UTC, and how exact it is
 *
 * It must say that its time is traceable, that it has the PTP timescale with a valid UTC offset, that it is synchronised to a primary
 * reference or within the specification of a holdover after that (clock class 6 or 7), and its accuracy.
 *
 * @ret_ns: largest distance from UTC, ns; unchanged if the return value is false
 */
bool tw_ptp4l__utc(const struct tw_ptp4l_status *status, uint32_t *ret_ns);

void tw_ptp4l__close(struct tw_ptp4l *ptp);

#endif
