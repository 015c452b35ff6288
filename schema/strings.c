/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/strings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/text.h"

#define LINE_MAX_BYTES (64 * 1024) /* a longer text is no format of a kernel's */
#define MALLOC_LEAST   32          /* bytes that a text takes, however short */
#define MEMORY_MAX     (64u << 20)

struct slot {
	uint64_t address;
	char *text; /* NULL = free */
};

/* Open addressing; the table is never more than half full. */
struct tw_strings {
	struct slot *slots;
	size_t n, n_slots; /* a power of two */
	size_t memory;     /* bytes of texts */
	uint64_t seed;     /* of the hash, so that nobody can choose addresses that fall on one place */
};

struct tw_strings *tw_strings__new(void)
{
	struct tw_strings *strings = calloc(1, sizeof(*strings));

	if (strings && getentropy(&strings->seed, sizeof(strings->seed)))
		strings->seed = (uintptr_t)strings; /* better than nothing */
	return strings;
}

void tw_strings__free(struct tw_strings *strings)
{
	if (!strings)
		return;
	for (size_t i = 0; i < strings->n_slots; i++)
		free(strings->slots[i].text);
	free(strings->slots);
	free(strings);
}

/* Return: the slot of the address, or the free one where it would go. */
static struct slot *slot_of(struct slot *slots, size_t n_slots, uint64_t seed, uint64_t address)
{
	uint64_t hash = (address ^ seed) * 0x9e3779b97f4a7c15u;
	size_t i;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	i = (size_t)(hash >> 32) & (n_slots - 1);
	while (slots[i].text && slots[i].address != address)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static int grow(struct tw_strings *strings)
{
	const size_t n_slots = strings->n_slots ? 2 * strings->n_slots : 64;
	struct slot *slots;

	if (strings->n < strings->n_slots / 2)
		return 0;
	slots = calloc(n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < strings->n_slots; i++)
		if (strings->slots[i].text)
			*slot_of(slots, n_slots, strings->seed, strings->slots[i].address) = strings->slots[i];
	free(strings->slots);
	strings->slots = slots;
	strings->n_slots = n_slots;
	return 0;
}

static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

/* Bytes of the text without its escapes. */
static size_t unescaped_len(struct tw_text text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++, n++)
		i += text.at[i] == '\\' && i + 1 < text.len;
	return n;
}

/* @len: as unescaped_len() tells it, so that what is counted is what is taken */
static char *copy_unescaped(struct tw_text text, size_t len)
{
	char *copy = malloc(len + 1), *at = copy;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '\\' && i + 1 < text.len)
			*at++ = unescape(text.at[++i]);
		else
			*at++ = text.at[i];
	}
	*at = '\0';
	return copy;
}

static int set(struct tw_strings *strings, uint64_t address, struct tw_text text)
{
	int err = grow(strings);
	struct slot *slot;
	size_t len;
	char *copy;

	if (err)
		return err;
	text.len = strnlen(text.at, text.len); /* nobody would see what is behind a NUL */
	len = unescaped_len(text);
	slot = slot_of(strings->slots, strings->n_slots, strings->seed, address);
	if (len > MEMORY_MAX - strings->memory || (!slot->text && strings->n == TW_STRINGS_MAX))
		return -E2BIG;
	copy = copy_unescaped(text, len);
	if (!copy)
		return -ENOMEM;
	strings->memory += len;
	if (slot->text)
		strings->memory -= strlen(slot->text);
	else
		strings->n++;
	free(slot->text);
	*slot = (struct slot){ address, copy };
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool cut_address(struct tw_text *line, uint64_t *ret)
{
	uint64_t value = 0;
	size_t n = 0;

	tw_text__skip(line, "0x");
	*line = tw_text__ltrim(*line);
	for (; n < line->len && n < 16 && hex_digit(line->at[n]) >= 0; n++)
		value = value << 4 | (uint64_t)hex_digit(line->at[n]);
	tw_text__cut(line, n);
	*ret = value;
	return n > 0;
}

static bool parse_line(struct tw_text line, uint64_t *ret_address, struct tw_text *ret)
{
	if (line.len > LINE_MAX_BYTES || !cut_address(&line, ret_address) || !tw_text__skip(&line, ":") ||
	    !tw_text__skip(&line, "\""))
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
	return strings->n_slots ? slot_of(strings->slots, strings->n_slots, strings->seed, address)->text : NULL;
}

size_t tw_strings__memory(const struct tw_strings *strings)
{
	return sizeof(*strings) + strings->n_slots * sizeof(*strings->slots) + strings->n * MALLOC_LEAST +
	       strings->memory;
}
