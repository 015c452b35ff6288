/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTP hardware clocks (PHC), /dev/ptpN: finding and reading them. They are never adjusted. A struct tw_phc_device belongs to one thread.
 *
 * A PHC is read between two readings of a clock of the system, or, if the hardware can, at the same instant. The shortest of several
 * readings is used; half of its duration bounds the error. The best method that the driver supports is used (enum tw_phc_method). The clock
 * of the system depends on the method. A reading of another clock at the same instant is computed from readings of both before and after.
 */
#ifndef TW_PHC_H
#define TW_PHC_H

#include <linux/ethtool.h>
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
	bool settled;             /* there was a reading: the driver has @method */
	char interface[IFNAMSIZ]; /* the interface by which the clock was found; "" = unknown */
	char name[TW_PHC_NAME];   /* name that the driver gives the clock; "" = unknown */
};

struct tw_phc_reading {
	uint64_t phc;      /* ns since the epoch of the clock */
	uint64_t system;   /* the clock of the system at the same instant, ns */
	uint64_t error_ns; /* largest distance between the instants of both readings, ns */
	uint8_t method;    /* enum tw_phc_method */
};

/** tw_phc__ts_info() - read which hardware clock and which time stamps an interface has. Return: 0; -ENODEV; another -errno */
int tw_phc__ts_info(const char *ifname, struct ethtool_ts_info *ret);

/**
 * tw_phc__of_interface() - open the hardware clock of a network interface
 * Return: 0; -ENODEV if there is no such interface; -EOPNOTSUPP if it has no hardware clock; -EACCES; another -errno. @error says it.
 */
int tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);

/**
 * tw_phc__at() - open /dev/ptp@index
 * Return: 0; -ENODEV if there is none, or no character device; -EACCES; another -errno. @error says it.
 */
int tw_phc__at(unsigned int index, struct tw_phc_device *ret, struct tw_error *error);

/** tw_phc__index_of() - get N of "N", "ptpN" or "/dev/ptpN". Return: false for another name */
bool tw_phc__index_of(const char *name, unsigned int *ret);

/** tw_phc__is_name() - whether a text can name a clock: as for tw_phc__index_of(), or an interface */
bool tw_phc__is_name(const char *name);

/** tw_phc__open() - open the clock of a name that the user gave (tw_phc__is_name()). Return: as for the functions above */
static inline int tw_phc__open(const char *name, struct tw_phc_device *ret, struct tw_error *error)
{
	unsigned int index;

	return tw_phc__index_of(name, &index) ? tw_phc__at(index, ret, error) : tw_phc__of_interface(name, ret, error);
}

/**
 * tw_phc__read() - read the clock, and a clock of the system at the same instant, by the best method of the driver
 * @on: the clock of the system
 * Return: 0; -EAGAIN if a clock of the system was set in between; -ENODEV if the PHC is gone; another -errno.
 */
int tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret);

/** tw_phc__close() - close the clock */
void tw_phc__close(struct tw_phc_device *phc);

#endif
