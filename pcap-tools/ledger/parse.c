/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ledger out of a file's comment: a stranger's text. */
#include <string.h>

#include "pcap-tools/ledger/state.h"

struct word {
	const char *at;
	size_t len;
};

/* Return: false at the end */
static bool next_word(struct word *rest, struct word *ret)
{
	size_t len = 0;

	while (rest->len && *rest->at == ' ') {
		rest->at++;
		rest->len--;
	}
	while (len < rest->len && rest->at[len] != ' ')
		len++;
	*ret = (struct word){ rest->at, len };
	rest->at += len;
	rest->len -= len;
	return len > 0;
}

static bool is(const struct word *word, const char *text)
{
	return word->len == strlen(text) && !memcmp(word->at, text, word->len);
}

static bool number(const struct word *word, uint64_t *ret)
{
	uint64_t value = 0;

	if (!word->len)
		return false;
	for (size_t i = 0; i < word->len; i++) {
		const unsigned int digit = (unsigned int)word->at[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

static bool state(const struct word *word, enum tw_ledger_state *ret)
{
	for (int i = TW_LEDGER_RUNNING; i <= TW_LEDGER_CLOSED; i++) {
		if (is(word, tw_ledger_state__name((enum tw_ledger_state)i))) {
			*ret = (enum tw_ledger_state)i;
			return true;
		}
	}
	return false;
}

static uint64_t *find(struct tw_ledger *l, const struct word *key)
{
	if (is(key, "recorded"))
		return &l->recorded;
	for (int i = 0; i < TW_PLACE_COUNT; i++) {
		if (is(key, tw_place_keys[i]))
			return &l->place[i];
	}
	for (int i = 0; i < TW_FACT_COUNT; i++) {
		if (is(key, tw_fact_keys[i]))
			return &l->fact[i];
	}
	return NULL;
}

/* Return: false if it is a word of ours with a value that cannot be */
static bool take(struct tw_ledger *l, const struct word *word)
{
	const char *equals = memchr(word->at, '=', word->len);
	struct word key, value;
	uint64_t *place;

	if (!equals)
		return true;
	key = (struct word){ word->at, (size_t)(equals - word->at) };
	value = (struct word){ equals + 1, word->len - key.len - 1 };
	if (is(&key, "state"))
		return state(&value, &l->state);
	place = find(l, &key);
	return !place || number(&value, place);
}

bool tw_ledger__parse(const char *text, size_t len, struct tw_ledger *ret)
{
	struct tw_ledger l = { .state = TW_LEDGER_OPEN };
	struct word rest = { text, len }, word;

	if (!next_word(&rest, &word) || !is(&word, "ledger") || !next_word(&rest, &word) || !is(&word, "version=1"))
		return false;
	while (next_word(&rest, &word)) {
		if (!take(&l, &word))
			return false;
	}
	*ret = l;
	return true;
}
