/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of convert/: convert.c writes events, metadata.c and comments.c write what is needed to decode them. */
#ifndef TW_CONVERT_IMPL_H
#define TW_CONVERT_IMPL_H

#include "base/hash_table.h"
#include "pcap-tools/convert/convert.h"
#include "pcap-tools/pcapng/writer.h"
#include "schema/print.h"
#include "schema/schema.h"
#include "wire/encode.h"

#define CONVERT_ETHER_LEN 14

/* The fields of an event's records that are printed as symbols. */
struct convert_format {
	bool looked;                    /* the other members are valid */
	const struct tw_format *format; /* NULL = not in the file */
	struct tw_print *print;         /* NULL if there are no such fields */
	const struct tw_field *const *fields;
	size_t n_fields;
};

struct convert_stream {
	const struct tw_tracedat_buffer *buffer;
	uint64_t id;
	uint32_t interface;
	uint64_t *next_seq; /* one for each CPU */
	uint64_t control_seq;
	uint32_t part_id;
	uint64_t start, end, newest; /* packet times; of the newest event */
	uint64_t events, lost;
	struct tw_hash_table looked_up, sent; /* addresses in records; addresses of symbols already sent */
};

struct tw_convert {
	struct tw_tracedat *dat;
	const struct tw_tracedat_info *info;
	const struct tw_convert_options *options;
	struct tw_output *output;
	struct tw_pcapng *file;
	struct tw_convert_stats stats;
	struct convert_stream *streams;
	size_t n_streams;
	struct tw_schema *schema;
	uint64_t schema_id;
	struct tw_schema_view *texts; /* compressed; in the order of their indexes */
	uint32_t n_texts;
	struct convert_format *formats; /* one for each event id */
	struct tw_symbols *symbols;     /* NULL until the first look-up */
	uint8_t frame_flags;

	/* The control frame being filled. */
	struct tw_frame frame;
	struct convert_stream *gathering; /* NULL = there is none */
	uint64_t time;                    /* number of the next control frame */
	uint8_t *frame_bytes;
};

/** tw_convert__packet() - a buffer for a frame of @len bytes in a packet; NULL after the writer failed */
uint8_t *tw_convert__packet(struct tw_convert *c, size_t len);

/** tw_convert__commit() - write it; @time by the stream's clock */
void tw_convert__commit(struct tw_convert *c, struct convert_stream *s, uint64_t time, size_t len);

/** tw_convert__texts() - read, compress and name the format texts that SCHEMA records need */
int tw_convert__texts(struct tw_convert *c, struct tw_error *error);

/** tw_convert__open_streams() - write the sections, and interfaces with their comments */
int tw_convert__open_streams(struct tw_convert *c, struct tw_error *error);

/** tw_convert__explain() - write HOST, CLOCK, SCHEMA, COMM of all streams, with @time */
void tw_convert__explain(struct tw_convert *c, uint64_t time);

/** tw_convert__symbols() - write SYMBOLs for those addresses of a record that were not sent yet. Return: 0 or -ENOMEM */
int tw_convert__symbols(struct tw_convert *c, struct convert_stream *s, const struct convert_format *format,
			const struct tw_tracedat_event *event);

/** tw_convert__parts() - write a TLV that fits no frame in pieces; @info has channel, number and time of their frames */
void tw_convert__parts(struct tw_convert *c, struct convert_stream *s, struct tw_frame_info *info,
		       enum tw_tlv_type inner, const uint8_t *value, uint32_t len);

/**
 * tw_convert__comments() - the options of the file as texts for the section
 * @ret: NULL-terminated list and texts, to be freed with tw_convert__free_comments()
 */
int tw_convert__comments(struct tw_convert *c, char ***ret);
void tw_convert__free_comments(char **comments);

#endif
