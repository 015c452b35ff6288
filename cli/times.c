/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/times.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/time.h"
#include "clocks/distance.h"
#include "wire/tracewire.h"

/* Finds the unit of a duration. @value: the duration, ns; it gets the number of units. Return: name of the unit; @ret_decimals: to print */
static const char *find_unit(double *value, int *ret_decimals)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	while (*value >= 999.5 && unit < sizeof(names) / sizeof(names[0]) - 1) {
		*value /= 1000;
		unit++;
	}
	*ret_decimals = !unit || *value >= 99.95 ? 0 : *value >= 9.995 ? 1 : 2;
	return names[unit];
}

const char *times__duration(uint64_t ns, char *buf, size_t size)
{
	double value = (double)ns;
	int decimals;
	const char *unit = find_unit(&value, &decimals);

	snprintf(buf, size, "%.*f %s", decimals, value, unit);
	return buf;
}

const char *times__bound(uint64_t ns, char *buf, size_t size)
{
	uint64_t step = 1;

	if (ns == TW_ERROR_UNKNOWN) {
		snprintf(buf, size, "unknown");
		return buf;
	}
	while (ns / step >= 1000)
		step *= 10;
	/* Three digits are kept; all below them is rounded up. */
	if (ns % step && ns <= UINT64_MAX - step)
		ns += step - ns % step;
	return times__duration(ns, buf, size);
}

const char *times__signed(int64_t ns, char *buf, size_t size)
{
	char text[TIMES_TEXT_MAX];

	snprintf(buf, size, "%c%s", ns < 0 ? '-' : '+', times__duration(tw_saturate__size(ns), text, sizeof(text)));
	return buf;
}

const char *times__utc(uint64_t ns, char *buf, size_t size)
{
	const time_t seconds = (time_t)(ns / TW_NS_PER_SECOND);
	struct tm tm;
	char text[TIMES_TEXT_MAX];

	if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, size, "%" PRIu64 " ns", ns);
	else
		snprintf(buf, size, "%s.%09u", text, (unsigned int)(ns % TW_NS_PER_SECOND));
	return buf;
}
