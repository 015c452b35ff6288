/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline of one flow: a line for each event, in the order of the events. */
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "cli/messages.h"
#include "cli/sockets/sockets.h"
#include "cli/times.h"

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

static bool is_step(const struct tw_socket_event *event)
{
	return event->kind == TW_SOCKET_EGRESS || event->kind == TW_SOCKET_INGRESS;
}

/* Return: what happened; "?" if the event has an unknown type */
static const char *step_name(const struct tw_socket_event *event)
{
	switch (event->kind) {
	case TW_SOCKET_EGRESS:
		return event->type && event->type < TW_SOCKTS_EGRESS_END ? out_names[event->type] : "?";
	case TW_SOCKET_INGRESS:
		return event->type && event->type < TW_SOCKTS_INGRESS_END ? in_names[event->type] : "?";
	case TW_SOCKET_STATS:
		return "stats";
	case TW_SOCKET_RESET:
		return event->direction == TW_SOCKTS_DIRECTION_SENT ? "reset sent" : "reset received";
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
		       sockets__reason(step->event->reason < TW_SOCKTS_HELD_END ? step->event->reason : 0),
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
