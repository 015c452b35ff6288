/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An output's insides: output.c writes, file.c begins and ends one file, reserve.c keeps
 * a part of the disk back, failure.c says and mends what goes wrong. Used inside output/ only. */
#ifndef TW_OUTPUT_IMPL_H
#define TW_OUTPUT_IMPL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>

#include "pcap-tools/output/file_names.h"
#include "pcap-tools/output/note.h"
#include "pcap-tools/output/output.h"
#include "pcap-tools/output/pipe.h"
#include "pcap-tools/output/zstd_stream.h"

struct tw_output {
	struct tw_output_options options; /* but for its texts */
	char path[PATH_MAX], name[PATH_MAX];
	int fd;                      /* -1 = none is open */
	int again;                   /* the same file, to be read too; -1 = it is none, or may not be */
	struct tw_pipe to;           /* what is no file */
	uint64_t late;               /* ns that writing to a file took behind the deadline */
	uint64_t base;               /* where in the file our bytes begin */
	uint64_t reserved;           /* up to where in the file the disk is ours; 0 = not known */
	uint64_t limit;              /* the largest size that the file may have */
	bool reserves;               /* the file system can do that */
	bool ending;                 /* what was kept back may be used */
	bool ended;                  /* its last blocks are there, and a zstd frame has its end */
	bool broken;                 /* what is behind o->bytes is to be cut off */
	bool own;                    /* opened and closed here */
	bool rotates;                /* there are several files */
	bool live;                   /* see tw_output__is_live() */
	bool direct;                 /* the file takes O_DIRECT */
	uint64_t direct_from;        /* CLOCK_MONOTONIC: not before, as the disk was slow */
	uint64_t turn;               /* how long not, the next time that it is; 0 = it never was */
	uint8_t *area;               /* that such writes go from; NULL until the first */
	int code;                    /* the first failure */
	uint64_t gone;               /* files that somebody else removed while they were written */
	uint64_t gone_bytes;         /* in them */
	struct tw_zstd_stream *zstd; /* NULL = not compressed */
	uint64_t bytes;              /* in the file */
	uint64_t put;                /* of them by this call */
	uint64_t deadline;           /* CLOCK_MONOTONIC; UINT64_MAX = none */
	struct tw_ring ring;
	struct tw_note note;
	struct tw_output_stats stats; /* its bytes: in files that were ended */
	struct tw_output_stats told;  /* to those who ask: all bytes, as of the last call */
	void (*begin)(void *ctx);     /* who watches */
	void (*done)(void *ctx);
	void *ctx;
};

/** tw_output_file__begin() - open the next, or take what the caller has opened. Return: 0 or -errno with @err filled */
int tw_output_file__begin(struct tw_output *o, struct tw_error *err);

/** tw_output_file__end() - with all that belongs to its end, unless it failed; none may be open. Return: as above */
int tw_output_file__end(struct tw_output *o, struct tw_error *err);

/** tw_output_file__make_space() - by an old file of the ring. Return: 0; -ENOSPC if there is none; what unlink() said */
int tw_output_file__make_space(struct tw_output *o);

static inline bool tw_output__is_no_space(int code)
{
	return code == -ENOSPC || code == -EDQUOT;
}

/** tw_output__put() - write all of it where the file stands; frees space where it can. Return: 0, or what write() said */
int tw_output__put(void *ctx, const void *bytes, size_t len);

/** tw_output__was_late() - a write to a file took from then, CLOCK_MONOTONIC in ns, until now */
void tw_output__was_late(struct tw_output *o, uint64_t begun);

/** tw_output__begin_reserve() - for a file that was just opened */
void tw_output__begin_reserve(struct tw_output *o);

/**
 * tw_output__reserve() - the disk is ours for as many bytes more, and for what is kept back behind them
 * Return: 0, also where the file system cannot promise that; -ENOSPC, -EDQUOT, -EFBIG
 */
int tw_output__reserve(struct tw_output *o, size_t len);

/** tw_output__put_last() - see tw_output__write_last() */
int tw_output__put_last(struct tw_output *o, const void *blocks, size_t len);

/** tw_output__release_reserve() - the file ends here */
void tw_output__release_reserve(struct tw_output *o);

/**
 * tw_output__put_direct() - of a large batch, all that is in whole blocks of the disk, past the page cache
 * @ret_put: bytes of it that need no tw_output__put() any more; any failure is left for that to find
 * Return: 0, or what tw_output__put() said
 */
int tw_output__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put);

/** tw_output__fail() - the first failure, in a sentence. Return: @code */
int tw_output__fail(struct tw_output *o, int code, struct tw_error *err);

/**
 * tw_output__cut() - after a batch that did not get through: only whole blocks are to stay
 * @blocks: the batch, of which o->put bytes went out, compressed or not
 * @ret_kept: bytes of the batch that stay; none of one that is compressed
 */
void tw_output__cut(struct tw_output *o, const void *blocks, size_t *ret_kept);

/** tw_output__mend() - of a file that was cut: its end. Return: 0; another -errno if it is not whole */
int tw_output__mend(struct tw_output *o);

#endif
