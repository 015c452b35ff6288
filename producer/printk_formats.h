/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts in the kernel's memory that events name by address: printk_formats of tracefs. */
#ifndef TW_PRINTK_FORMATS_H
#define TW_PRINTK_FORMATS_H

#include "producer/pointers/pointers.h"
#include "schema/format.h"

/** tw_printk_formats__are_named_by() - whether an event prints a text that lies in the kernel's memory and not in the record */
bool tw_printk_formats__are_named_by(const struct tw_format *format);

/**
 * tw_printk_formats__read() - of a text that is too long for a stream, the lines that are not
 * @pointers: hidden in it; NULL = none are
 *
 * Return: NULL if there are none, or without memory; free().
 */
char *tw_printk_formats__read(const char *tracing_dir, const struct tw_hashed_pointers *pointers);

#endif
