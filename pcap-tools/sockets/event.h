/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the system `sockts` (docs/sockets.md), decoded. Their formats are untrusted: fields may be missing or of other types. */
#ifndef TW_SOCKET_EVENT_H
#define TW_SOCKET_EVENT_H

#include "pcap-tools/events/reader.h"
#include "schema/socket_events.h"

#define TW_SOCKET_ADDRESS_LEN 16 /* an IPv4 address is mapped into IPv6 */
#define TW_SOCKET_TCP         6  /* number of the IP protocol */

/* The kinds of events: their names in the system `sockts`. */
#define TW_SOCKET_KINDS(X)     \
	X(EGRESS, egress_ts)   \
	X(STATS, egress_stats) \
	X(INGRESS, ingress_ts) \
	X(HELD, held)          \
	X(RESET, tcp_reset)    \
	X(DROP, drop)

enum tw_socket_kind {
#define X(kind, name) TW_SOCKET_##kind,
	TW_SOCKET_KINDS(X)
#undef X
		TW_SOCKET_KIND_COUNT,
};

#define TW_SOCKET_REASON_OTHER 0  /* in place of a reason of sockts:held that is not known here */
#define TW_SOCKET_WORD_LEN     40 /* of the name of a reason, with NUL; longer ones are cut */

/* Above all numbers of the steps of egress_ts and of ingress_ts. */
#define TW_SOCKET_STEPS_END TW_SOCKTS_INGRESS_END
_Static_assert((int)TW_SOCKTS_EGRESS_END <= (int)TW_SOCKET_STEPS_END, "steps of egress_ts");

/* The fields that are numbers. */
#define TW_SOCKET_NUMBERS(X) \
	X(cookie)            \
	X(netns_cookie)      \
	X(protocol)          \
	X(sport)             \
	X(dport)             \
	X(type)              \
	X(key_base)          \
	X(transmission)      \
	X(key)               \
	X(seq)               \
	X(bytes)             \
	X(ifindex)           \
	X(software)          \
	X(pid)               \
	X(sample)            \
	X(direction)         \
	X(reason)            \
	X(waited)            \
	X(srtt_us)           \
	X(retransmits)       \
	X(busy_us)           \
	X(rwnd_limited_us)   \
	X(sndbuf_limited_us)

enum tw_socket_number {
#define X(name) TW_SOCKET_NUMBER_##name,
	TW_SOCKET_NUMBERS(X)
#undef X
		TW_SOCKET_NUMBER_COUNT,
};

/* Where the fields are in the events of one format. */
struct tw_socket_binding {
	enum tw_socket_kind kind;
	const struct tw_field *numbers[TW_SOCKET_NUMBER_COUNT], *local, *remote, *comm; /* NULL = there is none */
};

/* Numbers that the event does not have are 0. */
struct tw_socket_event {
	enum tw_socket_kind kind;
	uint64_t stream, time; /* id of the stream; the event's own time by the stream's clock, ns */
#define X(name) uint64_t name;
	TW_SOCKET_NUMBERS(X)
#undef X
	uint8_t local[TW_SOCKET_ADDRESS_LEN], remote[TW_SOCKET_ADDRESS_LEN];
	char comm[TW_SOCKTS_COMM_LEN];        /* padded with NULs; all NUL = unknown */
	char reason_word[TW_SOCKET_WORD_LEN]; /* of a drop: the name of @reason; "" = the format has none */
};

/** tw_socket_event__is_used() - whether the table of sockets uses the events of a name of the system sockts; of others, it has no columns */
bool tw_socket_event__is_used(const char *name);

/** tw_socket_binding__make() - find the fields of a format. Return: false if it is no socket event, or lacks a field that it must have */
bool tw_socket_binding__make(const struct tw_format *format, struct tw_socket_binding *ret);

/** tw_socket_event__read() - decode an event. Return: false if a field is not in the record */
bool tw_socket_event__read(const struct tw_socket_binding *binding, const struct tw_read_event *event,
			   struct tw_socket_event *ret);

/**
 * tw_socket_event__position() - the number of the bytes that an event of egress_ts or ingress_ts concerns: keys of TCP begin anew if the
 * application changes their base, so the sequence number is used
 */
static inline uint32_t tw_socket_event__position(const struct tw_socket_event *event)
{
	return (uint32_t)(event->protocol == TW_SOCKET_TCP ? event->seq : event->key);
}

#endif
