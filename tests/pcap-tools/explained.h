/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes metadata records, for tests of the code that reads them. */
#ifndef TEST_EXPLAINED_H
#define TEST_EXPLAINED_H

#include <stdio.h>

#include "frames.h"
#include "wire/schema_text.h"

/* Write a format with an int named i, an array of one long, and a print format with %pS and __print_array(). Return: length; 0 = no room */
static inline size_t explained__format(char *ret, size_t size, unsigned int id, const char *name)
{
	const int len = snprintf(ret, size,
				 "name: %s\nID: %u\nformat:\n"
				 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
				 "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
				 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				 "\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:unsigned long words[1];\toffset:16;\tsize:8;\tsigned:0;\n"
				 "\nprint fmt: \"i=%%d at=%%pS %%s\", REC->i, (void *)REC->words[0], "
				 "__print_array(REC->words, 1, 8)\n",
				 name, id);

	return (size_t)len < size ? (size_t)len : 0;
}

/* Make the payload of a SCHEMA in @buf. @compressed: compress it by zstd. Return: view of the SCHEMA */
static inline struct tw_schema_view explained__schema(uint8_t kind, uint16_t id, const char *text, size_t len,
						      bool compressed, uint8_t *buf, size_t size)
{
	const struct tw_schema_text what = { .system = kind ? "" : "made", .text = text, .len = len };
	struct tw_schema_view view = { .kind = kind, .event_id = id, .total = 1 };
	const size_t name = strlen(what.system) + 1;

	if (compressed) {
		tw_schema_text__compress(&what, buf, size, &view, NULL);
		return view;
	}
	memcpy(buf, what.system, name);
	memcpy(buf + name, text, len);
	view.encoding = TW_ENCODING_PLAIN;
	view.raw_length = (uint32_t)(name + len);
	view.data = buf;
	view.len = name + len;
	return view;
}

static inline void explained__comm(struct test_frame *t, uint32_t pid, uint64_t time, const char *name)
{
	const struct tw_comm_view comm = {
		.time = time, .pid = pid, .name = (const uint8_t *)name, .len = strlen(name)
	};

	tw_comm__emit(&t->f, &comm);
}

static inline void explained__symbol(struct test_frame *t, uint64_t address, uint32_t size, const char *name)
{
	const struct tw_symbol_view symbol = {
		.address = address, .size = size, .name = (const uint8_t *)name, .len = strlen(name)
	};

	tw_symbol__emit(&t->f, &symbol);
}

#endif
