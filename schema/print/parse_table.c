/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of words: entries between braces, and those that the kernel has in its code. */
#include "schema/print.h"
#include "schema/print/parse.h"

static bool add_entry(struct tw_tree *tree, uint64_t value, uint32_t text)
{
	struct tw_entry *entries = tw_tree__grow(tree, tree->entries, tree->n_entries, &tree->entries_size,
						 sizeof(*entries), TW_TREE_ENTRIES_MAX);

	if (!entries)
		return false;
	tree->entries = entries;
	entries[tree->n_entries++] = (struct tw_entry){ .value = value, .text = text };
	return true;
}

/* { value, "word" }: an entry of a value that is not known, or of no word, is left out. */
bool tw_parser__close_entry(struct tw_parser *parser)
{
	struct tw_tree *tree = parser->tree;
	const struct tw_frame *frame = &parser->frames[parser->n_frames - 1];
	const struct tw_node *value, *text;

	if (parser->n_operands - frame->operands != 2)
		return tw_tree__refuse(tree, frame->column, "a value and a word are expected between the braces");
	value = &tree->nodes[parser->operands[frame->operands]];
	text = &tree->nodes[parser->operands[frame->operands + 1]];
	if (value->kind != TW_NODE_NUMBER || (text->kind != TW_NODE_TEXT && text->kind != TW_NODE_NUMBER))
		return tw_tree__refuse(tree, frame->column, "the value or the word between the braces is not constant");
	if (!frame->unknown && text->kind == TW_NODE_TEXT && !add_entry(tree, value->value, text->at))
		return false;
	tree->n_nodes = value->first; /* nothing of it is needed any more */
	parser->n_operands -= 2;
	parser->n_frames--;
	return true;
}

static bool add_table(struct tw_tree *tree, const struct tw_tree_table *table, uint32_t *ret)
{
	struct tw_tree_table *tables = tw_tree__grow(tree, tree->tables, tree->n_tables, &tree->tables_size,
						     sizeof(*tables), TW_TREE_ENTRIES_MAX);

	if (!tables)
		return false;
	tree->tables = tables;
	tables[tree->n_tables] = *table;
	*ret = tree->n_tables++;
	return true;
}

/* What the kernel's helper takes, whatever the type of the expression: an unsigned long, or 64 bits. */
static void narrow_entries(struct tw_tree *tree, const struct tw_tree_table *table, uint8_t size)
{
	for (uint32_t i = table->first; size == 4 && i < table->first + table->n; i++)
		tree->entries[i].value &= UINT32_MAX;
}

static bool take_delimiter(struct tw_tree *tree, uint32_t i, struct tw_tree_table *table)
{
	const struct tw_node *text = &tree->nodes[i];

	if (text->kind != TW_NODE_TEXT || text->len >= sizeof(((struct tw_print_names *)0)->delimiter))
		return tw_tree__refuse(tree, text->column,
				       "the text between flags is not constant, or longer than 7 bytes");
	table->delimiter = text->at;
	table->delimiter_len = text->len;
	tree->n_nodes = text->first; /* so that the value is the last node again */
	return true;
}

bool tw_parser__table(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands)
{
	struct tw_tree *tree = parser->tree;
	struct tw_tree_table table = { .first = frame->entries, .n = tree->n_entries - frame->entries };
	const uint8_t size = frame->call->wide ? 8 : tree->format->long_size;
	struct tw_node node = { .kind = TW_NODE_TABLE,
				.helper = frame->call->helper,
				.is_text = true,
				.n_args = 1,
				.column = frame->column };
	const struct tw_node *value;

	if (!tw_tree__need_number(tree, operands[0]))
		return false;
	value = &tree->nodes[tw_tree__peel(tree, operands[0])];
	table.field = value->kind == TW_NODE_FIELD ? value->field : NULL;
	table.is_flags = frame->call->helper == TW_HELPER_FLAGS;
	if (table.is_flags && !take_delimiter(tree, operands[1], &table))
		return false;
	if (!tw_tree__cast(tree, frame->column, (struct tw_cast){ .size = size }, operands[0], &node.args[0]))
		return false;
	narrow_entries(tree, &table, size);
	node.first = tree->nodes[node.args[0]].first;
	return add_table(tree, &table, &node.at) && tw_tree__add(tree, &node, &operands[0]);
}

static bool add_word(struct tw_tree *tree, const char *word, uint64_t value)
{
	uint32_t text;

	return tw_tree__literal(tree, word, &text) && add_entry(tree, value, text);
}

/* A table of 0, 1, 2 ...; its last word is for all other values. */
bool tw_parser__words(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands)
{
	struct tw_tree *tree = parser->tree;
	struct tw_tree_table table = { .first = tree->n_entries };
	struct tw_node node = { .kind = TW_NODE_TABLE,
				.helper = TW_HELPER_WORDS,
				.is_text = true,
				.n_args = 1,
				.args = { operands[0] },
				.column = frame->column };
	const char *const *word = frame->call->words;

	if (!tw_tree__need_number(tree, operands[0]))
		return false;
	for (; *word; word++)
		if (!add_word(tree, *word, tree->n_entries - table.first))
			return false;
	if (!add_word(tree, word[1], UINT64_MAX))
		return false;
	table.n = tree->n_entries - table.first;
	node.first = tree->nodes[operands[0]].first;
	return add_table(tree, &table, &node.at) && tw_tree__add(tree, &node, &operands[0]);
}
