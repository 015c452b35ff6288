/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fields contain virtual addresses, of the kernel or of programs. Formats do not declare all such fields as pointers, so this file
 * has rules. They apply to fields of 4 or 8 bytes, and to elements of this size in arrays. Common fields have no addresses. The first rule
 * that applies decides which values are addresses:
 *
 *   1. a pointer by its type, or a field whose value is printed by any kind of %p: values from TW_POINTER_MIN on
 *   2. an unsigned integer of at least the size of an address, whose name is like `ip`, `va_start` or `fault_address`, and does not begin
 *      with phys_, dma_ or dev_: values from TW_POINTER_MIN on
 *   3. an integer of 8 bytes that is an argument or the result of a system call (in the system `syscalls`, each field of the type long or
 *      unsigned long) or of a traced function: values from TW_POINTER_MIN_LARGE on
 *   4. any other unsigned integer of 8 bytes: values from TW_POINTER_MIN_KERNEL on
 *
 * Physical addresses, page frame numbers and addresses of devices are not virtual addresses.
 */
#ifndef TW_POINTER_FIELD_H
#define TW_POINTER_FIELD_H

#include "schema/print.h"

#define TW_POINTER_MIN        4096u           /* NULL and small offsets from it are no addresses */
#define TW_POINTER_MIN_LARGE  (1ull << 32)    /* 4 GiB; for rule 3 */
#define TW_POINTER_MIN_KERNEL (0xffull << 56) /* for rule 4: lowest kernel address, with up to 57 bits in use */
#define TW_POINTER_ERRORS \
	4095u /* number of error codes: the values from -4095 to -1, as in the kernel's IS_ERR_VALUE() */

/**
 * tw_pointer_field__min() - which values of a field, or of its elements, are addresses
 * @print: compiled from @format; NULL = not compiled: only types and names decide
 * Return: the smallest address; 0 = no value is an address. The largest TW_POINTER_ERRORS values of the field's size are no addresses; the
 * caller checks this.
 */
uint64_t tw_pointer_field__min(const struct tw_format *format, const struct tw_print *print,
			       const struct tw_field *field);

#endif
