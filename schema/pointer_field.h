/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fields contain virtual addresses, of the kernel or of programs. Formats do not say it for all fields, so there are rules;
 * the first one that applies decides:
 *
 *   1. a pointer by its type, or printed by %p of any kind: always
 *   2. an unsigned integer with the size of an address and a name like `ip`, `va_start` or `fault_address`: always;
 *      but not phys_, dma_ and dev_
 *   3. a long in the arguments or the result of a system call or a traced function: from 4 GiB on; smaller values are numbers
 *   4. any other unsigned integer of 8 bytes: in the kernel's address range
 *
 * Elements of arrays are like scalars. Physical addresses, frame numbers and addresses of devices are numbers.
 */
#ifndef TW_POINTER_FIELD_H
#define TW_POINTER_FIELD_H

#include "schema/print.h"

#define TW_POINTER_MIN        4096u           /* NULL and small offsets from it are no addresses */
#define TW_POINTER_MIN_LARGE  (1ull << 32)    /* for rule 3 */
#define TW_POINTER_MIN_KERNEL (0xffull << 56) /* for rule 4: the kernel's half, with up to 57 bits in use */
#define TW_POINTER_ERRORS \
	4095u /* the largest values, down from -1, that are error codes: the kernel's IS_ERR_VALUE() */

/**
 * tw_pointer_field__min() - which values of a field, or of its elements, are addresses
 * @print: of @format; NULL = unknown, so that only types and names decide
 * Return: the smallest address; 0 = no value is one. The last TW_POINTER_ERRORS values of its width never are.
 */
uint64_t tw_pointer_field__min(const struct tw_format *format, const struct tw_print *print,
			       const struct tw_field *field);

#endif
