/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives each text a number. Values of keys and groups that are texts, or that are shown as texts, are stored as these numbers. The texts
 * are untrusted.
 */
#ifndef TW_PAIR_NAMES_H
#define TW_PAIR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_PAIR_NAME_MAX  64    /* bytes, with the NUL; longer texts are cut */
#define TW_PAIR_NAMES_MAX 65536 /* further texts all have the number TW_PAIR_OTHER */
#define TW_PAIR_NO_NAME   0     /* not the number of a text */
#define TW_PAIR_OTHER     1

struct tw_pair_names;

/** tw_pair_names__new() - make an empty set. Return: NULL if out of memory */
struct tw_pair_names *tw_pair_names__new(void);

/** tw_pair_names__free() - free @names, which may be NULL */
void tw_pair_names__free(struct tw_pair_names *names);

/** tw_pair_names__add() - the number of a text; equal texts have equal numbers. Return: 0 if out of memory */
uint32_t tw_pair_names__add(struct tw_pair_names *names, const char *text, size_t len);

/** tw_pair_names__text() - the text of a number from tw_pair_names__add(), NUL-terminated and unescaped; "(others)" for TW_PAIR_OTHER */
const char *tw_pair_names__text(const struct tw_pair_names *names, uint64_t number);

/*
 * A cache for the names of values that must be formatted. @type is an address that identifies the type of @value, such as the address of
 * its field. No other type may have this address while the cache is used.
 * tw_pair_names__cached() returns the number of the name, or TW_PAIR_NO_NAME if the value is not in the cache. tw_pair_names__cache() adds
 * the value, if there is memory.
 */
uint32_t tw_pair_names__cached(const struct tw_pair_names *names, const void *type, uint64_t value);
void tw_pair_names__cache(struct tw_pair_names *names, const void *type, uint64_t value, uint32_t number);

#endif
