/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/ledger/state.h"

static void put_key(struct tw_line *line, const char *key)
{
	tw_line__char(line, '"');
	tw_line__str(line, key);
	tw_line__str(line, "\": ");
}

static void put_all(struct tw_line *line, const char *title, const char *const *keys, const uint64_t *values, int n)
{
	put_key(line, title);
	for (int i = 0; i < n; i++) {
		tw_line__str(line, i ? ", " : "{");
		put_key(line, keys[i]);
		tw_line__u64(line, values[i]);
	}
	tw_line__char(line, '}');
}

size_t tw_ledger__json(const struct tw_ledger *l, char *ret, size_t size)
{
	struct tw_line line = tw_ledger_text__begin(ret, size);

	tw_line__char(&line, '{');
	put_key(&line, "state");
	tw_line__char(&line, '"');
	tw_line__str(&line, tw_ledger_state__name(l->state));
	tw_line__str(&line, "\", ");
	put_key(&line, "recorded");
	tw_line__u64(&line, l->recorded);
	tw_line__str(&line, ", ");
	put_all(&line, "places", tw_place_keys, l->place, TW_PLACE_COUNT);
	tw_line__str(&line, ", ");
	put_key(&line, "difference");
	tw_ledger_text__difference(&line, l, "null");
	tw_line__str(&line, ", ");
	put_all(&line, "facts", tw_fact_keys, l->fact, TW_FACT_COUNT);
	tw_line__char(&line, '}');
	return tw_ledger_text__end(&line);
}
