/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams of a conversion: one for each buffer, with what explains it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pcap-tools/convert/impl.h"
#include "schema/sha256.h"
#include "stream/identity.h"

#define FILE_BUFFER   ((size_t)1 << 20)
#define HOST_ATTRS    12
#define DATE_ERROR_NS 1000 /* DATE counts microseconds */
#define PID_MAX       4194304u

/* What HOST says; the texts are copies. */
struct host {
	struct tw_attr_view attrs[HOST_ATTRS];
	char text[HOST_ATTRS][256];
	size_t n;
};

static void host__text(struct host *host, enum tw_host_attr attr, const char *text, size_t len)
{
	char *copy = host->text[host->n];

	if (!len)
		return;
	len = len < sizeof(host->text[0]) ? len : sizeof(host->text[0]);
	memcpy(copy, text, len);
	host->attrs[host->n++] = (struct tw_attr_view){ (uint16_t)attr, (const uint8_t *)copy, len };
}

static void host__number(struct host *host, enum tw_host_attr attr, uint64_t number)
{
	char *copy = host->text[host->n];

	tw_store_be64(copy, number);
	host->attrs[host->n++] = (struct tw_attr_view){ (uint16_t)attr, (const uint8_t *)copy, sizeof(number) };
}

static const struct tw_tracedat_bytes *option(const struct tw_tracedat_info *info, uint16_t id)
{
	for (size_t i = 0; i < info->n_options; i++)
		if (info->options[i].id == id)
			return &info->options[i].value;
	return NULL;
}

/* "Linux HOST RELEASE MACHINE" */
static void host__uname(struct host *host, const struct tw_tracedat_bytes *uname)
{
	static const enum tw_host_attr attrs[] = { TW_HOST_OS, TW_HOST_NAME, TW_HOST_RELEASE, TW_HOST_MACHINE };
	const char *word = uname ? uname->data : "";

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		const size_t len = strcspn(word, " \n");

		host__text(host, attrs[i], word, len);
		word += len;
		word += strspn(word, " \n");
	}
}

static void host__init(struct host *host, const struct tw_tracedat_info *info, const struct tw_tracedat_buffer *buffer)
{
	const struct tw_tracedat_bytes *version = option(info, TW_TRACEDAT_VERSION);
	const uint32_t cpus = info->cpus > buffer->cpus ? info->cpus : buffer->cpus;
	char producer[128] = "";

	host->n = 0;
	host__uname(host, option(info, TW_TRACEDAT_UNAME));
	host__text(host, TW_HOST_INSTANCE, buffer->name, strlen(buffer->name));
	if (buffer->clock)
		host__text(host, TW_HOST_CLOCK, buffer->clock, strlen(buffer->clock));
	host__number(host, TW_HOST_CPUS, cpus);
	host__number(host, TW_HOST_PAGE_SIZE, info->page_size);
	host__number(host, TW_HOST_LONG_SIZE, info->long_size);
	if (version)
		snprintf(producer, sizeof(producer), "trace-cmd %s", version->data);
	host__text(host, TW_HOST_VERSION, producer, strcspn(producer, "\n"));
}

/* The same file gives the same ids, another file others. */
static uint64_t stream_id(const struct tw_convert *c, size_t index)
{
	const struct tw_tracedat_info *info = c->info;
	struct tw_sha256 sha;
	uint8_t digest[TW_SHA256_SIZE], number[8];

	tw_sha256__init(&sha);
	tw_store_be64(number, index);
	tw_sha256__update(&sha, number, sizeof(number));
	tw_store_be64(number, c->schema_id);
	tw_sha256__update(&sha, number, sizeof(number));
	tw_store_be64(number, info->data_bytes);
	tw_sha256__update(&sha, number, sizeof(number));
	for (size_t i = 0; i < info->n_options; i++)
		tw_sha256__update(&sha, info->options[i].value.data, info->options[i].value.len);
	tw_sha256__fini(&sha, digest);
	return tw_load_be64(digest);
}

static int open_interface(struct tw_convert *c, struct convert_stream *s)
{
	struct tw_identity identity = { 0 };
	char name[2 * sizeof(identity.host)], description[1536];
	const struct tw_pcapng_interface interface = {
		.name = name,
		.description = description,
		.os = identity.release,
		.comment = c->info->dated ? NULL
					  : "packet times count from the start of the trace clock, not from 1970: the "
					    "trace.dat file does not say when it was recorded",
		.linktype = TW_LINKTYPE_ETHERNET,
	};
	uint8_t bytes[sizeof(struct tw_frame_hdr) + HOST_ATTRS * 264 + TW_COPY_STEP];
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;
	struct tw_frame frame;
	struct host host;

	host__init(&host, c->info, s->buffer);
	tw_frame__begin(&frame, bytes, sizeof(bytes) - TW_COPY_STEP, &(struct tw_frame_info){ 0 });
	tw_host__emit(&frame, host.attrs, host.n);
	tlvs = (struct tw_cursor){ .at = bytes + sizeof(struct tw_frame_hdr),
				   .left = frame.len - sizeof(struct tw_frame_hdr) };
	if (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		tw_identity__host(&identity, &tlv);
	tw_identity__name(&identity, s->id, name, sizeof(name));
	tw_identity__describe(&identity, description, sizeof(description));
	return tw_pcapng__interface(c->file, &interface, &s->interface);
}

static int open_stream(struct tw_convert *c, size_t index)
{
	struct convert_stream *s = &c->streams[index];

	s->buffer = &c->info->buffers[index];
	s->id = stream_id(c, index);
	s->next_seq = calloc((size_t)s->buffer->cpu_end + 1, sizeof(*s->next_seq));
	c->n_streams++;
	return s->next_seq ? open_interface(c, s) : -ENOMEM;
}

static int open_file(struct tw_convert *c, const struct tw_pcapng_section *section, struct tw_error *err)
{
	const struct tw_output_options options = { .fd = c->options->fd, .name = c->options->name };
	const int code = tw_output__open(&options, &c->output, err);

	return code ? code : tw_pcapng__open(c->output, FILE_BUFFER, section, &c->file, err);
}

int tw_convert__open_streams(struct tw_convert *c, struct tw_error *err)
{
	struct tw_pcapng_section section = { .application = "tracewire convert " TRACEWIRE_VERSION };
	char **comments = NULL;
	int code = tw_convert__comments(c, &comments);

	if (!code) {
		section.comments = (const char *const *)comments;
		code = open_file(c, &section, err);
	}
	tw_convert__free_comments(comments);
	if (!code) {
		c->streams = calloc(c->info->n_buffers, sizeof(*c->streams));
		code = c->streams ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < c->info->n_buffers && !code; i++)
		code = open_stream(c, i);
	c->stats.streams = c->n_streams;
	return code == -ENOMEM ? tw_error__set(err, code, "converting to %s: no memory", c->options->name) : code;
}

/* "PID NAME" a line; a name may have spaces. */
static void explain_tasks(struct tw_convert *c, struct convert_stream *s)
{
	const struct tw_tracedat_bytes *text = &c->info->cmdlines;
	const char *at = text->data, *end = at + text->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		char *name;
		const unsigned long pid = strtoul(at, &name, 10);

		if (name > at && name < stop && *name == ' ' && pid <= PID_MAX) {
			const struct tw_comm_view comm = {
				.origin = TW_COMM_SAVED,
				.pid = (uint32_t)pid,
				.name = (const uint8_t *)name + 1,
				.len = (size_t)(stop - name - 1),
			};

			tw_convert__comm(c, s, &comm);
		}
		at = stop + 1;
	}
}

static void explain(struct tw_convert *c, struct convert_stream *s)
{
	struct host host;

	host__init(&host, c->info, s->buffer);
	tw_convert__host(c, s, host.attrs, host.n);
	if (c->info->dated) {
		struct tw_clock_view clock = { .valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL,
					       .error_ns = DATE_ERROR_NS };

		clock.reading[TW_CLOCK_TRACE] = clock.reading[TW_CLOCK_REAL] = c->time;
		tw_convert__clock(c, s, &clock);
	}
	for (uint32_t i = 0; i < c->n_texts; i++)
		tw_convert__schema(c, s, &c->texts[i]);
	if (c->info->cmdlines.data)
		explain_tasks(c, s);
	tw_convert__end_control(c);
}

void tw_convert__explain(struct tw_convert *c, uint64_t time)
{
	c->time = time;
	for (size_t i = 0; i < c->n_streams; i++)
		explain(c, &c->streams[i]);
}
