/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/fixed.h"

int tw_fixed_id[TW_FIXED_COUNT];
int tw_subtree[TW_SUB_COUNT];
expert_field tw_expert[TW_EXPERT_COUNT];

const value_string tw_tlv_names[] = {
#define X(num, name, ...) { num, #name },
	TW_TLV_LIST(X)
#undef X
		{ 0, NULL },
};

const value_string tw_source_names[] = {
	{ TW_SOURCE_CONTROL, "control" },
	{ TW_SOURCE_FTRACE, "trace ring" },
	{ TW_SOURCE_BPF, "BPF ring" },
	{ TW_SOURCE_ASIDE, "beside the stream" },
	{ 0, NULL },
};

const value_string tw_lost_names[] = {
#define X(num, name, text, why) { num, text },
	TW_LOST_LIST(X)
#undef X
		{ 0, NULL },
};

const value_string tw_schema_kind_names[] = {
	{ TW_SCHEMA_EVENT, "event" },
	{ TW_SCHEMA_HEADER_PAGE, "header_page" },
	{ TW_SCHEMA_HEADER_EVENT, "header_event" },
	{ TW_SCHEMA_PRINTK, "printk_formats" },
	{ 0, NULL },
};

const value_string tw_encoding_names[] = {
	{ TW_ENCODING_PLAIN, "plain" },
	{ TW_ENCODING_ZSTD, "zstd" },
	{ 0, NULL },
};

const value_string tw_comm_names[] = {
	{ TW_COMM_SAVED, "saved_cmdlines" },
	{ TW_COMM_PROC, "/proc" },
	{ TW_COMM_EXEC, "exec" },
	{ TW_COMM_FORK, "fork" },
	{ TW_COMM_RENAME, "rename" },
	{ 0, NULL },
};

const value_string tw_stat_names[] = {
#define X(num, name, key, what) { num, what },
	TW_STAT_LIST(X)
#undef X
		{ 0, NULL },
};

const value_string tw_offset_kind_names[] = {
#define X(num, name, text, what) { num, text },
	TW_OFFSET_KIND_LIST(X)
#undef X
		{ 0, NULL },
};

const value_string tw_offset_method_names[] = {
#define X(num, name, text, what) { num, text },
	TW_OFFSET_METHOD_LIST(X)
#undef X
		{ 0, NULL },
};

const value_string tw_want_names[] = {
#define X(num, name, text, what) { num, what },
	TW_WANT_LIST(X)
#undef X
		{ 0, NULL },
};

const value_string tw_refused_names[] = {
#define X(num, name, text, what) { num, what },
	TW_REFUSED_LIST(X)
#undef X
		{ 0, NULL },
};

#define FIELD(id, filter, label, ft, base, strings, mask, what) \
	[TW_FIX_##id] = { &tw_fixed_id[TW_FIX_##id], { label, "trace." filter, ft, base, strings, mask, what, HFILL } },

#define HOST_TYPE_text     FT_STRING, BASE_NONE
#define HOST_TYPE_number   FT_UINT64, BASE_DEC
#define EXPAND(macro, ...) macro(__VA_ARGS__)

hf_register_info tw_fixed_hf[TW_FIXED_COUNT] = { TW_FIXED_LIST(FIELD)
#define X(num, name, type, key, what) EXPAND(FIELD, HOST_##name, "host." key, what, HOST_TYPE_##type, NULL, 0, NULL)
							 TW_HOST_LIST(X)
#undef X
#define X(bit, name, field, what) FIELD(CLOCK_##name, "clock." #field, what, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, NULL)
								 TW_CLOCK_LIST(X)
#undef X
#define X(num, name, key, what) FIELD(STAT_##name, "stats." key, what, FT_UINT64, BASE_DEC, NULL, 0, NULL)
									 TW_STAT_LIST(X)
#undef X
};

static ei_register_info expert_info[TW_EXPERT_COUNT] = {
#define X(id, filter, group, severity, text) \
	[TW_EXPERT_##id] = { &tw_expert[TW_EXPERT_##id], { "trace.expert." filter, group, severity, text, EXPFILL } },
	TW_EXPERT_LIST(X)
#undef X
};

void tw_fixed__register(int proto)
{
	static int *subtrees[TW_SUB_COUNT];

	for (int i = 0; i < TW_SUB_COUNT; i++) {
		tw_subtree[i] = -1;
		subtrees[i] = &tw_subtree[i];
	}
	for (int i = 0; i < TW_FIXED_COUNT; i++)
		tw_fixed_id[i] = -1;
	proto_register_field_array(proto, tw_fixed_hf, TW_FIXED_COUNT);
	proto_register_subtree_array(subtrees, TW_SUB_COUNT);
	expert_register_field_array(expert_register_protocol(proto), expert_info, TW_EXPERT_COUNT);
}
