/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "pcap-tools/pcapng/blocks.h"
#include "pcap-tools/tracedat/tracedat_impl.h"

uint64_t tw_dat_cursor__offset(const struct tw_dat_cursor *c)
{
	return c->mem ? c->origin : c->at;
}

/* Reads the next @len bytes. Return: false beyond the end, or if the file cannot be read; @to may be partly written */
static bool cursor__read(struct tw_dat_cursor *c, void *to, size_t len)
{
	if (c->failed || len > c->end - c->at) {
		c->failed = true;
		return false;
	}
	if (c->mem && len)
		memcpy(to, c->mem + c->at, len);
	else if (len && !tw_dat__read_at(c->dat, to, len, c->at))
		c->failed = true;
	if (!c->failed)
		c->at += len;
	return !c->failed;
}

static uint16_t cursor__u16(struct tw_dat_cursor *c)
{
	uint8_t bytes[2];

	return cursor__read(c, bytes, sizeof(bytes)) ? tw_load16(bytes, c->dat->info.big_endian) : 0;
}

uint32_t tw_dat_cursor__u32(struct tw_dat_cursor *c)
{
	uint8_t bytes[4];

	return cursor__read(c, bytes, sizeof(bytes)) ? tw_load32(bytes, c->dat->info.big_endian) : 0;
}

uint64_t tw_dat_cursor__u64(struct tw_dat_cursor *c)
{
	uint8_t bytes[8];

	return cursor__read(c, bytes, sizeof(bytes)) ? tw_load64(bytes, c->dat->info.big_endian) : 0;
}

int tw_dat_cursor__bytes(struct tw_dat_cursor *c, uint64_t len, uint64_t max, struct tw_tracedat_bytes *ret)
{
	char *data;

	if (c->failed || len > max || len > c->end - c->at) {
		c->failed = true;
		return -EBADMSG;
	}
	data = malloc((size_t)len + 1);
	if (!data)
		return -ENOMEM;
	if (!cursor__read(c, data, (size_t)len)) {
		free(data);
		return -EBADMSG;
	}
	data[len] = '\0';
	*ret = (struct tw_tracedat_bytes){ .data = data, .len = (size_t)len };
	return 0;
}

bool tw_dat_cursor__string(struct tw_dat_cursor *c, char *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!cursor__read(c, to + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	c->failed = true;
	return false;
}

#define MAGIC_LEN          10
#define TAG_LEN            10
#define SECTION_HEAD       16                    /* bytes of a section's header: id, flags, description, size */
#define SECTION_COMPRESSED 1                     /* bit in the flags of a section */
#define EXPAND_MIN         ((uint64_t)64 * 1024) /* bytes to which any section may decompress, however small it is */

static const char magic[MAGIC_LEN] = "\x17\x08\x44tracing";

int tw_dat__damage(struct tw_tracedat *dat, uint64_t offset, const char *fmt, ...)
{
	char what[384];
	va_list args;

	if (dat->info.damage.places++)
		return -EBADMSG;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (dat->read_err)
		return tw_error__set(&dat->info.damage.first, -EBADMSG, "%.100s cannot be read at byte %llu: %s: %s",
				     dat->name, (unsigned long long)offset, what, strerror(-dat->read_err));
	return tw_error__set(&dat->info.damage.first, -EBADMSG, "%.100s is damaged at byte %llu: %s", dat->name,
			     (unsigned long long)offset, what);
}

bool tw_dat__read_at(struct tw_tracedat *dat, void *to, size_t len, uint64_t offset)
{
	const int64_t n = dat->source.read_at(dat->source.ctx, to, len, offset);

	if (n < 0)
		dat->read_err = (int)n;
	return n == (int64_t)len;
}

bool tw_dat__expand(struct tw_tracedat *dat, const void *from, size_t from_len, void *to, size_t to_len)
{
	uLongf len = to_len;

	if (dat->zstd)
		return ZSTD_decompressDCtx(dat->zstd, to, to_len, from, from_len) == to_len;
	return uncompress(to, &len, from, from_len) == Z_OK && len == to_len;
}

/* Sets the error for a file that is not a trace.dat, with a hint for formats that users may pass by mistake. */
static int not_ours(const struct tw_tracedat *dat, const char *head, size_t len, struct tw_error *error)
{
	const uint32_t block = TW_PCAPNG_SHB;
	const char *hint = "";

	if (len >= sizeof(block) && !memcmp(head, &block, sizeof(block)))
		hint = ", but a pcapng file: `tracewire report` prints it";
	else if (!len)
		hint = ": it is empty";
	return tw_error__set(error, -EINVAL, "%s is not a trace.dat file of trace-cmd%s", dat->name, hint);
}

static int check_magic(struct tw_dat_cursor *c, struct tw_error *error)
{
	char head[MAGIC_LEN];
	const size_t len = c->end < sizeof(head) ? (size_t)c->end : sizeof(head);

	if (!cursor__read(c, head, len))
		return tw_error__set(error, -EIO, "%s cannot be read", c->dat->name);
	return len == sizeof(head) && !memcmp(head, magic, sizeof(magic)) ? 0 : not_ours(c->dat, head, len, error);
}

static int check_version(struct tw_dat_cursor *c, struct tw_error *error)
{
	char version[12];

	if (!tw_dat_cursor__string(c, version, sizeof(version)))
		return tw_error__set(error, -EINVAL, "%s is not a trace.dat file: it has no version", c->dat->name);
	if (strcmp(version, "6") && strcmp(version, "7"))
		return tw_error__set(error, -EINVAL, "%s is a trace.dat file of version %s; only 6 and 7 are supported",
				     c->dat->name, version);
	c->dat->info.version = (unsigned int)(*version - '0');
	return 0;
}

static int check_codec(struct tw_dat_cursor *c, struct tw_error *error)
{
	struct tw_tracedat *dat = c->dat;
	struct tw_tracedat_info *info = &dat->info;

	if (!tw_dat_cursor__string(c, info->codec, sizeof(info->codec)) ||
	    !tw_dat_cursor__string(c, info->codec_version, sizeof(info->codec_version)))
		return tw_error__set(
			error, -EBADMSG,
			"%s is damaged at byte %llu: the name or the version of its compression is too long or incomplete",
			dat->name, (unsigned long long)c->at);
	dat->compresses = strcmp(info->codec, "none") != 0;
	if (!strcmp(info->codec, "zstd")) {
		dat->zstd = ZSTD_createDCtx();
		return dat->zstd ? 0 : -ENOMEM;
	}
	if (dat->compresses && strcmp(info->codec, "zlib"))
		return tw_error__set(error, -EINVAL, "%s is compressed with \"%s\"; only zstd and zlib are supported",
				     dat->name, info->codec);
	return 0;
}

static int read_head(struct tw_dat_cursor *c, struct tw_error *error)
{
	struct tw_tracedat_info *info = &c->dat->info;
	uint8_t kind[2] = { 0 };
	int err = check_magic(c, error);

	if (!err)
		err = check_version(c, error);
	if (err)
		return err;
	cursor__read(c, kind, sizeof(kind));
	info->big_endian = kind[0];
	info->long_size = kind[1];
	info->page_size = tw_dat_cursor__u32(c);
	if (c->failed || kind[0] > 1)
		return tw_error__set(error, -EBADMSG, "%s is damaged at byte %llu: its header is truncated or invalid",
				     c->dat->name, (unsigned long long)c->at);
	return info->version >= 7 ? check_codec(c, error) : 0;
}

/* Version 6: the file has all metadata in a fixed order, then the rings. */

/* Sets the error for a file in which the place of the rings cannot be found. @what: what follows the damaged place */
static int truncated(struct tw_dat_cursor *c, const char *what, struct tw_error *error)
{
	return tw_error__set(error, -EBADMSG,
			     "%s ends or is damaged at byte %llu, before %s: there is no event to convert",
			     c->dat->name, (unsigned long long)c->at, what);
}

/* Return: whether a tag is @word. Tags are "options", "latency" or "flyrecord", padded to TAG_LEN bytes. */
static bool is_tag(const char *tag, const char *word)
{
	return !strncmp(tag, word, strlen(word));
}

static int read_v6_options(struct tw_dat_cursor *c)
{
	uint16_t id;
	int err = 0;

	while (!err && (id = cursor__u16(c)) && !c->failed)
		err = tw_dat__option(c, id);
	return c->failed ? -EBADMSG : err;
}

static int text_only(const struct tw_tracedat *dat, struct tw_error *error)
{
	return tw_error__set(
		error, -EINVAL,
		"%s has the text of a latency tracer and no records, so there is nothing to convert: print it with `trace-cmd report`",
		dat->name);
}

/*
 * Reads the options, if there are any, and the places of the rings. A tag precedes the options, and another the places.
 * @cpus: number of CPUs; replaced if the options have another number
 */
static int read_rings(struct tw_dat_cursor *c, uint32_t *cpus, struct tw_dat_place **ret, struct tw_error *error)
{
	char tag[TAG_LEN];
	int err = 0;

	if (!cursor__read(c, tag, sizeof(tag)))
		return truncated(c, "the kind of its content", error);
	if (is_tag(tag, "options")) {
		err = read_v6_options(c);
		if (c->dat->info.cpus)
			*cpus = c->dat->info.cpus;
		if (!err && !cursor__read(c, tag, sizeof(tag)))
			err = -EBADMSG;
	}
	if (err == -EBADMSG)
		return truncated(c, "the end of its options", error);
	if (!err && is_tag(tag, "latency"))
		return text_only(c->dat, error);
	if (!err)
		err = is_tag(tag, "flyrecord") ? tw_dat__read_places(c, *cpus, false, ret) : -EBADMSG;
	return err == -EBADMSG ? truncated(c, "the positions of its events", error) : err;
}

/* Reads the list of clocks after the places, such as "local [global] counter". Return: the clock in brackets; NULL if none */
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

static int read_top(struct tw_dat_cursor *c, uint32_t *cpus, struct tw_error *error)
{
	struct tw_tracedat_buffer buffer = { .page_size = c->dat->info.page_size };
	int err = read_rings(c, cpus, &buffer.places, error);

	if (err)
		return err;
	buffer.cpus = *cpus;
	buffer.name = strdup("");
	if (tw_tracedat_info__option(&c->dat->info, TW_TRACEDAT_TRACECLOCK))
		buffer.clock = read_clock(c);
	return tw_dat__add_buffer(c->dat, &buffer);
}

/* Reads the places of an instance's rings, at the offset in the instance's BUFFER option. The options there cannot contain a BUFFER. */
static int read_instance(struct tw_tracedat *dat, size_t i, uint32_t cpus)
{
	struct tw_tracedat_buffer *buffer = &dat->buffers[i];
	struct tw_dat_cursor c = { .dat = dat, .at = buffer->offset, .end = dat->source.size };
	const uint32_t host_cpus = dat->info.cpus;
	struct tw_error why = { 0 };
	int err = -EBADMSG;

	if (c.at <= c.end)
		err = read_rings(&c, &cpus, &buffer->places, &why);
	dat->info.cpus = host_cpus;
	if (err == -ENOMEM)
		return err;
	if (err) {
		tw_dat__damage(dat, buffer->offset, "the positions of the events of buffer \"%s\" should be here",
			       buffer->name);
		return 0;
	}
	buffer->cpus = cpus;
	if (dat->buffers[0].clock && !buffer->clock)
		buffer->clock = strdup(dat->buffers[0].clock);
	return 0;
}

static int read_v6(struct tw_tracedat *dat, uint64_t at, struct tw_error *error)
{
	struct tw_dat_cursor c = { .dat = dat, .at = at, .end = dat->source.size };
	uint32_t cpus;
	int err = 0;

	for (unsigned int id = TW_TRACEDAT_HEADER_INFO; id <= TW_TRACEDAT_CMDLINES && !err; id++)
		err = tw_dat__readers[id](&c);
	if (err == -EBADMSG) {
		*error = dat->info.damage.first;
		return err;
	}
	cpus = tw_dat_cursor__u32(&c);
	if (!err)
		err = read_top(&c, &cpus, error);
	dat->in_instance = true;
	for (size_t i = 1; i < dat->info.n_buffers && !err; i++)
		err = read_instance(dat, i, cpus);
	dat->info.cpus = dat->info.cpus ? dat->info.cpus : cpus;
	return err;
}

/* Version 7: sections are anywhere in the file and are found through a chain of sections with options. */

/* Checks the header of a section. @ret: a cursor on the content of the section, which is still compressed if *ret_compressed is set */
static int open_section(struct tw_tracedat *dat, uint64_t offset, unsigned int id, struct tw_dat_cursor *ret,
			bool *ret_compressed)
{
	struct tw_dat_cursor c = { .dat = dat, .at = offset, .end = dat->source.size, .origin = offset };
	uint16_t is;
	uint64_t size;

	if (offset > dat->source.size || dat->source.size - offset < SECTION_HEAD)
		return tw_dat__damage(
			dat, offset,
			"a section (number %u) should begin here, but the file ends before or in its header", id);
	is = cursor__u16(&c);
	*ret_compressed = cursor__u16(&c) & SECTION_COMPRESSED;
	tw_dat_cursor__u32(&c);
	size = tw_dat_cursor__u64(&c);
	if (c.failed || is != id)
		return tw_dat__damage(dat, offset, "a section with number %u should begin here instead of %u", id, is);
	if (size < c.end - c.at)
		c.end = c.at + size;
	*ret = c;
	return 0;
}

/* Decompresses a section to memory. The caller frees @ret->data, also after a failure. */
static int expand(struct tw_dat_cursor *c, struct tw_tracedat_bytes *ret)
{
	struct tw_tracedat *dat = c->dat;
	const uint64_t begin = c->at;
	struct tw_tracedat_bytes packed;
	uint32_t packed_len, len;
	int err;

	if (!dat->compresses)
		return tw_dat__damage(dat, begin, "a section is compressed, but according to the header none is");
	packed_len = tw_dat_cursor__u32(c);
	len = tw_dat_cursor__u32(c);
	dat->expanded += len;
	if (len > TW_TRACEDAT_SECTION_MAX || dat->expanded > TW_TRACEDAT_EXPAND_MAX ||
	    len > EXPAND_MIN + (uint64_t)packed_len * TW_TRACEDAT_EXPAND_TIMES)
		return tw_dat__damage(
			dat, begin,
			"a section of %u bytes would decompress to %u bytes: above the limit of a section, of all "
			"sections together, or of the compression ratio",
			packed_len, len);
	err = tw_dat_cursor__bytes(c, packed_len, TW_TRACEDAT_SECTION_MAX, &packed);
	if (err == -EBADMSG)
		return tw_dat__damage(
			dat, begin,
			"the compressed data of a section is longer than the section or the rest of the file");
	if (err)
		return err;
	*ret = (struct tw_tracedat_bytes){ .data = malloc((size_t)len + 1), .len = len };
	if (!ret->data)
		err = -ENOMEM;
	else if (!tw_dat__expand(dat, packed.data, packed.len, ret->data, len))
		err = tw_dat__damage(dat, begin, "a compressed section cannot be decompressed");
	free(packed.data);
	return err;
}

/* Calls @read with a cursor on the content of a section, which is decompressed if needed. */
static int read_section(struct tw_tracedat *dat, unsigned int id, uint64_t offset, tw_dat_reader *read)
{
	struct tw_tracedat_bytes bytes = { 0 };
	struct tw_dat_cursor c;
	bool compressed;
	int err = open_section(dat, offset, id, &c, &compressed);

	if (err)
		return err;
	if (compressed) {
		err = expand(&c, &bytes);
		c.mem = (const uint8_t *)bytes.data;
		c.at = 0;
		c.end = bytes.len;
	}
	if (!err)
		err = read(&c);
	free(bytes.data);
	return err;
}

/*
 * Reads the options of one section. The last option, DONE, has the offset of the next section with options. The offset is returned in
 * sections[TW_TRACEDAT_DONE], because a tw_dat_reader has no argument for it.
 */
static int read_options(struct tw_dat_cursor *c)
{
	uint64_t *next = &c->dat->sections[TW_TRACEDAT_DONE];
	int err = 0;

	*next = 0;
	while (!err) {
		const uint16_t id = cursor__u16(c);

		if (c->failed)
			return tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "its options have no end");
		if (id != TW_TRACEDAT_DONE) {
			err = tw_dat__option(c, id);
			continue;
		}
		if (tw_dat_cursor__u32(c) >= sizeof(uint64_t))
			*next = tw_dat_cursor__u64(c);
		return c->failed ? tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "its options are truncated") : 0;
	}
	return err;
}

/* Reads all sections with options, each once, so that a cyclic chain ends. @at: offset of the first one */
static int read_chain(struct tw_tracedat *dat, uint64_t at)
{
	uint64_t seen[TW_TRACEDAT_CHAIN_MAX];
	size_t n = 0;
	int err = 0;

	while (at && !err) {
		for (size_t i = 0; i < n; i++)
			if (seen[i] == at)
				return tw_dat__damage(dat, at, "its chain of options is cyclic");
		if (n == TW_TRACEDAT_CHAIN_MAX)
			return tw_dat__damage(dat, at, "its options are in more than %d sections",
					      TW_TRACEDAT_CHAIN_MAX);
		seen[n++] = at;
		err = read_section(dat, TW_TRACEDAT_DONE, at, read_options);
		at = dat->sections[TW_TRACEDAT_DONE];
	}
	return err;
}

/* Reads the header of each buffer's section, to find whether the buffer's rings are compressed. */
static void open_buffers(struct tw_tracedat *dat)
{
	for (size_t i = 0; i < dat->info.n_buffers; i++) {
		struct tw_tracedat_buffer *b = &dat->buffers[i];
		struct tw_dat_cursor unused;
		int err = open_section(dat, b->offset, TW_TRACEDAT_BUFFER, &unused, &b->compressed);

		if (!err && b->compressed && !dat->compresses)
			err = tw_dat__damage(dat, b->offset,
					     "events are compressed, but according to the header nothing is");
		if (err)
			b->cpus = 0;
	}
}

static int no_events(struct tw_tracedat *dat, struct tw_error *error)
{
	if (dat->info.damage.places) {
		*error = dat->info.damage.first;
		return -EBADMSG;
	}
	if (dat->text_only)
		return text_only(dat, error);
	return tw_error__set(error, -EINVAL, "%s has no buffer of events: there is nothing to convert", dat->name);
}

static int read_metadata(struct tw_tracedat *dat, unsigned int id)
{
	return read_section(dat, id, dat->sections[id], tw_dat__readers[id]);
}

static int read_v7(struct tw_tracedat *dat, uint64_t at, struct tw_error *error)
{
	int err = read_chain(dat, at);

	if (err && err != -EBADMSG)
		return err;
	if (!dat->info.n_buffers)
		return no_events(dat, error);
	if (!dat->sections[TW_TRACEDAT_HEADER_INFO])
		return tw_error__set(error, -EBADMSG,
				     "%s does not describe the layout of its rings: no event can be read", dat->name);
	err = read_metadata(dat, TW_TRACEDAT_HEADER_INFO);
	if (err == -EBADMSG)
		*error = dat->info.damage.first;
	if (err)
		return err;
	for (unsigned int id = TW_TRACEDAT_FTRACE_EVENTS; id <= TW_TRACEDAT_CMDLINES; id++)
		if (dat->sections[id] && read_metadata(dat, id) == -ENOMEM)
			return -ENOMEM;
	open_buffers(dat);
	return 0;
}

static int read_all(struct tw_tracedat *dat, struct tw_error *error)
{
	struct tw_dat_cursor c = { .dat = dat, .end = dat->source.size };
	int err = read_head(&c, error);

	if (err)
		return err;
	if (dat->info.version >= 7) {
		const uint64_t options = tw_dat_cursor__u64(&c);

		err = read_v7(dat, c.failed ? 0 : options, error);
	} else {
		err = read_v6(dat, c.at, error);
	}
	return err ? err : tw_dat__open_rings(dat, error);
}

int tw_tracedat__open(const struct tw_tracedat_source *source, const char *name, struct tw_tracedat **ret,
		      struct tw_error *error)
{
	struct tw_tracedat *dat = calloc(1, sizeof(*dat));
	int err;

	if (!dat)
		return tw_error__set(error, -ENOMEM, "reading %s: no memory", name);
	dat->source = *source;
	snprintf(dat->name, sizeof(dat->name), "%s", name);
	strcpy(dat->info.codec, "none");
	err = read_all(dat, error);
	if (err == -ENOMEM)
		tw_error__set(error, err, "reading %s: no memory", name);
	else if (err && dat->read_err)
		tw_error__set(error, err, "reading %s: %s", name, strerror(-dat->read_err));
	if (err) {
		tw_tracedat__close(dat);
		return err;
	}
	*ret = dat;
	return 0;
}

void tw_tracedat__close(struct tw_tracedat *dat)
{
	if (!dat)
		return;
	tw_dat__free_metadata(dat);
	for (uint32_t i = 0; i < dat->n_rings; i++)
		free(dat->rings[i].window);
	free(dat->rings);
	tw_merge_heap__fini(&dat->heap);
	ZSTD_freeDCtx(dat->zstd);
	free(dat);
}

const struct tw_tracedat_info *tw_tracedat__info(const struct tw_tracedat *dat)
{
	return &dat->info;
}

const struct tw_tracedat_bytes *tw_tracedat_info__option(const struct tw_tracedat_info *info, uint16_t id)
{
	for (size_t i = 0; i < info->n_options; i++)
		if (info->options[i].id == id)
			return &info->options[i].value;
	return NULL;
}
