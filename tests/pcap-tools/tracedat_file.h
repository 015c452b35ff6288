/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small trace.dat files made by hand, of either version, byte order and size of long. */
#ifndef TRACEDAT_FILE_H
#define TRACEDAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEST_DAT_MAX  (256 * 1024)
#define TEST_DAT_PAGE 256 /* size of sub-buffers, bytes */

struct test_dat {
	uint8_t bytes[TEST_DAT_MAX];
	size_t len;
	unsigned int version;
	bool big_endian;
	uint8_t long_size;
	const char *codec; /* version 7: NULL = "none" */
	bool more_options; /* the file has options of clocks and of a guest */
	size_t noise;      /* length of a random string that printk_formats also has; it does not compress well */
	uint32_t
		bombs; /* version 7, zstd: number of chunks of empty sub-buffers in each ring; the pages are left out */
	size_t options_at; /* version 7: offset of the field with the offset of the options */
	size_t size_at;    /* version 7: offset of the field with the size of the options */
	size_t next_at;    /* version 7: offset of the field with the offset of the next options, in the last DONE */
};

/* A ring that is being made. It has one sub-buffer. */
struct test_page {
	uint8_t bytes[TEST_DAT_PAGE];
	size_t len; /* length of the page so far, bytes */
	const struct test_dat *dat;
};

void test_dat__put(struct test_dat *dat, const void *bytes, size_t len);
void test_dat__put_text(struct test_dat *dat, const char *text); /* including its NUL */
void test_dat__put_number(struct test_dat *dat, uint64_t value, size_t size);
void test_dat__set_number(struct test_dat *dat, size_t at, uint64_t value, size_t size);

/** test_dat__begin() - write the header; the caller sets the other members */
void test_dat__begin(struct test_dat *dat);

/** test_dat__texts() - version 6: all metadata up to the number of CPUs; version 7: their sections, returns their offsets */
void test_dat__texts(struct test_dat *dat, uint64_t sections[32]);

/** test_dat__option() - write an option: its id, its size, its value */
void test_dat__option(struct test_dat *dat, uint16_t id, const void *value, size_t len);

/** test_dat__section() - version 7: write the header of a section. Return: offset of the section's size */
size_t test_dat__section(struct test_dat *dat, uint16_t id, bool compressed);
void test_dat__end_section(struct test_dat *dat, size_t size_at);

/** test_page__begin() - begin a sub-buffer whose time is @time */
void test_page__begin(struct test_page *page, const struct test_dat *dat, uint64_t time);

/** test_page__event() - add an event, @delta later, with @len bytes after the common fields */
void test_page__event(struct test_page *page, uint32_t delta, uint16_t id, uint32_t pid, uint32_t len);

/** test_page__entry() - add an entry of any kind: its word, and one more word */
void test_page__entry(struct test_page *page, uint32_t type, uint32_t delta, uint32_t array);

/** test_page__end() - write the commit word with these flags, and the number of lost events after the data */
void test_page__end(struct test_page *page, uint32_t flags, uint64_t lost);

/** test_dat__whole() - make a file with one page for each CPU; in version 7, the rings are compressed according to @codec */
void test_dat__whole(struct test_dat *dat, const struct test_page *pages, size_t n_pages);

#endif
