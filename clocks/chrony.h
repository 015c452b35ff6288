/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of chronyd, from the report `tracking` of its monitoring protocol (candm.h of chrony, version 6). The report is open to every
 * program of the machine over UDP on the loopback address. The command socket in /run/chrony would need a socket file of our own in that
 * directory. The socket is connected, so the kernel drops datagrams of other addresses and ports. A program that answers on this port has
 * root's permission to use it, unless the administrator has lowered the sysctl net.ipv4.ip_unprivileged_port_start to 323 or less.
 *
 * Only tw_chrony__open() waits: each tw_chrony__look() sends a request, and the next call reads the answer.
 */
#ifndef TW_CHRONY_H
#define TW_CHRONY_H

#include <stdbool.h>
#include <stdint.h>

struct tw_chrony_status {
	bool synchronised; /* false: chronyd has no source, or has not synchronised the clock yet */
	bool is_local;     /* chronyd serves its own clock, without a source */
	uint16_t stratum;
	char refclock
		[5]; /* name of the reference clock, such as "PPS"; "" = an NTP server, or a clock without a printable name */
	/* Largest distance of the clock from the reference of stratum 1, ns: |offset| + root delay / 2 + root dispersion; UINT64_MAX */
	uint64_t error_ns;
};

struct tw_chrony {
	int fd; /* -1 = no socket */
	uint32_t sequence;
	unsigned int refused; /* looks until the next request, because nothing listened at the last one */
};

/** tw_chrony__open() - send a request; waits at most 20 ms, and only if a program listens on the port */
void tw_chrony__open(struct tw_chrony *chrony);

/** tw_chrony__look() - read the answer to the last request, and send a new one. Return: false, with @ret unchanged, without an answer */
bool tw_chrony__look(struct tw_chrony *chrony, struct tw_chrony_status *ret);

/** tw_chrony__parse() - parse an answer to the request @sequence. Return: false, with @ret unchanged, if it is none */
bool tw_chrony__parse(const uint8_t *data, uint64_t len, uint32_t sequence, struct tw_chrony_status *ret);

void tw_chrony__close(struct tw_chrony *chrony);

#endif
