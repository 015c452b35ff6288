/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/cpu_mask.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define WORDS        (TW_CPU_MASK_CPUS / 32)
#define GROUP_DIGITS 8 /* number of digits between two commas of a mask */

struct cpu_mask {
	uint32_t words[WORDS]; /* CPU 0 is the lowest bit of the first word */
	const char *text;
	unsigned int cpus;
};

static int not_there(const struct cpu_mask *mask, uint64_t cpu, struct tw_error *error)
{
	return tw_error__set(error, -EINVAL, "'%s' names CPU %" PRIu64 ", but this machine has only CPUs 0 to %u",
			     mask->text, cpu, mask->cpus - 1);
}

static int neither(const char *text, struct tw_error *error)
{
	return tw_error__set(
		error, -EINVAL,
		"'%s' is not a set of CPUs: give a hexadecimal mask as in 'c', or CPUs as in '2-3' or '0,2'", text);
}

static int set(struct cpu_mask *mask, uint64_t cpu, struct tw_error *error)
{
	if (cpu >= mask->cpus)
		return not_there(mask, cpu, error);
	mask->words[cpu / 32] |= 1u << cpu % 32;
	return 0;
}

static unsigned int digit_value(char c)
{
	return isdigit((unsigned char)c) ? (unsigned int)(c - '0') : (unsigned int)(tolower(c) - 'a') + 10;
}

/*
 * Whether @text has the form of a mask: hexadecimal digits, and exactly GROUP_DIGITS of them after each comma, as the kernel writes masks.
 */
static bool is_mask(const char *text)
{
	size_t len = strspn(text, "0123456789abcdefABCDEF");

	while (len && text[len] == ',') {
		text += len + 1;
		len = strspn(text, "0123456789abcdefABCDEF");
		if (len != GROUP_DIGITS)
			return false;
	}
	return len && !text[len];
}

static int read_mask(struct cpu_mask *mask, const char *text, struct tw_error *error)
{
	unsigned long cpu = 0;

	for (size_t i = strlen(text); i-- > 0;) {
		if (text[i] == ',')
			continue;
		for (unsigned int bit = 0; bit < 4; bit++) {
			const int err = digit_value(text[i]) >> bit & 1 ? set(mask, cpu + bit, error) : 0;

			if (err)
				return err;
		}
		cpu += 4;
	}
	return 0;
}

static int read_list(struct cpu_mask *mask, const char *text, struct tw_error *error)
{
	uint64_t first, last;

	for (;; text++) {
		if (!tw_number__digits(&text, &first))
			return neither(mask->text, error);
		last = first;
		if (*text == '-') {
			text++;
			if (!tw_number__digits(&text, &last) || last < first)
				return neither(mask->text, error);
		}
		if (last >= mask->cpus)
			return not_there(mask, last, error);
		for (uint64_t cpu = first; cpu <= last; cpu++)
			set(mask, cpu, error);
		if (*text != ',')
			return *text ? neither(mask->text, error) : 0;
	}
}

static bool is_empty(const struct cpu_mask *mask)
{
	for (size_t i = 0; i < WORDS; i++)
		if (mask->words[i])
			return false;
	return true;
}

static void write_mask(const struct cpu_mask *mask, char *ret)
{
	size_t i = WORDS - 1, n;

	while (i && !mask->words[i])
		i--;
	n = (size_t)snprintf(ret, TW_CPU_MASK_TEXT, "%x", mask->words[i]);
	while (i-- > 0)
		n += (size_t)snprintf(ret + n, TW_CPU_MASK_TEXT - n, ",%08x", mask->words[i]);
}

int tw_cpu_mask__parse(const char *text, unsigned int cpus, char ret[TW_CPU_MASK_TEXT], struct tw_error *error)
{
	const char *digits = !strncasecmp(text, "0x", 2) ? text + 2 : text;
	struct cpu_mask mask = { .text = text, .cpus = cpus < TW_CPU_MASK_CPUS ? cpus : TW_CPU_MASK_CPUS };
	int err = 0;

	if (!strcmp(text, "-1"))
		for (unsigned int cpu = 0; cpu < mask.cpus; cpu++)
			set(&mask, cpu, error);
	else if (is_mask(digits))
		err = read_mask(&mask, digits, error);
	else
		err = read_list(&mask, text, error);
	if (!err && is_empty(&mask))
		err = tw_error__set(error, -EINVAL, "'%s' is a mask without a CPU: the mask of CPU 0 is 1", text);
	if (!err)
		write_mask(&mask, ret);
	return err;
}
