/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions and constants that print fmts of kernels use, and the nodes that the parser makes of them. */
#include "schema/print.h"
#include "schema/print/parse.h"
#include "schema/type.h"

static const char *const memory_errors[] = { "Corrected", "Uncorrected", "Deferred", "Fatal", NULL, "Info" };
static const char *const severities[] = { "recoverable", "fatal", "corrected", "info", NULL, "unknown" };
static const char *const memory_error_types[] = {
	"unknown",
	"no error",
	"single-bit ECC",
	"multi-bit ECC",
	"single-symbol chipkill ECC",
	"multi-symbol chipkill ECC",
	"master abort",
	"target abort",
	"parity error",
	"watchdog timeout",
	"invalid address",
	"mirror Broken",
	"memory sparing",
	"scrub corrected error",
	"scrub uncorrected error",
	"physical memory map-out event",
	NULL,
	"unknown",
};

static const struct tw_helper_call calls[] = {
	{ "__get_str", TW_HELPER_STR, 0, false, NULL },
	{ "__get_rel_str", TW_HELPER_STR, 0, false, NULL },
	{ "__get_dynamic_array", TW_HELPER_ARRAY_OF, 0, false, NULL },
	{ "__get_rel_dynamic_array", TW_HELPER_ARRAY_OF, 0, false, NULL },
	{ "__get_dynamic_array_len", TW_HELPER_LEN_OF, 0, false, NULL },
	{ "__get_rel_dynamic_array_len", TW_HELPER_LEN_OF, 0, false, NULL },
	{ "__get_bitmask", TW_HELPER_BITMASK, 0, false, NULL },
	{ "__get_rel_bitmask", TW_HELPER_BITMASK, 0, false, NULL },
	{ "__get_cpumask", TW_HELPER_CPUMASK, 0, false, NULL },
	{ "__get_rel_cpumask", TW_HELPER_CPUMASK, 0, false, NULL },
	{ "__get_sockaddr", TW_HELPER_SOCKADDR, 0, false, NULL },
	{ "__get_rel_sockaddr", TW_HELPER_SOCKADDR, 0, false, NULL },
	{ "__print_dynamic_array", TW_HELPER_DYNAMIC_ARRAY, 1, false, NULL },
	{ "__print_symbolic", TW_HELPER_SYMBOLIC, 1, false, NULL },
	{ "__print_symbolic_u64", TW_HELPER_SYMBOLIC, 1, true, NULL },
	{ "__print_flags", TW_HELPER_FLAGS, 2, false, NULL },
	{ "__print_flags_u64", TW_HELPER_FLAGS, 2, true, NULL },
	{ "__print_hex", TW_HELPER_HEX, 2, false, NULL },
	{ "__print_hex_str", TW_HELPER_HEX_STR, 2, false, NULL },
	{ "__print_array", TW_HELPER_ARRAY, 3, false, NULL },
	{ "__print_hex_dump", TW_HELPER_HEX_DUMP, 7, false, NULL },
	{ "__print_ns_to_secs", TW_HELPER_SECS, 1, false, NULL },
	{ "__print_ns_without_secs", TW_HELPER_SECS_REST, 1, false, NULL },
	{ "__builtin_expect", TW_HELPER_FIRST, 2, false, NULL },
	{ "__builtin_choose_expr", TW_HELPER_CHOOSE, 3, false, NULL },
	{ "native_make_pgd", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_p4d", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_pud", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_pmd", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_pte", TW_HELPER_FIRST, 1, false, NULL },
	{ "pgd_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "p4d_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "pud_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "pmd_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "pte_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "mc_event_error_type", TW_HELPER_WORDS, 1, false, memory_errors },
	{ "cper_severity_str", TW_HELPER_WORDS, 1, false, severities },
	{ "cper_mem_err_type_str", TW_HELPER_WORDS, 1, false, memory_error_types },
};

/* The values of enumerators and macros whose names are in the print fmts of some kernels. */
static const struct {
	uint64_t first;        /* value of the first name; each further name has the next value */
	const char *names[13]; /* ends with NULL */
} enums[] = {
	{ 0, { "NULL" } },
	{ 0, { "false", "true" } },
	{ 0,
	  { "HI_SOFTIRQ", "TIMER_SOFTIRQ", "NET_TX_SOFTIRQ", "NET_RX_SOFTIRQ", "BLOCK_SOFTIRQ", "IRQ_POLL_SOFTIRQ",
	    "TASKLET_SOFTIRQ", "SCHED_SOFTIRQ", "HRTIMER_SOFTIRQ", "RCU_SOFTIRQ" } },
	{ 0, { "HRTIMER_NORESTART", "HRTIMER_RESTART" } },
	{ 1,
	  { "TCP_ESTABLISHED", "TCP_SYN_SENT", "TCP_SYN_RECV", "TCP_FIN_WAIT1", "TCP_FIN_WAIT2", "TCP_TIME_WAIT",
	    "TCP_CLOSE", "TCP_CLOSE_WAIT", "TCP_LAST_ACK", "TCP_LISTEN", "TCP_CLOSING", "TCP_NEW_SYN_RECV" } },
	{ 0, { "XEN_MC_XE_OK", "XEN_MC_XE_BAD_OP", "XEN_MC_XE_NO_SPACE" } },
	{ 0, { "XEN_MC_FL_NONE", "XEN_MC_FL_BATCH", "XEN_MC_FL_ARGS", "XEN_MC_FL_CALLBACK" } },
	{ 0, { "XEN_LAZY_NONE", "XEN_LAZY_MMU", "XEN_LAZY_CPU" } },
	{ 3, { "VMA_SHARED_BIT" } },
	{ 0, { "PARAVIRT_LAZY_NONE", "PARAVIRT_LAZY_MMU", "PARAVIRT_LAZY_CPU" } },
	{ 0,
	  { "VMSCAN_THROTTLE_WRITEBACK", "VMSCAN_THROTTLE_ISOLATED", "VMSCAN_THROTTLE_NOPROGRESS",
	    "VMSCAN_THROTTLE_CONGESTED" } },
};

static const struct tw_helper_call *find_call(struct tw_text name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (tw_text__equals(name, calls[i].name))
			return &calls[i];
	return NULL;
}

bool tw_helper__constant(struct tw_text name, uint64_t *ret)
{
	for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++) {
		for (size_t k = 0; enums[i].names[k]; k++) {
			if (!tw_text__equals(name, enums[i].names[k]))
				continue;
			*ret = enums[i].first + k;
			return true;
		}
	}
	return false;
}

static bool add_entry(struct tw_expr *expr, uint64_t value, uint32_t text)
{
	struct tw_expr_word *entries = tw_expr__grow(expr, expr->entries, expr->n_entries, &expr->entries_size,
						     sizeof(*entries), TW_EXPR_ENTRIES_MAX);

	if (!entries)
		return false;
	expr->entries = entries;
	entries[expr->n_entries++] = (struct tw_expr_word){ .value = value, .text = text };
	return true;
}

/* { value, "word" }: an entry with an unknown value, or with a number instead of a word, is not added to the table. */
bool tw_parser__close_entry(struct tw_parser *parser)
{
	struct tw_expr *expr = parser->expr;
	const struct tw_parse_frame *frame = &parser->frames[parser->n_frames - 1];
	const struct tw_expr_node *value, *text;

	if (parser->n_operands - frame->operands != 2)
		return tw_expr__refuse(expr, frame->column, "a value and a word are expected between the braces");
	value = &expr->nodes[parser->operands[frame->operands]];
	text = &expr->nodes[parser->operands[frame->operands + 1]];
	if (value->kind != TW_EXPR_NUMBER || (text->kind != TW_EXPR_TEXT && text->kind != TW_EXPR_NUMBER))
		return tw_expr__refuse(expr, frame->column, "the value or the word between the braces is not constant");
	if (!frame->unknown && text->kind == TW_EXPR_TEXT && !add_entry(expr, value->value, text->at))
		return false;
	expr->n_nodes = value->first; /* removes the nodes of the entry, which are not needed any more */
	parser->n_operands -= 2;
	parser->n_frames--;
	return true;
}

static bool add_table(struct tw_expr *expr, const struct tw_expr_table *table, uint32_t *ret)
{
	struct tw_expr_table *tables = tw_expr__grow(expr, expr->tables, expr->n_tables, &expr->tables_size,
						     sizeof(*tables), TW_EXPR_ENTRIES_MAX);

	if (!tables)
		return false;
	expr->tables = tables;
	tables[expr->n_tables] = *table;
	*ret = expr->n_tables++;
	return true;
}

static bool take_delimiter(struct tw_expr *expr, uint32_t i, struct tw_expr_table *table)
{
	const struct tw_expr_node *text = &expr->nodes[i];

	if (text->kind != TW_EXPR_TEXT || text->len >= sizeof(((struct tw_print_names *)0)->delimiter))
		return tw_expr__refuse(expr, text->column,
				       "the delimiter of the flags is not constant, or longer than 7 bytes");
	table->delimiter = text->at;
	table->delimiter_len = text->len;
	expr->n_nodes = text->first; /* removes the delimiter's node, so that the value is the last node again */
	return true;
}

static bool table_call(struct tw_parser *parser, const struct tw_parse_frame *frame, uint32_t *operands)
{
	struct tw_expr *expr = parser->expr;
	struct tw_expr_table table = { .first = frame->entries, .n = expr->n_entries - frame->entries };
	const uint8_t size = frame->call->wide ? 8 : expr->format->long_size;
	struct tw_expr_node node = { .kind = TW_EXPR_TABLE,
				     .helper = frame->call->helper,
				     .is_text = true,
				     .n_args = 1,
				     .column = frame->column };

	if (!tw_expr__need_number(expr, operands[0]))
		return false;
	table.field = tw_expr__masked_field(expr, operands[0], &table.mask);
	table.is_flags = frame->call->helper == TW_HELPER_FLAGS;
	if (table.is_flags && !take_delimiter(expr, operands[1], &table))
		return false;
	if (!tw_expr__cast(expr, frame->column, (struct tw_expr_cast){ .size = size }, operands[0], &node.args[0]))
		return false;
	/* The kernel converts the value to the type of the helper's parameter: unsigned long, or u64 in a helper with _u64. */
	for (uint32_t i = table.first; size == 4 && i < table.first + table.n; i++)
		expr->entries[i].value &= UINT32_MAX;
	if (size == 4)
		table.mask &= UINT32_MAX;
	node.first = expr->nodes[node.args[0]].first;
	return add_table(expr, &table, &node.at) && tw_expr__add(expr, &node, &operands[0]);
}

static bool add_word(struct tw_expr *expr, const char *word, uint64_t value)
{
	uint32_t text;

	return tw_expr__literal(expr, word, &text) && add_entry(expr, value, text);
}

/* Makes a table with a word for each of the values 0, 1, 2 ...; its last word is for all other values. */
static bool words_call(struct tw_parser *parser, const struct tw_parse_frame *frame, uint32_t *operands)
{
	struct tw_expr *expr = parser->expr;
	struct tw_expr_table table = { .first = expr->n_entries };
	struct tw_expr_node node = { .kind = TW_EXPR_TABLE,
				     .helper = TW_HELPER_WORDS,
				     .is_text = true,
				     .n_args = 1,
				     .args = { operands[0] },
				     .column = frame->column };
	const char *const *word = frame->call->words;

	if (!tw_expr__need_number(expr, operands[0]))
		return false;
	for (; *word; word++)
		if (!add_word(expr, *word, expr->n_entries - table.first))
			return false;
	if (!add_word(expr, word[1], UINT64_MAX))
		return false;
	table.n = expr->n_entries - table.first;
	node.first = expr->nodes[operands[0]].first;
	return add_table(expr, &table, &node.at) && tw_expr__add(expr, &node, &operands[0]);
}

/* __get_str(name) and similar: the argument is a name, not an expression. The name is the current token. */
static const struct tw_field *named_field(struct tw_parser *parser)
{
	const struct tw_field *field = tw_parser__field(parser);

	if (!field) {
		tw_expr__refuse(parser->expr, parser->token.column, "the name of a field is expected here");
		return NULL;
	}
	if (field->place != TW_PLACE_DATA_LOC && field->place != TW_PLACE_REL_LOC) {
		tw_expr__refuse(parser->expr, parser->token.column, "\"%s\" is not a __data_loc or __rel_loc field",
				field->name);
		return NULL;
	}
	tw_parser__advance(parser);
	return field;
}

static bool call_on_field(struct tw_parser *parser, const struct tw_helper_call *call)
{
	struct tw_expr_node node = { .helper = call->helper,
				     .column = parser->token.column,
				     .size = parser->expr->format->long_size };

	node.field = named_field(parser);
	if (!node.field)
		return false;
	node.elem_size = tw_type__is_integer_size(node.field->elem_size) ? (uint8_t)node.field->elem_size : 0;
	node.elem_signed = node.field->is_signed;
	switch (call->helper) {
	case TW_HELPER_LEN_OF:
		node.kind = TW_EXPR_LEN;
		node.size = 4; /* the kernel takes the length from a u32, by a shift and a mask */
		break;
	case TW_HELPER_STR:
		node.kind = TW_EXPR_STR;
		node.is_text = true;
		node.elem_size = 1;
		node.elem_signed = true;
		break;
	case TW_HELPER_ARRAY_OF:
	case TW_HELPER_SOCKADDR:
		node.kind = TW_EXPR_ARRAY;
		break;
	default:
		node.kind = TW_EXPR_DUMP;
		node.is_text = true;
	}
	return tw_parser__push_node(parser, &node) && tw_parser__expect(parser, ')');
}

/* __print_dynamic_array(name, size): elements of @size bytes up to the end of the array. */
static bool dynamic_array(struct tw_parser *parser, struct tw_parse_frame *frame)
{
	struct tw_expr_node node = { .kind = TW_EXPR_ARRAY, .column = parser->token.column };

	node.field = named_field(parser);
	if (!node.field || !tw_parser__push_node(parser, &node))
		return false;
	frame->operands = parser->n_operands - 1;
	return tw_parser__expect(parser, ',');
}

bool tw_parser__call(struct tw_parser *parser, const struct tw_lex_token *name, bool *ret_done)
{
	const struct tw_helper_call *call = find_call(name->text);
	struct tw_parse_frame *frame;

	if (!call)
		return tw_expr__refuse(parser->expr, name->column, "the function %.*s() is unknown",
				       name->text.len < 64 ? (int)name->text.len : 64, name->text.at);
	tw_parser__advance(parser);
	*ret_done = call->helper < TW_HELPER_DYNAMIC_ARRAY;
	if (*ret_done)
		return call_on_field(parser, call);
	frame = tw_parser__open(parser, TW_PARSE_CALL);
	if (!frame)
		return false;
	frame->call = call;
	frame->column = name->column;
	return call->helper != TW_HELPER_DYNAMIC_ARRAY || dynamic_array(parser, frame);
}

/*
 * __print_hex_dump(prefix, prefix_type, rowsize, groupsize, buf, len, ascii): all arguments but buf and len must be constant. The value of
 * one node stores all constants except the prefix.
 */
static bool take_dump_shape(struct tw_expr *expr, const uint32_t *operands, struct tw_expr_node *node)
{
	static const uint8_t places[] = { 1, 2, 3, 6 };
	uint64_t value[7] = { 0 };

	if (expr->nodes[operands[0]].kind != TW_EXPR_TEXT)
		return tw_expr__refuse(expr, node->column, "the prefix of __print_hex_dump() is not constant");
	for (size_t i = 0; i < sizeof(places); i++) {
		if (expr->nodes[operands[places[i]]].kind != TW_EXPR_NUMBER)
			return tw_expr__refuse(expr, node->column, "the layout of __print_hex_dump() is not constant");
		value[places[i]] = expr->nodes[operands[places[i]]].value;
	}
	node->args[2] = operands[0];
	node->args[3] = operands[3];
	expr->nodes[operands[3]].value =
		(value[1] & 0xff) << 24 | (value[2] & 0xff) << 16 | (value[3] & 0xff) << 8 | (value[6] != 0);
	return true;
}

static bool take_element_size(struct tw_expr *expr, uint32_t size, struct tw_expr_node *node)
{
	const uint64_t value = expr->nodes[size].value;

	if (expr->nodes[size].kind != TW_EXPR_NUMBER)
		return tw_expr__refuse(expr, node->column, "the size of the elements is not constant");
	if (!tw_type__is_integer_size(value))
		return tw_expr__refuse(expr, node->column, "the size of the elements is not 1, 2, 4 or 8 bytes");
	node->elem_size = (uint8_t)value;
	return true;
}

/*
 * Adds the node of a helper that prints bytes or elements. The arguments are the bytes, the number of bytes or elements, and for an array
 * the size of an element. __print_dynamic_array() has no number, because it prints all elements.
 */
static bool dump_call(struct tw_parser *parser, const struct tw_parse_frame *frame, uint32_t *operands)
{
	struct tw_expr *expr = parser->expr;
	struct tw_expr_node node = { .kind = TW_EXPR_DUMP,
				     .helper = frame->call->helper,
				     .is_text = true,
				     .n_args = frame->call->helper == TW_HELPER_DYNAMIC_ARRAY ? 1 : 2,
				     .column = frame->column };

	if (node.helper == TW_HELPER_HEX_DUMP) {
		if (!take_dump_shape(expr, operands, &node))
			return false;
		operands += 4;
	}
	node.args[0] = operands[0];
	node.args[1] = operands[1];
	if (!tw_expr_node__is_bytes(&expr->nodes[operands[0]]))
		return tw_expr__refuse(expr, frame->column, "the printed bytes are not in the record");
	if (node.helper == TW_HELPER_ARRAY && !take_element_size(expr, operands[2], &node))
		return false;
	if (node.helper == TW_HELPER_DYNAMIC_ARRAY && !take_element_size(expr, operands[1], &node))
		return false;
	if (node.n_args == 2 && !tw_expr__need_number(expr, node.args[1]))
		return false;
	node.first = expr->nodes[node.args[0]].first;
	return tw_expr__add(expr, &node, &parser->operands[frame->operands]);
}

/* __print_ns_to_secs() divides by a billion; __print_ns_without_secs() takes the remainder of this division, as 32 bits. */
static bool seconds_call(struct tw_parser *parser, const struct tw_parse_frame *frame, uint32_t *operands)
{
	const bool rest = frame->call->helper == TW_HELPER_SECS_REST;
	struct tw_expr *expr = parser->expr;
	uint32_t billion;

	return tw_expr__cast(expr, frame->column, (struct tw_expr_cast){ .size = 8 }, operands[0], &operands[0]) &&
	       tw_expr__add(expr, &(struct tw_expr_node){ .kind = TW_EXPR_NUMBER, .size = 8, .value = 1000000000 },
			    &billion) &&
	       tw_expr__binary(expr, rest ? TW_PUNCT('%', 0) : TW_PUNCT('/', 0), frame->column, operands[0], billion,
			       &operands[0]) &&
	       (!rest ||
		tw_expr__cast(expr, frame->column, (struct tw_expr_cast){ .size = 4 }, operands[0], &operands[0]));
}

static bool finish_call(struct tw_parser *parser, const struct tw_parse_frame *frame, uint32_t *operands)
{
	struct tw_expr *expr = parser->expr;

	switch (frame->call->helper) {
	case TW_HELPER_SYMBOLIC:
	case TW_HELPER_FLAGS:
		return table_call(parser, frame, operands);
	case TW_HELPER_SECS:
	case TW_HELPER_SECS_REST:
		return seconds_call(parser, frame, operands);
	case TW_HELPER_FIRST: /* the other arguments are not needed */
		if (frame->call->n_args > 1)
			expr->n_nodes = expr->nodes[operands[1]].first;
		return true;
	case TW_HELPER_CHOOSE:
		return tw_expr__cond(parser->expr, frame->column, operands[0], operands[1], operands[2], &operands[0]);
	case TW_HELPER_WORDS:
		return words_call(parser, frame, operands);
	default:
		return dump_call(parser, frame, operands);
	}
}

bool tw_parser__close_call(struct tw_parser *parser)
{
	const struct tw_parse_frame frame = parser->frames[parser->n_frames - 1];
	const uint32_t n = parser->n_operands - frame.operands;
	const uint32_t expected = frame.call->n_args + (frame.call->helper == TW_HELPER_DYNAMIC_ARRAY ? 1u : 0u);

	if (n != expected)
		return tw_expr__refuse(parser->expr, frame.column, "%s() takes %u arguments, not %u", frame.call->name,
				       expected, n);
	if (!finish_call(parser, &frame, &parser->operands[frame.operands]))
		return false;
	parser->n_operands = frame.operands + 1;
	parser->n_frames--;
	return true;
}
