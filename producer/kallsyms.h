/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols, from /proc/kallsyms. The kernel takes longer to produce them than a ring lasts at full rate. Therefore a thread
 * reads them, and lookups use the last complete table.
 */
#ifndef TW_KALLSYMS_H
#define TW_KALLSYMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "schema/symbols.h"

/*
 * Ranges of the kernel's code, in which most addresses printed as symbols lie: first address and the one after the last; both 0 = no
 * such range, or the kernel hides addresses.
 */
struct tw_kernel_text {
	uint64_t core_start, core_end;       /* the kernel image: _stext to _etext */
	uint64_t modules_start, modules_end; /* from the first function of a module to the last, whole pages */
};

/** tw_kernel_text__find() - @kallsyms: the file's text, NUL-terminated */
void tw_kernel_text__find(const char *kallsyms, struct tw_kernel_text *ret);

/* All zero except the path = nothing was read yet. */
struct tw_kallsyms {
	const char *path;
	struct tw_symbols *table;   /* NULL = none, or the kernel hides addresses */
	struct tw_kernel_text text; /* same type as the table */
	pthread_t thread;
	bool reading;
	atomic_bool done;
	struct tw_symbols *fresh; /* result of the thread; valid when done */
	struct tw_kernel_text fresh_text;
};

/** tw_kallsyms__read() - start to read; no effect while a read is running */
void tw_kallsyms__read(struct tw_kallsyms *kallsyms);

/**
 * tw_kallsyms__renew() - take over the result of a read
 * @wait: wait for the end of the read
 *
 * Return: whether there is a new table.
 */
bool tw_kallsyms__renew(struct tw_kallsyms *kallsyms, bool wait);

/**
 * tw_kallsyms__find() - the symbol that contains @address, and its size
 *
 * The name is borrowed until the next tw_kallsyms__renew().
 */
bool tw_kallsyms__find(const struct tw_kallsyms *kallsyms, uint64_t address, struct tw_symbol *ret);

/** tw_kallsyms__fini() - waits for the thread */
void tw_kallsyms__fini(struct tw_kallsyms *kallsyms);

#endif
