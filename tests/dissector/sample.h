/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes captures for the dissector's tests with the real wire library: cases that a live kernel does not produce on demand. */
#ifndef TW_TEST_SAMPLE_H
#define TW_TEST_SAMPLE_H

#include <stdio.h>

#include "wire/encode.h"

#define FORMATS_MAX 64
#define RECORD_MAX  65000

struct sample {
	FILE *file;
	bool udp;                  /* frames in UDP instead of Ethernet */
	uint32_t snaplen;          /* bytes of a packet that are written, as with dumpcap -s; 0 = all */
	struct tw_frame_info info; /* of the next frame */
	uint64_t control_seq;      /* of the next control frame */
	uint64_t seqs[8];          /* next number of each CPU's channel */
	uint64_t packet_time;      /* ns */
	struct tw_frame frame;
	uint8_t buf[TW_FRAME_MAX + TW_COPY_STEP];
};

/* A format text with its schema data. */
struct text {
	uint16_t id;
	const char *system;
	char *text;
	size_t len;
};

/* A kernel record that is being built. */
struct sample_record {
	bool big_endian;
	uint32_t len;
	uint8_t data[RECORD_MAX + TW_COPY_STEP];
};

void sample__open(struct sample *s, const char *folder, const char *name);
void sample__close(struct sample *s);
/* Begin a frame of the control channel, an out-of-band frame, or a frame of a CPU; sample__end() ends it. */
void sample__control(struct sample *s);
void sample__out_of_band(struct sample *s, uint64_t time);
void sample__cpu(struct sample *s, uint16_t cpu, uint64_t time);
void sample__end(struct sample *s);
/* sample__packet() writes a packet with its link header. sample__raw() writes a frame, with a header of Ethernet or UDP before it. */
void sample__packet(struct sample *s, const void *packet, size_t len);
void sample__raw(struct sample *s, const void *frame, size_t len);

/* Metadata, each in a separate control frame. */
void sample__host(struct sample *s, const char *name);
void sample__comm(struct sample *s, uint32_t pid, uint64_t time, const char *name);
void sample__schema(struct sample *s, const struct text *texts, uint32_t n);
void sample__symbol(struct sample *s, uint64_t address, uint32_t size, const char *name);

/* Further captures, each made by a separate file. */
void make_texts(const char *formats, const char *out);
void make_clocks(const char *out);
void make_strangers(const char *formats, const char *out);
void make_sockets(const char *formats, const char *out);

void text__read(struct text *t, const char *formats, const char *system, const char *event);
uint64_t texts__hash(const struct text *texts, uint32_t n, bool big_endian, uint8_t long_size);

void record__begin(struct sample_record *r, uint16_t id, uint32_t pid, bool big_endian);
void record__u16(struct sample_record *r, uint16_t v);
void record__u32(struct sample_record *r, uint32_t v);
void record__u64(struct sample_record *r, uint64_t v);
void record__bytes(struct sample_record *r, const void *p, uint32_t len);
/* Appends a record to the frame. The functions above have written it in the byte order of its host. */
void sample__event(struct sample *s, struct sample_record *r, uint64_t time);

#endif
