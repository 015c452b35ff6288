/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates records for a format, with values that are typical of kernels. */
#ifndef PRINT_RECORD_H
#define PRINT_RECORD_H

#include "schema/print.h"

#define PRINT_RECORD_SIZE      8192               /* maximum length of a record, bytes */
#define PRINT_RECORD_KERNEL    0xffffffff81000000 /* address of the kernel's functions ... */
#define PRINT_RECORD_FUNCTIONS 8                  /* ... of 4 KiB each */

/**
 * print_record__make() - make a record of a format; @round selects the kind of its values
 * Return: its length, bytes
 */
uint32_t print_record__make(const struct tw_format *format, const struct tw_print *print, int round, uint8_t *record);

/**
 * print_record__printk() - get text number @i of printk_formats; records of bprint and bputs refer to these texts
 * Return: NULL after the last text.
 */
const char *print_record__printk(size_t i, uint64_t *ret_address);

#endif
