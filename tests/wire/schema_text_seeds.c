/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schema_text_seeds DIR: seeds of fuzz_schema_text: payloads as made by a producer, and texts. */
#include <stdio.h>
#include <string.h>

#include "wire/schema_text.h"

#define HEAD (sizeof(struct tw_schema_tlv) - sizeof(struct tw_tlv))

static const char text[] = "name: toy\nID: 300\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->a\n";

static FILE *open_seed(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "wb");
}

/* Writes a seed of mode 0: the value of a SCHEMA TLV. */
static int write_payload(const char *folder, const char *name, const struct tw_schema_view *view)
{
	uint8_t head[1 + HEAD] = { 0, view->kind, view->encoding };
	FILE *f = open_seed(folder, name);

	if (!f)
		return -1;
	tw_store_be16(head + 3, 300);
	tw_store_be32(head + 5, view->raw_length);
	tw_store_be32(head + 13, 1);
	fwrite(head, 1, sizeof(head), f);
	fwrite(view->data, 1, view->len, f);
	return fclose(f);
}

static int write_packed(const char *folder, const char *name, const char *bytes, size_t len)
{
	static uint8_t buf[TW_SCHEMA_RAW_MAX];
	const struct tw_schema_text unpacked = { "toy", bytes, len };
	struct tw_schema_view view = { 0 };

	return tw_schema_text__compress(&unpacked, buf, sizeof(buf), &view, NULL) || write_payload(folder, name, &view);
}

static int write_plain(const char *folder)
{
	static const char payload[] = "toy\0name: toy\n";
	const struct tw_schema_view view = { .raw_length = sizeof(payload) - 1,
					     .data = (const uint8_t *)payload,
					     .len = sizeof(payload) - 1 };

	return write_payload(folder, "plain", &view);
}

/* @cut: the declared length of the group is this number of bytes too small */
static int write_group(const char *folder, const char *name, uint32_t cut)
{
	const struct tw_schema_source sources[] = {
		{ TW_SCHEMA_HEADER_PAGE, 0, { "", text, 60 } },
		{ TW_SCHEMA_EVENT, 300, { "toy", text, sizeof(text) - 1 } },
		{ TW_SCHEMA_EVENT, 301, { "toy", text, sizeof(text) - 9 } },
	};
	struct tw_schema_records records;
	int err = tw_schema_records__make(sources, 3, &records, NULL);

	if (err || records.n != 1)
		return -1;
	records.items[0].raw_length -= cut;
	err = write_payload(folder, name, &records.items[0]);
	tw_schema_records__fini(&records);
	return err;
}

/* Writes a seed of mode 1: a text. @more is added to its length, @damage changes bits of the byte at offset 20. */
static int write_text(const char *folder, const char *name, uint8_t more, uint8_t damage)
{
	const uint8_t head[] = { 1, more, 0, 20, damage, 't', 'o', 'y', 0 };
	FILE *f = open_seed(folder, name);

	if (!f)
		return -1;
	fwrite(head, 1, sizeof(head), f);
	fwrite(text, 1, sizeof(text) - 1, f);
	return fclose(f);
}

int main(int argc, char **argv)
{
	static char zeros[TW_SCHEMA_TEXT_MAX];

	if (argc != 2)
		return 2;
	return write_packed(argv[1], "zstd", text, sizeof(text) - 1) ||
	       write_packed(argv[1], "bomb", zeros, sizeof(zeros)) || write_plain(argv[1]) ||
	       write_text(argv[1], "text", 0, 0) || write_text(argv[1], "longer", 9, 0) ||
	       write_text(argv[1], "shorter", 0xf0, 0) || write_text(argv[1], "damaged", 0, 0x40) ||
	       write_group(argv[1], "group", 0) || write_group(argv[1], "group-cut", 4);
}
