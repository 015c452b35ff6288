/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/tracedat/cursor.h"

#define MAGIC_LEN 10
#define PCAPNG    0x0A0D0D0Au

static const char magic[MAGIC_LEN] = "\x17\x08\x44tracing";

int tw_dat__damage(struct tw_tracedat *dat, uint64_t offset, const char *fmt, ...)
{
	char what[384];
	va_list args;

	if (dat->damage.places++)
		return -EBADMSG;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return tw_error__set(&dat->damage.first, -EBADMSG, "%.100s is damaged at byte %llu: %s", dat->name,
			     (unsigned long long)offset, what);
}

/* What else it may be, for who took the wrong file. */
static int not_ours(const struct tw_tracedat *dat, const char *head, size_t len, struct tw_error *err)
{
	const uint32_t block = PCAPNG;
	const char *hint = "";

	if (len >= sizeof(block) && !memcmp(head, &block, sizeof(block)))
		hint = ", but a pcapng file already: tracewire report prints it";
	else if (!len)
		hint = ": it is empty";
	return tw_error__set(err, -EINVAL, "%s is not a trace.dat file of trace-cmd%s", dat->name, hint);
}

static int check_magic(struct tw_dat_cursor *c, struct tw_error *err)
{
	char head[MAGIC_LEN];
	const size_t len = c->end < sizeof(head) ? (size_t)c->end : sizeof(head);

	if (!tw_dat_cursor__read(c, head, len))
		return tw_error__set(err, -EIO, "%s cannot be read", c->dat->name);
	return len == sizeof(head) && !memcmp(head, magic, sizeof(magic)) ? 0 : not_ours(c->dat, head, len, err);
}

static int check_version(struct tw_dat_cursor *c, struct tw_error *err)
{
	char version[12];

	if (!tw_dat_cursor__string(c, version, sizeof(version)))
		return tw_error__set(err, -EINVAL, "%s is not a trace.dat file: it has no version", c->dat->name);
	if (strcmp(version, "6") && strcmp(version, "7"))
		return tw_error__set(err, -EINVAL, "%s is a trace.dat file of version %s; known are 6 and 7",
				     c->dat->name, version);
	c->dat->info.version = (unsigned int)(*version - '0');
	return 0;
}

static int check_codec(struct tw_dat_cursor *c, struct tw_error *err)
{
	struct tw_tracedat *dat = c->dat;
	int code;

	if (!tw_dat_cursor__string(c, dat->codec, sizeof(dat->codec)) ||
	    !tw_dat_cursor__string(c, dat->codec_version, sizeof(dat->codec_version)))
		return tw_error__set(err, -EBADMSG,
				     "%s is damaged at byte %llu: the name of its compression has no end", dat->name,
				     (unsigned long long)c->at);
	code = strcmp(dat->codec, "none") ? tw_unpack__new(dat->codec, &dat->unpack) : 0;
	if (code == -ENOTSUP)
		return tw_error__set(err, -EINVAL, "%s is compressed with \"%s\"; known are zstd and zlib", dat->name,
				     dat->codec);
	return code;
}

static int read_head(struct tw_dat_cursor *c, struct tw_error *err)
{
	struct tw_tracedat_info *info = &c->dat->info;
	uint8_t kind[2] = { 0 };
	int code = check_magic(c, err);

	if (!code)
		code = check_version(c, err);
	if (code)
		return code;
	tw_dat_cursor__read(c, kind, sizeof(kind));
	info->big_endian = kind[0];
	info->long_size = kind[1];
	info->page_size = tw_dat_cursor__u32(c);
	if (c->failed || kind[0] > 1)
		return tw_error__set(err, -EBADMSG, "%s is damaged at byte %llu: its header is not complete",
				     c->dat->name, (unsigned long long)c->at);
	return info->version >= 7 ? check_codec(c, err) : 0;
}

static int read_all(struct tw_tracedat *dat, struct tw_error *err)
{
	struct tw_dat_cursor c = { .dat = dat, .end = dat->source.size };
	int code = read_head(&c, err);

	if (code)
		return code;
	if (dat->info.version >= 7) {
		const uint64_t options = tw_dat_cursor__u64(&c);

		code = tw_dat__read_v7(dat, c.failed ? 0 : options, err);
	} else {
		code = tw_dat__read_v6(dat, c.at, err);
	}
	return code ? code : tw_dat__open_rings(dat, err);
}

int tw_tracedat__open(const struct tw_tracedat_source *source, const char *name, struct tw_tracedat **ret,
		      struct tw_error *err)
{
	struct tw_tracedat *dat = calloc(1, sizeof(*dat));
	int code;

	if (!dat)
		return tw_error__set(err, -ENOMEM, "reading %s: no memory", name);
	dat->source = *source;
	snprintf(dat->name, sizeof(dat->name), "%s", name);
	strcpy(dat->codec, "none");
	dat->info.codec = dat->codec;
	dat->info.codec_version = dat->codec_version;
	code = read_all(dat, err);
	if (code == -ENOMEM)
		tw_error__set(err, code, "reading %s: no memory", name);
	if (code) {
		tw_tracedat__close(dat);
		return code;
	}
	*ret = dat;
	return 0;
}

static void free_metadata(struct tw_tracedat *dat)
{
	struct tw_tracedat_info *info = &dat->info;

	free(info->header_page.data);
	free(info->header_event.data);
	free(info->kallsyms.data);
	free(info->printk.data);
	free(info->cmdlines.data);
	for (size_t i = 0; i < info->n_formats; i++) {
		free((char *)(uintptr_t)dat->formats[i].system);
		free(dat->formats[i].text.data);
	}
	free(dat->formats);
	for (size_t i = 0; i < info->n_options; i++)
		free(dat->options[i].value.data);
	free(dat->options);
	for (size_t i = 0; i < info->n_buffers; i++) {
		free(dat->buffers[i].name);
		free(dat->buffers[i].clock);
		free(dat->places[i].places);
	}
	free(dat->buffers);
	free(dat->places);
}

void tw_tracedat__close(struct tw_tracedat *dat)
{
	if (!dat)
		return;
	free_metadata(dat);
	for (uint32_t i = 0; i < dat->n_rings; i++)
		free(dat->rings[i].window);
	free(dat->rings);
	free(dat->heap);
	tw_dat_clock__fini(&dat->clock);
	tw_unpack__free(dat->unpack);
	free(dat);
}

const struct tw_tracedat_info *tw_tracedat__info(const struct tw_tracedat *dat)
{
	return &dat->info;
}

uint64_t tw_tracedat__done(const struct tw_tracedat *dat)
{
	return dat->done;
}

const struct tw_tracedat_damage *tw_tracedat__damage(const struct tw_tracedat *dat)
{
	return &dat->damage;
}
