/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_seeds DIR: seeds of fuzz_ledger. */
#include <stdio.h>
#include <string.h>

#include "stream/ledger.h"

static int put(const char *folder, const char *name, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		return 1;
	fputs(text, file);
	return fclose(file) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct tw_ledger ledger = { .state = TW_LEDGER_CLOSED, .recorded = UINT64_MAX };
	char all[TW_LEDGER_TEXT_MAX], few[TW_LEDGER_TEXT_MAX];

	if (argc != 2)
		return 2;
	tw_ledger__comment(&ledger, few, sizeof(few));
	for (int i = 0; i < TW_PLACE_COUNT; i++)
		ledger.place[i] = (uint64_t)i + 1;
	for (int i = 0; i < TW_FACT_COUNT; i++)
		ledger.fact[i] = (uint64_t)i + 1;
	tw_ledger__comment(&ledger, all, sizeof(all));
	return put(argv[1], "few", few) || put(argv[1], "all", all) ||
	       put(argv[1], "later", "ledger version=2 wire=1") ||
	       put(argv[1], "strange", "ledger version=1 later=x state=open = wire=");
}
