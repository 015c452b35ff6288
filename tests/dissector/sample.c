/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/dissector/sample.h"

#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"
#include "wire/schema_text.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "sample: %s\n", what);
	exit(1);
}

static void write_u32(FILE *f, uint32_t v)
{
	must(fwrite(&v, sizeof(v), 1, f) == 1, "cannot write");
}

void sample__open(struct sample *s, const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	memset(s, 0, sizeof(*s));
	s->file = fopen(path, "w");
	must(s->file, path);
	s->info.stream_id = 0x1122334455667788;
	s->packet_time = 1700000000000000000;
	write_u32(s->file, 0xa1b23c4d); /* pcap, nanoseconds */
	write_u32(s->file, 4u << 16 | 2);
	write_u32(s->file, 0);
	write_u32(s->file, 0);
	write_u32(s->file, 262144);
	write_u32(s->file, 1); /* Ethernet */
}

void sample__close(struct sample *s)
{
	must(!fclose(s->file), "cannot write");
}

static void write_packet(struct sample *s, const void *head, size_t head_len, const void *data, size_t len)
{
	const size_t original = head_len + len, captured = s->snaplen && s->snaplen < original ? s->snaplen : original;

	must(captured >= head_len, "a cut within the link's header");
	s->packet_time += 1000;
	write_u32(s->file, (uint32_t)(s->packet_time / 1000000000));
	write_u32(s->file, (uint32_t)(s->packet_time % 1000000000));
	write_u32(s->file, (uint32_t)captured);
	write_u32(s->file, (uint32_t)original);
	must(fwrite(head, 1, head_len, s->file) == head_len, "cannot write");
	must(fwrite(data, 1, captured - head_len, s->file) == captured - head_len, "cannot write");
}

void sample__packet(struct sample *s, const void *packet, size_t len)
{
	write_packet(s, packet, len, "", 0);
}

static void write_udp(struct sample *s, const void *frame, size_t len)
{
	uint8_t head[42] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45 };

	tw_store_be16(head + 16, (uint16_t)(len + 28));
	head[22] = 64;
	head[23] = 17;
	tw_store_be32(head + 26, 0x0a000001);
	tw_store_be32(head + 30, 0x0a000002);
	tw_store_be16(head + 34, 40000);
	tw_store_be16(head + 36, 40001); /* not the registered port: recognised by its content */
	tw_store_be16(head + 38, (uint16_t)(len + 8));
	write_packet(s, head, sizeof(head), frame, len);
}

void sample__raw(struct sample *s, const void *frame, size_t len)
{
	static const uint8_t ethernet[14] = {
		2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff
	};

	if (s->udp) {
		write_udp(s, frame, len);
		return;
	}
	write_packet(s, ethernet, sizeof(ethernet), frame, len);
}

void sample__control(struct sample *s)
{
	s->info.source = TW_SOURCE_CONTROL;
	s->info.channel = TW_CHANNEL_CONTROL;
	s->info.cpu = TW_CPU_NONE;
	s->info.seq = s->control_seq++;
	s->info.base_time = 0;
	tw_frame__begin(&s->frame, s->buf, TW_FRAME_MAX, &s->info);
	s->frame.info.events = 1;
}

void sample__out_of_band(struct sample *s, uint64_t time)
{
	s->info.source = TW_SOURCE_OUT_OF_BAND;
	s->info.channel = TW_CHANNEL_OUT_OF_BAND;
	s->info.cpu = TW_CPU_NONE;
	s->info.seq = 0;
	s->info.base_time = time;
	tw_frame__begin(&s->frame, s->buf, TW_FRAME_MAX, &s->info);
}

void sample__cpu(struct sample *s, uint16_t cpu, uint64_t time)
{
	s->info.source = TW_SOURCE_FTRACE;
	s->info.channel = (uint16_t)(cpu + 1);
	s->info.cpu = cpu;
	s->info.seq = s->seqs[cpu];
	s->info.base_time = time;
	tw_frame__begin(&s->frame, s->buf, TW_FRAME_MAX, &s->info);
}

void sample__end(struct sample *s)
{
	const size_t len = tw_frame__end(&s->frame);

	if (s->frame.info.source == TW_SOURCE_FTRACE)
		s->seqs[s->frame.info.cpu] += s->frame.info.events;
	sample__raw(s, s->buf, len);
}

void sample__host(struct sample *s, const char *name)
{
	uint8_t number[8];
	const struct tw_attr_view attrs[] = {
		{ TW_HOST_NAME, (const uint8_t *)name, strlen(name) },
		{ TW_HOST_RELEASE, (const uint8_t *)"6.1.0-test", 10 },
		{ TW_HOST_LONG_SIZE, number, 8 },
	};

	tw_store_be64(number, 8);
	sample__control(s);
	must(tw_host__emit(&s->frame, attrs, 3), "HOST does not fit");
	sample__end(s);
}

void sample__comm(struct sample *s, uint32_t pid, uint64_t time, const char *name)
{
	const struct tw_comm_view comm = {
		.origin = TW_COMM_EXEC,
		.time = time,
		.pid = pid,
		.tgid = pid,
		.name = (const uint8_t *)name,
		.len = strlen(name),
	};

	sample__control(s);
	must(tw_comm__emit(&s->frame, &comm), "COMM does not fit");
	sample__end(s);
}

void sample__symbol(struct sample *s, uint64_t address, uint32_t size, const char *name)
{
	const struct tw_symbol_view symbol = { size, address, (const uint8_t *)name, strlen(name) };

	sample__control(s);
	must(tw_symbol__emit(&s->frame, &symbol), "SYMBOL does not fit");
	sample__end(s);
}

void sample__schema(struct sample *s, const struct text *texts, uint32_t n)
{
	static uint8_t buf[TW_SCHEMA_RAW_MAX + 1024];

	for (uint32_t i = 0; i < n; i++) {
		const struct tw_schema_text text = { texts[i].system, texts[i].text, texts[i].len };
		struct tw_schema_view view;
		struct tw_error err;

		must(!tw_schema_text__compress(&text, buf, sizeof(buf), &view, &err), "cannot compress");
		view.kind = *texts[i].system ? TW_SCHEMA_EVENT : TW_SCHEMA_HEADER_PAGE;
		view.event_id = texts[i].id;
		view.index = i;
		view.total = n;
		sample__control(s);
		must(tw_schema_tlv__emit(&s->frame, &view), "SCHEMA does not fit");
		sample__end(s);
	}
}

void text__read(struct text *t, const char *formats, const char *system, const char *event)
{
	char path[4096];
	const char *id;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s/format", formats, system, event);
	f = fopen(path, "r");
	must(f, path);
	t->system = system;
	t->text = calloc(1, TW_SCHEMA_TEXT_MAX);
	must(t->text, "no memory");
	t->len = fread(t->text, 1, TW_SCHEMA_TEXT_MAX - 1, f);
	fclose(f);
	id = strstr(t->text, "ID: ");
	must(id, path);
	t->id = (uint16_t)atoi(id + 4);
}

uint64_t texts__hash(const struct text *texts, uint32_t n, bool big_endian, uint8_t long_size)
{
	struct tw_schema_hash hash;

	tw_schema_hash__init(&hash, big_endian, long_size);
	for (uint32_t i = 0; i < n; i++)
		tw_schema_hash__text(&hash, texts[i].system, texts[i].text, texts[i].len);
	return tw_schema_hash__fini(&hash);
}

static void *grow(struct sample_record *r, uint32_t len)
{
	must(len <= RECORD_MAX - r->len, "record too long");
	r->len += len;
	return r->data + r->len - len;
}

void record__u16(struct sample_record *r, uint16_t v)
{
	v = r->big_endian == TW_HOST_BE ? v : __builtin_bswap16(v);
	memcpy(grow(r, sizeof(v)), &v, sizeof(v));
}

void record__u32(struct sample_record *r, uint32_t v)
{
	v = r->big_endian == TW_HOST_BE ? v : __builtin_bswap32(v);
	memcpy(grow(r, sizeof(v)), &v, sizeof(v));
}

void record__u64(struct sample_record *r, uint64_t v)
{
	v = r->big_endian == TW_HOST_BE ? v : __builtin_bswap64(v);
	memcpy(grow(r, sizeof(v)), &v, sizeof(v));
}

void record__bytes(struct sample_record *r, const void *p, uint32_t len)
{
	memcpy(grow(r, len), p, len);
}

void record__begin(struct sample_record *r, uint16_t id, uint32_t pid, bool big_endian)
{
	memset(r, 0, sizeof(*r));
	r->len = 8;
	r->big_endian = big_endian;
	/* The encoder reads the common fields in the byte order of this host. */
	memcpy(r->data, &id, sizeof(id));
	r->data[2] = 1;
	r->data[3] = 2;
	memcpy(r->data + 4, &pid, sizeof(pid));
}

void sample__event(struct sample *s, struct sample_record *r, uint64_t time)
{
	r->len = (r->len + 3) & ~3u;
	must(tw_frame__add_event(&s->frame, r->data, r->len, time), "EVENT does not fit");
}
