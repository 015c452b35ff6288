/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline of one flow: a line for each event, in the order of the events. */
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "cli/messages.h"
#include "cli/sockets/sockets.h"
#include "cli/times.h"
#include "producer/sockets/record.h"

/* Verdicts about a flow, in its member `chosen`. */
#define IS_OTHER 1
#define IS_IT    2

static const char *const out_names[] = {
#define X(num, name, text) [num] = text,
	TW_SOCKTS_EGRESS_LIST(X)
#undef X
};

static const char *const in_names[] = {
#define X(num, name, text) [num] = text,
	TW_SOCKTS_INGRESS_LIST(X)
#undef X
};

/* pcap-tools/ may not include the header of the producer, so the numbers are compared here. */
#define SAME(ours, producers) _Static_assert((int)(ours) == (int)(producers), #ours)
SAME(TW_SOCKET_ENTRY, TW_SOCKTS_EGRESS_SENDMSG_ENTRY);
SAME(TW_SOCKET_SENDMSG, TW_SOCKTS_EGRESS_SENDMSG);
SAME(TW_SOCKET_SCHED, TW_SOCKTS_EGRESS_SCHED);
SAME(TW_SOCKET_SND, TW_SOCKTS_EGRESS_SND_SW);
SAME(TW_SOCKET_SND_HW, TW_SOCKTS_EGRESS_SND_HW);
SAME(TW_SOCKET_ACK, TW_SOCKTS_EGRESS_ACK);
SAME(TW_SOCKET_RX, TW_SOCKTS_INGRESS_RX);
SAME(TW_SOCKET_IP, TW_SOCKTS_INGRESS_IP);
SAME(TW_SOCKET_L4, TW_SOCKTS_INGRESS_L4);
SAME(TW_SOCKET_QUEUED, TW_SOCKTS_INGRESS_SOCKET);
SAME(TW_SOCKET_WAKE, TW_SOCKTS_INGRESS_WAKE);
SAME(TW_SOCKET_RUN, TW_SOCKTS_INGRESS_RUN);
SAME(TW_SOCKET_READ, TW_SOCKTS_INGRESS_READ);
SAME(TW_SOCKET_KEY_FIRST, TW_SOCKTS_KEY_BASE_FIRST);
SAME(TW_SOCKET_RESET_SENT, TW_SOCKTS_DIRECTION_SENT);
SAME(TW_SOCKET_COMM_LEN, TW_SOCKTS_COMM_LEN);
SAME(TW_SOCKET_REASONS_END, TW_SOCKTS_HELD_SNDBUF + 1);

static bool is_step(const struct tw_socket_event *event)
{
	return event->kind == TW_SOCKET_EGRESS || event->kind == TW_SOCKET_INGRESS;
}

/* Return: what happened; "?" if the event has an unknown type */
static const char *step_name(const struct tw_socket_event *event)
{
	switch (event->kind) {
	case TW_SOCKET_EGRESS:
		return event->type && event->type < TW_SOCKET_EGRESS_END ? out_names[event->type] : "?";
	case TW_SOCKET_INGRESS:
		return event->type && event->type < TW_SOCKET_INGRESS_END ? in_names[event->type] : "?";
	case TW_SOCKET_STATS:
		return "stats";
	case TW_SOCKET_RESET:
		return event->direction == TW_SOCKET_RESET_SENT ? "reset sent" : "reset received";
	case TW_SOCKET_DROP:
		return "drop";
	case TW_SOCKET_HELD:
		return "held";
	case TW_SOCKET_KIND_COUNT:
		break;
	}
	return "?";
}

static void print_message(const struct tw_socket_step *step)
{
	const struct tw_socket_event *event = step->event;

	if (event->protocol == TW_SOCKET_TCP)
		printf("  seq %" PRIu64, event->seq);
	printf("  key %" PRIu64 "  bytes %" PRIu64, event->key, event->bytes);
	if (step->messages > 1)
		printf("  messages %" PRIu64, step->messages);
	if (event->kind == TW_SOCKET_EGRESS && event->transmission)
		printf("  transmission %" PRIu64, event->transmission);
	if (event->comm[0])
		say(stdout, "  %.16s %" PRIu64, event->comm, event->pid);
}

static void print_drop(const struct tw_socket_event *event)
{
	printf("  bytes %" PRIu64, event->bytes);
	if (event->reason_word[0])
		say(stdout, "  %s", event->reason_word);
	else if (event->reason)
		printf("  reason %" PRIu64, event->reason);
}

static void print_details(const struct tw_socket_step *step)
{
	char text[TIMES_TEXT_MAX];

	if (is_step(step->event))
		print_message(step);
	else if (step->event->kind == TW_SOCKET_STATS)
		printf("  srtt %s  retransmits %" PRIu64,
		       times__duration(step->event->srtt_us * 1000, text, sizeof(text)), step->event->retransmits);
	else if (step->event->kind == TW_SOCKET_HELD)
		printf("  seq %" PRIu64 "  bytes %" PRIu64 "  %s %s", step->event->seq, step->event->bytes,
		       sockets__reason(step->event->reason < TW_SOCKET_REASONS_END ? step->event->reason : 0),
		       times__duration(step->event->waited, text, sizeof(text)));
	else if (step->event->kind == TW_SOCKET_DROP)
		print_drop(step->event);
}

/* Decides once for each flow whether it is the one of --flow. */
static bool is_chosen(const struct sockets_timeline *timeline, struct tw_socket_flow *flow)
{
	if (!flow->chosen)
		flow->chosen = sockets_flow__is(&flow->id, timeline->flow) ? IS_IT : IS_OTHER;
	return flow->chosen == IS_IT;
}

/* Prints the name of the flow before its first event, and when the flow changes. */
static void print_heading(struct sockets_timeline *timeline, const struct tw_socket_flow_id *id)
{
	char name[SOCKETS_NAME_MAX];

	if (timeline->events && !memcmp(&timeline->latest, id, sizeof(*id)))
		return;
	timeline->latest = *id;
	puts(sockets_flow__name(id, name));
}

void sockets_timeline__step(void *ctx, const struct tw_socket_step *step)
{
	struct sockets_timeline *timeline = ctx;
	const struct tw_socket_event *event = step->event;
	const uint64_t time = is_step(event) ? event->software : event->time;
	char delay[TIMES_TEXT_MAX] = "";

	if (!is_chosen(timeline, step->flow))
		return;
	print_heading(timeline, &step->flow->id);
	if (!timeline->events++)
		timeline->begin = time;
	if (step->since && step->since <= time)
		times__signed((int64_t)(time - step->since), delay, sizeof(delay));
	printf("%14.9f %8s  %-14s", (double)(int64_t)(time - timeline->begin) / TW_NS_PER_SECOND, delay,
	       step_name(event));
	print_details(step);
	puts("");
}
