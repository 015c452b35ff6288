/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/admission/admission.h"

#include <errno.h>
#include <sodium/crypto_shorthash.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/time.h"
#include "pcap-tools/admission/budget.h"
#include "pcap-tools/large.h"
#include "pcap-tools/merge/merge.h"
#include "transport/receiver.h"

#define SETS          8192               /* sets of candidates; a hash of the stream's id selects the set */
#define ALIGN         8                  /* alignment of frames in the backlog, bytes */
#define WAYS          4                  /* candidates in a set */
#define BACKLOG_BYTES ((size_t)64 << 20) /* 0.5 s of frames at 1 Gbit/s; an answer of a busy host may take as long */
#define BACKLOG_NS    (10 * TW_NS_PER_SECOND) /* longest wait of a frame; producers send frames at least each second */
#define FRAMES_MAX    1024       /* frames that one candidate may put into the backlog before its pause begins */
#define BYTES_MAX     (1u << 20) /* bytes that one candidate may put into the backlog before its pause begins */
#define QUIET_MS      1000       /* length of a pause: no frames of the candidate are put into the backlog */
#define SILENT_NS     (10 * TW_NS_PER_SECOND) /* an admitted stream without frames for this time counts as dead */
#define RETRY_NS      (10 * TW_NS_PER_MS) /* after a search of the table that found no room: time until the next search */
#define RETRY_ROWS    64                  /* rows of struct no_place for each proof; the address selects one */
#define NEW_A_SECOND  1    /* streams admitted per second without an answer, after a burst of TW_STREAMS_LIVE_MAX */
#define ASK_A_SECOND  1000 /* limit of the requests per second */
#define ASK_ROW       32   /* limit of the requests in a burst */
#define ASK_MS        10u  /* time until the second request to a candidate; doubled after each further request */
#define ASK_DOUBLINGS 7    /* limit of the doublings: the longest time is 1280 ms */
#define TELL_AFTER \
	6 /* requests before the first one that has the reason of the refusal; it follows after 630 ms or more */
#define COOKIE_NS     (5 * TW_NS_PER_SECOND) /* an answer that takes longer is ignored */
#define QUESTIONS     32                     /* limit of the requests that wait to be sent */
#define REFUSAL_SLOTS (sizeof(((struct tw_refusals *)0)->index))
#define NETWORK_BYTES 8 /* network part of an IPv6 address; a host can choose the other bytes */

/* A frame in the backlog. */
struct backlog_frame {
	uint64_t before; /* handle from backlog__put() of the stream's previous frame; 0 = none */
	struct tw_arrival arrival;
	uint32_t len;
	uint16_t events;
	uint8_t why; /* TW_REFUSED_*: reason to count if the frame leaves the ring without being taken */
	bool taken;  /* not to be counted as refused: an accepted frame, or an entry for the unused end of the ring */
	struct tw_peer_address source;
	uint32_t room; /* length in the ring with this header and padding, bytes */
	uint8_t data[];
};

/*
 * Frames of streams that are not admitted yet, copied into a ring of bytes. New frames overwrite the oldest ones. A frame that is
 * overwritten or too old counts as refused, unless it was accepted before. The positions `begin` and `end` never decrease. The offset of a
 * position in the ring is the position modulo the size of the ring.
 */
struct backlog {
	uint64_t begin, end;
	uint8_t *ring; /* BACKLOG_BYTES */
};

/* A stream that is not admitted yet. There may be many such streams, so the structure has only 64 bytes. */
struct candidate {
	uint64_t id;
	uint64_t heard; /* value of tw_admission.turn at its newest frame or answer; 0 = unused entry */
	uint64_t last;  /* handle of its newest frame in the backlog; 0 = none */
	struct tw_number_row row;
	uint32_t answered_from; /* low 32 bits of place_source() of the answer's source address */
	uint32_t bytes;         /* bytes that it has put into the backlog since its last pause (QUIET_MS) began */
	uint32_t ask_ms;        /* earliest time of the next request; 0 = no request was sent */
	uint32_t quiet_ms;      /* end of its pause: until then, no frames are put into the backlog; 0 = no pause */
	uint16_t n;             /* number of frames that it has put into the backlog since its last pause began */
	uint8_t proof;          /* enum tw_proof */
	uint8_t asked;          /* number of requests sent to it, at most UINT8_MAX */
};

_Static_assert(sizeof(struct candidate) == 64, "a candidate is a cache line");

/* The result of a search of the table that found no room. For RETRY_NS, it is used instead of a new search. */
struct no_place {
	uint64_t until;  /* CLOCK_MONOTONIC, ns */
	uint64_t source; /* place_source() of the refused stream */
	uint16_t why;    /* enum tw_refused_why */
};

struct pending_request {
	uint64_t stream_id;
	struct tw_peer to;
	uint16_t why; /* reason of the refusal, sent with the request; 0 = not sent */
};

struct tw_admission {
	struct tw_admission_options options;
	uint8_t key[crypto_shorthash_KEYBYTES];
	uint64_t now;

	struct tw_streams *streams; /* the admitted streams are the live ones */

	struct candidate (*sets)[WAYS];
	uint64_t turn; /* number of frames and answers of all candidates so far */
	struct backlog backlog;

	struct tw_budget new_streams, bytes, questions;
	struct no_place no_place[TW_PROOF_ANSWER + 1][RETRY_ROWS]; /* by proof and source of the new stream */
	struct pending_request pending[QUESTIONS];
	size_t n_pending;
	struct tw_refusals refusals;
	struct tw_peer_address refused; /* source of the last refused frame */
	uint64_t refused_hash;          /* its keyed hash */
};

/* A hash with a secret key: other hosts can neither guess hashes nor construct collisions. */
static uint64_t keyed_hash(const struct tw_admission *a, const void *data, size_t len)
{
	uint64_t hash;

	crypto_shorthash((unsigned char *)&hash, data, len, a->key);
	return hash;
}

/*
 * The hash that identifies @source in the table of streams. One host may have all addresses of an IPv6 /64 network, so all of
 * them count as one address.
 */
static uint64_t place_source(const struct tw_admission *a, const struct tw_peer_address *source)
{
	struct tw_peer_address network = *source;

	if (network.kind == TW_PEER_IPV6)
		memset(network.bytes + NETWORK_BYTES, 0, sizeof(network.bytes) - NETWORK_BYTES);
	return keyed_hash(a, &network, sizeof(network));
}

static struct tw_refusals_row *refusals_of(struct tw_refusals *r, const struct tw_peer_address *source, uint64_t number)
{
	size_t at = number % REFUSAL_SLOTS;

	for (; r->index[at]; at = (at + 1) % REFUSAL_SLOTS) {
		struct tw_refusals_row *row = &r->rows[r->index[at] - 1];

		if (!memcmp(&row->source, source, sizeof(*source)))
			return row;
	}
	if (r->n == TW_REFUSALS_SOURCES)
		return &r->others;
	r->rows[r->n].source = *source;
	r->index[at] = (uint8_t)(r->n + 1);
	return &r->rows[r->n++];
}

/* Counts a refused frame. The hash of the last source is kept, because a flood has many frames of one source in a row. */
static void refuse(struct tw_admission *a, const struct tw_peer_address *source, uint16_t why, uint64_t events)
{
	struct tw_refusals *r = &a->refusals;
	struct tw_refusals_row *row;

	if (memcmp(&a->refused, source, sizeof(*source)) != 0 || !a->refused_hash) {
		a->refused = *source;
		a->refused_hash = keyed_hash(a, source, sizeof(*source));
	}
	row = refusals_of(r, source, a->refused_hash);
	if (!r->frames)
		r->first = why;
	row->frames++;
	row->events += events;
	r->frames++;
	r->events += events;
	r->reasons[why]++;
}

static struct backlog_frame *frame_at(const struct backlog *b, uint64_t position)
{
	return (struct backlog_frame *)(b->ring + position % BACKLOG_BYTES);
}

static void push_out(struct tw_admission *a)
{
	const struct backlog_frame *frame = frame_at(&a->backlog, a->backlog.begin);

	if (!frame->taken)
		refuse(a, &frame->source, frame->why, frame->events);
	a->backlog.begin += frame->room;
}

/* Removes the oldest frames until @room bytes of the ring are unused. */
static void make_room(struct tw_admission *a, size_t room)
{
	while (a->backlog.end + room - a->backlog.begin > BACKLOG_BYTES)
		push_out(a);
}

/* Skips the end of the ring if @room bytes do not fit there. Return: bytes from the next frame to the end of the ring */
static size_t fill_up(struct tw_admission *a, size_t room)
{
	struct backlog *b = &a->backlog;
	const size_t rest = BACKLOG_BYTES - b->end % BACKLOG_BYTES;

	if (rest >= room)
		return rest;
	make_room(a, rest);
	if (rest >= sizeof(struct backlog_frame))
		*frame_at(b, b->end) = (struct backlog_frame){ .taken = true, .room = (uint32_t)rest };
	b->end += rest;
	return BACKLOG_BYTES;
}

/*
 * Copies a frame into the ring.
 * @frame: all members but room, which is set here
 * @data: frame->len bytes, at most TW_FRAME_MAX
 *
 * Return: a unique handle of the frame, never 0.
 */
static uint64_t backlog__put(struct tw_admission *a, const struct backlog_frame *frame, const uint8_t *data)
{
	const size_t max = sizeof(struct backlog_frame) + frame->len;
	size_t room = (max + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	const size_t rest = fill_up(a, room);
	struct backlog_frame *to;

	if (rest - room < sizeof(struct backlog_frame)) /* the remaining bytes are too few for another frame */
		room = rest;
	make_room(a, room);
	to = frame_at(&a->backlog, a->backlog.end);
	*to = *frame;
	to->room = (uint32_t)room;
	memcpy(to->data, data, frame->len);
	a->backlog.end += room;
	return a->backlog.end - room + 1;
}

/* Removes frames that arrived before @before; UINT64_MAX = all frames. */
static void backlog__expire(struct tw_admission *a, uint64_t before)
{
	while (a->backlog.begin < a->backlog.end && frame_at(&a->backlog, a->backlog.begin)->arrival.now < before)
		push_out(a);
}

static int make_way(void *ctx, struct tw_stream *stream)
{
	struct tw_admission *a = ctx;

	a->refusals.gave_way++;
	a->options.gave_way(a->options.ctx, stream->id);
	return 0;
}

struct tw_admission *tw_admission__new(const struct tw_admission_options *options)
{
	struct tw_admission *a = calloc(1, sizeof(*a));
	const uint64_t rate = options->unanswered ? options->unanswered : TW_ADMISSION_UNANSWERED_MAX;
	struct tw_streams_options streams = { .silence = SILENT_NS };

	if (!a)
		return NULL;
	a->options = *options;
	if (!a->options.of_one_source)
		a->options.of_one_source = TW_STREAMS_OF_SOURCE_MAX;
	streams.of_one_source = (uint32_t)a->options.of_one_source;
	a->streams = tw_streams__new(&streams);
	a->new_streams = tw_budget__full(NEW_A_SECOND, TW_STREAMS_LIVE_MAX);
	a->bytes = tw_budget__full(rate, rate * TW_ADMISSION_BURST_TIMES);
	a->questions = tw_budget__full(ASK_A_SECOND, ASK_ROW);
	a->sets = tw_large__alloc(SETS * sizeof(*a->sets), SETS * sizeof(*a->sets)); /* accessed at random */
	a->backlog.ring = tw_large__alloc(BACKLOG_BYTES, BACKLOG_BYTES);
	if (a->streams && a->sets && a->backlog.ring && getrandom(a->key, sizeof(a->key), 0) == sizeof(a->key)) {
		tw_streams__add_user(a->streams, &(struct tw_stream_user){ .leaves = make_way, .ctx = a });
		memset(a->sets, 0, SETS * sizeof(*a->sets));
		return a;
	}
	tw_admission__free(a);
	return NULL;
}

void tw_admission__free(struct tw_admission *a)
{
	if (!a)
		return;
	free(a->backlog.ring);
	tw_streams__free(a->streams);
	free(a->sets);
	free(a);
}

static uint32_t now_ms(const struct tw_admission *a)
{
	return (uint32_t)(a->now / TW_NS_PER_MS) | 1; /* never 0, which means unset */
}

/* Whether @ms is earlier than @other; correct although the counter wraps after 49 days. */
static bool is_before(uint32_t ms, uint32_t other)
{
	return (int32_t)(ms - other) < 0;
}

void tw_admission__begin(struct tw_admission *a, uint64_t now)
{
	a->now = now;
	tw_budget__refill(&a->new_streams, now);
	tw_budget__refill(&a->bytes, now);
	tw_budget__refill(&a->questions, now);
	if (now > BACKLOG_NS)
		backlog__expire(a, now - BACKLOG_NS);
}

/*
 * Whether the result of the earlier search also applies to @newcomer. If the table was full for one stream, it is full for streams of all
 * addresses. Streams that answered are an exception: for them, the result depends on the address.
 */
static bool is_for(const struct no_place *no_place, const struct tw_standing *newcomer)
{
	return no_place->source == newcomer->source ||
	       (no_place->why == TW_REFUSED_PLACES && newcomer->proof != TW_PROOF_ANSWER);
}

/* Makes the stream live. Return: 0; enum tw_refused_why if there is no room for it */
static uint16_t find_place(struct tw_admission *a, uint64_t id, const struct tw_standing *newcomer)
{
	struct no_place *no_place = &a->no_place[newcomer->proof][newcomer->source % RETRY_ROWS];
	struct tw_stream *stream;
	int err;

	if (a->now < no_place->until && is_for(no_place, newcomer))
		return no_place->why;
	err = tw_streams__admit(a->streams, id, newcomer, &stream);
	if (err == -ENOSPC || err == -EDQUOT) {
		*no_place = (struct no_place){ .until = a->now + RETRY_NS,
					       .source = newcomer->source,
					       .why = err == -EDQUOT ? TW_REFUSED_SOURCE : TW_REFUSED_PLACES };
		return no_place->why;
	}
	return err ? TW_REFUSED_PLACES : 0;
}

/* An answer proves nothing about frames from another address, which may be forged. */
static enum tw_proof proof_from(const struct candidate *c, uint64_t source)
{
	return c->proof == TW_PROOF_ANSWER && c->answered_from != (uint32_t)source ? TW_PROOF_NUMBERS
										   : (enum tw_proof)c->proof;
}

/*
 * Return: as find_place(). Only a limited number of streams that do not answer is admitted, and none while less than a quarter of their
 * budget of bytes is left.
 */
static uint16_t admit(struct tw_admission *a, const struct candidate *c, const struct tw_peer_address *source)
{
	const uint64_t number = place_source(a, source);
	const struct tw_standing newcomer = { .heard = a->now, .source = number, .proof = proof_from(c, number) };
	uint16_t why;

	if (newcomer.proof == TW_PROOF_ANSWER)
		return find_place(a, c->id, &newcomer);
	if (a->bytes.left < a->bytes.most / 4)
		return TW_REFUSED_RATE;
	if (!a->new_streams.left)
		return TW_REFUSED_PLACES;
	why = find_place(a, c->id, &newcomer);
	if (!why)
		tw_budget__spend(&a->new_streams, 1);
	return why;
}

/* Passes the candidate's frames in the backlog to the `admitted` callback, in order of arrival, and frees the candidate. */
static void let_in(struct tw_admission *a, struct candidate *c, const struct tw_peer *from)
{
	struct backlog_frame *frames[FRAMES_MAX];
	size_t n = 0;

	/* A handle that is not above `begin` is 0, or belongs to a frame that has left the ring. */
	for (uint64_t at = c->last; n < FRAMES_MAX && at > a->backlog.begin; at = frames[n++]->before)
		frames[n] = frame_at(&a->backlog, at - 1);
	while (n) {
		struct backlog_frame *waited = frames[--n];
		const struct tw_received_frame came = { .data = waited->data, .len = waited->len, .from = from };

		waited->taken = true;
		a->options.admitted(a->options.ctx, &came, &waited->arrival);
	}
	*c = (struct candidate){ .id = 0 };
}

/* Finds the candidate of stream @id. If there is none, makes one in an unused entry of its set, or in place of another candidate. */
static struct candidate *candidate_of(struct tw_admission *a, uint64_t id)
{
	struct candidate *set = a->sets[keyed_hash(a, &id, sizeof(id)) % SETS], *goes = &set[0];

	for (size_t i = 0; i < WAYS; i++) {
		const struct tw_standing standing = { .heard = set[i].heard, .proof = (enum tw_proof)set[i].proof };
		const struct tw_standing other = { .heard = goes->heard, .proof = (enum tw_proof)goes->proof };

		if (set[i].heard && set[i].id == id)
			return &set[i];
		if (tw_standing__goes_before(&standing, &other))
			goes = &set[i];
	}
	*goes = (struct candidate){ .id = id };
	return goes;
}

/* Counts a frame in the candidate's share of the backlog. Return: false if the share is used up, or during the pause that then begins */
static bool take_share(struct tw_admission *a, struct candidate *c, size_t len)
{
	if (c->quiet_ms && is_before(now_ms(a), c->quiet_ms))
		return false;
	c->quiet_ms = 0;
	if (c->n < FRAMES_MAX && c->bytes + len <= BYTES_MAX) {
		c->n++;
		c->bytes += (uint32_t)len;
		return true;
	}
	c->quiet_ms = (now_ms(a) + QUIET_MS) | 1;
	c->last = 0; /* the frames in the backlog stay there; when they leave it, they count as refused */
	c->n = 0;
	c->bytes = 0;
	return false;
}

static void keep(struct tw_admission *a, struct candidate *c, const struct tw_received_frame *frame,
		 const struct tw_frame_info *info, const struct tw_arrival *arrival, uint16_t why)
{
	const struct backlog_frame waiting = { .before = c->last,
					       .arrival = *arrival,
					       .len = (uint32_t)frame->len,
					       .events = info->source == TW_SOURCE_CONTROL ? 0 : info->events,
					       .why = (uint8_t)why,
					       .source = frame->from->address };

	if (frame->len > TW_FRAME_MAX || !take_share(a, c, frame->len)) {
		refuse(a, &waiting.source, why, waiting.events);
		return;
	}
	c->last = backlog__put(a, &waiting, frame->data);
}

/*
 * A part of the budget is reserved for candidates that sent several frames, or that got a request before. So an attacker needs several
 * frames of each forged stream to use up the budget.
 */
static bool may_ask(struct tw_admission *a, const struct candidate *c)
{
	const uint64_t reserved = c->asked ? 0 : c->n < 2 ? ASK_ROW * 3 / 4 : c->n < 4 ? ASK_ROW / 2 : 0;

	return a->n_pending < QUESTIONS && a->questions.left > reserved && tw_budget__spend(&a->questions, 1);
}

/* Queues a request; a candidate that answers it may be admitted. A request is never longer than the frame that caused it. */
static void ask(struct tw_admission *a, struct candidate *c, const struct tw_received_frame *frame, uint16_t why)
{
	const unsigned int doublings = c->asked < ASK_DOUBLINGS ? c->asked : ASK_DOUBLINGS;
	const bool tells =
		(c->asked >= TELL_AFTER || c->proof == TW_PROOF_ANSWER) && frame->len >= TW_TIME_SYNC_BYTES_MIN + 8;

	if (c->ask_ms && is_before(now_ms(a), c->ask_ms))
		return;
	if (frame->len < TW_TIME_SYNC_BYTES_MIN || !may_ask(a, c))
		return;
	c->ask_ms = (now_ms(a) + (ASK_MS << doublings)) | 1;
	c->asked = (uint8_t)(c->asked + (c->asked < UINT8_MAX));
	a->pending[a->n_pending++] = (struct pending_request){ c->id, *frame->from, tells ? why : 0 };
}

static bool take_unknown(struct tw_admission *a, const struct tw_received_frame *frame,
			 const struct tw_frame_info *info, const struct tw_arrival *arrival)
{
	struct candidate *c = candidate_of(a, info->stream_id);
	uint16_t why = TW_REFUSED_UNPROVEN;

	c->heard = ++a->turn;
	if (tw_number_row__see(&c->row, info) && c->proof < TW_PROOF_NUMBERS)
		c->proof = TW_PROOF_NUMBERS;
	if (c->proof) {
		why = admit(a, c, &frame->from->address);
		if (!why) {
			let_in(a, c, frame->from);
			return true;
		}
		ask(a, c, frame, why);
	}
	keep(a, c, frame, info, arrival, why);
	return false;
}

/* Whether @frame contains an END and is from the stream's own address: an END from another address may be forged. */
static bool is_end_of(const struct tw_admission *a, const struct tw_standing *s, const struct tw_received_frame *frame)
{
	struct tw_frame_info info;
	struct tw_cursor tlvs;

	return frame->data[offsetof(struct tw_frame_hdr, source)] == TW_SOURCE_CONTROL &&
	       tw_frame__parse(frame->data, frame->len, &info, &tlvs) == TW_FRAME_OK &&
	       tw_cursor__has(tlvs, TW_TLV_END) && place_source(a, &frame->from->address) == s->source;
}

/* Return: true if the frame is accepted. If it exceeds the budget of streams that do not answer, evicts the stream and returns false */
static bool take_known(struct tw_admission *a, struct tw_stream *stream, const struct tw_received_frame *frame)
{
	struct tw_standing *s = &stream->standing;

	if (s->proof < TW_PROOF_ANSWER && a->options.unanswered && !tw_budget__spend(&a->bytes, frame->len)) {
		tw_streams__retire(stream);
		return false;
	}
	s->heard = a->now;
	s->ended = is_end_of(a, s, frame);
	return true;
}

bool tw_admission__frame(struct tw_admission *a, const struct tw_received_frame *frame,
			 const struct tw_arrival *arrival)
{
	struct tw_frame_info info;
	enum tw_frame_status status;
	struct tw_stream *stream;
	struct tw_cursor tlvs;

	if (frame->len < sizeof(struct tw_frame_hdr) || tw_load_be32(frame->data) != TW_MAGIC || !frame->from)
		return true;
	stream = tw_streams__find(a->streams, tw_load_be64(frame->data + offsetof(struct tw_frame_hdr, stream_id)));
	if (stream && take_known(a, stream, frame))
		return true;
	status = tw_frame__parse(frame->data, frame->len, &info, &tlvs);
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return true;
	return take_unknown(a, frame, &info, arrival);
}

static size_t streams_of(const struct tw_admission *a, uint64_t source)
{
	size_t n = 0;

	for (size_t i = 0; i < tw_streams__n_live(a->streams); i++)
		n += tw_streams__at_live(a->streams, i)->standing.source == source;
	return n;
}

/* The source address of a frame may be forged, but that of an answer is not. So the stream now belongs to the address that answered. */
void tw_admission__answered(struct tw_admission *a, uint64_t stream_id, const struct tw_peer_address *from)
{
	struct tw_stream *stream = tw_streams__find(a->streams, stream_id);
	struct tw_standing *s = stream ? &stream->standing : NULL;
	const uint64_t source = place_source(a, from);

	if (!s || (s->source != source && streams_of(a, source) >= a->options.of_one_source))
		return;
	s->source = source;
	s->proof = TW_PROOF_ANSWER;
}

/* The id of a request: a keyed hash of stream, address and time. Only this process can compute it. */
static uint32_t cookie_of(const struct tw_admission *a, uint64_t stream_id, const struct tw_peer *to, uint64_t asked)
{
	struct {
		uint64_t stream_id, asked;
		uint8_t bytes[sizeof(to->bytes)];
	} what = { .stream_id = stream_id, .asked = asked };

	memcpy(what.bytes, to->bytes, sizeof(what.bytes));
	return (uint32_t)keyed_hash(a, &what, sizeof(what));
}

bool tw_admission__next(struct tw_admission *a, struct tw_time_sync_request *ret)
{
	const struct pending_request *pending = a->n_pending ? &a->pending[--a->n_pending] : NULL;
	struct tw_time_sync_view question = { .asked = a->now, .is_short = true };

	if (!pending)
		return false;
	question.id = cookie_of(a, pending->stream_id, &pending->to, question.asked);
	ret->to = &pending->to;
	ret->len = pending->why ? tw_time_sync_frame__refuse(ret->frame, pending->stream_id, &question, pending->why)
				: tw_time_sync_frame__request(ret->frame, pending->stream_id, &question, 0);
	return true;
}

bool tw_admission__answer(struct tw_admission *a, const struct tw_received_frame *frame)
{
	struct tw_time_sync_view answer;
	struct candidate *c;
	uint64_t id;

	if (!frame->from || !tw_time_sync_frame__read(frame->data, frame->len, &id, &answer) ||
	    answer.id != cookie_of(a, id, frame->from, answer.asked))
		return false;
	if (answer.asked > a->now || a->now - answer.asked > COOKIE_NS)
		return true;
	tw_admission__answered(a, id, &frame->from->address);
	if (tw_streams__find(a->streams, id))
		return true;
	c = candidate_of(a, id);
	c->heard = ++a->turn;
	c->proof = TW_PROOF_ANSWER;
	c->answered_from = (uint32_t)place_source(a, &frame->from->address);
	if (!admit(a, c, &frame->from->address))
		let_in(a, c, frame->from);
	return true;
}

void tw_admission__finish(struct tw_admission *a)
{
	backlog__expire(a, UINT64_MAX);
}

struct tw_streams *tw_admission__streams(const struct tw_admission *a)
{
	return a->streams;
}

const struct tw_refusals *tw_admission__refusals(const struct tw_admission *a)
{
	return &a->refusals;
}

const char *tw_refusals__why(uint16_t why)
{
	static const char *const texts[] = {
		[TW_REFUSED_UNPROVEN] =
			"no two frames of the stream have consecutive numbers, so the frames may be forged or damaged; "
			"a firewall can block hosts that are not producers",
		[TW_REFUSED_PLACES] =
			"the stream table has no room, or has room only for streams that answer requests; permit UDP in "
			"both directions, or end streams that are not needed",
		[TW_REFUSED_SOURCE] = "one address has reached its limit of streams; raise --streams-per-source",
		[TW_REFUSED_RATE] =
			"streams that do not answer time synchronisation requests send too many bytes per second; "
			"permit UDP in both directions, or raise --unanswered",
	};

	return texts[why];
}
