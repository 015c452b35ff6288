/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters with one writing thread and any number of reading threads. Adding is a load and a store, as cheap as for a plain variable. An
 * atomic read-modify-write would need a locked instruction, which costs more, and a single writer does not need it.
 */
#ifndef TW_COUNTER_H
#define TW_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

/** tw_counter__add() - add @n; called only by the thread that owns the counter */
static inline void tw_counter__add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

/** tw_counter__read() - read the counter; called by any thread. Counters that are read one after the other are of different times */
static inline uint64_t tw_counter__read(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
