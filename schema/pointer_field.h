/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fields have addresses in them: virtual ones, of the kernel or of programs. Formats don't say it of all, so there are
 * rules, the first that applies counts:
 *
 *   1. a pointer by its type, or printed by %p of any kind: always
 *   2. an unsigned integer, as wide as an address, that is called like one, as `ip`, `va_start` or `fault_address`: always;
 *      but not phys_, dma_ and dev_
 *   3. a long in the arguments or the result of a system call or a traced function: from 4 GiB on; what is below is a number
 *   4. any other unsigned integer of 8 bytes: where the kernel has its addresses
 *
 * Elements of arrays are like scalars. Physical addresses, frame numbers and addresses of devices are numbers.
 */
#ifndef TW_POINTER_FIELD_H
#define TW_POINTER_FIELD_H

#include "schema/print.h"

#define TW_POINTER_MIN        4096u           /* NULL and offsets from it are no addresses */
#define TW_POINTER_MIN_LARGE  (1ull << 32)    /* of rule 3 */
#define TW_POINTER_MIN_KERNEL (0xffull << 56) /* of rule 4: the half of the kernel, with up to 57 bits in use */
#define TW_POINTER_ERRORS     4095u           /* values up to -1 that are errors: IS_ERR_VALUE() of the kernel */

/**
 * tw_pointer_field__min() - which values of a field, or of its elements, are addresses
 * @print: of @format; NULL = not known, so that only types and names tell
 *
 * Return: the least value that is one; 0 = none is. The last TW_POINTER_ERRORS values of its width never are.
 */
uint64_t tw_pointer_field__min(const struct tw_format *format, const struct tw_print *print,
			       const struct tw_field *field);

#endif
