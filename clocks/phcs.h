/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PTP hardware clocks that the CLOCK samples of a stream have readings of: those that the user names, that of the interface in use, and
 * the one that ptp4l adjusts. A clock that cannot be read never ends a run: one sentence says so, and tw_phcs__text() keeps it for HOST. A
 * clock that goes away, for example because its driver is loaded again, is read again when it is back.
 * A struct tw_phcs is used by one thread at a time.
 */
#ifndef TW_PHCS_H
#define TW_PHCS_H

#include "clocks/phc.h"
#include "wire/decode.h"

#define TW_PHCS_TEXT 256

struct tw_phcs_entry {
	struct tw_phc_device device; /* @device.fd -1 = not open */
	char name[IFNAMSIZ];         /* as the user named it */
	char why[32];                /* why there are no readings; "" = there are readings */
};

struct tw_phcs {
	struct tw_phcs_entry entries[TW_PHC_MAX];
	unsigned int n;
	bool full; /* the sentence about the limit was said */
	struct {
		int index;   /* of the clock that ptp4l uses; -1 = none */
		uint32_t ns; /* its error bound relative to the grandmaster, ns; 0 = unknown */
	} synced;
	/* Called with one sentence if a clock cannot be read; at the latest by the thread that samples the clocks. May be NULL. */
	void (*failed)(void *ctx, const char *sentence);
	void *ctx;
};

/** tw_phcs__init() - no clocks; @failed and @ctx: see struct tw_phcs */
void tw_phcs__init(struct tw_phcs *phcs, void (*failed)(void *ctx, const char *sentence), void *ctx);

/** tw_phcs__check_name() - whether a text can name clocks: IFACE, ptpN, /dev/ptpN, N or all. Return: 0 or -EINVAL, @error says it */
int tw_phcs__check_name(const char *name, struct tw_error *error);

/** tw_phcs__add() - add the clocks that the user names (tw_phcs__check_name()); says which of them cannot be read, and why */
void tw_phcs__add(struct tw_phcs *phcs, const char *name);

/** tw_phcs__add_interface() - add the clock of the interface in use, if the interface has one */
void tw_phcs__add_interface(struct tw_phcs *phcs, const char *ifname);

/** tw_phcs__set_synced() - add the clock that ptp4l uses, /dev/ptp@index, with its bound; @index: -1 = none. To be called once a second */
void tw_phcs__set_synced(struct tw_phcs *phcs, int index, uint32_t ns);

/**
 * tw_phcs__sample() - add readings of all clocks to a CLOCK
 * @trace: the clockid_t of the stream's clock; -1 = it is a clock of the trace rings, whose distance from MONO in @sample is used
 * @sample: was made just before; TRACE is in ns
 */
void tw_phcs__sample(struct tw_phcs *phcs, int trace, struct tw_clock_view *sample);

/** tw_phcs__text() - the attribute PHCS of HOST: "0 eth0 igb, 1 ptp_kvm, eth1: no hardware clock"; entries that do not fit are left out */
void tw_phcs__text(const struct tw_phcs *phcs, char ret[TW_PHCS_TEXT]);

/** tw_phcs__fini() - close all clocks */
void tw_phcs__fini(struct tw_phcs *phcs);

#endif
