/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times and durations as text for people. */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include <stddef.h>
#include <stdint.h>

#define TIMES_TEXT_MAX 64

/** times__duration() - write a duration with three or four digits and its unit: "812 ns", "1.53 us", "12.3 ms". Return: @buf */
const char *times__duration(uint64_t ns, char *buf, size_t size);

/** times__bound() - the same for an error bound, which is rounded up; "unknown" for TW_ERROR_UNKNOWN */
const char *times__bound(uint64_t ns, char *buf, size_t size);

/** times__signed() - the same as times__duration(), with a sign. Return: @buf */
const char *times__signed(int64_t ns, char *buf, size_t size);

/** times__utc() - write a time, ns since 1970, as date and time of day with nine decimals, without "UTC". Return: @buf */
const char *times__utc(uint64_t ns, char *buf, size_t size);

#endif
