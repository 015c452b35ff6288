/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records made up for a format, with values as kernels have them. */
#ifndef PRINT_RECORD_H
#define PRINT_RECORD_H

#include "schema/print.h"

#define PRINT_RECORD_SIZE      8192               /* bytes that any of them takes at most */
#define PRINT_RECORD_KERNEL    0xffffffff81000000 /* where its functions begin ... */
#define PRINT_RECORD_FUNCTIONS 8                  /* ... of 4 KiB each */

/**
 * print_record__make() - the @round-th record of a format, in an order that tries one kind of values after the other
 * Return: its length, bytes
 */
uint32_t print_record__make(const struct tw_format *format, const struct tw_print *print, int round, uint8_t *record);

/**
 * print_record__printk() - the @i-th text of the kernel that records of bprint and bputs name, as printk_formats has it
 * Return: NULL behind the last.
 */
const char *print_record__printk(size_t i, uint64_t *ret_address);

#endif
