/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive and the file that it wrote, for tests. Included after cmocka.h. */
#ifndef TEST_ARCHIVE_FILE_H
#define TEST_ARCHIVE_FILE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blocks.h"
#include "frames.h"
#include "pcap-tools/archive/archive.h"

struct fixture {
	struct tw_archive *archive;
	struct test_frame frame;
	struct tw_output *output;
	int fd;
	uint8_t file[1 << 20];
	size_t size, at;
};

static inline struct fixture *fixture__new(const struct tw_archive_options *options)
{
	struct fixture *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->fd = memfd_create("archive", 0);
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .fd = x->fd }, &x->output, NULL), 0);
	assert_int_equal(tw_archive__new(x->output, options, &x->archive, NULL), 0);
	return x;
}

static inline void fixture__free(struct fixture *x)
{
	tw_archive__free(x->archive);
	tw_output__free(x->output);
	close(x->fd);
	free(x);
}

static inline void put(struct fixture *x, size_t len)
{
	assert_int_equal(tw_archive__frame(x->archive, x->frame.buf, len, NULL), 0);
}

static inline void put_watermark(struct fixture *x, uint64_t time, uint64_t next)
{
	put(x, test_frame__watermark(&x->frame, time, (const uint16_t[]){ 1 }, &next, 1));
}

static inline void finish(struct fixture *x)
{
	assert_int_equal(tw_archive__finish(x->archive), 0);
	x->size = (size_t)pread(x->fd, x->file, sizeof(x->file), 0);
	assert_true(x->size < sizeof(x->file));
	x->at = 0;
}

/* Return: the next block of that type */
static inline struct block find(struct fixture *x, uint32_t type)
{
	struct block block = { 0 };

	do
		assert_true(block__next(x->file, x->size, &x->at, &block));
	while (block.type != type);
	return block;
}

#endif
