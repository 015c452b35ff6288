/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols, from /proc/kallsyms. Reading them takes the kernel longer than a ring lasts at full rate, so a thread
 * does it, and symbols are looked up in the table that was read last.
 */
#ifndef TW_KALLSYMS_H
#define TW_KALLSYMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "schema/symbols.h"

/*
 * Where the kernel's code lies: most addresses that are printed as symbols are in there. Each a first address and the one after the last;
 * both 0 = there is none, or the kernel tells no addresses.
 */
struct tw_kernel_text {
	uint64_t core_start, core_end;       /* the kernel's own: _stext to _etext */
	uint64_t modules_start, modules_end; /* from the first function of a module to the last, whole pages */
};

/** tw_kernel_text__find() - @kallsyms: the file's text, NUL-terminated */
void tw_kernel_text__find(const char *kallsyms, struct tw_kernel_text *ret);

/* All zero but for the path = nothing read yet. */
struct tw_kallsyms {
	const char *path;
	struct tw_symbols *table;   /* NULL = none, or the kernel tells no addresses */
	struct tw_kernel_text text; /* as the table */
	pthread_t thread;
	bool reading;
	atomic_bool done;
	struct tw_symbols *fresh; /* what the thread has read; valid when done */
	struct tw_kernel_text fresh_text;
};

/** tw_kallsyms__read() - begin to read; no effect while that goes on */
void tw_kallsyms__read(struct tw_kallsyms *kallsyms);

/**
 * tw_kallsyms__renew() - take over what was read
 * @wait: until it has been
 *
 * Return: whether there is a new table.
 */
bool tw_kallsyms__renew(struct tw_kallsyms *kallsyms, bool wait);

/**
 * tw_kallsyms__find() - the symbol that @address lies in, with its size
 *
 * The name is borrowed until the next tw_kallsyms__renew().
 */
bool tw_kallsyms__find(const struct tw_kallsyms *kallsyms, uint64_t address, struct tw_symbol *ret);

/** tw_kallsyms__fini() - waits for the thread */
void tw_kallsyms__fini(struct tw_kallsyms *kallsyms);

#endif
