/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_seeds DIR: seeds of fuzz_tracedat: small trace.dat files of each version, byte order, size of long and compression. */
#include <stdio.h>
#include <stdlib.h>

#include "tracedat_file.h"

static void make(const char *folder, unsigned int version, bool big_endian, uint8_t long_size, const char *codec,
		 bool more)
{
	static struct test_dat dat;
	struct test_page pages[2];
	char path[4096];
	FILE *f;

	dat = (struct test_dat){ .version = version,
				 .big_endian = big_endian,
				 .long_size = long_size,
				 .codec = codec,
				 .more_options = more };
	test_page__begin(&pages[0], &dat, 1000);
	test_page__event(&pages[0], 5, 101, 7, 4);
	test_page__entry(&pages[0], 30, 1, 1);
	test_page__event(&pages[0], 5, 102, 8, 120);
	test_page__end(&pages[0], 0, 0);
	test_page__begin(&pages[1], &dat, 1001);
	test_page__entry(&pages[1], 31, 1, 16);
	test_page__event(&pages[1], 1, 5, 9, 4);
	test_page__entry(&pages[1], 29, 3, 4);
	test_page__event(&pages[1], 1, 999, 9, 4);
	test_page__end(&pages[1], 0xc0000000, 12);
	test_dat__whole(&dat, pages, 2);
	snprintf(path, sizeof(path), "%s/v%u-%s%u-%s%s", folder, version, big_endian ? "be" : "le", long_size * 8u,
		 codec ? codec : "none", more ? "-more" : "");
	f = fopen(path, "wb");
	if (!f || fwrite(dat.bytes, 1, dat.len, f) != dat.len || fclose(f))
		exit(1);
}

int main(int argc, char **argv)
{
	static const char *const codecs[] = { NULL, "zstd", "zlib" };

	if (argc != 2)
		return 2;
	for (unsigned int kind = 0; kind < 4; kind++) {
		make(argv[1], 6, kind & 1, kind & 2 ? 4 : 8, NULL, false);
		make(argv[1], 6, kind & 1, kind & 2 ? 4 : 8, NULL, true);
		make(argv[1], 7, kind & 1, kind & 2 ? 4 : 8, NULL, true);
		for (size_t i = 0; i < 3; i++)
			make(argv[1], 7, kind & 1, kind & 2 ? 4 : 8, codecs[i], false);
	}
	return 0;
}
