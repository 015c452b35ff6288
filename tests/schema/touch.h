/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads all results of a format or a record to the last byte, so that a sanitizer checks each of them. */
#ifndef TOUCH_H
#define TOUCH_H

#include "schema/field.h"

void touch__bytes(const void *bytes, size_t len);
void touch__format(const struct tw_format *format);
/* Every value of every field. */
void touch__record(const struct tw_format *format, const struct tw_record *record);

#endif
