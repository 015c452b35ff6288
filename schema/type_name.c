/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/type_name.h"

#include "schema/type.h"

/* Sorted by name. */
static const struct tw_type_name type_names[] = {
	{ "_Bool", 1, false, TW_FIELD_BOOL },
	{ "__be16", 2, false, TW_FIELD_UINT },
	{ "__be32", 4, false, TW_FIELD_UINT },
	{ "__be64", 8, false, TW_FIELD_UINT },
	{ "__le16", 2, false, TW_FIELD_UINT },
	{ "__le32", 4, false, TW_FIELD_UINT },
	{ "__le64", 8, false, TW_FIELD_UINT },
	{ "__s16", 2, true, TW_FIELD_INT },
	{ "__s32", 4, true, TW_FIELD_INT },
	{ "__s64", 8, true, TW_FIELD_INT },
	{ "__s8", 1, true, TW_FIELD_INT },
	{ "__u16", 2, false, TW_FIELD_UINT },
	{ "__u32", 4, false, TW_FIELD_UINT },
	{ "__u64", 8, false, TW_FIELD_UINT },
	{ "__u8", 1, false, TW_FIELD_UINT },
	{ "bitmask_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "bool", 1, false, TW_FIELD_BOOL },
	{ "cpumask_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "cpumask_var_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "dma_addr_t", 8, false, TW_FIELD_UINT },
	{ "gid_t", 4, false, TW_FIELD_UINT },
	{ "int16_t", 2, true, TW_FIELD_INT },
	{ "int32_t", 4, true, TW_FIELD_INT },
	{ "int64_t", 8, true, TW_FIELD_INT },
	{ "int8_t", 1, true, TW_FIELD_INT },
	{ "ktime_t", 8, true, TW_FIELD_INT },
	{ "loff_t", 8, true, TW_FIELD_INT },
	{ "nodemask_t", TW_TYPE_LONG, false, TW_FIELD_BITMASK },
	{ "pid_t", 4, true, TW_FIELD_INT },
	{ "s16", 2, true, TW_FIELD_INT },
	{ "s32", 4, true, TW_FIELD_INT },
	{ "s64", 8, true, TW_FIELD_INT },
	{ "s8", 1, true, TW_FIELD_INT },
	{ "sector_t", 8, false, TW_FIELD_UINT },
	{ "size_t", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "ssize_t", TW_TYPE_LONG, true, TW_FIELD_INT },
	{ "u16", 2, false, TW_FIELD_UINT },
	{ "u32", 4, false, TW_FIELD_UINT },
	{ "u64", 8, false, TW_FIELD_UINT },
	{ "u8", 1, false, TW_FIELD_UINT },
	{ "uid_t", 4, false, TW_FIELD_UINT },
	{ "uint", 4, false, TW_FIELD_UINT },
	{ "uint16_t", 2, false, TW_FIELD_UINT },
	{ "uint32_t", 4, false, TW_FIELD_UINT },
	{ "uint64_t", 8, false, TW_FIELD_UINT },
	{ "uint8_t", 1, false, TW_FIELD_UINT },
	{ "uintptr_t", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "ulong", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "ushort", 2, false, TW_FIELD_UINT },
};

static int compare(struct tw_text word, const char *name)
{
	int order = strncmp(word.at, name, word.len);

	return order ? order : -(name[word.len] != '\0');
}

const struct tw_type_name *tw_type_name__find(struct tw_text word)
{
	size_t low = 0, high = sizeof(type_names) / sizeof(type_names[0]);

	while (word.len && low < high) {
		size_t middle = (low + high) / 2;
		int order = compare(word, type_names[middle].name);

		if (!order)
			return &type_names[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
