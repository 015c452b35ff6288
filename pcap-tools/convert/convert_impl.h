/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of convert/: convert.c writes events, metadata.c writes the metadata to decode them, comments.c makes comments. */
#ifndef TW_CONVERT_IMPL_H
#define TW_CONVERT_IMPL_H

#include "base/hash_table.h"
#include "pcap-tools/convert/convert.h"
#include "pcap-tools/pcapng/writer.h"
#include "schema/print.h"
#include "schema/schema.h"
#include "wire/encode.h"

#define CONVERT_ETHER_LEN 14

/* The format of an event, and those of its fields that are printed as symbols. */
struct convert_format {
	bool looked;                    /* the other members were set by look_at() */
	const struct tw_format *format; /* NULL = the file has no format of this event id */
	struct tw_print *print;         /* owner of `fields`; NULL = there are no such fields */
	const struct tw_field *const *fields;
	size_t n_fields;
};

struct convert_stream {
	const struct tw_tracedat_buffer *buffer;
	uint64_t id;
	uint32_t interface;          /* its number in the pcapng file */
	uint64_t *next_seq;          /* next event number of each CPU's channel */
	uint64_t control_seq;        /* number of the next control frame */
	uint32_t part_id;            /* id of the last value that was written in PARTs */
	uint64_t start, end, newest; /* earliest and latest packet time; time of the newest event */
	uint64_t events, lost;
	struct tw_hash_table looked_up, sent; /* sets of addresses: those looked up, and those of written symbols */
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
	struct tw_schema_records texts;
	struct convert_format *formats; /* array with one element for each event id */
	struct tw_symbols *symbols;     /* NULL until the first look-up */
	uint8_t frame_flags;

	/* The control frame being filled. */
	struct tw_frame frame;
	struct convert_stream *gathering; /* the stream of `frame`; NULL = no frame is being filled */
	uint64_t time;                    /* base time of the next control frame */
	uint8_t *frame_bytes;
};

/** tw_convert__packet() - reserve a packet for a frame of @len bytes. Return: the frame's address; NULL after the writer failed */
uint8_t *tw_convert__packet(struct tw_convert *c, size_t len);

/** tw_convert__commit() - write the reserved packet. @time: packet time, by the stream's clock; @len: bytes of the frame */
void tw_convert__commit(struct tw_convert *c, struct convert_stream *s, uint64_t time, size_t len);

/** tw_convert__texts() - parse the formats, compress all texts for SCHEMA records and compute the schema id. Return: 0 or -errno */
int tw_convert__texts(struct tw_convert *c, struct tw_error *error);

/** tw_convert__open_streams() - write the section with its comments, and an interface for each stream. Return: 0 or -errno */
int tw_convert__open_streams(struct tw_convert *c, struct tw_error *error);

/**
 * tw_convert__explain() - write HOST, CLOCK (if the file has a DATE), SCHEMA and COMM of all streams
 * @time: base time of the frames
 * Return: 0 or -ENOMEM
 */
int tw_convert__explain(struct tw_convert *c, uint64_t time);

/** tw_convert__symbols() - for each address in an event's record, write a SYMBOL, unless it was written before. Return: 0 or -ENOMEM */
int tw_convert__symbols(struct tw_convert *c, struct convert_stream *s, const struct convert_format *format,
			const struct tw_tracedat_event *event);

/**
 * tw_convert__parts() - split a TLV that does not fit a frame, and write the PARTs
 * @info: header of the frames; if they are control frames, @info->seq is increased after each frame
 */
void tw_convert__parts(struct tw_convert *c, struct convert_stream *s, struct tw_frame_info *info,
		       enum tw_tlv_type inner, const uint8_t *value, uint32_t len);

/**
 * tw_convert__comments() - make comments of the options of the file
 * @ret: NULL-terminated list of texts, to be freed with tw_convert__free_comments()
 * Return: 0 or -ENOMEM
 */
int tw_convert__comments(struct tw_convert *c, char ***ret);
void tw_convert__free_comments(char **comments);

#endif
