/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of tracedat/: tracedat.c finds the sections of a file, metadata.c reads them, ring.c reads the events. */
#ifndef TW_TRACEDAT_IMPL_H
#define TW_TRACEDAT_IMPL_H

#include <zstd.h>

#include "pcap-tools/merge/heap.h"
#include "pcap-tools/tracedat/tracedat.h"
#include "schema/ring_page.h"

/* A sample of TIME_SHIFT: from guest time `time` on, host time = (guest time * scaling >> fraction) + offset. */
struct tw_dat_sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, fraction;
};

struct tw_dat_samples {
	struct tw_dat_sample *samples; /* sorted by time */
	uint32_t n;
};

/*
 * Converts time stamps of rings: TIME_SHIFT converts a guest's clock to its host's, TSC2NSEC converts TSC ticks to nanoseconds. Then
 * the caller adds tw_tracedat_info.time_offset.
 */
struct tw_dat_clock {
	struct tw_dat_samples *cpus; /* samples of each CPU; NULL = the file has no TIME_SHIFT */
	uint32_t n_cpus;
	bool interpolate;     /* interpolate between the offsets of two samples */
	uint32_t mult, shift; /* ns = (ticks * mult) >> shift; mult 0 = the file has no TSC2NSEC */
};

/* One CPU's ring: its place in the file, a window (the part of it in memory), and its next event. */
struct tw_dat_ring {
	uint32_t buffer, cpu, index; /* index of its buffer; CPU number; index of the CPU in its buffer */
	uint64_t at, end;            /* offset in the file of the data after the window; of the end of the ring */
	uint32_t chunks;             /* number of chunks not read yet; compressed rings only */
	bool compressed;
	uint8_t *window;
	size_t cap, len; /* size of the window's memory; number of bytes in it */
	size_t page;     /* offset of the next sub-buffer in the window */
	uint64_t
		page_offset; /* offset in the file of the current sub-buffer, or of its chunk if compressed; for error texts */
	struct tw_ring_page walk; /* position in the current sub-buffer */
	struct tw_tracedat_event event;
	struct tw_merge_heap_node node; /* its id is the index in tw_tracedat.rings */
};

/* The place of one CPU's ring in the file, as the file describes it. */
struct tw_dat_place {
	uint32_t cpu;
	uint64_t offset, size;
};

struct tw_tracedat {
	struct tw_tracedat_source source;
	char name[256];
	struct tw_tracedat_info info;
	bool compresses; /* the codec is not "none" */
	ZSTD_DCtx *zstd; /* NULL = the codec is not zstd */
	struct tw_ring_layout layout;
	struct tw_dat_clock clock;

	struct tw_tracedat_format *formats;
	struct tw_tracedat_option *options;
	struct tw_tracedat_buffer *buffers;
	uint64_t bytes;                                 /* memory of formats and options, bytes */
	uint64_t expanded;                              /* decompressed bytes of all compressed sections so far */
	int read_err;                                   /* -errno of a failed read; 0 = no read has failed */
	bool text_only;                                 /* a buffer has text instead of records */
	bool in_instance;                               /* version 6: the rings of an instance are being read */
	uint64_t sections[TW_TRACEDAT_BUFFER_TEXT + 1]; /* version 7: offsets of sections, by id; 0 = not in the file */

	struct tw_dat_ring *rings;
	uint32_t n_rings;
	struct tw_merge_heap heap;               /* rings with an event, by time of the event, then by index */
	bool started;                            /* tw_tracedat__next() was called */
	uint64_t windows;                        /* memory of all windows, bytes */
	uint64_t chunks_packed, chunks_expanded; /* compressed and decompressed bytes of all chunks so far */
};

/**
 * tw_dat__damage() - count a damaged place and keep the text about the first one
 * @offset: of the place in the file
 * @fmt: what is wrong at @offset
 * Return: -EBADMSG
 */
__attribute__((format(printf, 3, 4))) int tw_dat__damage(struct tw_tracedat *dat, uint64_t offset, const char *fmt,
							 ...);

/** tw_dat__read_at() - read from the file. Return: whether all @len bytes were read */
bool tw_dat__read_at(struct tw_tracedat *dat, void *to, size_t len, uint64_t offset);

/**
 * tw_dat__expand() - decompress with the file's codec; never writes more than @to_len bytes. Return: whether the data have exactly
 * @to_len bytes
 */
bool tw_dat__expand(struct tw_tracedat *dat, const void *from, size_t from_len, void *to, size_t to_len);

/* A cursor in the file, or in a part of the file in memory. It never reads beyond the end. */
struct tw_dat_cursor {
	struct tw_tracedat *dat;
	const uint8_t *mem; /* the memory; NULL = the cursor reads the file */
	uint64_t at, end;   /* offset of the next byte, and of the end, in the memory or in the file */
	uint64_t origin;    /* if the cursor is in memory: offset in the file of the section or option */
	bool failed;        /* a read went beyond the end or failed: all later reads return 0 */
};

/** tw_dat_cursor__offset() - the cursor's offset in the file, for error texts; for a cursor in memory, `origin` */
uint64_t tw_dat_cursor__offset(const struct tw_dat_cursor *c);

/* Read a number in the file's byte order; 0 beyond the end. */
uint32_t tw_dat_cursor__u32(struct tw_dat_cursor *c);
uint64_t tw_dat_cursor__u64(struct tw_dat_cursor *c);

/**
 * tw_dat_cursor__bytes() - read the next @len bytes to new memory, followed by a NUL; the caller frees @ret->data
 * Return: 0; -EBADMSG if @len exceeds @max or the remaining bytes; -ENOMEM
 */
int tw_dat_cursor__bytes(struct tw_dat_cursor *c, uint64_t len, uint64_t max, struct tw_tracedat_bytes *ret);

/** tw_dat_cursor__string() - read a string and its NUL. Return: false if they need more than @size bytes, or have no NUL before the end */
bool tw_dat_cursor__string(struct tw_dat_cursor *c, char *to, size_t size);

/* A reader of a section, for cursors in the file or in memory. Return: 0, or -errno after counting the damage */
typedef int tw_dat_reader(struct tw_dat_cursor *c);

/**
 * tw_dat__readers - the readers of the metadata, by section: TW_TRACEDAT_HEADER_INFO to TW_TRACEDAT_CMDLINES
 *
 * Versions 6 and 7 of the file have the same metadata; version 6 has them in this order. Data that were read before a damaged place are
 * kept.
 */
extern tw_dat_reader *const tw_dat__readers[TW_TRACEDAT_CMDLINES + 1];

/**
 * tw_dat__option() - read an option, keep it, and apply it if it affects reading
 * @c: positioned at the size of the option, after its id
 * @id: id of the option
 */
int tw_dat__option(struct tw_dat_cursor *c, uint16_t id);

/**
 * tw_dat__read_places() - read the places of the rings of @n CPUs
 * @numbered: each place begins with the number of its CPU; otherwise, CPUs are numbered from 0
 * Return: 0; -EBADMSG; -ENOMEM
 */
int tw_dat__read_places(struct tw_dat_cursor *c, uint32_t n, bool numbered, struct tw_dat_place **ret);

/**
 * tw_dat__add_buffer() - add a buffer; the top-level instance becomes the first
 * @buffer: copied; its memory is freed by this function on failure, otherwise by tw_dat__free_metadata()
 * Return: 0; -EBADMSG beyond TW_TRACEDAT_BUFFERS_MAX; -ENOMEM, also if the name is NULL
 */
int tw_dat__add_buffer(struct tw_tracedat *dat, const struct tw_tracedat_buffer *buffer);

void tw_dat__free_metadata(struct tw_tracedat *dat);

/** tw_dat_clock__correct() - convert a time stamp. @cpu: index of the CPU in its buffer */
uint64_t tw_dat_clock__correct(const struct tw_dat_clock *clock, uint32_t cpu, uint64_t stamp);

/** tw_dat__open_rings() - prepare the rings of all buffers. Return: 0; -EBADMSG with @error filled; -ENOMEM */
int tw_dat__open_rings(struct tw_tracedat *dat, struct tw_error *error);

#endif
