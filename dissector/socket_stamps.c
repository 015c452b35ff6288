/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/socket_stamps.h"

#include <string.h>

#include "base/hash_table.h"
#include "dissector/limits.h"

#define CLOCK_SLACK_NS 1000000    /* how far the clocks of packets and events can be apart, at most */
#define POINTS_MAX     8          /* capture points of one connection */
#define STEPS_MAX      256        /* nodes of a tree that one search looks at */
#define MISSES_MAX     8          /* nodes in a row that do not match, after which a search ends */
#define BYTES_MAX      (1u << 30) /* largest distance of bytes that belong together: the largest window of TCP */
#define NODE_COST      112        /* memory of a node of a GTree, and of the tree if it is the first */
#define FRAME_COST     64         /* memory of what Wireshark stores with a frame */
#define NUMBERING_NS   1000000    /* the first event of a datagram and the datagram's packet are not further apart */

/* An interface on which packets of the connection were captured. */
struct tw_capture_point {
	struct tw_connection *connection;
	GTree *segments; /* by end */
	uint32_t interface;
	bool replies; /* it has the replies to echoes, which have the numbers of their requests */
	uint64_t n;   /* datagrams */
	/* Datagrams of UDP: the number at this point minus the number in events. */
	int64_t shift;
	int64_t distance; /* time between the packet and the event that @shift is from, ns; -1 = no @shift yet */
};

/* One direction of a connection of TCP, a flow of UDP, or the echoes with one id. */
struct tw_connection {
	bool is_tcp, is_echo, is_seen;
	uint64_t newest; /* the newest number of a byte or an echo */
	GTree *stamps[TW_STAGES];
	struct tw_capture_point points[POINTS_MAX];
	uint32_t n_points;
	const struct tw_socket_stamp *first; /* the first event of a datagram */
};

bool tw_socket_stamps_on, tw_socket_stamps_full;
static uint32_t steps_left;              /* of the frame; 0 = its searches end without a result */
static size_t memory;                    /* limited by TW_SOCKET_STAMPS_BYTES_MAX */
static struct tw_hash_table connections; /* struct tw_packet_flow -> struct tw_connection * */

static void *resize(void *ctx _U_, void *old, size_t old_size _U_, size_t new_size)
{
	if (new_size)
		return wmem_realloc(wmem_file_scope(), old, new_size);
	wmem_free(wmem_file_scope(), old);
	return NULL;
}

static const struct tw_alloc file_scope = { .resize = resize };

static void open_capture(void)
{
	tw_socket_stamps_on = tw_socket_stamps_full = false;
	memory = 0;
	connections = (struct tw_hash_table){
		.alloc = &file_scope,
		.key_size = sizeof(struct tw_packet_flow),
		.value_size = sizeof(struct tw_connection *),
	};
}

/* Wireshark frees everything except the nodes of the trees with its file scope. */
static void close_capture(void)
{
	for (uint32_t i = 0; i < connections.n; i++) {
		struct tw_connection *connection = *(struct tw_connection **)tw_hash_table__value(&connections, i);

		for (enum tw_stage stage = 0; stage < TW_STAGES; stage++)
			if (connection->stamps[stage])
				g_tree_destroy(connection->stamps[stage]);
		for (uint32_t point = 0; point < connection->n_points; point++)
			g_tree_destroy(connection->points[point].segments);
	}
	connections.n = 0;
	tw_socket_stamps_on = false;
}

void tw_socket_stamps__register(void)
{
	register_init_routine(open_capture);
	register_cleanup_routine(close_capture);
}

void tw_socket_stamps__turn_on(void)
{
	tw_socket_stamps_on = true;
}

void tw_socket_stamps__begin_frame(void)
{
	steps_left = TW_SOCKET_STEPS_MAX;
}

bool tw_socket_stamps__gave_up(void)
{
	return !steps_left;
}

/* Counts one node that a search looks at. Return: false if the frame has no more steps */
static bool step(void)
{
	if (steps_left)
		steps_left--;
	return steps_left;
}

/* Return: NULL beyond the limit */
static void *new_zeroed(size_t size, size_t more)
{
	if (size + more > TW_SOCKET_STAMPS_BYTES_MAX - memory) {
		tw_socket_stamps_full = true;
		return NULL;
	}
	memory += size + more;
	return wmem_alloc0(wmem_file_scope(), size);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
	const struct tw_socket_stamp_place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The first node whose key is not less than @key. The functions below return NULL at the end of a tree, and for a tree that is NULL. */
static GTreeNode *lower_bound(GTree *tree, uint64_t key)
{
	const struct tw_socket_stamp_place place = { .key = key };

	return tree ? g_tree_lower_bound(tree, &place) : NULL;
}

static const struct tw_socket_stamp *stamp_of(GTreeNode *node)
{
	return node ? g_tree_node_key(node) : NULL;
}

static const struct tw_segment *segment_of(GTreeNode *node)
{
	return node ? g_tree_node_key(node) : NULL;
}

/* Return: NULL beyond a limit */
static struct tw_connection *connection_of(const struct tw_packet_flow *flow)
{
	void *found = tw_hash_table__find(&connections, flow);
	struct tw_connection *connection;

	if (found)
		return *(struct tw_connection **)found;
	connection = new_zeroed(sizeof(*connection), tw_hash_table__growth(&connections));
	if (!connection || tw_hash_table__put(&connections, flow, &found) < 0)
		return NULL;
	connection->is_tcp = flow->protocol == TW_IP_TCP;
	connection->is_echo = tw_packet_flow__is_echo(flow);
	*(struct tw_connection **)found = connection;
	return connection;
}

/* Return: how far a sequence number is after the newest one; that of an echo has 16 bits */
static int64_t distance_of(const struct tw_connection *connection, uint32_t seq)
{
	const uint32_t after = seq - (uint32_t)connection->newest;

	return connection->is_echo ? (int16_t)after : (int32_t)after;
}

/* Return: the number with 64 bits of the byte with a sequence number, or of the echo */
static uint64_t extend(struct tw_connection *connection, uint32_t seq)
{
	uint64_t number = connection->newest + (uint64_t)distance_of(connection, seq);

	if (!connection->is_seen)
		number = (1ull << 32) + seq;
	if (!connection->is_seen || number > connection->newest)
		connection->newest = number;
	connection->is_seen = true;
	return number;
}

/* A SYN begins a new connection, whose bytes have nothing to do with those of an earlier one with the same ports. */
static void begin_connection(struct tw_connection *connection, uint32_t seq)
{
	connection->newest = ((connection->newest >> 32) + 2) << 32 | seq;
	connection->is_seen = true;
}

/*
 * The events of a flow of UDP count its datagrams from the first that the run has seen. At a capture point, datagrams are counted from the
 * first in the capture. The packet next to the first event tells the difference; the one with the same number, if it is near enough.
 */
static void match_numbers(struct tw_capture_point *point, const struct tw_segment *segment)
{
	const struct tw_socket_stamp *first = point->connection->first;
	int64_t distance;

	if (!first)
		return;
	distance = segment->time < first->time ? first->time - segment->time : segment->time - first->time;
	if (distance > NUMBERING_NS)
		return;
	if (segment->start == first->place.key)
		distance = 0;
	if (point->distance >= 0 && point->distance <= distance)
		return;
	point->shift = (int64_t)(segment->start - first->place.key);
	point->distance = distance;
}

static void set_first(struct tw_connection *connection, const struct tw_socket_stamp *stamp)
{
	connection->first = stamp;
	for (uint32_t i = 0; i < connection->n_points; i++) {
		struct tw_capture_point *point = &connection->points[i];
		const struct tw_segment *last = segment_of(lower_bound(point->segments, point->n));

		if (last)
			match_numbers(point, last);
	}
}

/* Whether the packets have their numbers, so that they need not be counted. */
static bool has_numbers(const struct tw_connection *connection)
{
	return connection->is_tcp || connection->is_echo;
}

struct tw_socket_stamp *tw_socket_stamps__add(const struct tw_socket_stamp_event *event)
{
	struct tw_connection *connection = connection_of(&event->flow);
	struct tw_socket_stamp *stamp = connection ? new_zeroed(sizeof(*stamp), NODE_COST + FRAME_COST) : NULL;
	GTree **tree;

	if (!stamp)
		return NULL;
	*stamp = event->stamp;
	stamp->connection = connection;
	stamp->next = NULL;
	stamp->place.key = has_numbers(connection) ? extend(connection, event->seq) : event->key;
	if (!connection->is_tcp)
		stamp->bytes = 1;
	tree = &connection->stamps[stamp->stage];
	if (!*tree)
		*tree = g_tree_new(compare_places);
	g_tree_insert(*tree, stamp, NULL);
	if (!has_numbers(connection) && !connection->first)
		set_first(connection, stamp);
	return stamp;
}

/* Return: NULL if the connection was captured in too many places */
static struct tw_capture_point *point_of(struct tw_connection *connection, uint32_t interface, bool replies)
{
	struct tw_capture_point *point;

	for (uint32_t i = 0; i < connection->n_points; i++)
		if (connection->points[i].interface == interface && connection->points[i].replies == replies)
			return &connection->points[i];
	if (connection->n_points == POINTS_MAX)
		return NULL;
	point = &connection->points[connection->n_points++];
	*point = (struct tw_capture_point){
		.connection = connection,
		.segments = g_tree_new(compare_places),
		.interface = interface,
		.replies = replies,
		.distance = -1,
	};
	return point;
}

static void set_range(struct tw_segment *segment, const struct tw_packet_header *header)
{
	struct tw_capture_point *point = segment->point;

	if (point->connection->is_tcp) {
		segment->start = extend(point->connection, header->seq);
		segment->place.key = segment->start + header->len;
	} else if (point->connection->is_echo) {
		segment->start = extend(point->connection, header->seq);
		segment->place.key = segment->start + 1;
	} else {
		segment->start = point->n++;
		segment->place.key = point->n;
	}
}

const struct tw_segment *tw_socket_stamps__add_packet(const struct tw_packet_header *header, uint32_t interface,
						      uint32_t frame, int64_t time)
{
	const bool is_tcp = header->flow.protocol == TW_IP_TCP;
	struct tw_connection *connection = !is_tcp || header->len || header->syn ? connection_of(&header->flow) : NULL;
	struct tw_capture_point *point;
	struct tw_segment *segment;

	if (!connection)
		return NULL;
	if (is_tcp && header->syn)
		begin_connection(connection, header->seq);
	if (is_tcp && !header->len)
		return NULL;
	point = point_of(connection, interface, header->reply);
	segment = point ? new_zeroed(sizeof(*segment), NODE_COST + FRAME_COST) : NULL;
	if (!segment)
		return NULL;
	segment->point = point;
	segment->place.frame = frame;
	segment->time = time;
	set_range(segment, header);
	g_tree_insert(point->segments, segment, NULL);
	if (!has_numbers(connection))
		match_numbers(point, segment);
	return segment;
}

/* The bytes of a segment in the numbers of events, and the time in which its transmission is the last one. */
struct range {
	const struct tw_connection *connection;
	uint64_t start, end; /* numbers of its first byte, and of the byte after it */
	int64_t time;        /* of the segment */
	int64_t from, until; /* INT64_MIN, INT64_MAX = there is no earlier or later transmission */
	int64_t earlier;     /* of the earlier transmission; INT64_MIN = none */
	bool is_reply;       /* the segment is the reply to an echo; its request was sent before @request_until */
	int64_t request_until;
};

/* Return: by how much an event can have an earlier time than its packet, if the same bytes were sent @apart ns before */
static int64_t slack(int64_t apart)
{
	return MIN(MAX(apart, 0) / 4, CLOCK_SLACK_NS);
}

static bool is_between(const struct tw_segment *at, const struct tw_segment *after, const struct tw_segment *before)
{
	return (!after || at->place.frame > after->place.frame) && (!before || at->place.frame < before->place.frame);
}

/* Sets the time between the transmissions before and after the segment of its last byte, at the same capture point. */
static void set_time(const struct tw_segment *segment, struct range *range)
{
	GTreeNode *node = lower_bound(segment->point->segments, segment->place.key);
	const struct tw_segment *earlier = NULL, *later = NULL;
	int misses = 0;

	for (int i = 0; node && i < STEPS_MAX && misses < MISSES_MAX && step(); i++, node = g_tree_node_next(node)) {
		const struct tw_segment *other = segment_of(node);

		if (other->start >= segment->place.key)
			misses++;
		else if (is_between(other, earlier, segment))
			earlier = other;
		else if (is_between(other, segment, later))
			later = other;
	}
	range->earlier = earlier ? earlier->time : INT64_MIN;
	range->from = earlier ? segment->time - slack(segment->time - earlier->time) : INT64_MIN;
	range->request_until = later ? segment->time + slack(later->time - segment->time) : INT64_MAX;
	range->until = later ? later->time - slack(later->time - segment->time) : INT64_MAX;
}

/* Return: false if the number of the datagram is not known */
static bool range_of(const struct tw_segment *segment, struct range *ret)
{
	const struct tw_capture_point *point = segment->point;

	*ret = (struct range){
		.connection = point->connection,
		.start = segment->start,
		.end = segment->place.key,
		.time = segment->time,
		.from = INT64_MIN,
		.earlier = INT64_MIN,
		.until = INT64_MAX,
	};
	ret->is_reply = point->replies;
	if (has_numbers(point->connection)) {
		set_time(segment, ret);
		return true;
	}
	ret->start -= (uint64_t)point->shift;
	ret->end -= (uint64_t)point->shift;
	return point->distance >= 0 && ret->start < ret->end;
}

/* Whether an event happened while the segment was the last transmission of its bytes. */
static bool is_current(const struct range *range, const struct tw_socket_stamp *stamp)
{
	return stamp->time >= range->from && stamp->time < range->until;
}

/*
 * Return: the transmission of the bytes with key @key that the segment is: that of the last SCHED before it. -1 if there is none, or if
 * it is the SCHED of an earlier packet: the kernel may send the bytes again in a packet that has no key.
 * @ret_known: whether the bytes have events SCHED
 */
static int transmission_of(const struct range *range, uint64_t key, bool *ret_known)
{
	GTreeNode *node = lower_bound(range->connection->stamps[TW_STAGE_SCHED], key);
	const struct tw_socket_stamp *before = NULL;
	int transmission = -1;

	*ret_known = false;
	for (int i = 0; node && i < STEPS_MAX && step(); i++, node = g_tree_node_next(node)) {
		const struct tw_socket_stamp *stamp = stamp_of(node);

		if (stamp->place.key != key)
			break;
		*ret_known = true;
		if (stamp->time <= range->time + (before ? slack(stamp->time - before->time) : CLOCK_SLACK_NS))
			transmission = stamp->time < range->earlier ? -1 : stamp->transmission;
		before = stamp;
	}
	return transmission;
}

static bool is_own_transmission(const struct range *range, const struct tw_socket_stamp *stamp)
{
	bool known;
	const int transmission = transmission_of(range, stamp->place.key, &known);

	return known ? transmission == stamp->transmission : is_current(range, stamp);
}

/* The first event of a cumulative stage that has reached the last byte of the segment. */
static const struct tw_socket_stamp *first_reaching(const struct range *range, enum tw_stage stage)
{
	const struct tw_socket_stamp *stamp = stamp_of(lower_bound(range->connection->stamps[stage], range->end - 1));

	return stamp && stamp->place.key - (range->end - 1) < BYTES_MAX ? stamp : NULL;
}

/* Whether the stage is about all bytes up to the key. Datagrams that were put together have the events RX and IP of the last one. */
static bool is_cumulative(const struct tw_connection *connection, enum tw_stage stage)
{
	if (!connection->is_tcp)
		return stage == TW_STAGE_RX || stage == TW_STAGE_IP;
	return stage == TW_STAGE_ACK || (stage >= TW_STAGE_SOCKET && stage <= TW_STAGE_READ);
}

/* Whether the reader's events belong to this transmission: it filled the socket's queue. */
static bool is_read(const struct range *range, const struct tw_socket_stamp *stamp)
{
	const struct tw_socket_stamp *socket = first_reaching(range, TW_STAGE_SOCKET);
	const struct tw_socket_stamp *read = first_reaching(range, TW_STAGE_READ);

	if (read && tw_socket_stamp__since(read, stamp) < 0)
		return false; /* the wake-up was for later bytes */
	return socket ? is_current(range, socket) : is_current(range, stamp);
}

/* Whether a stamp that is about bytes of the segment belongs to the segment. */
static bool belongs(const struct range *range, const struct tw_socket_stamp *stamp)
{
	switch (stamp->stage) {
	case TW_STAGE_SENDMSG_ENTRY:
	case TW_STAGE_SENDMSG:
	case TW_STAGE_HELD:
		return true;
	case TW_STAGE_SCHED:
	case TW_STAGE_SND_SW:
	case TW_STAGE_SND_HW:
		return is_own_transmission(range, stamp);
	case TW_STAGE_WAKE:
	case TW_STAGE_RUN:
	case TW_STAGE_READ:
		return is_read(range, stamp);
	case TW_STAGE_REQUEST: /* precedes the reply by a round trip */
		return range->is_reply ? stamp->time > range->earlier && stamp->time < range->request_until
				       : is_current(range, stamp);
	default:
		return is_current(range, stamp);
	}
}

/* If the number of bytes is unknown (0), as in a tunnel that encrypts, the packet has at least the byte of the key. */
static uint64_t first_byte(const struct tw_socket_stamp *stamp)
{
	return stamp->place.key - CLAMP(stamp->bytes, 1, BYTES_MAX) + 1;
}

/* Adds a stamp; when there is no more room, in the place of the last one. */
static void take(struct tw_timeline *timeline, uint32_t max, const struct tw_socket_stamp *stamp)
{
	if (timeline->n == max || timeline->n == TW_TIMELINE_MAX)
		timeline->n--;
	timeline->stamps[timeline->n++] = stamp;
}

/* Adds the stamps of a stage whose bytes overlap those of the segment; at most @room. */
static void collect_ranges(const struct range *range, enum tw_stage stage, uint32_t room, struct tw_timeline *timeline)
{
	GTreeNode *node = lower_bound(range->connection->stamps[stage], range->start);
	const uint32_t max = timeline->n + room;
	int misses = 0;

	for (int i = 0; node && i < STEPS_MAX && misses < MISSES_MAX && step(); i++, node = g_tree_node_next(node)) {
		const struct tw_socket_stamp *stamp = stamp_of(node);

		if (first_byte(stamp) >= range->end)
			misses++;
		else if (belongs(range, stamp))
			take(timeline, max, stamp);
	}
}

/* Of a stage in which bytes wait for all before them, the first stamp counts. */
static void collect_cumulative(const struct range *range, enum tw_stage stage, struct tw_timeline *timeline)
{
	const struct tw_socket_stamp *stamp = first_reaching(range, stage);

	if (stamp && belongs(range, stamp))
		take(timeline, TW_TIMELINE_MAX, stamp);
}

static void collect(const struct range *range, enum tw_stage stage, uint32_t room, struct tw_timeline *timeline)
{
	if (is_cumulative(range->connection, stage))
		collect_cumulative(range, stage, timeline);
	else
		collect_ranges(range, stage, room, timeline);
}

static bool is_later(const struct tw_socket_stamp *a, const struct tw_socket_stamp *b)
{
	const int64_t since = tw_socket_stamp__since(a, b);

	return since ? since > 0 : a->stage > b->stage;
}

/* Sorts by insertion: qsort() must not be called if times of two streams contradict each other. */
static void sort(struct tw_timeline *timeline)
{
	for (uint32_t i = 1; i < timeline->n; i++) {
		const struct tw_socket_stamp *stamp = timeline->stamps[i];
		uint32_t at = i;

		for (; at && is_later(timeline->stamps[at - 1], stamp); at--)
			timeline->stamps[at] = timeline->stamps[at - 1];
		timeline->stamps[at] = stamp;
	}
}

/* Stamps of different stages can have the same room: a packet has at most some messages, and a few devices. */
void tw_timeline__of(const struct tw_segment *segment, struct tw_timeline *ret)
{
	struct range range;

	ret->n = 0;
	if (!range_of(segment, &range))
		return;
	for (enum tw_stage stage = 0; stage < TW_STAGES; stage++)
		collect(&range, stage, stage <= TW_STAGE_SENDMSG ? 12 : 6, ret);
	sort(ret);
}

int64_t tw_socket_stamp__since(const struct tw_socket_stamp *stamp, const struct tw_socket_stamp *earlier)
{
	return stamp->stream == earlier->stream ? (int64_t)(stamp->software - earlier->software)
						: stamp->time - earlier->time;
}

/* Return: number of the first byte that the stamp can be about */
static uint64_t first_of(const struct tw_socket_stamp *stamp)
{
	GTree *tree = stamp->connection->stamps[stamp->stage];
	GTreeNode *node;

	if (!is_cumulative(stamp->connection, stamp->stage))
		return first_byte(stamp);
	/* The bytes after the previous event of the stage. */
	node = lower_bound(tree, stamp->place.key);
	node = node ? g_tree_node_previous(node) : NULL;
	if (!node || stamp->place.key - stamp_of(node)->place.key > BYTES_MAX)
		return stamp->place.key - MIN(stamp->place.key, BYTES_MAX);
	return stamp_of(node)->place.key + 1;
}

static bool has(const struct tw_segment *segment, const struct tw_socket_stamp *stamp)
{
	struct tw_timeline found = { .n = 0 };
	struct range range;

	if (!range_of(segment, &range))
		return false;
	if (!is_cumulative(stamp->connection, stamp->stage))
		return first_byte(stamp) < range.end && range.start <= stamp->place.key && belongs(&range, stamp);
	collect(&range, stamp->stage, 1, &found);
	return found.n && found.stamps[0] == stamp;
}

/* Adds the packets of one capture point. Return: the new number of packets */
static uint32_t find_at(const struct tw_capture_point *point, const struct tw_socket_stamp *stamp,
			const struct tw_segment **ret, uint32_t n)
{
	const uint64_t shift = (uint64_t)point->shift; /* 0 except for UDP */
	GTreeNode *node = lower_bound(point->segments, first_of(stamp) + shift + 1);
	int misses = 0;

	for (int i = 0; node && i < STEPS_MAX && misses < MISSES_MAX && n < TW_SEGMENTS_OF_STAMP_MAX && step(); i++) {
		const struct tw_segment *segment = segment_of(node);

		if (segment->start > stamp->place.key + shift)
			misses++;
		else if (has(segment, stamp))
			ret[n++] = segment;
		node = g_tree_node_next(node);
	}
	return n;
}

uint32_t tw_socket_stamp__segments(const struct tw_socket_stamp *stamp,
				   const struct tw_segment *ret[TW_SEGMENTS_OF_STAMP_MAX])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < stamp->connection->n_points; i++)
		n = find_at(&stamp->connection->points[i], stamp, ret, n);
	return n;
}
