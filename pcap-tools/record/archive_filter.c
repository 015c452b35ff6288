/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive's filter: what is learnt from the frames that come out of the merge, and asked of each event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pcap-tools/record/archive_state.h"

#define HOLD_NS 2000000000u /* of the stream's time: metadata are repeated each second, and take a moment */

int tw_archive_filter__init(struct tw_archive *a, const struct tw_archive_options *options, struct tw_error *err)
{
	if (!options->filter)
		return 0;
	a->filter = options->filter;
	a->from_start = options->from_start;
	a->knowledge = tw_knowledge__new();
	if (!a->knowledge)
		return tw_error__set(err, -ENOMEM, "writing %s: no memory", options->name);
	return tw_sieve__new(options->filter, &a->sieve, err);
}

void tw_archive_filter__fini(struct tw_archive *a)
{
	tw_sieve__free(a->sieve);
	tw_knowledge__free(a->knowledge);
}

static struct tw_known_stream *known_stream(const struct tw_archive *a, struct tw_archive_stream *s)
{
	if (!s->known)
		s->known = tw_knowledge__stream(a->knowledge, s->id);
	return s->known;
}

void tw_archive_filter__learn(struct tw_archive *a, struct tw_archive_stream *s, const uint8_t *head,
			      const struct tw_tlv_view *tlv)
{
	struct tw_known_stream *known = known_stream(a, s);
	struct tw_frame_info info = { 0 };
	struct tw_cursor unused;

	tw_frame__parse(head, sizeof(struct tw_frame_hdr), &info, &unused);
	if (known)
		tw_knowledge__learn(a->knowledge, known, &info, tlv);
}

bool tw_archive_filter__is_ready(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	struct tw_known_stream *known = known_stream(a, s);
	struct tw_frame_info info = { 0 };
	struct tw_cursor unused;

	if (a->from_start || !known || out->time > s->first + HOLD_NS)
		return true;
	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &info, &unused);
	return out->is_event && tw_known_stream__has_whole(known, info.schema_id);
}

bool tw_archive_filter__wants(struct tw_archive *a, struct tw_archive_stream *s, const uint8_t *head,
			      const uint8_t *event, uint64_t time)
{
	const struct tw_tlv_view tlv = {
		.type = TW_TLV_EVENT,
		.value = event + sizeof(struct tw_tlv),
		.len = tw_load_be16(event + 2) - sizeof(struct tw_tlv),
	};
	struct tw_known_stream *known = known_stream(a, s);
	struct tw_frame_info info = { 0 };
	struct tw_event_view view;
	struct tw_cursor unused;

	if (!known || !tw_event__parse(&tlv, time, &view)) {
		a->undecided++;
		return true;
	}
	tw_frame__parse(head, sizeof(struct tw_frame_hdr), &info, &unused);
	view.time = time;
	if (tw_sieve__wants(a->sieve, known, &info, &view))
		return true;
	s->filtered++;
	return false;
}

void tw_archive_filter__describe(const struct tw_archive *a, const struct tw_archive_stream *s, char *ret, size_t size)
{
	const char *there = s->identity.filter, *here = a->filter ? tw_filter__text(a->filter) : "";

	if (!*there || !strcmp(there, here))
		snprintf(ret, size, "%s", here);
	else
		snprintf(ret, size, "%s%s%s", there, *here ? "; behind that: " : "", here);
}

void tw_archive_filter__stats(const struct tw_archive *a, struct tw_archive_stats *ret)
{
	if (!a->sieve)
		return;
	tw_sieve__stats(a->sieve, &ret->sieve);
	ret->sieve.undecided += a->undecided;
	if (a->finished)
		tw_sieve__doubts(a->sieve, a->knowledge, &ret->doubts);
}
