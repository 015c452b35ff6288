/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records made for a format, with values typical of kernels. */
#ifndef PRINT_RECORD_H
#define PRINT_RECORD_H

#include "schema/print.h"

#define PRINT_RECORD_SIZE      8192               /* maximum length of any of them, bytes */
#define PRINT_RECORD_KERNEL    0xffffffff81000000 /* address of its functions ... */
#define PRINT_RECORD_FUNCTIONS 8                  /* ... of 4 KiB each */

/**
 * print_record__make() - record @round of a format, in an order that tries one kind of values after the other
 * Return: its length, bytes
 */
uint32_t print_record__make(const struct tw_format *format, const struct tw_print *print, int round, uint8_t *record);

/**
 * print_record__printk() - text @i of the kernel that records of bprint and bputs refer to, as in printk_formats
 * Return: NULL after the last.
 */
const char *print_record__printk(size_t i, uint64_t *ret_address);

#endif
