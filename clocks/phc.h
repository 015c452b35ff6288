/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTP hardware clocks (PHC), /dev/ptpN: finding and reading them. They are never adjusted. A struct tw_phc_device belongs to one thread.
 *
 * A PHC is read between two readings of a clock of the system, or, if the hardware can, at the same instant. The shortest of several
 * readings is used; half of its duration bounds the error. The best method that the driver supports is used (enum tw_phc_method).
 */
#ifndef TW_PHC_H
#define TW_PHC_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "wire/decode.h"

#define TW_PHC_NAME 48

struct tw_phc_device {
	int fd;
	uint16_t index;           /* /dev/ptpN */
	uint8_t method;           /* enum tw_phc_method of the next reading */
	char interface[IFNAMSIZ]; /* the interface by which the clock was found; "" = unknown */
	char name[TW_PHC_NAME];   /* name that the driver gives the clock; "" = unknown */
};

struct tw_phc_reading {
	uint64_t phc;      /* ns since the epoch of the clock */
	uint64_t system;   /* @base at the same instant, ns */
	clockid_t base;    /* CLOCK_REALTIME, CLOCK_MONOTONIC_RAW or CLOCK_MONOTONIC */
	uint64_t error_ns; /* largest distance between the instants of both readings, ns */
	uint8_t method;    /* enum tw_phc_method */
};

/**
 * tw_phc__of_interface() - open the hardware clock of a network interface
 * Return: 0; -ENODEV if there is no such interface; -EOPNOTSUPP if it has no hardware clock; -EACCES; another -errno. @error says it.
 */
int tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);

/** tw_phc__at() - open /dev/ptp@index. Return: 0; -ENODEV if there is none; -EACCES; another -errno. @error says it */
int tw_phc__at(unsigned int index, struct tw_phc_device *ret, struct tw_error *error);

/** tw_phc__read() - read the clock by the best method of its driver. Return: false if it cannot be read: it is gone, for example */
bool tw_phc__read(struct tw_phc_device *phc, struct tw_phc_reading *ret);

/** tw_phc_reading__in() - convert the instant of a recent reading to @clock, ns. reading->error_ns grows by the error of the conversion */
uint64_t tw_phc_reading__in(struct tw_phc_reading *reading, clockid_t clock);

/** tw_phc__close() - close the clock */
void tw_phc__close(struct tw_phc_device *phc);

#endif
