/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a stranger's frames can make the dissector do, at the most. What is beyond is left out and told (trace.expert.limit,
 * trace.expert.bad_schema, trace.expert.no_print). Limits of single texts and programs are those of wire/schema_text.h,
 * schema/format.h, schema/field.h, schema/print.h, schema/symbols.h and schema/strings.h.
 */
#ifndef TW_LIMITS_H
#define TW_LIMITS_H

/* Per frame: time, and what Wireshark keeps of it. */
#define TW_ITEMS_MAX             100000 /* of the tree; below Wireshark's own limit, which counts as a dissector bug */
#define TW_ELEMENTS_MAX          256    /* shown of an array or a stack */
#define TW_LOOKUPS_MAX           100000 /* of symbols */
#define TW_MASK_TEXT_MAX         1024   /* bytes of a CPU mask as text */
#define TW_VALUE_STRING_TEXT_MAX 1024   /* bytes of the value strings for one value */
#define TW_UNPACK_BYTES_MAX      (16u << 20) /* of SCHEMA texts, unpacked */
#define TW_PREPARE_BYTES_MAX     (16u << 20) /* of parsed formats whose fields and print fmt are met for the first time */
#define TW_SCHEMA_SHOWN_MAX      (64u << 10) /* shown of one of them: four times as many, where all have to be escaped */
#define TW_TEXT_BYTES_MAX        (4u << 20)  /* of the texts of its events together */
#define TW_PROGRAM_BYTES_MAX     (64u << 20) /* of print programs run, each as often as it is */
#define TW_INFO_MAX              4096        /* bytes of the Info column: Wireshark shows no more */
#define TW_INFO_RECORDS_MAX      8           /* control records named in the Info column; the rest is counted */

/* Per capture; what is remembered of its streams has the limits of stream/limits.h, TW_STREAMS_MEMORY_MAX for all of it. */
#define TW_CACHE_READ_MAX       (256u << 20) /* bytes of cached formats read */
#define TW_REFUSALS_MAX         65536 /* sentences about what was not taken in, for when its frame is shown again */
#define TW_UNFINISHED_PARTS_MAX 65536 /* records in PARTs that have begun */
#define TW_CACHED_TEXTS_MAX     8192  /* of one schema that goes to the cache; a whole kernel has about 2500 */

/* Per record in PARTs. */
#define TW_REASSEMBLED_MAX        (1u << 20) /* bytes put together */
#define TW_REASSEMBLED_PIECES_MAX 4096       /* pieces, as Wireshark looks for the place of each in a list */
#define TW_REASSEMBLED_FRAMES_MAX 1024       /* frames remembered */

/* Per run of Wireshark: names of fields cannot be taken back when a capture is closed. */
#define TW_NAMES_MAX               200000      /* trace.SYSTEM.EVENT.FIELD; the built-in table has about 10,000 */
#define TW_VALUE_STRINGS_MAX       1024        /* value strings for the values of one */
#define TW_VALUE_STRINGS_BYTES_MAX (16u << 20) /* of all value strings */

/* Files read at the user's wish. */
#define TW_FORMATS_FILE_MAX   (64u << 20) /* bytes */
#define TW_FORMATS_FOLDER_MAX 16384       /* events */

#endif
