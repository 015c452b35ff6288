/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/strings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "schema/text_cursor.h"

#define LINE_MAX_BYTES (64 * 1024) /* longer lines are skipped; no kernel has one */
#define MALLOC_MIN     32          /* assumed overhead of malloc() for a text, bytes */
#define MEMORY_MAX     (64u << 20)

struct tw_strings {
	struct tw_hash_table texts; /* address -> char * */
	size_t memory;              /* bytes of texts, without their NULs */
};

struct tw_strings *tw_strings__new(void)
{
	struct tw_strings *strings = calloc(1, sizeof(*strings));

	if (strings)
		strings->texts = (struct tw_hash_table){ .key_size = sizeof(uint64_t),
							 .value_size = sizeof(char *),
							 .max = TW_STRINGS_MAX };
	return strings;
}

void tw_strings__free(struct tw_strings *strings)
{
	if (!strings)
		return;
	for (uint32_t i = 0; i < strings->texts.n; i++)
		free(*(char **)tw_hash_table__value(&strings->texts, i));
	tw_hash_table__fini(&strings->texts);
	free(strings);
}

/* Expands the escapes of a text, and stores the result at @to, unless @to is NULL. Return: length of the result */
static size_t unescape(struct tw_text text, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++, n++) {
		const bool escaped = text.at[i] == '\\' && i + 1 < text.len;
		const char c = text.at[i += escaped];

		if (to)
			to[n] = !escaped ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
	}
	return n;
}

static int set(struct tw_strings *strings, uint64_t address, struct tw_text text)
{
	char *copy, **value;
	size_t len;
	int err;

	text.len = strnlen(text.at, text.len); /* bytes after a NUL would not be shown */
	len = unescape(text, NULL);
	if (len > MEMORY_MAX - strings->memory)
		return -E2BIG;
	copy = malloc(len + 1);
	if (!copy)
		return -ENOMEM;
	unescape(text, copy);
	copy[len] = '\0';
	err = tw_hash_table__put_u64(&strings->texts, address, (void **)&value);
	if (err < 0) {
		free(copy);
		return err;
	}
	strings->memory += len - (*value ? strlen(*value) : 0);
	free(*value);
	*value = copy;
	return 0;
}

static bool parse_line(struct tw_text line, uint64_t *ret_address, struct tw_text *ret)
{
	if (line.len > LINE_MAX_BYTES)
		return false;
	tw_text__skip(&line, "0x");
	if (!tw_text__hex(&line, ret_address) || !tw_text__skip(&line, ":") || !tw_text__skip(&line, "\""))
		return false;
	line = tw_text__rtrim(line);
	if (!line.len || line.at[line.len - 1] != '"')
		return false;
	*ret = (struct tw_text){ line.at, line.len - 1 };
	return true;
}

int tw_strings__parse(struct tw_strings *strings, const char *text, size_t len)
{
	struct tw_text rest = { text, len }, line, found;
	uint64_t address;
	int err = 0;

	while (!err && tw_text__line(&rest, &line))
		if (parse_line(line, &address, &found))
			err = set(strings, address, found);
	return err;
}

const char *tw_strings__find(const struct tw_strings *strings, uint64_t address)
{
	return tw_hash_table__pointer(&strings->texts, address);
}

size_t tw_strings__memory(const struct tw_strings *strings)
{
	return sizeof(*strings) + tw_hash_table__memory(&strings->texts) + strings->texts.n * MALLOC_MIN +
	       strings->memory;
}
