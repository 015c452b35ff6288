/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/archive/packets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

#define MEMORY_MAX ((size_t)64 << 20) /* limit of the queued packets, bytes; beyond it, the oldest are written early */
#define DRIFT_FIRST \
	(TW_NS_PER_MS / 2) /* drift in a second that NTP may cause; for a clock of which there was one CLOCK */

/* A queued packet. The queue of its interface is sorted by time. */
struct tw_archive_packet {
	struct tw_archive_packet *next, *before;
	uint64_t time; /* packet time */
	uint32_t interface, len, original;
	uint8_t data[];
};

static size_t size_of(const struct tw_archive_packet *p)
{
	return sizeof(*p) + p->len;
}

/* Chooses between the new value of stream's clock - CLOCK_MONOTONIC and the one that is used. */
static void update_ahead(struct tw_archive_packets *packets, int64_t ahead, uint32_t error, bool disciplined)
{
	const int64_t moved = ahead - packets->ahead;
	const uint64_t change = (uint64_t)(moved < 0 ? -moved : moved);
	const bool jumped =
		change > packets->error + error; /* the stream's clock was set, or went on during a suspend */

	if (!disciplined)
		packets->error = error + (packets->dated ? change : DRIFT_FIRST);
	else if (!packets->dated || jumped || error < packets->error)
		packets->error = error;
	else
		return;
	packets->ahead = ahead;
}

void tw_archive_packets__clock(struct tw_archive *a, const struct tw_archive_stream *s,
			       const struct tw_clock_view *clock)
{
	struct tw_archive_packets *packets = &a->packets;
	const uint64_t time = tw_stream_clock__ns(&s->clock, clock->reading[TW_CLOCK_TRACE]);

	if (!packets->n || s != tw_archive__first(a) ||
	    !(clock->valid >> TW_CLOCK_TRACE & clock->valid >> TW_CLOCK_MONO & 1))
		return;
	if (packets->dated && time == packets->clocked)
		return; /* a repetition */
	packets->clocked = time;
	update_ahead(packets, (int64_t)(time - clock->reading[TW_CLOCK_MONO]), clock->error_ns, s->clock.disciplined);
	packets->dated = true;
	packets->error_max = tw_time__later(packets->error_max, packets->error);
	packets->shift = s->clock.line.offset + packets->ahead;
}

int tw_archive__capture(struct tw_archive *a, const struct tw_packet_interface *interfaces, size_t n)
{
	struct tw_archive_packets *packets = &a->packets;

	packets->interfaces = calloc(n, sizeof(*packets->interfaces));
	if (!packets->interfaces)
		return -ENOMEM;
	packets->n = n;
	packets->shift = (int64_t)(tw_time__now(CLOCK_REALTIME) - tw_time__now(CLOCK_MONOTONIC));
	for (size_t i = 0; i < n; i++)
		packets->interfaces[i].what = interfaces[i];
	return tw_merge__hold(a->merge, 0);
}

/* Packets of one interface are nearly in the order of time, so the search from the end of its queue is short. */
static void insert(struct tw_archive_packets *packets, struct tw_archive_packet *p)
{
	struct tw_archive_interface *of = &packets->interfaces[p->interface];
	struct tw_archive_packet *before = of->last;

	while (before && before->time > p->time)
		before = before->before;
	p->before = before;
	p->next = before ? before->next : of->first;
	*(before ? &before->next : &of->first) = p;
	*(p->next ? &p->next->before : &of->last) = p;
	packets->bytes += size_of(p);
}

/* Return: the interface that has the oldest queued packet; NULL if no packet is queued */
static struct tw_archive_interface *oldest(const struct tw_archive_packets *packets)
{
	struct tw_archive_interface *oldest = NULL;

	for (size_t i = 0; i < packets->n; i++) {
		struct tw_archive_interface *of = &packets->interfaces[i];

		if (of->first && (!oldest || of->first->time < oldest->first->time))
			oldest = of;
	}
	return oldest;
}

static struct tw_archive_packet *take_first(struct tw_archive_packets *packets, struct tw_archive_interface *of)
{
	struct tw_archive_packet *p = of->first;

	of->first = p->next;
	*(p->next ? &p->next->before : &of->last) = NULL;
	packets->bytes -= size_of(p);
	return p;
}

int tw_archive__packet(struct tw_archive *a, const struct tw_captured_packet *packet)
{
	struct tw_archive_packets *packets = &a->packets;
	struct tw_archive_packet *p;
	int err = 0;

	if (a->lost) {
		packets->unwritten++;
		return 0;
	}
	p = malloc(sizeof(*p) + packet->len);
	if (!p)
		return tw_archive__done(a, -ENOMEM);
	packets->stamp_error = packet->error > packets->stamp_error ? packet->error : packets->stamp_error;
	p->time = packet->time + (uint64_t)packets->shift;
	p->interface = (uint32_t)packet->interface;
	p->len = packet->len;
	p->original = packet->original;
	memcpy(p->data, packet->data, packet->len);
	insert(packets, p);
	while (packets->bytes > MEMORY_MAX && !err) {
		packets->forced++;
		err = tw_archive_packets__put(a, oldest(packets)->first->time);
	}
	return tw_archive__done(a, err);
}

int tw_archive__packets_until(struct tw_archive *a, uint64_t mono)
{
	struct tw_archive_packets *packets = &a->packets;
	const uint64_t until = mono + (uint64_t)packets->shift, wait = a->options.packet_wait_ns;
	uint64_t bound;
	int err = tw_merge__hold(a->merge, until);

	packets->until = until;
	bound = tw_time__earlier(tw_merge__bound(a->merge), until);
	if (wait)
		bound = tw_time__later(bound, until - wait);
	if (!err)
		err = tw_archive_packets__put(a, bound);
	return tw_archive__done(a, err);
}

void tw_archive__packet_counters(struct tw_archive *a, size_t i, const struct tw_packet_counters *counters)
{
	a->packets.interfaces[i].counters = *counters;
}

/* Writes the error of packet times as text. */
static void describe_error(const struct tw_archive_packets *packets, uint64_t error, char *ret, size_t size)
{
	if (packets->dated)
		snprintf(ret, size, "packet times are within %" PRIu64 " ns of those of the events", error);
	else
		snprintf(ret, size, "packet times are those of this machine's wall clock");
}

static int put_interface(struct tw_archive *a, size_t i)
{
	struct tw_archive_interface *interface = &a->packets.interfaces[i];
	const struct tw_packet_interface *what = &interface->what;
	char comment[128];
	struct tw_pcapng_interface block = { .description = "packets beside the events",
					     .os = a->options.os,
					     .comment = comment };
	int err;

	describe_error(&a->packets, a->packets.error + a->packets.stamp_error, comment, sizeof(comment));
	block.name = what->name;
	block.filter = what->filter;
	block.linktype = what->linktype;
	block.snaplen = what->snaplen;
	err = tw_pcapng__interface(a->file, &block, &interface->id);
	interface->described = !err;
	return err;
}

static int put_packet(struct tw_archive *a, const struct tw_archive_packet *p)
{
	struct tw_archive_interface *interface = &a->packets.interfaces[p->interface];
	struct tw_archive_count *here = &interface->here;
	const int err = interface->described ? 0 : put_interface(a, p->interface);
	uint8_t *to = err ? NULL : tw_pcapng__reserve(a->file, p->len);

	if (!to)
		return err ? err : tw_pcapng__error(a->file, NULL);
	memcpy(to, p->data, p->len);
	tw_pcapng__commit(a->file, interface->id, p->time, p->len, p->original, 0);
	here->start = here->packets ? tw_time__earlier(here->start, p->time) : p->time;
	here->end = tw_time__later(here->end, p->time);
	here->packets++;
	return 0;
}

/* Whether an event that is newer than the packet is already in the file */
static bool is_late(const struct tw_archive *a, const struct tw_archive_packet *p)
{
	const struct tw_archive_stream *s = tw_archive__first(a);

	return s && s->here.packets && p->time < s->here.end;
}

int tw_archive_packets__put(struct tw_archive *a, uint64_t until)
{
	struct tw_archive_packets *packets = &a->packets;
	struct tw_archive_interface *of;
	int err = 0;

	while ((of = oldest(packets)) && of->first->time <= until) {
		struct tw_archive_packet *p = take_first(packets, of);

		packets->late += is_late(a, p);
		packets->newest = tw_time__later(packets->newest, p->time);
		if (!err && !a->lost)
			err = put_packet(a, p);
		packets->unwritten += err || a->lost;
		free(p);
	}
	return err;
}

static int put_statistics(struct tw_archive *a, size_t i)
{
	const struct tw_archive_interface *interface = &a->packets.interfaces[i];
	const struct tw_packet_counters *counters = &interface->counters;
	const uint64_t now = a->packets.until;
	char comment[512], error[128];
	struct tw_pcapng_statistics statistics = {
		.time = interface->here.packets ? interface->here.end : now,
		.start = interface->here.packets ? interface->here.start : now,
		.received = counters->received,
		.dropped = counters->dropped,
		.os_dropped = counters->dropped,
		.delivered = interface->here.packets,
		.comment = comment,
	};

	describe_error(&a->packets, a->packets.error_max + a->packets.stamp_error, error, sizeof(error));
	snprintf(comment, sizeof(comment), "%s%s%s", error, counters->gone ? "; the capture ended early: " : "",
		 counters->gone ? counters->gone : "");
	statistics.end = statistics.time;
	statistics.filters = *interface->what.filter != '\0';
	return tw_pcapng__statistics(a->file, interface->id, &statistics);
}

int tw_archive_packets__put_statistics(struct tw_archive *a)
{
	int err = 0;

	for (size_t i = 0; i < a->packets.n && !err; i++) {
		err = a->packets.interfaces[i].described ? 0 : put_interface(a, i);
		if (!err)
			err = put_statistics(a, i);
	}
	return err;
}

void tw_archive_packets__next_file(struct tw_archive *a)
{
	for (size_t i = 0; i < a->packets.n; i++) {
		struct tw_archive_interface *interface = &a->packets.interfaces[i];

		interface->before += interface->here.packets;
		interface->here = (struct tw_archive_count){ 0 };
		interface->described = false;
	}
}

bool tw_archive_packets__unwritten(struct tw_archive *a, uint32_t interface)
{
	for (size_t i = 0; i < a->packets.n; i++) {
		struct tw_archive_interface *of = &a->packets.interfaces[i];

		if (!of->described || of->id != interface)
			continue;
		of->here.packets--;
		a->packets.unwritten++;
		return true;
	}
	return false;
}

static void describe_gone(const struct tw_archive_packets *packets, size_t i, char *ret, size_t size)
{
	const struct tw_archive_interface *interface = &packets->interfaces[i];

	snprintf(ret, size, "%s could not be captured to the end (%s)", interface->what.name, interface->counters.gone);
}

void tw_archive_packets__stats(const struct tw_archive *a, struct tw_archive_packet_stats *ret)
{
	const struct tw_archive_packets *packets = &a->packets;

	*ret = (struct tw_archive_packet_stats){
		.interfaces = packets->n,
		.error_ns = packets->dated ? packets->error_max + packets->stamp_error : TW_ERROR_UNKNOWN,
		.late = packets->late,
		.forced = packets->forced,
		.unwritten = packets->unwritten,
	};
	for (size_t i = 0; i < packets->n; i++) {
		ret->written += packets->interfaces[i].before + packets->interfaces[i].here.packets;
		ret->dropped += packets->interfaces[i].counters.dropped;
		ret->unread += packets->interfaces[i].counters.unread;
		if (packets->interfaces[i].counters.gone && !*ret->gone)
			describe_gone(packets, i, ret->gone, sizeof(ret->gone));
	}
}

void tw_archive_packets__fini(struct tw_archive *a)
{
	struct tw_archive_interface *of;

	while ((of = oldest(&a->packets)))
		free(take_first(&a->packets, of));
	free(a->packets.interfaces);
}
