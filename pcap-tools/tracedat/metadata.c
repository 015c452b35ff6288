/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/tracedat/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* What a step came to: damage is told here, with what was being read. */
static int done(struct tw_dat_cursor *c, int code, const char *what)
{
	if (code == -ENOMEM)
		return code;
	if (code || c->failed)
		return tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "%s cannot be read to its end", what);
	return 0;
}

/* A name that stands before its text, and must be this one. */
static bool names(struct tw_dat_cursor *c, const char *name)
{
	char text[16];

	return tw_dat_cursor__string(c, text, sizeof(text)) && !strcmp(text, name);
}

static int header(struct tw_dat_cursor *c, const char *name, struct tw_tracedat_bytes *ret)
{
	if (ret->data || !names(c, name))
		return -EBADMSG;
	return tw_dat_cursor__bytes(c, tw_dat_cursor__u64(c), TW_TRACEDAT_TEXT_MAX, ret);
}

int tw_dat__headers(struct tw_dat_cursor *c)
{
	struct tw_tracedat_info *info = &c->dat->info;
	struct tw_ring_layout *layout = &c->dat->layout;
	struct tw_error why;
	int code;

	code = header(c, "header_page", &info->header_page);
	if (!code)
		code = header(c, "header_event", &info->header_event);
	if (code)
		return done(c, code, "the layout of its rings (header_page, header_event)");
	if (tw_page_layout__parse(info->header_page.data, info->header_page.len, &layout->page, &why) ||
	    tw_entry_layout__parse(info->header_event.data, info->header_event.len, &layout->entry, &why))
		return tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "%s", why.text);
	if (layout->page.commit_offset != sizeof(uint64_t))
		return tw_dat__damage(c->dat, tw_dat_cursor__offset(c),
				      "the time stamp of its sub-buffers has %u bytes where 8 are known",
				      layout->page.commit_offset);
	layout->big_endian = info->big_endian;
	info->long_size = (uint8_t)layout->page.commit_size;
	return 0;
}

static int add_format(struct tw_dat_cursor *c, const char *system)
{
	struct tw_tracedat *dat = c->dat;
	struct tw_tracedat_format *formats = dat->formats;
	struct tw_tracedat_bytes text;
	char *name;
	int code = tw_dat_cursor__bytes(c, tw_dat_cursor__u64(c), TW_TRACEDAT_TEXT_MAX, &text);

	if (code)
		return code;
	dat->bytes += text.len;
	if (dat->info.n_formats == TW_TRACEDAT_TEXTS_MAX || dat->bytes > TW_TRACEDAT_BYTES_MAX) {
		free(text.data);
		return -EBADMSG;
	}
	if (!(dat->info.n_formats & (dat->info.n_formats - 1)))
		formats = realloc(formats, (2 * dat->info.n_formats + 1) * sizeof(*formats));
	name = formats ? strdup(system) : NULL;
	if (formats)
		dat->info.formats = dat->formats = formats;
	if (!name) {
		free(text.data);
		return -ENOMEM;
	}
	formats[dat->info.n_formats++] = (struct tw_tracedat_format){ .system = name, .text = text };
	return 0;
}

static int add_formats(struct tw_dat_cursor *c, const char *system)
{
	const uint32_t n = tw_dat_cursor__u32(c);
	int code = 0;

	for (uint32_t i = 0; i < n && !code && !c->failed; i++)
		code = add_format(c, system);
	return code;
}

int tw_dat__ftrace_formats(struct tw_dat_cursor *c)
{
	return done(c, add_formats(c, "ftrace"), "the list of ftrace's format texts");
}

int tw_dat__event_formats(struct tw_dat_cursor *c)
{
	const uint32_t n = tw_dat_cursor__u32(c);
	char system[TW_TRACEDAT_NAME_MAX + 1];
	int code = 0;

	for (uint32_t i = 0; i < n && !code && !c->failed; i++) {
		if (tw_dat_cursor__string(c, system, sizeof(system)))
			code = add_formats(c, system);
	}
	return done(c, code, "the list of format texts");
}

static int text(struct tw_dat_cursor *c, uint64_t len, struct tw_tracedat_bytes *ret, const char *what)
{
	if (ret->data || !len)
		return done(c, 0, what);
	return done(c, tw_dat_cursor__bytes(c, len, TW_TRACEDAT_SECTION_MAX, ret), what);
}

int tw_dat__kallsyms(struct tw_dat_cursor *c)
{
	return text(c, tw_dat_cursor__u32(c), &c->dat->info.kallsyms, "the text of kallsyms");
}

int tw_dat__printk(struct tw_dat_cursor *c)
{
	return text(c, tw_dat_cursor__u32(c), &c->dat->info.printk, "the text of printk_formats");
}

int tw_dat__cmdlines(struct tw_dat_cursor *c)
{
	return text(c, tw_dat_cursor__u64(c), &c->dat->info.cmdlines, "the text of saved_cmdlines");
}
