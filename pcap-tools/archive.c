/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pcap-tools/books.h"
#include "pcap-tools/identity.h"

#define HOLD_MAX  (4u << 20) /* bytes of one stream's packets held for its HOST and CLOCK */
#define ETHER_LEN 14

_Static_assert(TW_MERGE_SLACK <= TW_PCAPNG_COPY_SLACK, "copies may run over by a step");

/* Frames in a file never had a link: two locally administered addresses stand for it. */
static const uint8_t ether[ETHER_LEN] = {
	0x02, 'T', 'W', 'R', 0, 2, 0x02, 'T', 'W', 'R', 0, 1, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff,
};

/* A packet held back: this, then its bytes. */
struct held_packet {
	uint64_t time;
	uint32_t len;
	bool is_event;
};

struct stream {
	uint64_t id;
	struct tw_identity identity;
	struct tw_books books;
	bool named, dated;
	bool open; /* has its interface: packets are written */
	uint32_t interface;
	uint64_t clock_trace, clock_real; /* of its first CLOCK */
	uint64_t offset;                  /* from the stream's clock, in ns, to packet time */
	uint64_t start, end;              /* packet times */
	uint64_t packets, events;
	uint64_t latest; /* stream time of the packet held last */
	uint8_t *hold;
	size_t hold_len, hold_cap;
};

struct tw_archive {
	struct tw_merge *merge;
	struct tw_pcapng *file;
	char *description;
	struct stream *streams[TW_MERGE_STREAMS_MAX];
	size_t n_streams;
	struct stream *latest;
	int code; /* a failure that is not the writer's */
};

static int archive__emit(void *ctx, const struct tw_merged *out);

static uint64_t clock__real(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int archive__open(struct tw_archive *a, int fd, const struct tw_archive_options *options, struct tw_error *err)
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

	return code ? code : tw_pcapng__open(fd, options->name, options->buffer, &section, &a->file, err);
}

int tw_archive__new(int fd, const struct tw_archive_options *options, struct tw_archive **ret, struct tw_error *err)
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
	code = archive__open(a, fd, options, err);
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
		tw_books__fini(&a->streams[i]->books);
		free(a->streams[i]->hold);
		free(a->streams[i]);
	}
	tw_merge__free(a->merge);
	tw_pcapng__close(a->file);
	free(a->description);
	free(a);
}

/* The merge has as many streams at most. */
static struct stream *archive__stream(struct tw_archive *a, uint64_t id)
{
	struct stream *s = a->latest;

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

static uint64_t stream__ns(const struct stream *s, uint64_t time)
{
	if (!s->identity.clock_mult)
		return time;
	return (uint64_t)(((unsigned __int128)time * s->identity.clock_mult) >> s->identity.clock_shift);
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

static void archive__commit(struct tw_archive *a, struct stream *s, uint64_t stream_time, size_t len, bool is_event)
{
	const uint64_t time = stream__ns(s, stream_time) + s->offset;

	tw_pcapng__commit(a->file, s->interface, time, ETHER_LEN + len);
	s->start = s->packets && s->start < time ? s->start : time;
	s->end = s->end > time ? s->end : time;
	s->packets++;
	s->events += is_event;
}

static int archive__write(struct tw_archive *a, struct stream *s, const struct tw_merged *out)
{
	const size_t len = tw_merged__len(out);
	uint8_t *p = archive__reserve(a, len);

	if (!p)
		return tw_pcapng__error(a->file, NULL);
	tw_merged__copy(out, p);
	archive__commit(a, s, out->time, len, out->is_event);
	return 0;
}

static void stream__look_clock(struct stream *s, const struct tw_tlv_view *tlv)
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
static int stream__look(struct stream *s, const struct tw_merged *out)
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
			code = tw_books__stats(&s->books, &tlv);
		} else if (tlv.type == TW_TLV_LOST) {
			tw_books__lost(&s->books, &tlv);
		}
	}
	return code;
}

static uint8_t *stream__hold_room(struct stream *s, size_t len)
{
	const size_t need = s->hold_len + len;
	uint8_t *hold;

	if (s->hold && need <= s->hold_cap)
		return s->hold + s->hold_len;
	hold = realloc(s->hold, 2 * need);
	if (!hold)
		return NULL;
	s->hold = hold;
	s->hold_cap = 2 * need;
	return hold + s->hold_len;
}

static int stream__hold(struct stream *s, const struct tw_merged *out)
{
	const struct held_packet packet = {
		.time = out->time,
		.len = (uint32_t)tw_merged__len(out),
		.is_event = out->is_event,
	};
	uint8_t *p = stream__hold_room(s, sizeof(packet) + packet.len + TW_MERGE_SLACK);

	if (!p)
		return -ENOMEM;
	memcpy(p, &packet, sizeof(packet));
	tw_merged__copy(out, p + sizeof(packet));
	s->hold_len += sizeof(packet) + packet.len;
	s->latest = out->time;
	return 0;
}

static int archive__replay(struct tw_archive *a, struct stream *s)
{
	struct held_packet packet;
	uint8_t *p;
	int code = 0;

	for (size_t at = 0; at < s->hold_len && !code; at += sizeof(packet) + packet.len) {
		memcpy(&packet, s->hold + at, sizeof(packet));
		p = archive__reserve(a, packet.len);
		if (p) {
			memcpy(p, s->hold + at + sizeof(packet), packet.len);
			archive__commit(a, s, packet.time, packet.len, packet.is_event);
		} else {
			code = tw_pcapng__error(a->file, NULL);
		}
	}
	free(s->hold);
	s->hold = NULL;
	s->hold_len = s->hold_cap = 0;
	return code;
}

/* Its interface begins, with what is known of the stream, and what was held is written. */
static int archive__open_stream(struct tw_archive *a, struct stream *s)
{
	char name[2 * sizeof(s->identity.host)], description[1536];
	const struct tw_pcapng_interface interface = {
		.name = name,
		.description = a->description ? a->description : description,
		.os = *s->identity.os ? s->identity.os : s->identity.release,
		.filter = s->identity.filter,
		.comment = s->dated ? NULL
				    : "packet times are this machine's, not the producer's: it sent no CLOCK record",
		.linktype = TW_LINKTYPE_ETHERNET,
	};
	int code;

	tw_identity__name(&s->identity, s->id, name, sizeof(name));
	tw_identity__describe(&s->identity, description, sizeof(description));
	s->offset = s->dated ? s->clock_real - stream__ns(s, s->clock_trace) : clock__real() - stream__ns(s, s->latest);
	code = tw_pcapng__interface(a->file, &interface, &s->interface);
	if (code)
		return code;
	s->open = true;
	return archive__replay(a, s);
}

static int archive__emit(void *ctx, const struct tw_merged *out)
{
	struct tw_archive *a = ctx;
	struct stream *s = archive__stream(a, out->stream_id);
	int code = s ? 0 : -ENOMEM;

	if (!code && !out->is_event)
		code = stream__look(s, out);
	if (code)
		return code;
	if (s->open)
		return archive__write(a, s, out);
	code = stream__hold(s, out);
	if (!code && ((s->named && s->dated) || s->hold_len > HOLD_MAX))
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

	return code ? code : archive__done(a, tw_merge__frame(a->merge, data, len));
}

int tw_archive__flush(struct tw_archive *a)
{
	const int code = tw_archive__error(a, NULL);

	return code ? code : tw_pcapng__flush(a->file);
}

int tw_archive__error(const struct tw_archive *a, struct tw_error *err)
{
	const int code = tw_pcapng__error(a->file, err);

	if (code || !a->code)
		return code;
	return tw_error__set(err, a->code, "merging events: %s", strerror(-a->code));
}

/* Add what is known of a stream's events, apart from those written. */
static void archive__count_stream(const struct tw_archive *a, const struct stream *s, struct tw_archive_stats *stats)
{
	const uint64_t shed = tw_books__total(&s->books, TW_BOOK_SHED), tx = tw_books__total(&s->books, TW_BOOK_TX);
	struct tw_merge_stream_stats merge;

	tw_merge__stream_stats(a->merge, s->id, &merge);
	stats->recorded += tw_books__total(&s->books, TW_BOOK_RECORDED);
	stats->read += tw_books__total(&s->books, TW_BOOK_READ);
	stats->lost_ring += tw_books__total(&s->books, TW_BOOK_RING);
	stats->lost_shed += shed;
	stats->lost_tx += tx;
	stats->lost_wire += merge.gaps > shed + tx ? merge.gaps - shed - tx : 0;
	stats->lost_unknown += s->books.unknown;
	stats->merge.late += merge.late;
	stats->merge.control_gaps += merge.control_gaps;
}

static int archive__close_stream(struct tw_archive *a, const struct stream *s)
{
	struct tw_archive_stats of = { .events = s->events };
	struct tw_pcapng_statistics statistics = { .time = s->end, .start = s->start, .end = s->end };
	char ledger[512];

	archive__count_stream(a, s, &of);
	statistics.dropped = of.lost_ring + of.lost_shed + of.lost_tx + of.lost_wire;
	statistics.os_dropped = of.lost_ring;
	statistics.delivered = s->events;
	statistics.received = s->events + statistics.dropped;
	statistics.comment = ledger;
	snprintf(ledger, sizeof(ledger),
		 "events: %" PRIu64 " recorded by the kernel, %" PRIu64 " read, %" PRIu64
		 " in this file, of which out of order: %" PRIu64 "; lost: %" PRIu64 " in the ring, %" PRIu64
		 " by the producer, %" PRIu64 " in transmission, %" PRIu64
		 " on the wire; losses of unknown size: %" PRIu64 "; metadata frames lost: %" PRIu64,
		 of.recorded, of.read, of.events, of.merge.late, of.lost_ring, of.lost_shed, of.lost_tx, of.lost_wire,
		 of.lost_unknown, of.merge.control_gaps);
	return tw_pcapng__statistics(a->file, s->interface, &statistics);
}

int tw_archive__finish(struct tw_archive *a)
{
	int code = tw_archive__error(a, NULL);

	if (!code)
		code = tw_merge__flush(a->merge);
	for (size_t i = 0; i < a->n_streams && !code; i++) {
		struct stream *s = a->streams[i];

		if (!s->open)
			code = archive__open_stream(a, s);
		if (!code)
			code = archive__close_stream(a, s);
	}
	return archive__done(a, code ? code : tw_pcapng__flush(a->file));
}

void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret)
{
	struct tw_archive_stats stats = { .bytes = tw_pcapng__bytes(a->file), .dropped = tw_pcapng__dropped(a->file) };

	for (size_t i = 0; i < a->n_streams; i++) {
		stats.packets += a->streams[i]->packets;
		stats.events += a->streams[i]->events;
		archive__count_stream(a, a->streams[i], &stats);
	}
	tw_merge__stats(a->merge, &stats.merge);
	stats.packets -= stats.dropped;
	stats.events -= stats.dropped < stats.events ? stats.dropped : stats.events;
	*ret = stats;
}
