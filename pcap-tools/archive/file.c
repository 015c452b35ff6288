/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: each begins with its section, and each stream in it with all that explains it. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "pcap-tools/archive/archive_impl.h"

static struct tw_pcapng_section section_of(const struct tw_archive *a)
{
	const struct tw_archive_options *o = &a->options;

	return (struct tw_pcapng_section){
		.hardware = o->hardware,
		.os = o->os,
		.application = o->application ? o->application : "tracewire " TRACEWIRE_VERSION,
		.comment = o->comment,
	};
}

int tw_archive__open(struct tw_archive *a, struct tw_output *output, struct tw_error *err)
{
	const struct tw_pcapng_section section = section_of(a);

	return tw_pcapng__open(output, a->options.buffer, &section, &a->file, err);
}

/*
 * What the times are worth when the interface is described, for those who look at it. Clocks drift apart: what holds for each packet
 * stands in the list, as OFFSET records.
 */
static void describe_times(const struct tw_archive *a, const struct tw_archive_stream *s, char *ret, size_t size)
{
	struct tw_stream_clock_summary clock;

	*ret = '\0';
	if (!a->options.network || s->given || s->dated_here)
		return;
	tw_stream_clock__summary(&s->clock, &clock);
	if (clock.error_ns == TW_ERROR_UNKNOWN)
		snprintf(ret, size, "; at first the error of times is not known");
	else
		snprintf(ret, size, "; times at first within %.6f s of the capture host's",
			 (double)clock.error_ns / TW_NS_PER_SECOND);
}

static void comment_on(const struct tw_archive_stream *s, char *ret, size_t size)
{
	char identity[640];

	tw_identity__comment(&s->stream->identity, s->stream->id, identity, sizeof(identity));
	snprintf(ret, size, "%s%s", identity,
		 s->dated_here ? "; packet times are this machine's, not the producer's: it sent no CLOCK record" : "");
}

int tw_archive__put_interface(struct tw_archive *a, struct tw_archive_stream *s)
{
	char name[sizeof(s->stream->identity.host) + sizeof(s->stream->identity.instance)], described[1536], times[96],
		description[sizeof(described) + sizeof(times)], filter[TW_FILTER_TEXT_MAX + 1024], comment[768];
	const struct tw_pcapng_interface interface = {
		.name = name,
		.description = a->options.description ? a->options.description : description,
		.os = *s->stream->identity.os ? s->stream->identity.os : s->stream->identity.release,
		.filter = filter,
		.comment = comment,
		.linktype = TW_LINKTYPE_ETHERNET,
	};

	tw_identity__name(&s->stream->identity, s->stream->id, name, sizeof(name));
	tw_identity__describe(&s->stream->identity, described, sizeof(described));
	describe_times(a, s, times, sizeof(times));
	snprintf(description, sizeof(description), "%s%s", described, times);
	tw_archive_filter__describe(a, s, filter, sizeof(filter));
	comment_on(s, comment, sizeof(comment));
	return tw_pcapng__interface(a->file, &interface, &s->interface);
}

static int repeat_offset(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time)
{
	struct tw_offset_view offset = s->clock.stated;

	offset.kind = TW_OFFSET_START;
	offset.time = time;
	offset.step = 0;
	return tw_archive__put_offset(a, s, &offset);
}

/* What was written into a file before. The frames are out of band: their numbers were used up there. */
static int repeat_metadata(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time)
{
	struct tw_archive_frames again;
	int code = 0;

	if (a->options.network && s->clock.started && !s->given)
		code = repeat_offset(a, s, time); /* first, for it dates all that follows */
	tw_archive_frames__init(&again, a, s, time);
	return code ? code : tw_metadata__replay(s->metadata, &again.frames);
}

int tw_archive__describe(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time)
{
	int code = tw_archive__put_interface(a, s);

	if (code)
		return code;
	s->described = true;
	if (s->said)
		code = repeat_metadata(a, s, time);
	s->said = true;
	return code;
}

static void begin_count(struct tw_archive_stream *s)
{
	s->before.packets += s->here.packets;
	s->before.events += s->here.events;
	s->here = (struct tw_archive_count){ 0 };
	s->described = false;
}

int tw_archive__next_file(struct tw_archive *a, uint64_t now)
{
	const struct tw_pcapng_section section = section_of(a);
	int code = 0;

	if (a->options.bytes_max && tw_pcapng__bytes(a->file) >= a->options.bytes_max)
		a->full = true;
	if (a->lost || a->full || !tw_pcapng__is_due(a->file, now))
		return 0;
	if (++a->n_files == a->options.files_max) {
		a->full = true;
		return 0;
	}
	for (struct tw_archive_stream *s = tw_archive__first(a); s && !code; s = tw_archive__next(a, s)) {
		if (s->described)
			code = tw_archive__put_statistics(a, s);
	}
	if (!code)
		code = tw_pcapng__next_file(a->file, &section);
	for (struct tw_archive_stream *s = tw_archive__first(a); s && !code; s = tw_archive__next(a, s))
		begin_count(s);
	for (size_t i = 0; i < a->n_over && !code; i++)
		a->over[i].described = false;
	return code;
}
