/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 7: sections anywhere in the file, found through a chain of options. */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/tracedat/texts.h"

#define SECTION_HEAD       16                    /* id, flags, description, size */
#define SECTION_COMPRESSED 1                     /* of the flags */
#define EXPAND_LEAST       ((uint64_t)64 * 1024) /* bytes that any section may expand to */

struct section {
	uint16_t flags;
	uint64_t begin, end; /* of what is in it, in the file */
};

static int open_section(struct tw_tracedat *dat, uint64_t offset, unsigned int id, struct section *ret)
{
	struct tw_dat_cursor c = { .dat = dat, .at = offset, .end = dat->source.size };
	uint16_t is;
	uint64_t size;

	if (offset > dat->source.size || dat->source.size - offset < SECTION_HEAD)
		return tw_dat__damage(dat, offset, "a section (number %u) should begin here, beyond its end", id);
	is = tw_dat_cursor__u16(&c);
	ret->flags = tw_dat_cursor__u16(&c);
	tw_dat_cursor__u32(&c);
	size = tw_dat_cursor__u64(&c);
	if (c.failed || is != id)
		return tw_dat__damage(dat, offset, "a section with the number %u should begin here, and not %u", id,
				      is);
	ret->begin = c.at;
	ret->end = size <= c.end - c.at ? c.at + size : c.end;
	return 0;
}

/* A compressed section in memory, which is the caller's to free, also after a failure. */
static int expand(struct tw_tracedat *dat, const struct section *s, struct tw_tracedat_bytes *ret)
{
	struct tw_dat_cursor c = { .dat = dat, .at = s->begin, .end = s->end };
	struct tw_tracedat_bytes packed;
	uint32_t packed_len, len;
	int code;

	if (!dat->unpack)
		return tw_dat__damage(dat, s->begin, "a section is compressed, but the file says that none is");
	packed_len = tw_dat_cursor__u32(&c);
	len = tw_dat_cursor__u32(&c);
	dat->expanded += len;
	if (len > TW_TRACEDAT_SECTION_MAX || dat->expanded > TW_TRACEDAT_EXPAND_MAX ||
	    len > EXPAND_LEAST + (uint64_t)packed_len * TW_TRACEDAT_EXPAND_TIMES)
		return tw_dat__damage(dat, s->begin, "a section of %u bytes would expand to %u, more than is allowed",
				      packed_len, len);
	code = tw_dat_cursor__bytes(&c, packed_len, TW_TRACEDAT_SECTION_MAX, &packed);
	if (code == -EBADMSG)
		return tw_dat__damage(dat, s->begin, "a compressed section is longer than what is left");
	if (code)
		return code;
	*ret = (struct tw_tracedat_bytes){ .data = malloc((size_t)len + 1), .len = len };
	if (!ret->data) {
		code = -ENOMEM;
	} else if (!tw_unpack__run(dat->unpack, packed.data, packed.len, ret->data, len)) {
		code = tw_dat__damage(dat, s->begin, "a compressed section cannot be expanded");
	}
	free(packed.data);
	return code;
}

/* Hand a section to its reader, expanded where it must be. */
static int read_section(struct tw_tracedat *dat, unsigned int id, uint64_t offset, int (*read)(struct tw_dat_cursor *c))
{
	struct tw_dat_cursor c = { .dat = dat, .origin = offset };
	struct tw_tracedat_bytes bytes = { 0 };
	struct section s;
	int code = open_section(dat, offset, id, &s);

	if (code)
		return code;
	c.at = s.begin;
	c.end = s.end;
	if (s.flags & SECTION_COMPRESSED) {
		code = expand(dat, &s, &bytes);
		c.mem = (const uint8_t *)bytes.data;
		c.at = 0;
		c.end = bytes.len;
	}
	if (!code)
		code = read(&c);
	free(bytes.data);
	return code;
}

/* The options of one section; the last one tells where more are. Kept by the reader: it has no other argument. */
static int read_options(struct tw_dat_cursor *c)
{
	uint64_t *next = &c->dat->sections[TW_TRACEDAT_DONE];
	int code = 0;

	*next = 0;
	while (!code) {
		const uint16_t id = tw_dat_cursor__u16(c);

		if (c->failed)
			return tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "its options have no end");
		if (id != TW_TRACEDAT_DONE) {
			code = tw_dat__option(c, id);
			continue;
		}
		if (tw_dat_cursor__u32(c) >= sizeof(uint64_t))
			*next = tw_dat_cursor__u64(c);
		return c->failed ? tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "its options are cut off") : 0;
	}
	return code;
}

/* Each section of options once: a chain that comes back to itself ends there. */
static int read_chain(struct tw_tracedat *dat, uint64_t at)
{
	uint64_t seen[TW_TRACEDAT_CHAIN_MAX];
	size_t n = 0;
	int code = 0;

	while (at && !code) {
		for (size_t i = 0; i < n; i++)
			if (seen[i] == at)
				return tw_dat__damage(dat, at, "its chain of options comes back to itself");
		if (n == TW_TRACEDAT_CHAIN_MAX)
			return tw_dat__damage(dat, at, "its options are in more than %d sections",
					      TW_TRACEDAT_CHAIN_MAX);
		seen[n++] = at;
		code = read_section(dat, TW_TRACEDAT_DONE, at, read_options);
		at = dat->sections[TW_TRACEDAT_DONE];
	}
	return code;
}

/* Whether a buffer's rings are compressed stands at its section. */
static int open_buffers(struct tw_tracedat *dat)
{
	for (size_t i = 0; i < dat->info.n_buffers; i++) {
		struct section s;
		const int code = open_section(dat, dat->places[i].offset, TW_TRACEDAT_BUFFER, &s);

		if (code)
			dat->buffers[i].cpus = 0;
		else
			dat->places[i].compressed = s.flags & SECTION_COMPRESSED;
		if (!code && dat->places[i].compressed && !dat->unpack) {
			tw_dat__damage(dat, dat->places[i].offset,
				       "events are compressed, but the file says that nothing is");
			dat->buffers[i].cpus = 0;
		}
	}
	return 0;
}

static int no_events(struct tw_tracedat *dat, struct tw_error *err)
{
	if (dat->damage.places) {
		*err = dat->damage.first;
		return -EBADMSG;
	}
	if (dat->text_only)
		return tw_error__set(
			err, -EINVAL,
			"%s holds the text of a latency tracer instead of records: print it with trace-cmd "
			"report, there is nothing to convert",
			dat->name);
	return tw_error__set(err, -EINVAL, "%s has no buffer of events: there is nothing to convert", dat->name);
}

int tw_dat__read_v7(struct tw_tracedat *dat, uint64_t at, struct tw_error *err)
{
	static const struct {
		unsigned int id;
		int (*read)(struct tw_dat_cursor *c);
	} texts[] = {
		{ TW_TRACEDAT_FTRACE_EVENTS, tw_dat__ftrace_formats },
		{ TW_TRACEDAT_EVENT_FORMATS, tw_dat__event_formats },
		{ TW_TRACEDAT_KALLSYMS, tw_dat__kallsyms },
		{ TW_TRACEDAT_PRINTK, tw_dat__printk },
		{ TW_TRACEDAT_CMDLINES, tw_dat__cmdlines },
	};
	int code = read_chain(dat, at);

	if (code && code != -EBADMSG)
		return code;
	if (!dat->info.n_buffers)
		return no_events(dat, err);
	if (!dat->sections[TW_TRACEDAT_HEADER_INFO])
		return tw_error__set(err, -EBADMSG, "%s does not say how its rings are laid out: no event can be read",
				     dat->name);
	code = read_section(dat, TW_TRACEDAT_HEADER_INFO, dat->sections[TW_TRACEDAT_HEADER_INFO], tw_dat__headers);
	if (code == -EBADMSG)
		*err = dat->damage.first;
	if (code)
		return code;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && code != -ENOMEM; i++)
		if (dat->sections[texts[i].id])
			code = read_section(dat, texts[i].id, dat->sections[texts[i].id], texts[i].read);
	return code == -ENOMEM ? code : open_buffers(dat);
}
