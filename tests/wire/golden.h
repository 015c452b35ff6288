/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The golden frames of tests/wire/golden: all bytes in hex, with comments that begin with #. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stddef.h>
#include <stdint.h>

struct golden {
	char name[64]; /* of the file, without .hex */
	size_t len;
	uint8_t data[1024];
};

/** golden__load() - read golden/@name.hex. Return: 0 or -errno; -EINVAL for an invalid hex digit, -E2BIG for a frame that does not fit */
int golden__load(const char *name, struct golden *ret);

/**
 * golden__load_all() - read all golden frames, sorted by name
 * @ret: caller frees
 * Return: 0 or -errno
 */
int golden__load_all(struct golden **ret, size_t *ret_n);

#endif
