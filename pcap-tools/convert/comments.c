/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes section comments of the options of a trace.dat file, because no record of a stream can represent most of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"
#include "pcap-tools/convert/convert_impl.h"

#define COMMENT_HEAD 8                         /* bytes that a comment needs in addition to its text, at most */
#define PIECE_MAX    (TW_PCAPNG_TEXT_MAX - 64) /* limit of the bytes of an option in one comment */
#define HEX_MAX      (PIECE_MAX / 2)

/* A GUEST option: a name and NUL, a head (u64 trace id, u32 number of vCPUs), and for each vCPU u32 number, u32 pid. */
#define GUEST_HEAD     12 /* bytes of the head */
#define GUEST_CPU      8  /* bytes of each vCPU */
#define GUEST_CPUS_MAX 512

/*
 * Titles of the options that are shown, by id. Known options without a title are file offsets, or have content that the recording has as
 * records.
 */
static const char *const titles[] = {
	[TW_TRACEDAT_DATE] = "DATE",
	[TW_TRACEDAT_CPUSTAT] = "CPUSTAT",
	[TW_TRACEDAT_TRACECLOCK] = "TRACECLOCK",
	[TW_TRACEDAT_UNAME] = "UNAME",
	[TW_TRACEDAT_HOOK] = "HOOK",
	[TW_TRACEDAT_OFFSET] = "OFFSET",
	[TW_TRACEDAT_VERSION] = "VERSION",
	[TW_TRACEDAT_PROCMAPS] = "PROCMAPS",
	[TW_TRACEDAT_TRACEID] = "TRACEID",
	[TW_TRACEDAT_TIME_SHIFT] = "TIME_SHIFT",
	[TW_TRACEDAT_GUEST] = "GUEST",
	[TW_TRACEDAT_TSC2NSEC] = "TSC2NSEC",
	[TW_TRACEDAT_STRINGS] = "STRINGS",
};

struct comments {
	char **texts;        /* NULL-terminated */
	size_t n, left, cut; /* number of texts; bytes still allowed; bytes omitted */
};

/* Appends a text, which is made printable, because many programs show comments unchanged. */
static int add(struct comments *list, const char *raw, size_t raw_len)
{
	const size_t len = tw_printable__shown_len(raw, raw_len);
	char **texts;

	if (len + COMMENT_HEAD > list->left) {
		list->cut += len;
		return 0;
	}
	texts = realloc(list->texts, (list->n + 2) * sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	list->texts = texts;
	texts[list->n] = malloc(len + 1);
	texts[list->n + 1] = NULL;
	if (!texts[list->n])
		return -ENOMEM;
	tw_printable__copy(texts[list->n], len + 1, raw, raw_len);
	list->n++;
	list->left -= len + COMMENT_HEAD;
	return 0;
}

static bool is_text(const struct tw_tracedat_bytes *value)
{
	size_t len = value->len;

	while (len && !value->data[len - 1])
		len--;
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)value->data[i];

		if (c < 0x20 && c != '\n' && c != '\t' && c != '\r')
			return false;
	}
	return len;
}

/* Number of bytes at the beginning of @text that fit a comment and do not end inside a character. */
static size_t piece_of(const char *text, size_t len)
{
	size_t piece = len < PIECE_MAX ? len : PIECE_MAX;

	while (tw_printable__shown_len(text, piece) > PIECE_MAX)
		piece /= 2;
	return tw_printable__cut(text, len, piece);
}

/* Appends "trace-cmd TITLE: TEXT"; a long text is split into several comments. */
static int add_text(struct comments *list, const char *title, const struct tw_tracedat_bytes *value)
{
	size_t len = strnlen(value->data, value->len), at = 0;
	char text[TW_PCAPNG_TEXT_MAX];
	int err = 0;

	while (len && value->data[len - 1] == '\n')
		len--;
	do {
		const size_t piece = piece_of(value->data + at, len - at);
		struct tw_line line = tw_line__on(text, sizeof(text));

		tw_line__str(&line, "trace-cmd ");
		tw_line__str(&line, title);
		tw_line__str(&line, at ? ", continued: " : ": ");
		tw_line__bytes(&line, value->data + at, piece);
		err = add(list, text, tw_line__len(&line));
		at += piece;
	} while (at < len && !err);
	return err;
}

static int add_hex(struct comments *list, const char *title, const struct tw_tracedat_bytes *value)
{
	size_t at = 0;
	int err = 0;

	do {
		char text[2 * HEX_MAX];
		struct tw_line line = tw_line__on(text, sizeof(text));
		const size_t end = value->len - at < HEX_MAX ? value->len : at + HEX_MAX;

		for (; at < end; at++)
			tw_line__hex_byte(&line, (uint8_t)value->data[at]);
		err = add_text(list, title, &(struct tw_tracedat_bytes){ text, tw_line__len(&line) });
	} while (at < value->len && !err);
	return err;
}

/*
 * Writes "NAME, trace id 0x1, vcpus and their pids 0=100 1=101". Return: false if @value has another layout, or more than
 * GUEST_CPUS_MAX vCPUs.
 */
static bool guest_text(const struct tw_tracedat_bytes *value, bool big_endian, struct tw_line *line)
{
	const size_t name = strnlen(value->data, value->len);
	const char *at = value->data + name + 1, *end = value->data + value->len;
	uint32_t n;

	if (value->len - name < 1 + GUEST_HEAD)
		return false;
	n = tw_load32(at + sizeof(uint64_t), big_endian);
	if (n > GUEST_CPUS_MAX || (size_t)(end - at) != GUEST_HEAD + GUEST_CPU * n)
		return false;
	tw_line__bytes(line, value->data, name);
	tw_line__str(line, ", trace id 0x");
	tw_line__hex(line, tw_load64(at, big_endian));
	tw_line__str(line, ", vcpus and their pids");
	for (at += GUEST_HEAD; at < end; at += GUEST_CPU) {
		tw_line__char(line, ' ');
		tw_line__u64(line, tw_load32(at, big_endian));
		tw_line__char(line, '=');
		tw_line__u64(line, tw_load32(at + sizeof(uint32_t), big_endian));
	}
	return true;
}

static int add_guest(struct comments *list, const struct tw_tracedat_bytes *value, bool big_endian)
{
	char text[TW_TRACEDAT_NAME_MAX + 64 + GUEST_CPUS_MAX * 24];
	struct tw_line line = tw_line__on(text, sizeof(text));

	if (strnlen(value->data, value->len) > TW_TRACEDAT_NAME_MAX || !guest_text(value, big_endian, &line))
		return add_hex(list, "GUEST", value);
	return add_text(list, "GUEST", &(struct tw_tracedat_bytes){ text, tw_line__len(&line) });
}

static int add_option(struct comments *list, const struct tw_tracedat_option *option, bool big_endian)
{
	const struct tw_tracedat_bytes *value = &option->value;
	const size_t known = sizeof(titles) / sizeof(titles[0]);
	char number[32], text[96];
	const char *title = option->id < known ? titles[option->id] : number;

	if (!title || (option->id > TW_TRACEDAT_STRINGS && option->id <= TW_TRACEDAT_BUFFER_TEXT))
		return 0;
	snprintf(number, sizeof(number), "option %u", option->id);
	if (option->id == TW_TRACEDAT_GUEST)
		return add_guest(list, value, big_endian);
	if (option->id == TW_TRACEDAT_TRACEID && value->len == sizeof(uint64_t))
		snprintf(text, sizeof(text), "0x%" PRIx64, tw_load64(value->data, big_endian));
	else if (option->id == TW_TRACEDAT_TSC2NSEC && value->len == 16)
		snprintf(text, sizeof(text), "mult %" PRIu32 " shift %" PRIu32 " offset %" PRIu64,
			 tw_load32(value->data, big_endian), tw_load32(value->data + 4, big_endian),
			 tw_load64(value->data + 8, big_endian));
	else
		return is_text(value) ? add_text(list, title, value) : add_hex(list, title, value);
	return add_text(list, title, &(struct tw_tracedat_bytes){ text, strlen(text) });
}

static int add_head(struct comments *list, const struct tw_tracedat_info *info)
{
	char text[160];

	snprintf(text, sizeof(text), "converted from a trace.dat file of trace-cmd, version %u, compression %s %s",
		 info->version, info->codec, info->codec_version);
	return add(list, text, strlen(text));
}

int tw_convert__comments(struct tw_convert *c, char ***ret)
{
	struct comments list = { .left = TW_CONVERT_COMMENTS_MAX };
	int err = add_head(&list, c->info);

	for (size_t i = 0; i < c->info->n_options && !err; i++)
		err = add_option(&list, &c->info->options[i], c->info->big_endian);
	c->stats.comments_cut = list.cut;
	if (err)
		tw_convert__free_comments(list.texts);
	else
		*ret = list.texts;
	return err;
}

void tw_convert__free_comments(char **comments)
{
	for (char **text = comments; text && *text; text++)
		free(*text);
	free(comments);
}
