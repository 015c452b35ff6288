/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/symbols/kernel_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LAST_SYMBOL (64u << 10) /* bytes given to the last function of all, whose size the text does not tell */
#define PAGE        4096u
#define MODULES_MAX (8ull << 30) /* further apart, what is between them is something else */

static bool is_called(const char *name, size_t len, const char *expected)
{
	return len == strlen(expected) && !memcmp(name, expected, len);
}

static void note_module(struct tw_kernel_text *text, uint64_t address)
{
	if (!text->modules_end || address < text->modules_start)
		text->modules_start = address;
	if (address > text->modules_end)
		text->modules_end = address;
}

/* `ffffffff81000010 T name	[module]` */
static void look_at(const char *line, size_t len, struct tw_kernel_text *text)
{
	char *type;
	const uint64_t address = strtoull(line, &type, 16);
	const char *end = line + len, *name = type + 3;
	size_t name_len;

	if (!address || type > end || end - type <= 3 || !strchr("tTwW", type[1]))
		return;
	name_len = strcspn(name, "\t\n");
	if (name + name_len < end)
		note_module(text, address);
	else if (is_called(name, name_len, "_stext"))
		text->core_start = address;
	else if (is_called(name, name_len, "_etext"))
		text->core_end = address;
}

static void round_modules(struct tw_kernel_text *text)
{
	if (!text->modules_end)
		return;
	text->modules_start &= ~(uint64_t)(PAGE - 1);
	text->modules_end = (text->modules_end + LAST_SYMBOL) & ~(uint64_t)(PAGE - 1);
	if (text->modules_end - text->modules_start > MODULES_MAX ||
	    (text->modules_start < text->core_end && text->core_start < text->modules_end))
		text->modules_start = text->modules_end = 0;
}

void tw_kernel_text__find(const char *kallsyms, struct tw_kernel_text *ret)
{
	struct tw_kernel_text text = { 0 };

	while (*kallsyms) {
		const size_t len = strcspn(kallsyms, "\n");

		look_at(kallsyms, len, &text);
		kallsyms += len + (kallsyms[len] == '\n');
	}
	if (text.core_end <= text.core_start)
		text.core_start = text.core_end = 0;
	round_modules(&text);
	*ret = text;
}
