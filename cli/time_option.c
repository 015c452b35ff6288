/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/time_option.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/time.h"

#define SECONDS_MAX 9000000000u /* in the year 2255; the sum of two such times in ns fits into 64 bits */

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "", TW_NS_PER_SECOND },
	{ "s", TW_NS_PER_SECOND },
	{ "ms", TW_NS_PER_MS },
	{ "us", 1000 },
	{ "ns", 1 },
	{ "min", 60 * TW_NS_PER_SECOND },
	{ "m", 60 * TW_NS_PER_SECOND },
	{ "h", 3600 * TW_NS_PER_SECOND },
};

/* Parses a number with an optional unit. Return: false if @text is something else, or too large */
static bool parse_span(const char *text, uint64_t *ret)
{
	uint64_t whole;
	uint32_t fraction;

	text += *text == '+';
	if (!tw_number__decimal(&text, &whole, &fraction))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name))
			continue;
		if (whole >= SECONDS_MAX * TW_NS_PER_SECOND / units[i].ns)
			return false;
		/* For units of a second or more, divide first: the product of @fraction (billionths) and an hour in ns exceeds 64 bits. */
		*ret = whole * units[i].ns + (units[i].ns >= TW_NS_PER_SECOND
						      ? fraction * (units[i].ns / TW_NS_PER_SECOND)
						      : fraction * units[i].ns / TW_NS_PER_SECOND);
		return true;
	}
	return false;
}

/* Reads a number of @digits_min to @digits_max digits and, unless @after is 0, the character @after, which must follow the number. */
static bool read_part(const char **at, size_t digits_min, size_t digits_max, char after, int *ret)
{
	const size_t n = strspn(*at, "0123456789");
	uint64_t value;

	if (n < digits_min || n > digits_max || !tw_number__digits(at, &value))
		return false;
	*ret = (int)value;
	if (after && **at != after)
		return false;
	*at += after != 0;
	return true;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	const bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static bool read_date(const char **at, struct tm *tm)
{
	int year, month, day;

	if (!read_part(at, 4, 4, '-', &year) || !read_part(at, 1, 2, '-', &month) || !read_part(at, 1, 2, 0, &day))
		return false;
	if (year < 1970 || year > 2250 || month < 1 || month > 12 || day < 1 || day > days_of(year, month))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return true;
}

/* Reads HH:MM, HH:MM:SS or HH:MM:SS.FRACTION. */
static bool read_clock(const char **at, struct tm *tm, uint32_t *ret_ns)
{
	uint64_t seconds = 0;

	if (!read_part(at, 1, 2, ':', &tm->tm_hour) || !read_part(at, 2, 2, 0, &tm->tm_min))
		return false;
	if (**at == ':') {
		++*at;
		if (strspn(*at, "0123456789") != 2 || !tw_number__decimal(at, &seconds, ret_ns))
			return false;
	}
	tm->tm_sec = (int)seconds;
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60;
}

/* Reads what follows the digits of a time: nothing, or a name of UTC. @ret_utc: whether UTC is named. Return: false for other texts */
static bool read_zone(const char *at, bool *ret_utc)
{
	*ret_utc = !strcmp(at, "Z") || !strcmp(at, "UTC") || !strcmp(at, " UTC");
	return *ret_utc || !*at;
}

/* Sets the date of @tm to that of @seconds in UTC. */
static void set_utc_date(time_t seconds, struct tm *tm)
{
	struct tm utc = { 0 };

	gmtime_r(&seconds, &utc);
	tm->tm_year = utc.tm_year;
	tm->tm_mon = utc.tm_mon;
	tm->tm_mday = utc.tm_mday;
}

/* Parses a date, a date with a time of day, or a time of day on the date of @now. @tm: @now in local time */
static bool parse_date(const char *text, time_t now, struct tm tm, uint64_t *ret)
{
	const bool has_date = text[strspn(text, "0123456789")] == '-';
	bool has_clock = !has_date, utc;
	uint32_t ns = 0;
	time_t seconds;

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	if (has_date && !read_date(&text, &tm))
		return false;
	if (has_date && (*text == ' ' || *text == 'T') && text[1] >= '0' && text[1] <= '9') {
		text++;
		has_clock = true;
	}
	if ((has_clock && !read_clock(&text, &tm, &ns)) || !read_zone(text, &utc))
		return false;
	if (utc && !has_date)
		set_utc_date(now, &tm);
	seconds = utc ? timegm(&tm) : mktime(&tm);
	if (seconds < 0)
		return false;
	*ret = (uint64_t)seconds * TW_NS_PER_SECOND + ns;
	return true;
}

/* Parses the words that journalctl accepts as times: now, yesterday, today, tomorrow. */
static bool parse_word(const char *text, uint64_t now, struct tm today, uint64_t *ret)
{
	static const char *const days[] = { "yesterday", "today", "tomorrow" };
	time_t midnight;

	if (!strcmp(text, "now")) {
		*ret = now;
		return true;
	}
	for (int i = 0; i < 3; i++) {
		if (strcmp(text, days[i]))
			continue;
		today.tm_mday += i - 1;
		today.tm_hour = today.tm_min = today.tm_sec = 0;
		today.tm_isdst = -1;
		midnight = mktime(&today);
		*ret = (uint64_t)midnight * TW_NS_PER_SECOND;
		return midnight >= 0;
	}
	return false;
}

static bool parse_epoch(const char *text, uint64_t *ret)
{
	uint64_t seconds;
	uint32_t ns;

	if (*text++ != '@' || !tw_number__decimal(&text, &seconds, &ns) || *text || seconds >= SECONDS_MAX)
		return false;
	*ret = seconds * TW_NS_PER_SECOND + ns;
	return true;
}

int time_option__parse(const char *option, const char *text, uint64_t now, struct tw_report_bound *ret,
		       struct tw_error *error)
{
	const time_t seconds = (time_t)(now / TW_NS_PER_SECOND);
	struct tm today = { 0 };

	if (*text == '-')
		return tw_error__set(error, -EINVAL,
				     "--%s '%s': a number is the time since the first event, and cannot be negative",
				     option, text);
	if (parse_span(text, &ret->ns)) {
		ret->kind = TW_REPORT_BOUND_RELATIVE;
		return 0;
	}
	localtime_r(&seconds, &today);
	if (parse_epoch(text, &ret->ns) || parse_word(text, now, today, &ret->ns) ||
	    parse_date(text, seconds, today, &ret->ns)) {
		ret->kind = TW_REPORT_BOUND_WALL;
		return 0;
	}
	return tw_error__set(
		error, -EINVAL,
		"--%s '%s' is not a time: give the time since the first event, for example 0.5 or 100ms, or "
		"a time of day, for example '2026-11-26 20:15:00', 20:15, today or @1700000000.5",
		option, text);
}
