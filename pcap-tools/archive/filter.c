/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive's filter: what is learnt from the frames as they come, and asked of each event that comes out. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "pcap-tools/archive/archive_impl.h"

int tw_archive_filter__init(struct tw_archive *a, struct tw_error *err)
{
	return a->options.filter ? tw_sieve__new(a->options.filter, a->streams, &a->sieve, err) : 0;
}

void tw_archive_filter__fini(struct tw_archive *a)
{
	tw_sieve__free(a->sieve);
}

bool tw_archive_filter__is_ready(struct tw_archive *a, struct tw_archive_stream *s, uint64_t schema_id)
{
	return a->options.from_start || tw_stream__has_whole(s->stream, schema_id);
}

bool tw_archive_filter__wants(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	const struct tw_tlv_view tlv = {
		.type = TW_TLV_EVENT,
		.value = out->body + sizeof(struct tw_tlv),
		.len = tw_load_be16(out->body + 2) - sizeof(struct tw_tlv),
	};
	struct tw_frame_info info = { 0 };
	struct tw_event_view view;
	struct tw_cursor unused;

	if (!tw_event__parse(&tlv, out->time, &view)) {
		a->undecided++;
		return true;
	}
	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &info, &unused);
	view.time = out->time;
	return tw_sieve__wants(a->sieve, s->stream, &info, &view);
}

void tw_archive_filter__describe(const struct tw_archive *a, const struct tw_archive_stream *s, char *ret, size_t size)
{
	const char *there = s->stream->identity.filter,
		   *text = a->options.filter ? tw_filter__text(a->options.filter) : "";
	char here[TW_FILTER_TEXT_MAX + 1];

	tw_printable__copy(here, sizeof(here), text, strlen(text));
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
		tw_sieve__doubts(a->sieve, &ret->doubts);
}
