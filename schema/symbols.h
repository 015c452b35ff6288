/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of a traced kernel's addresses, from SYMBOL records or a recording's kallsyms. */
#ifndef TW_SYMBOLS_H
#define TW_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_SYMBOLS_MAX        (4u << 20)   /* symbols of one table */
#define TW_SYMBOLS_MEMORY_MAX (256u << 20) /* bytes of one table */
#define TW_SYMBOL_NAME_MAX    512          /* bytes; the kernel's KSYM_NAME_LEN since 6.1 */

struct tw_symbols;

struct tw_symbol {
	uint64_t address;
	uint64_t size;      /* bytes; 0 = up to the next symbol */
	const char *name;   /* NUL-terminated, borrowed from the table */
	const char *module; /* NULL = the kernel itself, or unknown */
};

/** tw_symbols__new() - make an empty table. Return: NULL if out of memory */
struct tw_symbols *tw_symbols__new(void);

/** tw_symbols__free() - free @symbols, which may be NULL */
void tw_symbols__free(struct tw_symbols *symbols);

/**
 * tw_symbols__add() - add a symbol; its name and its module, which may be NULL, are copied
 * If several symbols have the same address, a look-up of this address finds the one that was added first, as in the kernel.
 * Return: 0; -E2BIG beyond a limit, -EINVAL for an empty name, -ENOMEM.
 */
int tw_symbols__add(struct tw_symbols *symbols, uint64_t address, uint64_t size, const char *name, size_t len,
		    const char *module, size_t module_len);

/** tw_symbols__parse() - add the symbols of a text like /proc/kallsyms, and skip lines without a symbol. Return: as tw_symbols__add() */
int tw_symbols__parse(struct tw_symbols *symbols, const char *text, size_t len);

/** tw_symbols__find() - find the symbol that contains @address; this may sort the table. Return: false if there is none */
bool tw_symbols__find(struct tw_symbols *symbols, uint64_t address, struct tw_symbol *ret);

/** tw_symbols__count() - number of symbols; tw_symbols__at(): symbol @i, from 0, in order of address; false past the last */
size_t tw_symbols__count(struct tw_symbols *symbols);
bool tw_symbols__at(struct tw_symbols *symbols, size_t i, struct tw_symbol *ret);

/** tw_symbols__memory() - memory of the table, bytes */
size_t tw_symbols__memory(const struct tw_symbols *symbols);

#endif
