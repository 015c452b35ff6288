/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts_seeds DIR: seeds of fuzz_parts. Its source describes the bytes of a step. */
#include <stdint.h>
#include <stdio.h>

#define ON 0x80 /* the piece begins where the previous piece of this value ended */

struct step {
	uint8_t name, type;
	uint16_t total, offset, len;
};

static const struct seed {
	const char *name;
	struct step steps[8];
} seeds[] = {
	{ "in-order", { { 0, 1, 300, 0, 100 }, { 0, 1 | ON, 300, 0, 100 }, { 0, 1 | ON, 300, 0, 100 } } },
	{ "one-piece", { { 4, 6, 40, 0, 40 } } },
	{ "mixed",
	  { { 0, 1, 200, 0, 100 }, { 1, 6, 400, 0, 200 }, { 0, 1 | ON, 200, 0, 100 }, { 1, 6 | ON, 400, 0, 200 } } },
	{ "hole", { { 0, 1, 300, 0, 100 }, { 0, 1, 300, 200, 100 }, { 0, 1 | ON, 300, 0, 50 } } },
	{ "repeated",
	  { { 0, 1, 300, 0, 100 }, { 0, 1, 300, 0, 100 }, { 0, 1, 300, 0, 300 }, { 0, 1, 300, 100, 200 } } },
	{ "other-total", { { 0, 1, 300, 0, 100 }, { 0, 1 | ON, 400, 0, 100 }, { 0, 1, 400, 0, 400 } } },
	{ "too-many", { { 0, 1, 99, 0, 9 }, { 4, 1, 99, 0, 9 }, { 8, 1, 99, 0, 9 }, { 12, 1, 99, 0, 9 } } },
	{ "too-large",
	  { { 0, 1, 4000, 0, 500 },
	    { 4, 1, 4000, 0, 500 },
	    { 0, 1 | ON, 4000, 0, 500 },
	    { 0, 1 | ON, 4000, 0, 500 },
	    { 4, 1 | ON, 4000, 0, 511 },
	    { 8, 1, 5000, 0, 500 } } },
};

static void put16(FILE *f, uint16_t v)
{
	fputc(v >> 8, f);
	fputc(v & 0xff, f);
}

static int write_seed(const char *folder, const struct seed *seed)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, seed->name);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	for (const struct step *step = seed->steps; step < seed->steps + 8 && step->total; step++) {
		fputc(step->name, f);
		fputc(step->type, f);
		put16(f, step->total);
		put16(f, step->offset);
		put16(f, step->len);
	}
	return fclose(f);
}

int main(int argc, char **argv)
{
	int err = argc != 2;

	for (size_t i = 0; !err && i < sizeof(seeds) / sizeof(seeds[0]); i++)
		err = write_seed(argv[1], &seeds[i]);
	return err ? 1 : 0;
}
