/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The comment of an untrusted file. If it parses as a ledger, the text that is written for this ledger parses to the same ledger. */
#include <stdlib.h>
#include <string.h>

#include "stream/ledger.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_ledger ledger, again;
	char text[TW_LEDGER_TEXT_MAX];
	struct tw_line line = tw_line__on(text, sizeof(text));
	struct tw_json json;
	size_t len;

	if (!tw_ledger__parse((const char *)data, size, &ledger))
		return 0;
	len = tw_ledger__comment(&ledger, text, sizeof(text));
	check(len == strlen(text) && len < sizeof(text) - 1);
	check(tw_ledger__parse(text, len, &again));
	check(!memcmp(&ledger, &again, sizeof(ledger)));
	tw_json__to_line(&json, &line, false);
	tw_ledger__json(&ledger, &json, NULL);
	check(!line.cut);
	check(tw_ledger__line(&ledger, text, sizeof(text)) < sizeof(text) - 1);
	return 0;
}
