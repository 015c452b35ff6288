/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The insides of a reader of trace.dat, shared by the files of this folder. */
#ifndef TW_TRACEDAT_IMPL_H
#define TW_TRACEDAT_IMPL_H

#include "pcap-tools/tracedat/clock.h"
#include "pcap-tools/tracedat/tracedat.h"
#include "pcap-tools/tracedat/unpack.h"
#include "schema/ring_page.h"

/* One CPU's ring: where it lies in the file, the window on it, and the event that is next. */
struct tw_dat_ring {
	uint32_t buffer, cpu, index; /* index of the CPU in its buffer */
	uint64_t at, end;            /* in the file, of what is not in the window yet */
	uint32_t chunks;             /* of those not read yet; compressed rings only */
	bool compressed, opened;
	uint8_t *window;
	size_t cap, len; /* bytes of the window; of what is in it */
	size_t page;     /* where in it the next sub-buffer begins */
	uint64_t
		page_offset; /* of the sub-buffer being walked in the file, for error texts: its chunk's if compressed */
	struct tw_ring_page walk; /* the sub-buffer */
	struct tw_tracedat_event event;
};

/* Where a BUFFER says its rings are. */
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
	struct tw_unpack *unpack; /* NULL = the file is not compressed */
	char codec[16], codec_version[32];
	struct tw_ring_layout layout;
	struct tw_dat_clock clock;

	struct tw_tracedat_format *formats;
	struct tw_tracedat_option *options;
	struct tw_tracedat_buffer *buffers;
	struct tw_dat_buffer *places;                   /* as many as buffers */
	uint64_t bytes;                                 /* of formats and options */
	uint64_t expanded;                              /* bytes of all sections that were compressed */
	bool text_only;                                 /* there are buffers of text */
	bool in_instance;                               /* version 6: reading what is told of one buffer */
	uint64_t sections[TW_TRACEDAT_BUFFER_TEXT + 1]; /* version 7: where they are, by id; 0 = nowhere */

	struct tw_dat_ring *rings;
	uint32_t n_rings;
	struct tw_dat_ring **heap; /* those with an event, the earliest first */
	uint32_t n_heap;
	bool started;
	uint64_t windows;                        /* bytes of all */
	uint64_t chunks_packed, chunks_expanded; /* bytes of the chunks so far */
	uint64_t done;
};

/**
 * tw_dat__damage() - count damage and keep the first sentence of it
 * @offset: in the file
 * @fmt: what is wrong there
 * Return: -EBADMSG
 */
__attribute__((format(printf, 3, 4))) int tw_dat__damage(struct tw_tracedat *dat, uint64_t offset, const char *fmt,
							 ...);

/* The steps of opening. Each returns 0, or -errno with @err or the damage told. */
int tw_dat__read_v6(struct tw_tracedat *dat, uint64_t at, struct tw_error *err);
int tw_dat__read_v7(struct tw_tracedat *dat, uint64_t at, struct tw_error *err);
int tw_dat__open_rings(struct tw_tracedat *dat, struct tw_error *err);

/** tw_dat_ring__next() - the ring's next event, into its event. Return: false at its end */
bool tw_dat_ring__next(struct tw_tracedat *dat, struct tw_dat_ring *ring);

/** tw_dat__read_at() - Return: whether all @len bytes were read */
bool tw_dat__read_at(struct tw_tracedat *dat, void *to, size_t len, uint64_t offset);

/** tw_dat_ring__fill() - move the window on. Return: false at the ring's end */
bool tw_dat_ring__fill(struct tw_tracedat *dat, struct tw_dat_ring *ring);

/** tw_dat_ring__end() - the ring ends here, wherever that is. Return: false */
bool tw_dat_ring__end(struct tw_dat_ring *ring);

/** tw_dat_ring__page() - begin walking the sub-buffer of @len bytes at @page */
void tw_dat_ring__page(struct tw_tracedat *dat, struct tw_dat_ring *ring, const uint8_t *page, size_t len);

/** tw_dat_ring__entry() - the next event of the sub-buffer. Return: false at its end */
bool tw_dat_ring__entry(struct tw_tracedat *dat, struct tw_dat_ring *ring);

#endif
