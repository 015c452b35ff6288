/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat file in memory, for the fuzzers of the reader and of the conversion. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/tracedat/tracedat.h"

struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

static inline void check(bool holds)
{
	if (!holds)
		abort();
}

static inline int64_t fuzz_input__read(void *ctx, void *to, size_t len, uint64_t offset)
{
	const struct fuzz_input *input = ctx;

	check(offset <= input->size && len <= input->size - offset);
	memcpy(to, input->data + offset, len);
	return (int64_t)len;
}

/* Return: the file; NULL if it is refused, for which the error must have a text */
static inline struct tw_tracedat *fuzz_input__open(struct fuzz_input *input)
{
	const struct tw_tracedat_source source = { .read_at = fuzz_input__read, .ctx = input, .size = input->size };
	struct tw_tracedat *dat = NULL;
	struct tw_error err = { 0 };
	const int code = tw_tracedat__open(&source, "fuzz", &dat, &err);

	if (code)
		check(*err.text && (code == -EINVAL || code == -EBADMSG || code == -EIO || code == -ENOMEM));
	return dat;
}

#endif
