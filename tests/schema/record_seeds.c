/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_seeds DIR: seeds of fuzz_record: a record of each shape, with valid locations. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N_FORMATS  7
#define RECORD_LEN 128

/* Writes a location into a little-endian record: @len bytes at @at. */
static void locate(uint8_t *record, uint32_t field, uint16_t at, uint16_t len)
{
	record[field] = (uint8_t)at;
	record[field + 1] = (uint8_t)(at >> 8);
	record[field + 2] = (uint8_t)len;
	record[field + 3] = (uint8_t)(len >> 8);
}

static int write_seed(const char *folder, int format, int flags)
{
	uint8_t record[RECORD_LEN] = { [4] = 42 };
	char path[4096];
	FILE *f;

	for (int i = 40; i < RECORD_LEN; i++)
		record[i] = (uint8_t)('a' + i % 16);
	for (uint32_t field = 8; format >= 2 && format <= 3 && field < 36; field += 4)
		locate(record, field, (uint16_t)(40 + field), 8);
	snprintf(path, sizeof(path), "%s/%d-%d", folder, format, flags);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	fputc(format, f);
	fputc(flags, f);
	fwrite(record, 1, sizeof(record), f);
	return fclose(f);
}

int main(int argc, char **argv)
{
	int err = argc != 2;

	for (int i = 0; !err && i < N_FORMATS * 4; i++)
		err = write_seed(argv[1], i / 4, i % 4);
	return err ? 1 : 0;
}
