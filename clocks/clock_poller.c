/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/clock_poller.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"

#define BURST        8 /* number of first requests to a new stream, which are BURST_NS apart */
#define BURST_NS     (3 * TW_NS_PER_MS)
#define ROUNDS       1000 /* round trips between requests; a drift of 500 ppm then adds half a round trip to the error */
#define PAUSE_MIN_NS (50 * TW_NS_PER_MS)
#define PAUSE_MAX_NS TW_NS_PER_SECOND
#define LATE_NS \
	(5 * TW_NS_PER_MS) /* a request that waited at the producer for longer was late: there are too many requests */
#define EASE_NS   (2 * TW_NS_PER_SECOND) /* time in which the additional pause after late requests ends */
#define DEAF      16 /* after more than this number of requests without a response, the pause is DEAF_NS */
#define DEAF_NS   (10 * TW_NS_PER_SECOND)
#define SILENT_NS (3 * TW_NS_PER_SECOND) /* a stream is silent after this time without a control frame */
/* A peer is replaced only after this time, and this number of requests, without a response. */
#define DEAD_NS    (3 * TW_NS_PER_SECOND)
#define DEAD       4
#define BETWEEN_NS TW_NS_PER_MS /* shortest pause between requests, except in a run: limits those for forged streams */
/* The first requests of AT_ONCE streams are sent without this pause, because the frames of a new stream wait in memory until a response. */
#define AT_ONCE  8
#define WAITING  16                     /* latest requests of a stream for which responses and stamps are accepted */
#define RECENT   64                     /* latest requests of all streams for which transmit stamps are accepted */
#define WANT_NS  (10 * TW_NS_PER_MS)    /* first pause before a repeated METADATA_REQUEST; it is doubled each time */
#define WANT_MAX (TW_NS_PER_SECOND / 2) /* no METADATA_REQUEST after a longer pause: producers repeat metadata */

/* A request to which a response, or the transmit stamp of this response, may still arrive. */
struct waiting_request {
	uint32_t id;
	bool open;                   /* no response yet */
	bool answered;               /* @got is valid, and has no transmit stamp of the response yet */
	bool used;                   /* @got was used, because there was no better sample of an earlier exchange */
	uint64_t asked;              /* as in the request */
	struct tw_stamped_time sent; /* best known time at which the request was sent */
	struct tw_time_sync_sample got;
};

struct asked_stream {
	uint64_t id;
	struct tw_peer peer;
	bool peer_controls;            /* @peer has sent a control frame */
	uint64_t peer_since;           /* time of the latest response of @peer, or when it became the peer */
	uint64_t seen, due;            /* time of the latest control frame; time of the next request */
	uint64_t asked;                /* number of requests sent */
	uint64_t unanswered;           /* number of requests since the last response */
	uint64_t answered;             /* time of the last response */
	uint64_t round_trip;           /* about the shortest of the recent round trips, ns; 0 = unknown */
	uint64_t more_pause;           /* additional pause, because requests were late, ns */
	uint64_t more_since;           /* when a late request made it longer last */
	bool has_host, has_formats;    /* metadata received */
	bool stamps;                   /* the producer sends transmit stamps of its responses */
	unsigned int run;              /* number of requests of the current run that were sent */
	uint64_t want_due, want_pause; /* time of the next request for missing metadata; pause before it, ns */
	struct waiting_request waiting[WAITING]; /* a ring; index: @asked modulo WAITING */
};

struct tw_clock_poller {
	uint64_t secret;
	uint64_t due;     /* time before which no request is due */
	uint64_t between; /* time before which no request is sent */
	uint64_t all_due; /* time before which no request asks for all metadata of a stream */
	uint64_t firsts;  /* number of streams that have had their first request */
	struct tw_streams *streams;
	struct recent_request {
		uint32_t id;
		uint64_t stream_id;
	} recent[RECENT]; /* a ring; index: number of the request modulo RECENT */
	bool has_better;  /* @better is from the last response */
	struct tw_time_sync_sample better;
	unsigned int user; /* index of struct asked_stream in user[] of struct tw_stream */
	struct tw_clock_poller_stats stats;
};

static int forget(void *ctx, struct tw_stream *stream)
{
	const struct tw_clock_poller *poller = ctx;

	free(stream->user[poller->user]);
	return 0;
}

struct tw_clock_poller *tw_clock_poller__new(struct tw_streams *streams, uint64_t secret)
{
	struct tw_clock_poller *poller = calloc(1, sizeof(*poller));

	if (!poller)
		return NULL;
	poller->streams = streams;
	poller->user = tw_streams__add_user(streams, &(struct tw_stream_user){ .leaves = forget, .ctx = poller });
	poller->secret = secret;
	poller->due = UINT64_MAX;
	return poller;
}

void tw_clock_poller__free(struct tw_clock_poller *poller)
{
	if (!poller)
		return;
	for (size_t i = 0; i < tw_streams__n_live(poller->streams); i++)
		free(tw_streams__at_live(poller->streams, i)->user[poller->user]);
	tw_streams__remove_user(poller->streams, poller->user);
	free(poller);
}

static bool is_control(const struct tw_received_frame *frame)
{
	return frame->data[offsetof(struct tw_frame_hdr, source)] == TW_SOURCE_CONTROL;
}

static bool same_peer(const struct tw_peer *a, const struct tw_peer *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* Make the state of a live stream. Return: NULL if the stream is not live, so that its frames are ignored, or if out of memory */
static struct asked_stream *begin(struct tw_clock_poller *p, uint64_t id, const struct tw_received_frame *frame,
				  uint64_t now)
{
	struct tw_stream *stream = tw_streams__find(p->streams, id);
	struct asked_stream *s;

	if (!stream || !stream->is_live)
		return NULL;
	s = malloc(sizeof(*s));
	if (!s) {
		p->stats.crowded++;
		return NULL;
	}
	*s = (struct asked_stream){ .id = id, .peer = *frame->from, .peer_since = now, .due = now, .seen = now };
	stream->user[p->user] = s;
	p->due = tw_time__earlier(p->due, now);
	return s;
}

static struct asked_stream *find(const struct tw_clock_poller *p, uint64_t id)
{
	const struct tw_stream *stream = tw_streams__find(p->streams, id);

	return stream ? stream->user[p->user] : NULL;
}

/* Note HOST and formats. A producer sends HOST before the formats, so formats without a HOST before them are incomplete. */
static void note_metadata(struct asked_stream *s, const struct tw_received_frame *frame)
{
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_part_view part;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;

	if (tw_frame__parse(frame->data, frame->len, &info, &tlvs) != TW_FRAME_OK)
		return;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		const bool is_part = tlv.type == TW_TLV_PART && tw_part__parse(&tlv, &part);
		const uint16_t type = is_part ? part.inner_type : tlv.type;

		s->has_host |= type == TW_TLV_HOST;
		s->has_formats |= s->has_host && type == TW_TLV_SCHEMA;
	}
}

/*
 * A control frame came from another address than the peer's. Whoever knows the stream's id can forge it, and would then get the requests.
 * Therefore it counts only if the peer does not answer any more, or has sent only frames of rings, whose sockets may be other ones.
 */
static void consider_peer(struct tw_clock_poller *p, struct asked_stream *s, const struct tw_peer *other, uint64_t now)
{
	const bool is_dead = s->unanswered >= DEAD && now - s->peer_since > DEAD_NS;

	if (s->peer_controls && !is_dead)
		return;
	s->peer = *other;
	s->peer_since = now;
	memset(s->waiting, 0, sizeof(s->waiting));
	if (s->unanswered > DEAF) { /* the next request was due late, because the former peer did not answer */
		s->due = now;
		p->due = tw_time__earlier(p->due, now);
	}
	s->unanswered = 0;
}

static void take_control(struct tw_clock_poller *p, struct asked_stream *s, const struct tw_received_frame *frame,
			 uint64_t now)
{
	if (!same_peer(&s->peer, frame->from))
		consider_peer(p, s, frame->from, now);
	s->peer_controls = true;
	if (now - s->seen > SILENT_NS) /* the stream is active again */
		p->due = tw_time__earlier(p->due, s->due);
	s->seen = now;
	if (!s->has_formats)
		note_metadata(s, frame);
}

void tw_clock_poller__saw(struct tw_clock_poller *p, const struct tw_received_frame *frame, uint64_t now)
{
	struct asked_stream *s;
	uint64_t id;

	if (frame->len < sizeof(struct tw_frame_hdr))
		return;
	id = tw_load_be64(frame->data + offsetof(struct tw_frame_hdr, stream_id));
	s = find(p, id);
	if (s && !is_control(frame))
		return;
	if (tw_load_be32(frame->data) != TW_MAGIC || !frame->from)
		return;
	if (!s)
		s = begin(p, id, frame, now);
	if (s && is_control(frame))
		take_control(p, s, frame, now);
}

uint64_t tw_clock_poller__due(const struct tw_clock_poller *p)
{
	return tw_time__later(p->due, p->between);
}

static uint64_t pause_after(const struct asked_stream *s)
{
	const uint64_t pause = tw_time__later(s->round_trip * ROUNDS, PAUSE_MIN_NS);

	if (s->asked < BURST)
		return BURST_NS;
	if (s->unanswered > DEAF)
		return DEAF_NS;
	return s->round_trip ? tw_time__earlier(pause + s->more_pause, PAUSE_MAX_NS) : PAUSE_MAX_NS;
}

/*
 * Adapt the pause to the load of the producer. Each late request makes it longer, except requests that were made before it became longer
 * last. The pause becomes shorter with time, and not with each response: then the capture hosts that share a producer get about the same
 * number of responses. The round trip does not include the time at the producer. Return: whether the request was late.
 */
static bool adapt(struct asked_stream *s, const struct waiting_request *waiting, const struct tw_time_sync_view *answer,
		  uint64_t arrived)
{
	const uint64_t whole = arrived - waiting->asked, waited = answer->answered - answer->received;
	const uint64_t trip = waited < whole ? whole - waited : whole;
	const bool is_late = waited < whole && waited > LATE_NS;

	if (!is_late)
		s->more_pause -= s->more_pause * tw_time__earlier(arrived - s->answered, EASE_NS) / EASE_NS;
	else if (waiting->asked >= s->more_since) {
		s->more_pause = tw_time__earlier(s->more_pause + PAUSE_MIN_NS, PAUSE_MAX_NS);
		s->more_since = arrived;
	}
	s->answered = arrived;
	s->round_trip = !s->round_trip || trip < s->round_trip ? trip : s->round_trip + s->round_trip / 8 + 1;
	return is_late;
}

/* Whether @s gets a request before @other: a stream that has had no request is first; otherwise the stream with the earlier due time. */
static bool goes_before(const struct asked_stream *s, const struct asked_stream *other)
{
	return !s->asked != !other->asked ? !s->asked : s->due < other->due;
}

/* Find the stream that gets the next request, and set p->due to the time of the next search. Return: NULL if no request is due */
static struct asked_stream *most_due(struct tw_clock_poller *p, uint64_t now)
{
	struct asked_stream *first = NULL;
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < tw_streams__n_live(p->streams); i++) {
		struct asked_stream *s = tw_streams__at_live(p->streams, i)->user[p->user];

		if (!s || (now > s->seen && now - s->seen > SILENT_NS))
			continue;
		if (!first || goes_before(s, first)) {
			next = first ? tw_time__earlier(next, first->due) : next;
			first = s;
		} else {
			next = tw_time__earlier(next, s->due);
		}
	}
	if (first && first->due > now) {
		p->due = first->due;
		return NULL;
	}
	p->due = next;
	return first;
}

/* Return: the id of the next request: splitmix64 of the secret and the number of requests so far. */
static uint32_t number_of(const struct tw_clock_poller *p)
{
	uint64_t z = p->secret + (p->stats.asked + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(z ^ z >> 31);
}

static bool lacks_something(const struct asked_stream *s)
{
	return !s->has_formats && s->want_pause <= WANT_MAX;
}

/*
 * Return: the metadata to request, enum tw_metadata_request; 0 = add no METADATA_REQUEST. If HOST arrived before the first request, the
 * formats are likely to follow without a METADATA_REQUEST, so the METADATA_REQUEST is delayed by WANT_NS. The metadata of a stream can be
 * large, and many streams may be new at the same time. Therefore requests for all metadata of a stream are at least BETWEEN_NS apart.
 * Between two of them, requests to other streams ask only for HOST and CLOCK, if HOST is missing: these are small, and no packet can be
 * written without them.
 */
static uint16_t want_of(struct tw_clock_poller *p, struct asked_stream *s, uint64_t now)
{
	if (s->has_host && !s->asked)
		s->want_due = now + WANT_NS;
	if (!lacks_something(s) || now < s->want_due)
		return 0;
	if (now < p->all_due)
		return s->has_host ? 0 : TW_METADATA_REQUEST_CLOCK;
	p->all_due = now + BETWEEN_NS;
	/* At least two round trips: one for the response, and one more for the metadata. */
	s->want_pause = tw_time__later(s->want_pause ? 2 * s->want_pause : WANT_NS, 2 * s->round_trip);
	s->want_due = now + s->want_pause;
	return TW_METADATA_REQUEST_ALL;
}

static uint64_t next_due(const struct tw_clock_poller *p, const struct asked_stream *s, uint64_t now)
{
	const uint64_t clock_due = now + pause_after(s);

	if (!lacks_something(s))
		return clock_due;
	return tw_time__earlier(clock_due, tw_time__later(s->want_due, p->all_due));
}

/* Return: the pause after this request; 0 after a stream's first request, except after every AT_ONCE-th of these first requests. */
static uint64_t pause_between(struct tw_clock_poller *p, const struct asked_stream *s)
{
	if (s->asked > 1)
		return BETWEEN_NS;
	return ++p->firsts % AT_ONCE ? 0 : BETWEEN_NS;
}

bool tw_clock_poller__next(struct tw_clock_poller *p, uint64_t now, struct tw_time_sync_request *ret)
{
	struct asked_stream *s = now < tw_clock_poller__due(p) ? NULL : most_due(p, now);
	struct waiting_request *waiting;
	uint16_t want;

	if (!s)
		return false;
	want = want_of(p, s, now);
	waiting = &s->waiting[s->asked++ % WAITING];
	*waiting = (struct waiting_request){
		.id = number_of(p), .open = true, .asked = now, .sent = { now, TW_STAMP_READING }
	};
	s->run = s->run < TW_EXCHANGES_OF_RUN ? s->run + 1 : 1;
	p->recent[p->stats.asked++ % RECENT] = (struct recent_request){ waiting->id, s->id };
	s->unanswered++;
	s->due = next_due(p, s, now);
	p->due = tw_time__earlier(p->due, s->due);
	p->between = now + pause_between(p, s);
	ret->to = &s->peer;
	ret->cookie = waiting->id;
	ret->asked = now;
	ret->len = tw_time_sync_frame__request(ret->frame, s->id,
					       &(struct tw_time_sync_view){ .id = waiting->id, .asked = now }, want);
	return true;
}

static struct waiting_request *of_cookie(const struct tw_clock_poller *p, uint32_t cookie)
{
	struct asked_stream *s = NULL;

	for (size_t i = 0; i < RECENT && !s; i++)
		if (p->recent[i].id == cookie)
			s = find(p, p->recent[i].stream_id);
	for (size_t i = 0; s && i < WAITING; i++)
		if ((s->waiting[i].open || s->waiting[i].answered) && s->waiting[i].id == cookie)
			return &s->waiting[i];
	return NULL;
}

uint64_t tw_clock_poller__asked(const struct tw_clock_poller *p, uint32_t cookie)
{
	const struct waiting_request *waiting = of_cookie(p, cookie);

	return waiting ? waiting->asked : 0;
}

/* No stamp is too late, so the latest one is the most precise. */
void tw_clock_poller__sent(struct tw_clock_poller *p, uint32_t cookie, struct tw_stamped_time sent)
{
	struct waiting_request *waiting = of_cookie(p, cookie);

	if (!waiting || sent.time <= waiting->sent.time)
		return;
	waiting->sent = sent;
	waiting->got.asked = sent.time;
	waiting->got.by.asked = sent.by;
}

/* Return: the request that a response from @from answers; NULL if there is none */
static struct waiting_request *waiting_for(struct asked_stream *s, const struct tw_peer *from,
					   const struct tw_time_sync_view *answer)
{
	for (size_t i = 0; s && from && same_peer(&s->peer, from) && i < WAITING; i++) {
		struct waiting_request *w = &s->waiting[i];

		if (w->open && w->id == answer->id && w->asked == answer->asked)
			return w;
	}
	return NULL;
}

/* Return: the source of a time of the producer, which is unknown if the response is short. */
static uint8_t source(uint8_t by)
{
	return by <= TW_STAMP_HARDWARE ? by : TW_STAMP_NONE;
}

/*
 * Make a better sample of an earlier exchange, from the transmit stamp of its response. The producer must not claim that the response was
 * sent before it was made.
 */
static void take_sent(struct tw_clock_poller *p, struct asked_stream *s, const struct tw_time_sync_view *answer)
{
	for (size_t i = 0; i < WAITING && source(answer->sent_by); i++) {
		struct waiting_request *w = &s->waiting[i];

		if (!w->answered || w->id != answer->previous || answer->sent < w->got.answered)
			continue;
		w->answered = false;
		s->stamps = true;
		p->better = w->got;
		p->better.answered = answer->sent;
		p->better.by.answered = answer->sent_by;
		p->better.again = w->used;
		p->has_better = true;
		return;
	}
}

bool tw_clock_poller__expects(const struct tw_clock_poller *p, const struct tw_received_frame *frame)
{
	struct tw_time_sync_view answer;
	uint64_t stream;

	return tw_time_sync_frame__read(frame->data, frame->len, &stream, &answer) &&
	       waiting_for(find(p, stream), frame->from, &answer);
}

bool tw_clock_poller__response(struct tw_clock_poller *p, const struct tw_received_frame *frame,
			       struct tw_stamped_time arrived, uint64_t *ret_stream, struct tw_time_sync_sample *ret)
{
	struct tw_time_sync_view answer;
	struct waiting_request *waiting;
	struct asked_stream *s;
	uint64_t stream;
	bool is_late;

	p->has_better = false;
	if (!tw_time_sync_frame__read(frame->data, frame->len, &stream, &answer))
		return false;
	s = find(p, stream);
	waiting = waiting_for(s, frame->from, &answer);
	if (!waiting) {
		p->stats.strange++;
		return false;
	}
	waiting->open = false;
	take_sent(p, s, &answer);
	is_late = adapt(s, waiting, &answer, arrived.time);
	s->unanswered = 0;
	s->peer_since = arrived.time;
	/* The pause may be shorter after a response. After a late one, it is longer, and the run ends. */
	s->due = is_late ? next_due(p, s, arrived.time) : tw_time__earlier(s->due, waiting->asked + pause_after(s));
	if (is_late)
		s->run = TW_EXCHANGES_OF_RUN;
	else if (s->stamps && s->run < TW_EXCHANGES_OF_RUN && s->asked >= BURST) {
		s->due = arrived.time;
		p->between = arrived.time;
	}
	p->due = tw_time__earlier(p->due, s->due);
	p->stats.answered++;
	*ret_stream = stream;
	*ret = (struct tw_time_sync_sample){
		.asked = waiting->sent.time,
		.received = answer.received,
		.answered = answer.answered,
		.arrived = arrived.time,
		.by = { waiting->sent.by, source(answer.received_by), source(answer.answered_by), arrived.by },
	};
	waiting->got = *ret;
	waiting->answered = true;
	waiting->used = !p->has_better;
	return true;
}

bool tw_clock_poller__better(struct tw_clock_poller *p, struct tw_time_sync_sample *ret)
{
	if (!p->has_better)
		return false;
	*ret = p->better;
	return true;
}

void tw_clock_poller__stats(const struct tw_clock_poller *p, struct tw_clock_poller_stats *ret)
{
	*ret = p->stats;
}
