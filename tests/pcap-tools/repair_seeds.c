/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair_seeds DIR: seeds of fuzz_repair: small captures, plain or compressed, whole or truncated, with or without an offset up to which
 * they are known to be whole
 */
#include "small_capture.h"

static void save(const char *folder, const char *name, const struct small_capture *c, size_t known, size_t len)
{
	const uint16_t head = (uint16_t)known;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%zu-%zu", folder, name, known, len);
	f = fopen(path, "wb");
	small__must(f && fwrite(&head, sizeof(head), 1, f) == 1 && fwrite(c->bytes, 1, len, f) == len && !fclose(f));
}

static void make(const char *folder, const char *name)
{
	static struct small_capture c;

	small_capture__make(&c, name, 3, 2);
	save(folder, name, &c, 0, c.size);
	save(folder, name, &c, 0, c.size - 1);
	save(folder, name, &c, 0, c.writes[1] + 7);
	save(folder, name, &c, c.writes[1], c.writes[1] + 9);
	save(folder, name, &c, c.writes[0], c.size);
	save(folder, name, &c, 0, 5);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	make(argv[1], "x.pcapng");
	make(argv[1], "x.pcapng.zst");
	return 0;
}
