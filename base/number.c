/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define BILLION 1000000000u

static bool read_digits(const char **at, unsigned int base, uint64_t *ret)
{
	const char *const begin = *at;
	uint64_t value = 0;
	bool fits = true;

	for (; tw_number__digit(**at) < base; (*at)++)
		fits &= !__builtin_mul_overflow(value, base, &value) &&
			!__builtin_add_overflow(value, tw_number__digit(**at), &value);
	*ret = value;
	return fits && *at > begin;
}

bool tw_number__digits(const char **at, uint64_t *ret)
{
	return read_digits(at, 10, ret);
}

bool tw_number__hex(const char **at, uint64_t *ret)
{
	return read_digits(at, 16, ret);
}

bool tw_number__decimal(const char **at, uint64_t *ret, uint32_t *ret_billionths)
{
	uint32_t fraction = 0, place = BILLION / 10;
	const bool whole = **at != '.';

	*ret = 0;
	if (whole && !tw_number__digits(at, ret))
		return false;
	if (**at == '.') {
		if (!whole && tw_number__digit((*at)[1]) >= 10)
			return false;
		for ((*at)++; tw_number__digit(**at) < 10; (*at)++, place /= 10)
			fraction += tw_number__digit(**at) * place;
	}
	*ret_billionths = fraction;
	return true;
}

/* Return: the factor of a size suffix, bytes; 0 for another character. */
static uint64_t suffix_of(char c)
{
	return c == 'K' ? 1ull << 10 : c == 'M' ? 1ull << 20 : c == 'G' ? 1ull << 30 : 0;
}

static int no_number(const char *text, const char *at, bool size, struct tw_error *error)
{
	const char *wanted =
		size ? "write digits, optionally followed by K, M or G (1024, 1024^2 or 1024^3 bytes), such as 64M"
		     : "write digits only, such as 100";

	if (at == text)
		return tw_error__set(error, -EINVAL, "'%.64s' is not a number: %s", text, wanted);
	return tw_error__set(error, -EINVAL, "'%.64s' is not a number because of character %zu: %s", text,
			     (size_t)(at - text) + 1, wanted);
}

static int out_of_range(const char *text, uint64_t min, uint64_t max, uint64_t unit, struct tw_error *error)
{
	if (!min)
		return tw_error__set(error, -EINVAL, "the number %.64s is too large; %" PRIu64 " is the largest", text,
				     max / unit);
	return tw_error__set(error, -EINVAL, "the number %.64s is not in the range from %" PRIu64 " to %" PRIu64, text,
			     min / unit, max / unit);
}

int tw_number__parse(const char *text, const struct tw_number_rule *rule, uint64_t *ret, struct tw_error *error)
{
	const struct tw_number_rule any = { .max = UINT64_MAX }, *r = rule ? rule : &any;
	const uint64_t unit = r->unit ? r->unit : 1, max = r->max ? r->max : UINT64_MAX;
	const char *at = text;
	uint64_t value, times = unit;
	bool fits = tw_number__digits(&at, &value);

	if (at == text)
		return no_number(text, at, r->unit != 0, error);
	if (r->unit && suffix_of(*at))
		times = suffix_of(*at++);
	if (*at)
		return no_number(text, at, r->unit != 0, error);
	fits = fits && !__builtin_mul_overflow(value, times, &value);
	if (!fits || value < r->min || value > max)
		return out_of_range(text, r->min, max, unit, error);
	*ret = value;
	return 0;
}
