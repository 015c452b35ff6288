/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a ledger as a line for files or for people, and as JSON; parses the untrusted comment of a file. */
#include <string.h>

#include "schema/text_cursor.h"
#include "stream/ledger.h"

#define VERSION "version=1"

static const char *const place_keys[] = {
#define X(key, name, kind, heading, what) #key,
	TW_LEDGER_PLACES(X)
#undef X
};

static const char *const place_headings[] = {
#define X(key, name, kind, heading, what) heading,
	TW_LEDGER_PLACES(X)
#undef X
};

static const char *const fact_keys[] = {
#define X(key, name, what) #key,
	TW_LEDGER_FACTS(X)
#undef X
};

static struct tw_line begin(char *ret, size_t size)
{
	return tw_line__on(ret, size - 1);
}

static size_t end(struct tw_line *line)
{
	*line->at = '\0';
	return tw_line__len(line);
}

static void put_difference(struct tw_line *line, const struct tw_ledger *l, const char *unknown)
{
	if (tw_ledger__is_known(l))
		tw_line__i64(line, tw_ledger__difference(l));
	else
		tw_line__str(line, unknown);
}

static void put(struct tw_line *line, const char *key, uint64_t value)
{
	tw_line__char(line, ' ');
	tw_line__str(line, key);
	tw_line__char(line, '=');
	tw_line__u64(line, value);
}

size_t tw_ledger__comment(const struct tw_ledger *l, char *ret, size_t size)
{
	struct tw_line line = begin(ret, size);

	tw_line__str(&line, "ledger " VERSION " state=");
	tw_line__str(&line, tw_ledger_state__name(l->state));
	put(&line, "recorded", l->recorded);
	for (int i = 0; i < TW_PLACE_COUNT; i++) {
		if (l->place[i] || i == TW_PLACE_DELIVERED)
			put(&line, place_keys[i], l->place[i]);
	}
	tw_line__str(&line, " difference=");
	put_difference(&line, l, "unknown");
	for (int i = 0; i < TW_FACT_COUNT; i++) {
		if (l->fact[i])
			put(&line, fact_keys[i], l->fact[i]);
	}
	return end(&line);
}

size_t tw_ledger__line(const struct tw_ledger *l, char *ret, size_t size)
{
	struct tw_line line = begin(ret, size);
	const int64_t difference = tw_ledger__is_known(l) ? tw_ledger__difference(l) : 0;
	const char *before = " recorded: ";

	tw_line__u64(&line, l->recorded);
	for (int i = 0; i < TW_PLACE_COUNT; i++) {
		if (!l->place[i] && i != TW_PLACE_DELIVERED)
			continue;
		tw_line__str(&line, before);
		tw_line__u64(&line, l->place[i]);
		tw_line__char(&line, ' ');
		tw_line__str(&line, place_headings[i]);
		before = ", ";
	}
	if (difference) {
		tw_line__str(&line, before);
		tw_line__i64(&line, difference);
		tw_line__str(&line, " unexplained");
	}
	if (tw_ledger__is_too_large(l))
		tw_line__str(&line, "; the numbers exceed 64 bits");
	if (l->fact[TW_FACT_UNSURE_RINGS]) {
		tw_line__str(&line, "; the difference is unknown: the kernel's counters of ");
		tw_line__u64(&line, l->fact[TW_FACT_UNSURE_RINGS]);
		tw_line__str(&line, " rings cannot be read, or do not match the producer's");
	}
	if (l->fact[TW_FACT_TAIL_FRAMES]) {
		tw_line__str(&line, "; the difference is unknown: at least ");
		tw_line__u64(&line, l->fact[TW_FACT_TAIL_FRAMES]);
		tw_line__str(&line, " frames are missing after the last received frame");
	}
	tw_line__str(&line, "; ");
	tw_line__str(&line, tw_ledger_state__name(l->state));
	return end(&line);
}

static void put_all(struct tw_json *json, const char *title, const char *const *keys, const uint64_t *values, int n)
{
	tw_json__open(json, title, '{');
	for (int i = 0; i < n; i++)
		tw_json__u64(json, keys[i], values[i]);
	tw_json__close(json);
}

void tw_ledger__json(const struct tw_ledger *l, struct tw_json *json, const char *key)
{
	const bool spaced = json->spaced;

	tw_json__open(json, key, '{');
	json->spaced = true; /* the ledger has spaces even in compact JSON */
	tw_json__str(json, "state", tw_ledger_state__name(l->state));
	tw_json__u64(json, "recorded", l->recorded);
	put_all(json, "places", place_keys, l->place, TW_PLACE_COUNT);
	put_difference(tw_json__value(json, "difference"), l, "null");
	put_all(json, "facts", fact_keys, l->fact, TW_FACT_COUNT);
	json->spaced = spaced;
	tw_json__close(json);
}

/* Get the next word, up to a blank. Return: false at the end of the text. */
static bool next_word(struct tw_text *rest, struct tw_text *ret)
{
	size_t len = 0;

	while (rest->len && *rest->at == ' ')
		tw_text__cut(rest, 1);
	while (len < rest->len && rest->at[len] != ' ')
		len++;
	*ret = (struct tw_text){ rest->at, len };
	tw_text__cut(rest, len);
	return len > 0;
}

static bool number(struct tw_text word, uint64_t *ret)
{
	uint64_t value = 0;

	if (!word.len)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		const unsigned int digit = (unsigned int)word.at[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

static bool state(struct tw_text word, enum tw_ledger_state *ret)
{
	for (int i = TW_LEDGER_RUNNING; i <= TW_LEDGER_CLOSED; i++) {
		if (tw_text__equals(word, tw_ledger_state__name((enum tw_ledger_state)i))) {
			*ret = (enum tw_ledger_state)i;
			return true;
		}
	}
	return false;
}

static uint64_t *find(struct tw_ledger *l, struct tw_text key)
{
	if (tw_text__equals(key, "recorded"))
		return &l->recorded;
	for (int i = 0; i < TW_PLACE_COUNT; i++) {
		if (tw_text__equals(key, place_keys[i]))
			return &l->place[i];
	}
	for (int i = 0; i < TW_FACT_COUNT; i++) {
		if (tw_text__equals(key, fact_keys[i]))
			return &l->fact[i];
	}
	return NULL;
}

/* Store the value of a KEY=VALUE word; other words and unknown keys are ignored. Return: false if a known key has an invalid value. */
static bool take(struct tw_ledger *l, struct tw_text word)
{
	const char *equals = memchr(word.at, '=', word.len);
	struct tw_text key, value;
	uint64_t *place;

	if (!equals)
		return true;
	key = (struct tw_text){ word.at, (size_t)(equals - word.at) };
	value = (struct tw_text){ equals + 1, word.len - key.len - 1 };
	if (tw_text__equals(key, "state"))
		return state(value, &l->state);
	place = find(l, key);
	return !place || number(value, place);
}

bool tw_ledger__parse(const char *text, size_t len, struct tw_ledger *ret)
{
	struct tw_ledger l = { .state = TW_LEDGER_OPEN };
	struct tw_text rest = { text, len }, word;

	if (!next_word(&rest, &word) || !tw_text__equals(word, "ledger") || !next_word(&rest, &word) ||
	    !tw_text__equals(word, VERSION))
		return false;
	while (next_word(&rest, &word)) {
		if (!take(&l, word))
			return false;
	}
	*ret = l;
	return true;
}
