/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets; included by sockets.bpf.h. Sampling: one in a number of messages has events, with all of its stages, and the others
 * have none.
 *
 * A sent message is a call of sendmsg() or a datagram. Those of each socket are counted, and the first of each N has events. A received
 * datagram is chosen in the same way by its number in its flow. A received segment of TCP passes stages at which its socket is not known
 * yet, so it is chosen by a hash of its last sequence number: on average one in N is. If N is multiplied, the chosen messages are a part
 * of those that were chosen before.
 */
#ifndef TW_SOCKETS_SAMPLING_BPF_H
#define TW_SOCKETS_SAMPLING_BPF_H

/* Return: N: one in N messages has events. 1 = all have */
static __always_inline uint32_t sockets__sample(void)
{
	const struct tw_sockts_cpu *of_cpu;
	uint32_t number, sample;

	if (!settings.has_samples)
		return 1;
	of_cpu = sockets__this_cpu(&number);
	sample = of_cpu ? of_cpu->sample : 1;
	return sample ? sample : 1;
}

/* Whether one of the @n messages whose last one has a number, counted from 0, is chosen */
static __always_inline bool sockets__samples_number(uint32_t number, uint32_t n)
{
	return !settings.has_samples || number % sockets__sample() < n;
}

/* Whether a segment of TCP is chosen. @key: sequence number of its last byte */
static __always_inline bool sockets__samples_key(uint32_t key)
{
	if (!settings.has_samples)
		return true;
	key ^= key >> 16; /* MurmurHash3's finalizer */
	key *= 0x85ebca6b;
	key ^= key >> 13;
	key *= 0xc2b2ae35;
	key ^= key >> 16;
	return key <= UINT32_MAX / sockets__sample();
}

/* Counts messages that have no events because they were not chosen. */
static __always_inline void sockets__count_unsampled(uint32_t n)
{
	uint32_t number;
	struct tw_sockts_cpu *of_cpu = sockets__this_cpu(&number);

	if (of_cpu)
		__sync_fetch_and_add(&of_cpu->unsampled, n);
}

#endif
