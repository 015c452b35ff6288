/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that one thread at a time adds to and any thread reads. To add is a load and a store: it costs what it does in a plain
 * variable, where an atomic read-modify-write would lock the bus for writers that do not exist.
 */
#ifndef TW_COUNTER_H
#define TW_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

/** tw_counter__add() - by the one thread that counts there */
static inline void tw_counter__add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

/** tw_counter__read() - by any thread; other counters may be older or newer */
static inline uint64_t tw_counter__read(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
