/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/label.h"

#include "dissector/words.h"

static void append_hex(struct tw_line *line, uint64_t value)
{
	tw_line__str(line, "0x");
	tw_line__hex(line, value);
}

/* "schedule+0x1f", with the module's name if it has one. */
static void append_symbol(struct tw_line *line, const struct tw_symbol *symbol, uint64_t address)
{
	tw_line__str(line, symbol->name);
	tw_line__char(line, '+');
	append_hex(line, address - symbol->address);
	if (symbol->module) {
		tw_line__str(line, " [");
		tw_line__str(line, symbol->module);
		tw_line__char(line, ']');
	}
}

/* "[0] schedule+0x1f (0xffffffff81a0001f)" */
static void append_stack_frame(struct tw_line *line, uint64_t address, const struct tw_symbol *symbol, uint32_t i)
{
	tw_line__char(line, '[');
	tw_line__u64(line, i);
	tw_line__str(line, "] ");
	if (symbol)
		append_symbol(line, symbol, address);
	tw_line__str(line, symbol ? " (" : "");
	append_hex(line, address);
	tw_line__str(line, symbol ? ")" : "");
}

/* " (NAME)", if the words have one. */
static void append_words(struct tw_line *line, const struct tw_print_names *words, uint64_t value)
{
	const struct tw_line before = *line;

	tw_line__str(line, " (");
	if (words && tw_words__append(line, words, value))
		tw_line__char(line, ')');
	else
		*line = before;
}

static void append_value(struct tw_line *line, const struct tw_shown_field *shown, uint64_t value)
{
	if (shown->has_addresses || (shown->words && shown->words->flags))
		append_hex(line, value);
	else if (shown->type >= TW_TYPE_I8 && shown->type <= TW_TYPE_I64)
		tw_line__i64(line, (int64_t)value);
	else
		tw_line__u64(line, value);
}

void tw_label__number(proto_item *item, const struct tw_shown_field *shown, uint64_t value,
		      const struct tw_symbol *symbol, uint32_t i)
{
	char buf[ITEM_LABEL_LENGTH];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (!item || !PTREE_DATA(item)->visible || (!shown->words && !shown->has_addresses && !shown->is_stack))
		return;
	if (shown->is_stack) {
		append_stack_frame(&line, value, symbol, i);
	} else {
		tw_line__str(&line, shown->field->name);
		tw_line__str(&line, ": ");
		append_value(&line, shown, value);
		if (symbol) {
			tw_line__str(&line, " (");
			append_symbol(&line, symbol, value);
			tw_line__char(&line, ')');
		} else {
			append_words(&line, shown->words, value);
		}
	}
	proto_item_set_text(item, "%s", tw_shown__end(&line));
}
