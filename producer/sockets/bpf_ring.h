/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF ring of one CPU. Reading it gives sub-buffers with the layout of a trace ring (schema/ring_page.h), so the producer's code for
 * trace rings needs no second path.
 *
 * The records of the ring are in the order of their reservation. A program that an interrupt interrupts between the reservation and the
 * time stamp gets a later time than the programs of the interrupt, which reserve after it. The reader therefore sorts: a record is output
 * when all records that can be older have been read. A program takes its time after the reservation, so a record that is older than a
 * clock reading was reserved before this reading.
 */
#ifndef TW_BPF_RING_H
#define TW_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"
#include "producer/instance.h"
#include "producer/sockets/sockets.h"

#define TW_BPF_RING_WINDOW 512 /* limit of records that are sorted at a time */

/* A record that has been read, and is still in the memory of the ring. */
struct tw_bpf_ring_record {
	uint64_t time;
	uint64_t lost;   /* as in struct tw_sockts_head */
	uint64_t number; /* of its slot */
	const uint8_t *bytes;
	uint32_t len;
};

struct tw_bpf_ring {
	const struct tw_sockets *sockets;
	struct tw_sockts_cpu *cpu; /* its counters */
	bool counts_missed;        /* the events that programs missed count as lost by this ring */
	clockid_t clock;
	const uint8_t *slots;             /* @n_slots of TW_SOCKTS_SLOT_SIZE bytes */
	size_t n_slots;                   /* a power of two */
	unsigned long *doorbell_consumer; /* positions of the doorbell; it is readable while they differ */
	const unsigned long *doorbell_producer;
	uint64_t next;      /* number of the next slot to read */
	uint64_t last_time; /* time of the record that was put into @window last */
	struct tw_bpf_ring_record
		window[TW_BPF_RING_WINDOW]; /* sorted by time; @n of them, the first @at of which were output */
	size_t at, n;
	uint64_t lost;    /* lost events that sub-buffers have reported */
	uint64_t output;  /* number of records that were output */
	uint64_t skipped; /* number of records that have an impossible length; they count as lost */
	bool is_pending;  /* a record is reserved, but not complete */
};

/** tw_bpf_ring__open() - map the ring of a CPU. Return: 0; -ENODEV if there is none; another -errno with @error filled */
int tw_bpf_ring__open(const struct tw_sockets *sockets, unsigned int cpu, clockid_t clock, struct tw_bpf_ring **ret,
		      struct tw_error *error);

/**
 * tw_bpf_ring__read() - take records, and write them to a sub-buffer
 * @page: @size bytes, at least 4096
 * A sub-buffer ends before lost events, and the next one states their number. It also ends before a record that is older than the last one.
 * Return: length of the sub-buffer; 0 if there are no records to output
 */
size_t tw_bpf_ring__read(struct tw_bpf_ring *ring, uint8_t *page, size_t size);

/**
 * tw_bpf_ring__begin_wait() - make the next event ring the doorbell (tw_sockets__doorbell()). Return: false if there is nothing to wait
 * for, because the ring has events
 */
bool tw_bpf_ring__begin_wait(struct tw_bpf_ring *ring);

/** tw_bpf_ring__end_wait() - no event rings the doorbell any more */
void tw_bpf_ring__end_wait(struct tw_bpf_ring *ring);

/** tw_bpf_ring__stats() - get the counters. Lost events are in @dropped. Return: 0 or -errno */
int tw_bpf_ring__stats(const struct tw_bpf_ring *ring, struct tw_ring_stats *ret);

/** tw_bpf_ring__close() - unmap the ring; NULL is fine */
void tw_bpf_ring__close(struct tw_bpf_ring *ring);

#endif
