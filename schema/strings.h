/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts in the traced kernel's memory. Records refer to such a text by its address; `printk_formats` of tracefs has addresses and texts. */
#ifndef TW_STRINGS_H
#define TW_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#define TW_STRINGS_MAX 65536 /* texts of one table */

struct tw_strings;

/** tw_strings__new() - make an empty table. Return: NULL if out of memory */
struct tw_strings *tw_strings__new(void);

/** tw_strings__free() - free @strings, which may be NULL */
void tw_strings__free(struct tw_strings *strings);

/**
 * tw_strings__parse() - add the text of printk_formats: lines of `0xADDRESS : "TEXT"`, with the escapes \n, \t, \r, \" and \\ in TEXT
 * Other lines are skipped. A later text for an address replaces an earlier text, also of an earlier call.
 * Return: 0; -E2BIG beyond TW_STRINGS_MAX or 64 MiB of texts, -ENOMEM. The lines before an error are kept.
 */
int tw_strings__parse(struct tw_strings *strings, const char *text, size_t len);

/** tw_strings__find() - the text at @address, escapes expanded. Return: NULL if unknown; borrowed until the text is replaced */
const char *tw_strings__find(const struct tw_strings *strings, uint64_t address);

/** tw_strings__memory() - memory of the table, bytes */
size_t tw_strings__memory(const struct tw_strings *strings);

#endif
