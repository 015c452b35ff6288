/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters with one writing thread and any number of reading threads. An addition is a load and a store, as cheap as for a plain variable.
 * An atomic read-modify-write would need a locked instruction, which costs more. It is not needed, because only one thread writes.
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

/** tw_counter__read() - read the counter; called by any thread. Several counters cannot be read at the same instant */
static inline uint64_t tw_counter__read(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
