/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols, from /proc/kallsyms. At high event rates, a ring fills in less time than it takes to read this file. Therefore a
 * separate thread reads the file, and look-ups use the table of the last complete read.
 */
#ifndef TW_KALLSYMS_H
#define TW_KALLSYMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "schema/symbols.h"

/*
 * The ranges of the kernel's code. Most addresses that are printed as symbols are in these ranges. The end of a range is the address after
 * its last byte. If a range does not exist, or the kernel hides addresses, the start and the end of the range are 0.
 */
struct tw_kernel_text {
	uint64_t core_start, core_end;       /* the kernel image: _stext to _etext */
	uint64_t modules_start, modules_end; /* whole pages, from the first to the last function of any module */
};

/** tw_kernel_text__find() - find the ranges in the text of /proc/kallsyms, which is NUL-terminated */
void tw_kernel_text__find(const char *kallsyms, struct tw_kernel_text *ret);

/* The current table, and the thread that reads the next one. All zero except @path = nothing was read yet. */
struct tw_kallsyms {
	const char *path;
	struct tw_symbols *table;   /* NULL = not read yet, cannot be read, or the kernel hides addresses */
	struct tw_kernel_text text; /* the ranges, from the same read as @table */
	pthread_t thread;
	bool reading;
	atomic_bool done;
	struct tw_symbols *fresh; /* table read by the thread; valid if @done */
	struct tw_kernel_text fresh_text;
};

/** tw_kallsyms__read() - start a thread that reads the file; no effect if such a thread already runs */
void tw_kallsyms__read(struct tw_kallsyms *kallsyms);

/**
 * tw_kallsyms__renew() - replace the table by the table that the thread has read
 * @wait: wait for the end of the thread; false = no effect while the thread reads
 * Return: whether there is a new table.
 */
bool tw_kallsyms__renew(struct tw_kallsyms *kallsyms, bool wait);

/** tw_kallsyms__find() - find the symbol that contains @address, with its size; the name is borrowed until tw_kallsyms__renew() */
bool tw_kallsyms__find(const struct tw_kallsyms *kallsyms, uint64_t address, struct tw_symbol *ret);

/** tw_kallsyms__fini() - wait for the thread, then free the table */
void tw_kallsyms__fini(struct tw_kallsyms *kallsyms);

#endif
