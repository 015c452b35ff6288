/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets; included by sockets.bpf.h. The rings, one for each CPU, into which the programs write records. They are arrays of
 * slots, because the kernel's own rings for BPF programs take about six times as long for a record. bpf_ring.h reads them.
 *
 * A program can be interrupted by another one on the same CPU, so a slot is reserved by an atomic operation. The time is taken after the
 * reservation. A record with an older time than a clock reading is therefore in the ring before that reading, so the reader knows when it
 * has read all of them.
 */
#ifndef TW_SOCKETS_RINGS_BPF_H
#define TW_SOCKETS_RINGS_BPF_H

#define RESERVE_TRIES 4 /* only other programs that interrupt this one make a try fail */

struct sockets_slot {
	struct tw_sockts_head head;
	unsigned char record[TW_SOCKTS_SLOT_SIZE - sizeof(struct tw_sockts_head)];
};

struct sockets_ring {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* objects.c creates the real rings, with their sizes */
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct sockets_slot));
};

/* The ring of each CPU. */
struct sockets_rings {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* objects.c creates the real map, with an entry for each CPU */
	__type(key, uint32_t);
	__array(values, struct sockets_ring);
};

struct sockets_doorbell {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

/* For each CPU, the doorbell, which wakes the reader of its ring: one of the kernel's rings, which stays without records. */
struct sockets_doorbells {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* as above */
	__type(key, uint32_t);
	__array(values, struct sockets_doorbell);
};

extern struct sockets_rings rings SEC(".maps");
extern struct sockets_doorbells doorbells SEC(".maps");

/* Takes the number of the next slot. Return: whether one is free */
static __always_inline bool sockets__take_slot(struct tw_sockts_cpu *of_cpu, uint64_t *ret)
{
	volatile struct tw_sockts_cpu *const now = of_cpu;

#pragma clang loop unroll(disable)
	for (int i = 0; i < RESERVE_TRIES; i++) {
		const uint64_t number = now->reserved;

		/* signed: after @number was read, other programs may have reserved slots that the reader has already consumed */
		if ((int64_t)(number - now->consumed) > settings.last_slot)
			return false;
		if (__sync_val_compare_and_swap(&of_cpu->reserved, number, number + 1) == number) {
			*ret = number;
			return true;
		}
	}
	return false;
}

/*
 * Reserves a record of @size bytes, a constant, in the ring of this CPU. The caller sets all its bytes and submits it. Return: NULL if the
 * ring is full; the loss is counted
 */
static __always_inline void *sockets__reserve(uint32_t size)
{
	uint32_t cpu, index;
	struct tw_sockts_cpu *of_cpu = sockets__this_cpu(&cpu);
	struct sockets_slot *slot;
	uint64_t number;
	void *ring;

	if (!of_cpu)
		return NULL;
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!ring)
		return NULL;
	if (!sockets__take_slot(of_cpu, &number)) {
		__sync_fetch_and_add(&of_cpu->lost, 1);
		return NULL;
	}
	index = (uint32_t)number & settings.last_slot;
	slot = bpf_map_lookup_elem(ring, &index);
	if (!slot) /* never, but the verifier does not know it */
		return NULL;
	slot->head.state = TW_SOCKTS_COMPLETE(number) | TW_SOCKTS_BUSY;
	slot->head.lost = of_cpu->lost;
	slot->head.len = size;
	slot->head.time = sockets__now();
	return slot->record;
}

/* The head of a record that was reserved */
static __always_inline struct tw_sockts_head *sockets__head(const void *record)
{
	return (struct tw_sockts_head *)record - 1;
}

/* The time of a record that was reserved, by the stream's clock, ns */
static __always_inline uint64_t sockets__time(const void *record)
{
	return sockets__head(record)->time;
}

/*
 * Stores a word after all that was stored before. BPF has no instruction for that before Linux 6.15, but an exchange has the same effect.
 */
static __always_inline void sockets__store_last(__u64 *to, __u64 word)
{
	barrier();
	if (settings.stores_in_order)
		*(volatile __u64 *)to = word;
	else
		__sync_lock_test_and_set(to, word);
}

/* Wakes the reader of this CPU's ring. */
static __always_inline void sockets__ring_doorbell(uint32_t cpu)
{
	void *doorbell = bpf_map_lookup_elem(&doorbells, &cpu);
	void *nothing = doorbell ? bpf_ringbuf_reserve(doorbell, sizeof(uint64_t), 0) : NULL;

	if (nothing)
		bpf_ringbuf_discard(nothing, BPF_RB_FORCE_WAKEUP);
}

/*
 * Completes a record. Each record that was reserved must be submitted. A wake-up costs more than all the rest, and is needed only if the
 * reader sleeps. The reader sets @wants_wakeup, and then looks at the ring once more before it sleeps.
 */
static __always_inline void sockets__submit(void *record)
{
	struct tw_sockts_head *const head = sockets__head(record);
	uint32_t cpu;
	struct tw_sockts_cpu *of_cpu = sockets__this_cpu(&cpu);

	sockets__store_last(&head->state, head->state & ~TW_SOCKTS_BUSY);
	if (of_cpu && of_cpu->wants_wakeup) {
		of_cpu->wants_wakeup = 0;
		sockets__ring_doorbell(cpu);
	}
}

#endif
