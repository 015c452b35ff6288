/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of tracedat/: tracedat.c finds the sections of a file, metadata.c reads them, ring.c reads the events. */
#ifndef TW_TRACEDAT_IMPL_H
#define TW_TRACEDAT_IMPL_H

#include <zstd.h>

#include "pcap-tools/merge/heap.h"
#include "pcap-tools/tracedat/tracedat.h"
#include "schema/ring_page.h"

/* A comparison of the guest's clock with the host's; numbers as in TIME_SHIFT. */
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
 * Converts a ring's time stamps to times of events, according to the options TIME_SHIFT, TSC2NSEC, DATE and OFFSET: a guest's clock to
 * its host's, TSC ticks to nanoseconds, and the offset to another clock.
 */
struct tw_dat_clock {
	struct tw_dat_samples *cpus; /* NULL = no TIME_SHIFT */
	uint32_t n_cpus;
	bool interpolate;
	uint32_t mult, shift; /* TSC2NSEC; mult 0 = none */
	uint64_t offset;      /* sum of DATE and OFFSET, modulo 2^64 */
};

/* One CPU's ring: its place in the file, the window on it, and its next event. */
struct tw_dat_ring {
	uint32_t buffer, cpu, index; /* index of the CPU in its buffer */
	uint64_t at, end;            /* offset in the file of the data after the window */
	uint32_t chunks;             /* chunks not read yet; compressed rings only */
	bool compressed, opened;
	uint8_t *window;
	size_t cap, len; /* size of the window, bytes; bytes in it */
	size_t page;     /* offset of the next sub-buffer in it */
	uint64_t
		page_offset; /* offset in the file of the current sub-buffer, for error texts; of its chunk if compressed */
	struct tw_ring_page walk; /* the current sub-buffer */
	struct tw_tracedat_event event;
	struct tw_merge_heap_node node; /* its id is the ring's index */
};

/* The place of the rings according to a BUFFER. */
struct tw_dat_place {
	uint32_t cpu;
	uint64_t offset, size;
};

/* A buffer while the metadata is being read. */
struct tw_dat_buffer {
	uint64_t offset;
	bool compressed;
	struct tw_dat_place *places;
};

struct tw_tracedat {
	struct tw_tracedat_source source;
	char name[256];
	struct tw_tracedat_info info;
	struct tw_tracedat_damage damage;
	char codec[16], codec_version[32];
	bool compresses; /* there is a codec */
	ZSTD_DCtx *zstd; /* NULL = it is zlib */
	struct tw_ring_layout layout;
	struct tw_dat_clock clock;

	struct tw_tracedat_format *formats;
	struct tw_tracedat_option *options;
	struct tw_tracedat_buffer *buffers;
	struct tw_dat_buffer *places;                   /* same number as buffers */
	uint64_t bytes;                                 /* of formats and options */
	uint64_t expanded;                              /* bytes of all sections that were compressed */
	bool text_only;                                 /* some buffers have text instead of records */
	bool in_instance;                               /* version 6: reading the description of one buffer */
	uint64_t sections[TW_TRACEDAT_BUFFER_TEXT + 1]; /* version 7: offsets by id; 0 = not in the file */

	struct tw_dat_ring *rings;
	uint32_t n_rings;
	struct tw_merge_heap
		heap; /* rings with an event; of events at the same time, that of the first ring comes first */
	bool started;
	uint64_t windows;                        /* bytes of all windows */
	uint64_t chunks_packed, chunks_expanded; /* bytes of the chunks so far */
	uint64_t done;
};

/**
 * tw_dat__damage() - count damage and keep its first sentence
 * @offset: in the file
 * @fmt: what is wrong there
 * Return: -EBADMSG
 */
__attribute__((format(printf, 3, 4))) int tw_dat__damage(struct tw_tracedat *dat, uint64_t offset, const char *fmt,
							 ...);

/** tw_dat__read_at() - Return: whether all @len bytes were read */
bool tw_dat__read_at(struct tw_tracedat *dat, void *to, size_t len, uint64_t offset);

/**
 * tw_dat__expand() - decompress with the file's codec; never writes more than @to_len bytes. Return: whether the result has exactly that
 * size
 */
bool tw_dat__expand(struct tw_tracedat *dat, const void *from, size_t from_len, void *to, size_t to_len);

/* A cursor on the file, or on a part of it in memory. It never reads beyond the end. */
struct tw_dat_cursor {
	struct tw_tracedat *dat;
	const uint8_t *mem; /* NULL = the file itself */
	uint64_t at, end;   /* size of the memory or the file */
	uint64_t origin;    /* offset of the section in the file, if at is in memory */
	bool failed;        /* read beyond the end, or the file could not be read: later results are zero */
};

/** tw_dat_cursor__offset() - its offset in the file, for error texts */
uint64_t tw_dat_cursor__offset(const struct tw_dat_cursor *c);

/* Numbers in the file's byte order; 0 beyond the end. */
uint32_t tw_dat_cursor__u32(struct tw_dat_cursor *c);
uint64_t tw_dat_cursor__u64(struct tw_dat_cursor *c);

/**
 * tw_dat_cursor__bytes() - the next @len bytes in new memory of the caller, followed by a NUL
 * Return: 0; -EBADMSG beyond the end or @max; -ENOMEM
 */
int tw_dat_cursor__bytes(struct tw_dat_cursor *c, uint64_t len, uint64_t max, struct tw_tracedat_bytes *ret);

/** tw_dat_cursor__string() - read up to the next NUL and past it; @to has @size bytes. Return: false if the string is longer */
bool tw_dat_cursor__string(struct tw_dat_cursor *c, char *to, size_t size);

/*
 * The metadata, the same in both versions: one function for each section, with any cursor. Each returns 0, or -errno with the damage
 * noted; data read before it is kept.
 */

/** tw_dat__headers() - header_page and header_event, and the layout that they describe */
int tw_dat__headers(struct tw_dat_cursor *c);

/** tw_dat__ftrace_formats(), tw_dat__event_formats() - the format texts */
int tw_dat__ftrace_formats(struct tw_dat_cursor *c);
int tw_dat__event_formats(struct tw_dat_cursor *c);

/** tw_dat__kallsyms(), tw_dat__printk(), tw_dat__cmdlines() - one text each */
int tw_dat__kallsyms(struct tw_dat_cursor *c);
int tw_dat__printk(struct tw_dat_cursor *c);
int tw_dat__cmdlines(struct tw_dat_cursor *c);

/**
 * tw_dat__option() - one option: kept, and applied if it affects reading
 * @id: as read; its size and value follow at the cursor
 */
int tw_dat__option(struct tw_dat_cursor *c, uint16_t id);

/**
 * tw_dat__read_places() - the places of the rings of @n CPUs
 * @numbered: each place begins with the number of its CPU; otherwise they are counted from 0
 * Return: 0; -EBADMSG; -ENOMEM
 */
int tw_dat__read_places(struct tw_dat_cursor *c, uint32_t n, bool numbered, struct tw_dat_place **ret);

/**
 * tw_dat__add_buffer() - add a buffer; the top-level instance becomes the first
 * @buffer: its name and clock become the reader's, also on failure, and so do the @places
 */
int tw_dat__add_buffer(struct tw_tracedat *dat, const struct tw_tracedat_buffer *buffer,
		       const struct tw_dat_buffer *places);

void tw_dat__free_metadata(struct tw_tracedat *dat);

void tw_dat_clock__fini(struct tw_dat_clock *clock);

/** tw_dat_clock__correct() - the time of a time stamp; @cpu is the index of the CPU in its buffer */
uint64_t tw_dat_clock__correct(const struct tw_dat_clock *clock, uint32_t cpu, uint64_t stamp);

/** tw_dat__open_rings() - open the rings of all buffers. Return: 0, or -errno with @error or the damage filled */
int tw_dat__open_rings(struct tw_tracedat *dat, struct tw_error *error);

#endif
