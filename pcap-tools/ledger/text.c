/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ledger as one line: for files, and for people. */
#include "pcap-tools/ledger/state.h"

const char *const tw_place_keys[] = {
#define X(key, name, kind, heading, what) #key,
	TW_LEDGER_PLACES(X)
#undef X
};

const char *const tw_place_headings[] = {
#define X(key, name, kind, heading, what) heading,
	TW_LEDGER_PLACES(X)
#undef X
};

const char *const tw_fact_keys[] = {
#define X(key, name, what) #key,
	TW_LEDGER_FACTS(X)
#undef X
};

struct tw_line tw_ledger_text__begin(char *ret, size_t size)
{
	return tw_line__on(ret, size - 1);
}

size_t tw_ledger_text__end(struct tw_line *line)
{
	*line->at = '\0';
	return tw_line__len(line);
}

void tw_ledger_text__difference(struct tw_line *line, const struct tw_ledger *l, const char *unknown)
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
	struct tw_line line = tw_ledger_text__begin(ret, size);

	tw_line__str(&line, TW_LEDGER_BEGINS " state=");
	tw_line__str(&line, tw_ledger_state__name(l->state));
	put(&line, "recorded", l->recorded);
	for (int i = 0; i < TW_PLACE_COUNT; i++) {
		if (l->place[i] || i == TW_PLACE_DELIVERED)
			put(&line, tw_place_keys[i], l->place[i]);
	}
	tw_line__str(&line, " difference=");
	tw_ledger_text__difference(&line, l, "unknown");
	for (int i = 0; i < TW_FACT_COUNT; i++) {
		if (l->fact[i])
			put(&line, tw_fact_keys[i], l->fact[i]);
	}
	return tw_ledger_text__end(&line);
}

size_t tw_ledger__line(const struct tw_ledger *l, char *ret, size_t size)
{
	struct tw_line line = tw_ledger_text__begin(ret, size);
	const int64_t difference = tw_ledger__is_known(l) ? tw_ledger__difference(l) : 0;
	const char *before = " recorded: ";

	tw_line__u64(&line, l->recorded);
	for (int i = 0; i < TW_PLACE_COUNT; i++) {
		if (!l->place[i] && i != TW_PLACE_DELIVERED)
			continue;
		tw_line__str(&line, before);
		tw_line__u64(&line, l->place[i]);
		tw_line__char(&line, ' ');
		tw_line__str(&line, tw_place_headings[i]);
		before = ", ";
	}
	if (difference) {
		tw_line__str(&line, before);
		tw_line__i64(&line, difference);
		tw_line__str(&line, " unexplained");
	}
	if (tw_ledger__is_too_large(l))
		tw_line__str(&line, "; the numbers do not fit 64 bits");
	if (l->fact[TW_FACT_UNSURE_RINGS]) {
		tw_line__str(&line, "; the difference is not known: the kernel's counters of ");
		tw_line__u64(&line, l->fact[TW_FACT_UNSURE_RINGS]);
		tw_line__str(&line, " rings do not fit");
	}
	if (l->fact[TW_FACT_TAIL_FRAMES]) {
		tw_line__str(&line, "; the difference is not known: at least ");
		tw_line__u64(&line, l->fact[TW_FACT_TAIL_FRAMES]);
		tw_line__str(&line, " frames are missing behind the last");
	}
	tw_line__str(&line, "; ");
	tw_line__str(&line, tw_ledger_state__name(l->state));
	return tw_ledger_text__end(&line);
}
