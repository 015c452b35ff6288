/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An untrusted record for a format of the kernel. The input: index of the format and flags, one byte each, then the record. The formats are
 * parsed once, so that nearly all time is used for reading records.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/schema/texts.h"
#include "tests/schema/touch.h"

/* Flags, the second byte of the input. */
#define BIG_ENDIAN_HOST 0x01
#define FROM_WIRE       0x02

#define HEAD 2

static const struct {
	const char *system, *text;
	uint8_t long_size;
} texts[] = {
	{ "toy",
	  EVENT_TEXT("numbers", 300,
		     FIELD("u8 a", 8, 1, 0) FIELD("s16 b", 10, 2, 1) FIELD("bool c", 12, 1, 0)
			     FIELD("enum animal d", 16, 4, 0) FIELD("long e", 24, 8, 1) FIELD("void * f", 32, 8, 0)
				     FIELD("struct thing g", 40, 12, 0) FIELD("u64 h", 52, 8, 0),
		     "print fmt: \"\""),
	  8 },
	{ "toy",
	  EVENT_TEXT("arrays", 301,
		     FIELD("char a[16]", 8, 16, 1) FIELD("u32 b[3]", 24, 12, 0) FIELD("unsigned long c[2]", 40, 16, 0)
			     FIELD("u8 d[6]", 56, 6, 0) FIELD("cpumask_t e", 64, 8, 0) FIELD("char f[2][8]", 72, 16, 1),
		     "print fmt: \"\""),
	  8 },
	{ "toy",
	  EVENT_TEXT("dynamic", 302,
		     FIELD("__data_loc char[] a", 8, 4, 1) FIELD("__data_loc u32[] b", 12, 4, 0)
			     FIELD("__data_loc cpumask_t c", 16, 4, 0) FIELD("__rel_loc char[] d", 20, 4, 1)
				     FIELD("__rel_loc u64[] e", 24, 4, 0)
					     FIELD("__data_loc unsigned long[] f", 28, 4, 0)
						     FIELD("__rel_loc cpumask_t g", 32, 4, 0),
		     "print fmt: \"\""),
	  8 },
	{ "toy",
	  EVENT_TEXT("narrow", 303,
		     FIELD("__data_loc unsigned long[] a", 8, 4, 0) FIELD("__data_loc cpumask_t b", 12, 4, 0)
			     FIELD("__data_loc bitmask_t c", 16, 4, 0) FIELD("__rel_loc u8[] d", 20, 4, 0),
		     "print fmt: \"\""),
	  4 },
	{ "ftrace",
	  EVENT_TEXT("print", 5, FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf[]", 16, 0, 0), "print fmt: \"\""),
	  8 },
	{ "ftrace",
	  EVENT_TEXT("kernel_stack", 4, FIELD("int size", 8, 4, 1) FIELD("unsigned long caller[8]", 16, 64, 0),
		     "print fmt: \"\""),
	  8 },
	{ "ftrace",
	  EVENT_TEXT("raw_data", 16, FIELD("unsigned int id", 8, 4, 0) FIELD("char buf[]", 12, 0, 0),
		     "print fmt: \"\""),
	  8 },
};

#define N_TEXTS (sizeof(texts) / sizeof(texts[0]))

static struct tw_format *formats[N_TEXTS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_formats(void)
{
	for (size_t i = 0; i < N_TEXTS; i++) {
		if (tw_format__parse(texts[i].text, strlen(texts[i].text), texts[i].system, &formats[i], NULL))
			abort();
		tw_format__assume_long_size(formats[i], texts[i].long_size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_record record = { 0 };
	uint8_t *bytes;

	if (size < HEAD)
		return 0;
	if (!formats[0])
		parse_formats();
	record.len = (uint32_t)(size - HEAD);
	record.big_endian = data[1] & BIG_ENDIAN_HOST;
	record.from_wire = data[1] & FROM_WIRE;
	bytes = malloc(record.len ? record.len : 1); /* in separate memory, so that a read beyond its end is found */
	if (!bytes)
		return 0;
	memcpy(bytes, data + HEAD, record.len);
	record.data = bytes;
	touch__record(formats[data[0] % N_TEXTS], &record);
	free(bytes);
	return 0;
}
