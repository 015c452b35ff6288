/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a compressed file whose writer was killed can end. Used inside output/ only. */
#ifndef TW_OUTPUT_REPAIR_ZSTD_H
#define TW_OUTPUT_REPAIR_ZSTD_H

#include <stdbool.h>
#include <stdint.h>

struct tw_file_end {
	uint64_t size; /* of the file then */
	bool open;     /* a zstd frame has to be ended there, by the block whose header is at `last` */
	uint64_t last;
};

/**
 * tw_zstd__find_end() - reads only
 * @known: a place behind a block where all is whole; 0 = none, and then the frame is uncompressed
 * @size: of the file
 * Return: 0; -EBADMSG: the bytes are not ours, or damaged before the end; -ENOMEM; what pread() said.
 */
int tw_zstd__find_end(int fd, uint64_t known, uint64_t size, struct tw_file_end *ret);

#endif
