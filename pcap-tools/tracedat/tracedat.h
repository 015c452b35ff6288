/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads trace.dat, the file of trace-cmd, versions 6 and 7: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). Files of any host are supported:
 * either byte order, longs of 4 or 8 bytes, all kernels that describe the layout of their rings.
 *
 * Files are untrusted. Nothing recurses, every loop advances in the file, sizes are checked before allocations. Metadata is kept in
 * memory; events are read through a window of each CPU's ring.
 *
 * Data that cannot be read counts as damage. The first damage is described in an error text. All other data is returned.
 */
#ifndef TW_TRACEDAT_H
#define TW_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TW_TRACEDAT_SECTION_MAX  ((uint64_t)128 << 20) /* largest decompressed section, bytes */
#define TW_TRACEDAT_EXPAND_MAX   ((uint64_t)512 << 20) /* largest sum of all decompressed sections, bytes */
#define TW_TRACEDAT_EXPAND_TIMES 1100 /* a section may decompress to 64 KiB plus this multiple of its compressed size */
#define TW_TRACEDAT_TEXT_MAX     ((uint64_t)256 * 1024) /* bytes of one format text */
#define TW_TRACEDAT_TEXTS_MAX    65536                  /* number of format texts */
#define TW_TRACEDAT_BYTES_MAX    ((uint64_t)256 << 20)  /* bytes of all format texts and options */
#define TW_TRACEDAT_NAME_MAX     255                    /* bytes of the name of a system, an instance or a clock */
#define TW_TRACEDAT_OPTIONS_MAX  65536
#define TW_TRACEDAT_CHAIN_MAX    1024 /* number of sections with options */
#define TW_TRACEDAT_BUFFERS_MAX  256
#define TW_TRACEDAT_CPUS_MAX     16384       /* CPUs of one buffer; CPU numbers are smaller than this */
#define TW_TRACEDAT_RINGS_MAX    65536       /* CPUs of all buffers together */
#define TW_TRACEDAT_PAGE_MAX     (4u << 20)  /* bytes of one sub-buffer */
#define TW_TRACEDAT_CHUNK_MAX    (16u << 20) /* bytes of one decompressed chunk of events */
#define TW_TRACEDAT_CHUNKS_FREE \
	((uint64_t)64 << 20) /* bytes that all chunks may decompress to, beyond EXPAND_TIMES times their size */
#define TW_TRACEDAT_WINDOWS_MAX  ((uint64_t)1 << 30) /* memory of the windows of all rings, bytes */
#define TW_TRACEDAT_SAMPLES_MAX  (1u << 20)          /* samples of TIME_SHIFT, of all CPUs */
#define TW_TRACEDAT_RECORD_SLACK 32                  /* number of bytes after a record that may be read */

/* The ids of options: TRACECMD_OPTION_* of trace-cmd. */
enum tw_tracedat_option_id {
	TW_TRACEDAT_DONE = 0,
	TW_TRACEDAT_DATE = 1,
	TW_TRACEDAT_CPUSTAT = 2,
	TW_TRACEDAT_BUFFER = 3,
	TW_TRACEDAT_TRACECLOCK = 4,
	TW_TRACEDAT_UNAME = 5,
	TW_TRACEDAT_HOOK = 6,
	TW_TRACEDAT_OFFSET = 7,
	TW_TRACEDAT_CPUCOUNT = 8,
	TW_TRACEDAT_VERSION = 9,
	TW_TRACEDAT_PROCMAPS = 10,
	TW_TRACEDAT_TRACEID = 11,
	TW_TRACEDAT_TIME_SHIFT = 12,
	TW_TRACEDAT_GUEST = 13,
	TW_TRACEDAT_TSC2NSEC = 14,
	TW_TRACEDAT_STRINGS = 15,
	TW_TRACEDAT_HEADER_INFO = 16,
	TW_TRACEDAT_FTRACE_EVENTS = 17,
	TW_TRACEDAT_EVENT_FORMATS = 18,
	TW_TRACEDAT_KALLSYMS = 19,
	TW_TRACEDAT_PRINTK = 20,
	TW_TRACEDAT_CMDLINES = 21,
	TW_TRACEDAT_BUFFER_TEXT = 22,
};

/* How to read the bytes of the file. */
struct tw_tracedat_source {
	/* Reads @len bytes at @offset, all inside the file. Return: number of bytes read, or -errno. */
	int64_t (*read_at)(void *ctx, void *to, size_t len, uint64_t offset);
	void *ctx;
	uint64_t size; /* of the file, bytes */
};

/* A copy of bytes of the file, followed by a NUL. */
struct tw_tracedat_bytes {
	char *data; /* NULL = the file does not have them */
	size_t len;
};

struct tw_tracedat_format {
	const char *system;
	struct tw_tracedat_bytes text;
};

struct tw_tracedat_option {
	uint16_t id; /* enum tw_tracedat_option_id, or unknown */
	struct tw_tracedat_bytes value;
};

/* The events of one trace instance. */
struct tw_tracedat_buffer {
	char *name;         /* "" = the top-level instance */
	char *clock;        /* NULL = unknown */
	uint32_t cpus;      /* number of its rings */
	uint32_t cpu_end;   /* its largest CPU number + 1 */
	uint32_t page_size; /* of its sub-buffers, bytes */

	/* Internal: where its rings are, needed until they are opened. */
	uint64_t offset; /* file offset of its section (version 7), or of the description of its rings (version 6) */
	bool compressed;
	struct tw_dat_place *places; /* one for each CPU */
};

struct tw_tracedat_event {
	uint64_t time;   /* ns if the clock counts ns; converted and shifted according to the file's options */
	uint32_t buffer; /* index of the buffer */
	uint32_t cpu;
	bool lost;           /* events were lost directly before this one */
	bool lost_unknown;   /* the number of lost events is unknown */
	uint64_t lost_count; /* number of lost events; 0 if it is unknown */
	const uint8_t *record;
	uint32_t len; /* with padding, a multiple of 4, at least 8; TW_TRACEDAT_RECORD_SLACK more bytes are readable */
};

struct tw_tracedat;

struct tw_tracedat_damage {
	uint64_t places;       /* number of damaged places */
	struct tw_error first; /* text about the first place, with its byte offset */
};

/* The file's metadata, and what was read so far. Borrowed until tw_tracedat__close(). */
struct tw_tracedat_info {
	unsigned int version;
	bool big_endian;
	uint8_t long_size;  /* size of a long of the traced kernel, from header_page; bytes */
	uint32_t page_size; /* bytes */
	uint32_t cpus;      /* of the host; 0 = unknown */
	char codec[16];     /* "zstd", "zlib" or "none" */
	char codec_version[32];
	struct tw_tracedat_bytes header_page, header_event, kallsyms, printk, cmdlines;
	const struct tw_tracedat_format *formats; /* those of the system "ftrace" are first */
	size_t n_formats;
	const struct tw_tracedat_option *options; /* all options, in the order of the file */
	size_t n_options;
	const struct tw_tracedat_buffer *buffers; /* the top-level instance is first, if the file has it */
	size_t n_buffers;
	uint64_t time_offset; /* ns, modulo 2^64, added to each event's time: sum of the options DATE and OFFSET */
	bool dated;           /* the file has a DATE option: times count from 1970 */
	uint64_t data_bytes;  /* size of all rings in the file, bytes */
	uint64_t done;        /* bytes of rings read so far; at most @data_bytes */
	struct tw_tracedat_damage damage; /* found so far */
};

/** tw_tracedat_info__option() - the value of the first option with this id; NULL if the file does not have it */
const struct tw_tracedat_bytes *tw_tracedat_info__option(const struct tw_tracedat_info *info, uint16_t id);

/**
 * tw_tracedat__open() - read everything except the events
 * @source: copied; the caller frees its ctx after tw_tracedat__close()
 * @name: name of the file for error texts; copied
 * Return: 0, also if parts of the file are damaged; -EINVAL for another kind of file, another version, an unknown compression, or text
 * instead of records; -EBADMSG if the file is so damaged that no event can be found; -EIO, -ENOMEM.
 */
int tw_tracedat__open(const struct tw_tracedat_source *source, const char *name, struct tw_tracedat **ret,
		      struct tw_error *error);

/** tw_tracedat__close() - free @dat, which may be NULL */
void tw_tracedat__close(struct tw_tracedat *dat);

const struct tw_tracedat_info *tw_tracedat__info(const struct tw_tracedat *dat);

/**
 * tw_tracedat__next() - get the next event, in time order across CPUs and buffers
 * @ret: the event; its record is borrowed until the next call
 * Events with the same time are ordered by buffer, then in the order in which the file lists the CPUs. Events of one CPU are in
 * the order of its ring.
 * Return: false at the end.
 */
bool tw_tracedat__next(struct tw_tracedat *dat, struct tw_tracedat_event *ret);

#endif
