/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 6: everything in one row, behind it the rings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/tracedat/texts.h"

#define TAG_LEN 10

static int truncated(struct tw_dat_cursor *c, const char *what, struct tw_error *err)
{
	return tw_error__set(err, -EBADMSG,
			     "%s ends or is damaged at byte %llu, before %s: there is no event to convert",
			     c->dat->name, (unsigned long long)c->at, what);
}

/* "options", "latency" or "flyrecord", padded. Return: whether the tag is this one. */
static bool is_tag(const char *tag, const char *word)
{
	return !strncmp(tag, word, strlen(word));
}

static int read_options(struct tw_dat_cursor *c)
{
	uint16_t id;
	int code = 0;

	do {
		id = tw_dat_cursor__u16(c);
		if (!id || c->failed)
			break;
		code = tw_dat__option(c, id);
	} while (!code);
	return c->failed ? -EBADMSG : code;
}

static int read_places(struct tw_dat_cursor *c, uint32_t n, struct tw_dat_buffer *ret)
{
	if (n > TW_TRACEDAT_CPUS_MAX || n > (c->end - c->at) / (2 * sizeof(uint64_t)))
		return -EBADMSG;
	ret->places = calloc(n ? n : 1, sizeof(*ret->places));
	if (!ret->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		ret->places[i].cpu = i;
		ret->places[i].offset = tw_dat_cursor__u64(c);
		ret->places[i].size = tw_dat_cursor__u64(c);
	}
	return 0;
}

/* From the tag on: perhaps options, then where the rings are. */
static int read_rings(struct tw_dat_cursor *c, uint32_t *cpus, struct tw_dat_buffer *ret, struct tw_error *err)
{
	char tag[TAG_LEN];
	int code = 0;

	if (!tw_dat_cursor__read(c, tag, sizeof(tag)))
		return truncated(c, "it says what it holds", err);
	if (is_tag(tag, "options")) {
		code = read_options(c);
		if (c->dat->info.cpus)
			*cpus = c->dat->info.cpus;
		if (!code && !tw_dat_cursor__read(c, tag, sizeof(tag)))
			code = -EBADMSG;
	}
	if (code == -EBADMSG)
		return truncated(c, "the end of its options", err);
	if (!code && is_tag(tag, "latency"))
		return tw_error__set(
			err, -EINVAL,
			"%s holds the text of a latency tracer instead of records: print it with trace-cmd "
			"report, there is nothing to convert",
			c->dat->name);
	if (!code)
		code = is_tag(tag, "flyrecord") ? read_places(c, *cpus, ret) : -EBADMSG;
	return code == -EBADMSG ? truncated(c, "it says where its events are", err) : code;
}

/* "local [global] counter" behind the places. Return: the clock in brackets, or NULL. */
static char *read_clock(struct tw_dat_cursor *c)
{
	struct tw_tracedat_bytes text;
	char *clock = NULL, *begin, *end;

	if (tw_dat_cursor__bytes(c, tw_dat_cursor__u64(c), TW_TRACEDAT_TEXT_MAX, &text))
		return NULL;
	begin = strchr(text.data, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end && end - begin - 1 <= TW_TRACEDAT_NAME_MAX)
		clock = strndup(begin + 1, (size_t)(end - begin - 1));
	free(text.data);
	return clock;
}

static bool has_option(const struct tw_tracedat *dat, uint16_t id)
{
	for (size_t i = 0; i < dat->info.n_options; i++)
		if (dat->info.options[i].id == id)
			return true;
	return false;
}

static int read_top(struct tw_dat_cursor *c, uint32_t *cpus, struct tw_error *err)
{
	struct tw_tracedat_buffer buffer = { .page_size = c->dat->info.page_size };
	struct tw_dat_buffer places = { 0 };
	int code = read_rings(c, cpus, &places, err);

	if (code)
		return code;
	buffer.cpus = *cpus;
	buffer.name = strdup("");
	if (has_option(c->dat, TW_TRACEDAT_TRACECLOCK))
		buffer.clock = read_clock(c);
	if (!buffer.name) {
		free(places.places);
		free(buffer.clock);
		return -ENOMEM;
	}
	return tw_dat__add_buffer(c->dat, &buffer, &places);
}

/* An instance's rings: a BUFFER option said where that is told. Its own options cannot name further buffers. */
static int read_instance(struct tw_tracedat *dat, size_t i, uint32_t cpus)
{
	struct tw_dat_cursor c = { .dat = dat, .at = dat->places[i].offset, .end = dat->source.size };
	const uint32_t host_cpus = dat->info.cpus;
	struct tw_dat_buffer places = { 0 };
	struct tw_error why = { 0 };
	int code = -EBADMSG;

	if (c.at <= c.end)
		code = read_rings(&c, &cpus, &places, &why);
	dat->info.cpus = host_cpus;
	if (code == -ENOMEM)
		return code;
	if (code) {
		tw_dat__damage(dat, dat->places[i].offset, "it should be told here where the events of \"%s\" are",
			       dat->buffers[i].name);
		return 0;
	}
	free(dat->places[i].places);
	dat->places[i].places = places.places;
	dat->buffers[i].cpus = cpus;
	if (dat->buffers[0].clock && !dat->buffers[i].clock)
		dat->buffers[i].clock = strdup(dat->buffers[0].clock);
	return 0;
}

int tw_dat__read_v6(struct tw_tracedat *dat, uint64_t at, struct tw_error *err)
{
	static int (*const steps[])(struct tw_dat_cursor * c) = {
		tw_dat__headers,  tw_dat__ftrace_formats, tw_dat__event_formats,
		tw_dat__kallsyms, tw_dat__printk,         tw_dat__cmdlines,
	};
	struct tw_dat_cursor c = { .dat = dat, .at = at, .end = dat->source.size };
	uint32_t cpus;
	int code = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !code; i++)
		code = steps[i](&c);
	if (code == -EBADMSG) {
		*err = dat->damage.first;
		return code;
	}
	cpus = tw_dat_cursor__u32(&c);
	if (!code)
		code = read_top(&c, &cpus, err);
	dat->in_instance = true;
	for (size_t i = 1; i < dat->info.n_buffers && !code; i++)
		code = read_instance(dat, i, cpus);
	dat->info.cpus = dat->info.cpus ? dat->info.cpus : cpus;
	return code;
}
