/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of the time and memory that untrusted frames can cost in the dissector. Data beyond a limit is not shown or not stored. When most
 * limits of a frame or a capture are reached, an expert info reports this (trace.expert.limit, trace.expert.bad_schema,
 * trace.expert.no_print). The limits of single texts and print programs are in wire/schema_text.h, schema/format.h, schema/field.h,
 * schema/print.h, schema/symbols.h and schema/strings.h.
 */
#ifndef TW_LIMITS_H
#define TW_LIMITS_H

/* Limits for each frame, of the time to dissect it and of the memory that Wireshark keeps for it. */
#define TW_ITEMS_MAX \
	100000 /* items of the tree; below Wireshark's own limit: when it is exceeded, Wireshark reports a bug of the dissector */
#define TW_ELEMENTS_MAX          256    /* elements shown of an array or a stack */
#define TW_LOOKUPS_MAX           100000 /* look-ups of symbols */
#define TW_MASK_TEXT_MAX         1024   /* bytes of a bit mask as text, with a NUL */
#define TW_VALUE_STRING_TEXT_MAX 1024   /* bytes of the value strings for the bits of one value, with a NUL */
#define TW_SOCKET_STEPS_MAX \
	1000000 /* packets and socket events that are looked at to find those that belong together */
#define TW_UNPACK_BYTES_MAX (16u << 20) /* bytes of decompressed SCHEMA texts */
#define TW_PREPARE_BYTES_MAX \
	(16u << 20) /* bytes of formats of event types that no earlier frame of the capture has shown */
#define TW_SCHEMA_SHOWN_MAX  (64u << 10) /* bytes of one text that are shown; escaping may make four bytes of each */
#define TW_TEXT_BYTES_MAX    (4u << 20)  /* bytes of the texts of all events of the frame */
#define TW_PROGRAM_BYTES_MAX (64u << 20) /* bytes of print programs that are run; each run counts */
#define TW_INFO_MAX          4096        /* bytes of the Info column, with a NUL: Wireshark shows no more */
#define TW_INFO_RECORDS_MAX  8 /* records that the Info column names; events, PARTs and metadata do not count */

/* Limits for each capture. stream/limits.h limits the state of its streams, to TW_STREAMS_MEMORY_MAX in total. */
#define TW_CACHE_READ_MAX          (256u << 20) /* bytes of formats read from the cache */
#define TW_REFUSALS_MAX            65536        /* stored messages about refused data */
#define TW_UNFINISHED_PARTS_MAX    65536        /* unfinished records in PARTs */
#define TW_CACHED_TEXTS_MAX        8192         /* texts of one schema for the cache; a whole kernel has about 2500 */
#define TW_SOCKET_STAMPS_BYTES_MAX ((size_t)256 << 20) /* bytes of socket events and packets that are linked */

/* Limits for each record in PARTs. */
#define TW_REASSEMBLED_MAX        (1u << 20) /* bytes of the reassembled record */
#define TW_REASSEMBLED_PIECES_MAX 4096       /* pieces; for each, Wireshark searches a list for its position */
#define TW_REASSEMBLED_FRAMES_MAX 1024 /* frames with a piece whose numbers are stored; further ones are omitted */

/* Limits for each process of Wireshark, because field names stay registered when a capture is closed. */
#define TW_NAMES_MAX               200000      /* names of dissector/fields.h; the built-in table has about 7,000 */
#define TW_VALUE_STRINGS_MAX       1024        /* value strings of one name */
#define TW_VALUE_STRINGS_BYTES_MAX (16u << 20) /* bytes of all value strings */

/* Limits for the file or directory that the preference "formats" names. */
#define TW_FORMATS_FILE_MAX   (64u << 20) /* bytes */
#define TW_FORMATS_FOLDER_MAX 16384       /* entries that are read in the directories of all systems together */

#endif
