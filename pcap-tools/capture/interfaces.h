/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interfaces of a capture, from its blocks and packets: names, filters, packet counters, and the ledgers that Tracewire stored. All
 * texts are made printable.
 */
#ifndef TW_CAPTURE_INTERFACES_H
#define TW_CAPTURE_INTERFACES_H

#include "pcap-tools/capture/capture_file.h"
#include "stream/ledger.h"
#include "stream/stream.h"

#define TW_CAPTURE_INTERFACES_KEPT_MAX 4096 /* limit of the list; further interfaces of the file are ignored */

/* One interface of a section of the file. */
struct tw_capture_interface {
	uint32_t section, number; /* index of its section in the file; its number in that section */
	uint32_t linktype, snaplen;
	char name[128], description[512], filter[1024], os[128];
	uint64_t packets;
	const struct tw_stream *stream; /* the only stream with frames on it; NULL = no stream, or several */
	bool has_frames;                /* it has frames of any stream */
	bool has_counters;              /* it has a statistics block */
	uint64_t received, dropped;     /* isb_ifrecv, isb_ifdrop of its last statistics block; UINT64_MAX = unknown */
	bool has_ledger;
	struct tw_ledger ledger; /* from its last statistics block with a ledger */
};

/* It must be all zero before the first block. */
struct tw_capture_interfaces {
	struct tw_capture_interface *items; /* @n of them */
	uint32_t n;
	uint32_t n_sections;     /* number of sections so far */
	uint32_t section_begins; /* index of the current section's first interface */
};

/** tw_capture_interfaces__block() - take a block that was passed to a tw_capture_watch callback. Return: 0 or -ENOMEM */
int tw_capture_interfaces__block(struct tw_capture_interfaces *interfaces, const struct tw_capture_block *block);

/** tw_capture_interfaces__find() - find an interface of the current section. Return: NULL if the list does not have it */
struct tw_capture_interface *tw_capture_interfaces__find(const struct tw_capture_interfaces *interfaces,
							 uint32_t number);

/** tw_capture_interfaces__join() - record that an interface of the current section has a frame of @stream, which is borrowed */
void tw_capture_interfaces__join(const struct tw_capture_interfaces *interfaces, uint32_t number,
				 const struct tw_stream *stream);

/** tw_capture_interfaces__filter() - the filter on the first interface that has a filter and may have frames of @stream; "" = none */
const char *tw_capture_interfaces__filter(const struct tw_capture_interfaces *interfaces,
					  const struct tw_stream *stream);

/** tw_capture_interfaces__fini() - free the list */
void tw_capture_interfaces__fini(struct tw_capture_interfaces *interfaces);

#endif
