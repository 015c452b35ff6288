/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/time/stream_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/time.h"
#include "clocks/distance.h"

static uint64_t ns_of(const struct tw_stream_time *s, uint64_t time)
{
	return tw_identity__ns(&s->stream->identity, time);
}

static void note_time(struct tw_stream_time *s, uint64_t ns)
{
	s->first = s->has_time ? tw_time__earlier(s->first, ns) : ns;
	s->last = s->has_time ? tw_time__later(s->last, ns) : ns;
	s->has_time = true;
}

/* Stretches. */

static bool is_same_source(const struct tw_time_stretch *a, const struct tw_time_stretch *b)
{
	return a->has_offset == b->has_offset && a->method == b->method && a->since == b->since &&
	       !strcmp(a->sync, b->sync) && !strcmp(a->grandmaster, b->grandmaster);
}

/*
 * Return: the stretch of the present source, which begins at @ns if it is new; NULL without memory. A new stretch begins with the bound of
 * the last OFFSET, which applies until the next one.
 */
static struct tw_time_stretch *find_stretch(struct tw_stream_time *s, uint64_t ns)
{
	struct tw_time_stretch *last = s->n_stretches ? &s->stretches[s->n_stretches - 1] : NULL;

	if (last && is_same_source(last, &s->now))
		return last;
	if (s->n_stretches == TW_TIME_STRETCHES_MAX) {
		s->more_stretches++;
		return last;
	}
	if (!s->stretches)
		s->stretches = calloc(TW_TIME_STRETCHES_MAX, sizeof(*s->stretches));
	if (!s->stretches)
		return NULL;
	s->now.from = last ? tw_time__later(last->from, ns) : ns;
	last = &s->stretches[s->n_stretches++];
	*last = s->now;
	last->sync_min = UINT32_MAX;
	return last;
}

/* Takes the name of a source. The text has also the distance from it at one moment; the CLOCKs have the distance at all times. */
static void take_source(struct tw_time_stretch *now, const struct tw_attr_view *attr)
{
	char *distance;

	tw_printable__copy(now->sync, sizeof(now->sync), attr->value, attr->len);
	distance = strstr(now->sync, ", within ");
	if (distance)
		*distance = '\0';
}

static void copy_source(struct tw_time_stretch *to, const struct tw_time_stretch *from)
{
	memcpy(to->sync, from->sync, sizeof(to->sync));
	memcpy(to->grandmaster, from->grandmaster, sizeof(to->grandmaster));
	to->since = from->since;
}

/*
 * Takes the source that a HOST names. A producer whose clocks have lost their source sends a HOST without it. The first HOST is also valid
 * for the records before it: a capture host writes an OFFSET before the first HOST.
 */
static void take_host(struct tw_stream_time *s, const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_attr_view attr;

	s->now.sync[0] = s->now.grandmaster[0] = '\0';
	s->now.since = 0;
	while (tw_host__next(&list, &attr)) {
		if (attr.attr == TW_HOST_SYNC)
			take_source(&s->now, &attr);
		else if (attr.attr == TW_HOST_GRANDMASTER)
			tw_printable__copy(s->now.grandmaster, sizeof(s->now.grandmaster), attr.value, attr.len);
		else if (attr.attr == TW_HOST_PHCS)
			tw_printable__copy(s->phcs_text, sizeof(s->phcs_text), attr.value, attr.len);
		else if (attr.attr == TW_HOST_SYNC_SINCE && attr.len == sizeof(uint64_t))
			s->now.since = tw_load_be64(attr.value);
	}
	if (!s->has_host && s->n_stretches)
		copy_source(&s->stretches[s->n_stretches - 1], &s->now);
	s->has_host = true;
}

int tw_stream_time__event(struct tw_stream_time *s, const struct tw_read_event *event)
{
	struct tw_time_series *packet = &s->series[TW_TIME_PACKET];
	const uint64_t ns = ns_of(s, event->view.time);
	const struct tw_time_sample sample = { ns, (int64_t)(event->time - ns), event->error_ns };

	s->events++;
	note_time(s, ns);
	if (!s->n_stretches && !find_stretch(s, ns))
		return -ENOMEM;
	/* The capture host turns the times of a stream slowly towards its own clock (--align host), without an OFFSET for each event. */
	return packet->samples && sample.offset != packet->last.offset ? tw_time_series__add(packet, &sample) : 0;
}

/* Changes. */

static int add_change(struct tw_time_changes *changes, const struct tw_time_change *change)
{
	if (!changes->items)
		changes->items = calloc(TW_TIME_CHANGES_MAX, sizeof(*changes->items));
	if (!changes->items)
		return -ENOMEM;
	if (changes->n < TW_TIME_CHANGES_MAX)
		changes->items[changes->n++] = *change;
	else
		changes->more++;
	return 0;
}

/* No slope is computed across a change of the offset of packet times, or of a clock. */
static void break_series(struct tw_stream_time *s)
{
	for (unsigned int i = TW_TIME_REAL; i < TW_TIME_CLOCKS; i++)
		tw_time_series__break(&s->series[i]);
	for (uint32_t i = 0; i < s->n_phcs; i++)
		tw_time_series__break(&s->phcs[i].series);
}

static int add_changes(struct tw_time_changes *to, const struct tw_wall_change *change, uint64_t ns)
{
	const struct tw_time_change changes[] = { { ns, TW_OFFSET_SUSPEND, change->suspend },
						  { ns, TW_OFFSET_STEP, change->step },
						  { ns, TW_OFFSET_LEAP, change->leap },
						  { ns, TW_OFFSET_TAI, change->tai } };
	int err = 0;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]) && !err; i++)
		err = changes[i].step ? add_change(to, &changes[i]) : 0;
	return err;
}

/* Finds what changed since the previous CLOCK. @ns: the time of @clock */
static int see_changes(struct tw_stream_time *s, const struct tw_clock_view *clock, uint64_t ns)
{
	struct tw_wall_change change;

	if (!tw_wall_clock__take(&s->wall, clock, &change))
		return 0;
	if (change.suspend || change.step || change.leap || change.jumped)
		break_series(s);
	return add_changes(&s->seen, &change, ns);
}

/* Records. */

/* Sets the bound that applies from an OFFSET on. */
static void set_bound(struct tw_time_stretch *now, const struct tw_offset_view *offset)
{
	now->has_offset = true;
	now->method = offset->method;
	now->error_min = offset->error_ns;
	now->has_unknown = offset->error_ns == TW_ERROR_UNKNOWN;
	now->error_max = now->has_unknown ? 0 : offset->error_ns;
}

static int take_offset(struct tw_stream_time *s, const struct tw_offset_view *offset)
{
	const uint64_t ns = ns_of(s, offset->time);
	const struct tw_time_sample sample = { ns, offset->offset, offset->error_ns };
	struct tw_time_stretch *stretch;
	int err = 0;

	note_time(s, ns);
	s->offsets++;
	set_bound(&s->now, offset);
	stretch = find_stretch(s, ns);
	if (!stretch)
		return -ENOMEM;
	stretch->has_unknown |= s->now.has_unknown;
	stretch->error_min = tw_time__earlier(stretch->error_min, s->now.error_min);
	stretch->error_max = tw_time__later(stretch->error_max, s->now.error_max);
	if (offset->drift) {
		s->drift_min = s->has_drift && s->drift_min < offset->drift ? s->drift_min : offset->drift;
		s->drift_max = s->has_drift && s->drift_max > offset->drift ? s->drift_max : offset->drift;
		s->has_drift = true;
	}
	if (offset->kind != TW_OFFSET_START && offset->kind != TW_OFFSET_ESTIMATE) {
		tw_time_series__break(&s->series[TW_TIME_PACKET]);
		err = add_change(&s->reported, &(struct tw_time_change){ ns, offset->kind, offset->step });
	}
	return err ? err : tw_time_series__add(&s->series[TW_TIME_PACKET], &sample);
}

/* Return: the series of a PHC, which is made if it is new; NULL beyond TW_PHC_MAX. */
static struct tw_time_phc *find_phc(struct tw_stream_time *s, uint16_t index)
{
	for (uint32_t i = 0; i < s->n_phcs; i++) {
		if (s->phcs[i].index == index)
			return &s->phcs[i];
	}
	if (!s->phcs)
		s->phcs = calloc(TW_PHC_MAX, sizeof(*s->phcs));
	if (!s->phcs || s->n_phcs == TW_PHC_MAX)
		return NULL;
	s->phcs[s->n_phcs].index = index;
	return &s->phcs[s->n_phcs++];
}

static int take_phc(struct tw_stream_time *s, const struct tw_phc_view *view)
{
	const uint64_t ns = ns_of(s, view->trace);
	const struct tw_time_sample sample = { ns, (int64_t)(view->phc - ns), view->error_ns };
	struct tw_time_phc *phc = find_phc(s, view->index);

	if (!phc)
		return s->phcs ? 0 : -ENOMEM;
	phc->method = view->method;
	phc->sync_ns = view->sync_ns;
	return tw_time_series__add(&phc->series, &sample);
}

static int take_readings(struct tw_stream_time *s, const struct tw_clock_view *clock, uint64_t ns)
{
	static const struct {
		enum tw_clock reading;
		enum tw_time_clock series;
	} readings[] = { { TW_CLOCK_REAL, TW_TIME_REAL },
			 { TW_CLOCK_BOOT, TW_TIME_BOOT },
			 { TW_CLOCK_MONO, TW_TIME_MONO },
			 { TW_CLOCK_RAW, TW_TIME_RAW } };
	int err = 0;

	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]) && !err; i++) {
		const struct tw_time_sample sample = { ns, (int64_t)(clock->reading[readings[i].reading] - ns),
						       clock->error_ns };

		if (clock->valid >> readings[i].reading & 1)
			err = tw_time_series__add(&s->series[readings[i].series], &sample);
	}
	for (uint16_t i = 0; i < clock->n_phcs && !err; i++)
		err = take_phc(s, &clock->phcs[i]);
	return err;
}

/* @has_tai: the record is long enough for the TAI offset */
static int take_clock(struct tw_stream_time *s, const struct tw_clock_view *view, bool has_tai)
{
	struct tw_clock_view clock = *view;
	struct tw_time_stretch *stretch;
	uint64_t ns;
	int err;

	s->clocks++;
	if (!(clock.valid >> TW_CLOCK_TRACE & 1))
		return 0;
	ns = clock.reading[TW_CLOCK_TRACE] = ns_of(s, clock.reading[TW_CLOCK_TRACE]);
	note_time(s, ns);
	stretch = find_stretch(s, ns);
	if (!stretch)
		return -ENOMEM;
	if (clock.sync_ns && clock.sync_ns < stretch->sync_min)
		stretch->sync_min = clock.sync_ns;
	if (clock.sync_ns > stretch->sync_max)
		stretch->sync_max = clock.sync_ns;
	if (has_tai) {
		s->has_tai = true;
		s->tai_offset = clock.tai_offset;
		s->leap = clock.leap;
	}
	err = see_changes(s, &clock, ns);
	return err ? err : take_readings(s, &clock, ns);
}

int tw_stream_time__record(struct tw_stream_time *s, const struct tw_tlv_view *tlv)
{
	struct tw_offset_view offset;
	struct tw_clock_view clock;

	if (tlv->type == TW_TLV_HOST)
		take_host(s, tlv);
	else if (tlv->type == TW_TLV_OFFSET && tw_offset__parse(tlv, &offset))
		return take_offset(s, &offset);
	else if (tlv->type == TW_TLV_CLOCK && tw_clock__parse(tlv, &clock))
		return take_clock(s, &clock, sizeof(struct tw_tlv) + tlv->len >= sizeof(struct tw_clock_tlv));
	return 0;
}

const struct tw_time_changes *tw_stream_time__changes(const struct tw_stream_time *s)
{
	return s->offsets ? &s->reported : &s->seen;
}

bool tw_stream_time__packet(const struct tw_stream_time *s, uint64_t ns, uint64_t *ret)
{
	const struct tw_time_series *packet = &s->series[TW_TIME_PACKET];

	if (packet->samples)
		*ret = ns + (uint64_t)packet->last.offset;
	else if (s->stream->has_wall)
		*ret = ns + tw_stream__wall_offset(s->stream);
	return packet->samples || s->stream->has_wall;
}

void tw_stream_time__fini(struct tw_stream_time *s)
{
	for (unsigned int i = 0; i < TW_TIME_CLOCKS; i++)
		tw_time_series__fini(&s->series[i]);
	for (uint32_t i = 0; i < s->n_phcs; i++)
		tw_time_series__fini(&s->phcs[i].series);
	free(s->phcs);
	free(s->stretches);
	free(s->reported.items);
	free(s->seen.items);
}
