/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hardware clock of a network card (PTP hardware clock). */
#ifndef TW_PHC_H
#define TW_PHC_H

#include <stdint.h>

struct tw_phc_reading {
	uint64_t phc;      /* ns, of whatever epoch the clock has */
	uint64_t real;     /* CLOCK_REALTIME at the same instant, ns */
	uint64_t error_ns; /* they are no further apart than this */
};

/**
 * tw_phc__open() - that of an interface
 * Return: a descriptor; -ENODEV if there is no such interface, or it has none; another -errno.
 */
int tw_phc__open(const char *ifname);

/** tw_phc__read() - by hardware where that can take both times at once, else the tightest of some readings. Return: 0 or -errno */
int tw_phc__read(int fd, struct tw_phc_reading *ret);

#endif
