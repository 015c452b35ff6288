/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "pcap-tools/record/archive_state.h"

#define HOLD_MAX  (4u << 20) /* bytes of one stream's packets held for its HOST and CLOCK */
#define ETHER_LEN 14

_Static_assert(TW_MERGE_SLACK <= TW_PCAPNG_COPY_SLACK, "copies may run over by a step");

/* Frames in a file never had a link: two locally administered addresses stand for it. */
static const uint8_t ether[ETHER_LEN] = {
	0x02, 'T', 'W', 'R', 0, 2, 0x02, 'T', 'W', 'R', 0, 1, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff,
};

static int archive__emit(void *ctx, const struct tw_merged *out);

static int archive__open(struct tw_archive *a, struct tw_output *output, const struct tw_archive_options *options,
			 struct tw_error *err)
{
	const struct tw_pcapng_section section = {
		.hardware = options->hardware,
		.os = options->os,
		.application = options->application ? options->application : "tracewire " TRACEWIRE_VERSION,
		.comment = options->comment,
	};
	const struct tw_merge_options merge = {
		.memory = options->memory,
		.wait_ns = options->wait_ns,
		.from_start = options->from_start,
		.emit = archive__emit,
		.ctx = a,
	};
	const int code = tw_merge__new(&merge, &a->merge, err);

	return code ? code : tw_pcapng__open(output, options->buffer, &section, &a->file, err);
}

int tw_archive__new(struct tw_output *output, const struct tw_archive_options *options, struct tw_archive **ret,
		    struct tw_error *err)
{
	struct tw_archive *a = calloc(1, sizeof(*a));
	int code = -ENOMEM;

	if (!a)
		return tw_error__set(err, code, "writing %s: no memory", options->name);
	if (options->description) {
		a->description = strdup(options->description);
		if (!a->description) {
			tw_error__set(err, code, "writing %s: no memory", options->name);
			goto fail;
		}
	}
	a->events_max = options->events_max ? options->events_max : UINT64_MAX;
	a->explain = options->explain;
	a->ctx = options->ctx;
	code = tw_archive_filter__init(a, options, err);
	if (code)
		goto fail;
	code = archive__open(a, output, options, err);
	if (code)
		goto fail;
	*ret = a;
	return 0;

fail:
	tw_archive__free(a);
	return code;
}

void tw_archive__free(struct tw_archive *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n_streams; i++) {
		tw_stream_books__fini(&a->streams[i]->books);
		tw_hold__fini(&a->streams[i]->hold);
		free(a->streams[i]);
	}
	tw_archive_filter__fini(a);
	tw_merge__free(a->merge);
	tw_pcapng__close(a->file);
	free(a->description);
	free(a);
}

/* The merge has as many streams at most. */
static struct tw_archive_stream *archive__stream(struct tw_archive *a, uint64_t id)
{
	struct tw_archive_stream *s = a->latest;

	if (s && s->id == id)
		return s;
	for (size_t i = 0; i < a->n_streams; i++) {
		if (a->streams[i]->id == id)
			return a->latest = a->streams[i];
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->id = id;
	a->streams[a->n_streams++] = s;
	return a->latest = s;
}

/* Room for a packet of @len bytes behind its Ethernet header. Return: NULL after the writer failed */
static uint8_t *archive__reserve(struct tw_archive *a, size_t len)
{
	uint8_t *p = tw_pcapng__reserve(a->file, ETHER_LEN + len);

	if (!p)
		return NULL;
	memcpy(p, ether, ETHER_LEN);
	return p + ETHER_LEN;
}

/* What is missing behind the last event that is written is not this file's matter. */
static void archive__close_books(struct tw_archive *a)
{
	for (size_t i = 0; i < a->n_streams; i++)
		tw_merge__stream_stats(a->merge, a->streams[i]->id, &a->streams[i]->at_end);
}

static void archive__commit(struct tw_archive *a, struct tw_archive_stream *s, uint64_t stream_time, size_t len,
			    bool is_event)
{
	const uint64_t time = tw_identity__ns(&s->identity, stream_time) + s->offset;

	tw_pcapng__commit(a->file, s->interface, time, ETHER_LEN + len, ETHER_LEN + len);
	s->start = s->packets && s->start < time ? s->start : time;
	s->end = s->end > time ? s->end : time;
	s->packets++;
	s->events += is_event;
	a->n_events += is_event;
	if (is_event && a->n_events == a->events_max)
		archive__close_books(a);
}

static int archive__write(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	const size_t len = tw_merged__len(out);
	uint8_t *p;

	if (a->sieve && out->is_event && !tw_archive_filter__wants(a, s, out->head, out->body, out->time))
		return 0;
	p = archive__reserve(a, len);
	if (!p)
		return tw_pcapng__error(a->file, NULL);
	tw_merged__copy(out, p);
	archive__commit(a, s, out->time, len, out->is_event);
	return 0;
}

static void stream__look_clock(struct tw_archive_stream *s, const struct tw_tlv_view *tlv)
{
	const uint32_t needed = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	struct tw_clock_view clock;

	if (s->dated || !tw_clock__parse(tlv, &clock) || (clock.valid & needed) != needed)
		return;
	s->clock_trace = clock.reading[TW_CLOCK_TRACE];
	s->clock_real = clock.reading[TW_CLOCK_REAL];
	s->dated = true;
}

/* What the records between the events say about the stream. */
static int stream__look(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	struct tw_cursor tlvs = { .at = out->body, .left = out->body_len };
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int code = 0;

	while (!code && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_HOST && !s->named) {
			tw_identity__host(&s->identity, &tlv);
			s->named = true;
		} else if (tlv.type == TW_TLV_CLOCK) {
			stream__look_clock(s, &tlv);
		} else if (tlv.type == TW_TLV_STATS) {
			code = tw_stream_books__stats(&s->books, &tlv);
		} else if (tlv.type == TW_TLV_LOST) {
			tw_stream_books__lost(&s->books, &tlv);
		}
		if (a->sieve)
			tw_archive_filter__learn(a, s, out->head, &tlv);
	}
	return code;
}

static int archive__replay(struct tw_archive *a, struct tw_archive_stream *s)
{
	struct tw_hold_packet packet;
	size_t at = 0;
	int code = 0;

	while (!code && !tw_archive__is_full(a) && tw_hold__next(&s->hold, &at, &packet)) {
		uint8_t *p;

		if (a->sieve && packet.is_event &&
		    !tw_archive_filter__wants(a, s, packet.frame, packet.frame + sizeof(struct tw_frame_hdr),
					      packet.time))
			continue;
		p = archive__reserve(a, packet.len);
		if (p) {
			memcpy(p, packet.frame, packet.len);
			archive__commit(a, s, packet.time, packet.len, packet.is_event);
		} else {
			code = tw_pcapng__error(a->file, NULL);
		}
	}
	tw_hold__fini(&s->hold);
	return code;
}

/* Its interface begins, with what is known of the stream, and what was held is written. */
static int archive__open_stream(struct tw_archive *a, struct tw_archive_stream *s)
{
	char name[2 * sizeof(s->identity.host)], description[1536], filter[TW_FILTER_TEXT_MAX + 1024];
	const struct tw_pcapng_interface interface = {
		.name = name,
		.description = a->description ? a->description : description,
		.os = *s->identity.os ? s->identity.os : s->identity.release,
		.filter = filter,
		.comment = s->dated ? NULL
				    : "packet times are this machine's, not the producer's: it sent no CLOCK record",
		.linktype = TW_LINKTYPE_ETHERNET,
	};
	int code;

	tw_identity__name(&s->identity, s->id, name, sizeof(name));
	tw_identity__describe(&s->identity, description, sizeof(description));
	tw_archive_filter__describe(a, s, filter, sizeof(filter));
	s->offset = s->dated ? s->clock_real - tw_identity__ns(&s->identity, s->clock_trace)
			     : tw_time__now(CLOCK_REALTIME) - tw_identity__ns(&s->identity, s->latest);
	code = tw_pcapng__interface(a->file, &interface, &s->interface);
	if (code)
		return code;
	s->open = true;
	return archive__replay(a, s);
}

static bool stream__is_known(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	return s->named && s->dated && (!a->sieve || tw_archive_filter__is_ready(a, s, out));
}

static int archive__emit(void *ctx, const struct tw_merged *out)
{
	struct tw_archive *a = ctx;
	struct tw_archive_stream *s;
	int code;

	if (tw_archive__is_full(a))
		return 0;
	s = archive__stream(a, out->stream_id);
	code = s ? 0 : -ENOMEM;
	if (!code && !out->is_event)
		code = stream__look(a, s, out);
	if (a->sieve && !out->is_event && !out->is_control)
		a->undecided += out->events; /* too large for a frame, in pieces */
	if (code)
		return code;
	if (s->open)
		return archive__write(a, s, out);
	if (!s->hold.len)
		s->first = out->time;
	s->latest = out->time;
	code = tw_hold__put(&s->hold, out);
	if (!code && (stream__is_known(a, s, out) || s->hold.len > HOLD_MAX))
		code = archive__open_stream(a, s);
	return code;
}

/* What is not the writer's failure is kept here. */
static int archive__done(struct tw_archive *a, int code)
{
	if (code && !tw_pcapng__error(a->file, NULL) && !a->code)
		a->code = code;
	return code;
}

int tw_archive__frame(struct tw_archive *a, const void *data, size_t len)
{
	const int code = tw_archive__error(a, NULL);

	return code ? code : archive__done(a, tw_merge__frame(a->merge, data, len, NULL));
}

int tw_archive__flush(struct tw_archive *a)
{
	const int code = tw_archive__error(a, NULL);

	return code ? code : tw_pcapng__flush(a->file);
}

bool tw_archive__is_full(const struct tw_archive *a)
{
	return a->n_events >= a->events_max;
}

int tw_archive__error(const struct tw_archive *a, struct tw_error *err)
{
	const int code = tw_pcapng__error(a->file, err);

	if (code || !a->code)
		return code;
	return tw_error__set(err, a->code, "merging events: %s", strerror(-a->code));
}

int tw_archive__finish(struct tw_archive *a)
{
	int code = tw_archive__error(a, NULL);

	a->finished = true;
	if (!code)
		code = tw_merge__flush(a->merge);
	for (size_t i = 0; i < a->n_streams && !code; i++) {
		struct tw_archive_stream *s = a->streams[i];

		if (!s->open)
			code = archive__open_stream(a, s);
		if (!code)
			code = tw_archive__close_stream(a, s);
	}
	return archive__done(a, code ? code : tw_pcapng__flush(a->file));
}
