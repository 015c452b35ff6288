/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/formats_file.h"

#include <string.h>

static const char key[] = "system:";
#define KEY_LEN (sizeof(key) - 1)

static bool is_key_line(const char *at, const char *end)
{
	return (size_t)(end - at) >= KEY_LEN && !memcmp(at, key, KEY_LEN);
}

static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

static const char *find_key_line(const char *at, const char *end)
{
	while (at < end && !is_key_line(at, end))
		at = next_line(at, end);
	return at;
}

/* A decimal number that is the rest of the line; -1 if there is none. */
static long read_length(const char *at, const char *end)
{
	long n = -1;

	for (; at < end && *at >= '0' && *at <= '9' && n < TW_SCHEMA_TEXT_MAX; at++)
		n = (n < 0 ? 0 : n) * 10 + (*at - '0');
	return at < end && *at == '\n' ? n : -1;
}

bool tw_formats_file__next(struct tw_formats_file *file, struct tw_schema_text *ret)
{
	const char *at = find_key_line(file->at, file->end);
	const char *const end = file->end, *const text = next_line(at, end);
	size_t n = 0;
	long len;

	if (at == end)
		return false;
	at += KEY_LEN;
	at += at < text && *at == ' '; /* just one: an empty name stands for no system */
	while (at + n < text && at[n] != ' ' && at[n] != '\n')
		n++;
	if (n >= sizeof(file->system))
		return false;
	memcpy(file->system, at, n);
	file->system[n] = 0;
	at += n;

	len = at < text && *at == ' ' ? read_length(at + 1, text) : -1;
	if (len > end - text)
		return false;
	file->at = len < 0 ? find_key_line(text, end) : text + len;
	*ret = (struct tw_schema_text){ .system = file->system, .text = text, .len = (size_t)(file->at - text) };
	return true;
}
