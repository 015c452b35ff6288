/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * captures FORMATS.tar.xz DIRECTORY [POOLS [SEED]] -- makes captures for tshark. For each pool of events, it writes the capture POOL.pcap
 * and the formats POOL.txt. For each expression that a display filter can express, it writes the expression (POOL-N.text), the display
 * filter (POOL-N.filter), and the numbers of the packets that the evaluator matches (POOL-N.expected). It prints the number of pairs of an
 * expression and a packet.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/display.h"
#include "frames.h"
#include "tests/dissector/sample.h"
#include "tests/filter/bound.h"

#define SEED        20260102
#define POOLS       5
#define EXPRESSIONS 30 /* for each set of events */
#define FRAMES      36 /* for each expression */
#define PIDS        10
#define HOST        "abk01"
#define FILTER_MAX  65536

/* One capture being made. */
struct capture {
	const char *folder;
	unsigned int number;
	struct chance *chance;
	struct pool pool;
	struct sample sample;
	unsigned long packets; /* written so far */
	char comms[PIDS][TW_COMM_MAX];
	struct expression expressions[EXPRESSIONS];
	struct made_frame frames[EXPRESSIONS * FRAMES];
	unsigned long first; /* packet number of the first frame */
};

static unsigned long pairs, matched, refused, filters;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "captures: %s\n", what);
	exit(1);
}

static FILE *open_file(const struct capture *c, const char *suffix)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u%s", c->folder, c->number, suffix);
	f = fopen(path, "w");
	must(f, path);
	return f;
}

static void write_formats(const struct capture *c)
{
	FILE *f = open_file(c, ".txt");

	for (int i = 0; i < POOL_EVENTS; i++) {
		const struct archive_text *text = c->pool.texts[i];

		fprintf(f, "system: %s\n%.*s", text->system, (int)text->len, text->text);
	}
	must(!fclose(f), "cannot write");
}

/* Writes HOST, SCHEMA and COMM of the stream. */
static void write_metadata(struct capture *c)
{
	struct text texts[POOL_EVENTS];

	for (int i = 0; i < POOL_EVENTS; i++) {
		const struct archive_text *from = c->pool.texts[i];

		texts[i] = (struct text){ .system = from->system, .text = from->text, .len = from->len };
		texts[i].id = (uint16_t)atoi(strstr(from->text, "ID: ") + 4);
	}
	c->pool.schema_id = texts__hash(texts, POOL_EVENTS, c->pool.big_endian, 8);
	c->sample.info.schema_id = c->pool.schema_id;
	c->sample.info.flags = c->pool.big_endian ? TW_FLAG_BODY_BE : 0;
	sample__host(&c->sample, HOST);
	sample__schema(&c->sample, texts, POOL_EVENTS);
	c->packets = 1 + POOL_EVENTS;
	for (uint32_t pid = 1; pid < PIDS; pid++) {
		if (!*c->comms[pid])
			continue;
		sample__comm(&c->sample, pid, 0, c->comms[pid]);
		c->packets++;
	}
}

/* Gives some tasks names that the expressions use. One task has no name. */
static void name_tasks(struct capture *c)
{
	for (unsigned int i = 0; i < EXPRESSIONS; i++)
		for (unsigned int w = 0; w < c->expressions[i].n_wanted; w++) {
			const struct wanted *wanted = &c->expressions[i].wanted[w];
			char *name = c->comms[1 + chance__below(c->chance, PIDS - 2)];

			if (wanted->operand == TW_ON_COMM && wanted->len) {
				memcpy(name, wanted->bytes, wanted->len);
				name[wanted->len] = '\0';
			}
		}
}

static void write_frames(struct capture *c)
{
	static const struct frame_options options = { .record.printable = true, .only_ours = true };

	c->first = c->packets + 1;
	for (unsigned int i = 0; i < EXPRESSIONS * FRAMES; i++) {
		frame__make(&c->frames[i], &c->expressions[i / FRAMES], &options, c->chance);
		sample__packet(&c->sample, c->frames[i].data, c->frames[i].len);
	}
}

static bool evaluate(const struct capture *c, const struct tw_bound *bound, const struct made_frame *frame)
{
	struct tw_filter_event event = frame__event(frame);

	if (!event.pid)
		event.comm = "<idle>";
	else if (event.pid > 0 && event.pid < PIDS && *c->comms[event.pid])
		event.comm = c->comms[event.pid];
	event.comm_len = event.comm ? strlen(event.comm) : 0;
	event.host = HOST;
	event.host_len = strlen(HOST);
	return tw_bound__matches(bound, &event);
}

static struct tw_bound *bind_expression(const struct capture *c, const char *text)
{
	const struct tw_bind_options options = { .schema = c->pool.schema, .big_endian = c->pool.big_endian };
	struct tw_bound *bound = NULL;

	must(!bound__make_ready(text, &options, &bound, NULL), text);
	return bound;
}

static void write_expected(const struct capture *c, const struct tw_bound *bound, const char *suffix)
{
	FILE *f = open_file(c, suffix);

	for (unsigned int i = 0; i < EXPRESSIONS * FRAMES; i++) {
		pairs++;
		if (!evaluate(c, bound, &c->frames[i]))
			continue;
		fprintf(f, "%lu\n", c->first + i);
		matched++;
	}
	must(!fclose(f), "cannot write");
}

static void write_filter(const struct capture *c, unsigned int i)
{
	static char buf[FILTER_MAX];
	struct tw_bound *bound = bind_expression(c, c->expressions[i].text);
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	char suffix[32];
	struct tw_error err;
	int error = tw_display__emit(bound, &line, &err);
	FILE *f;

	if (error) {
		must(error == -EOPNOTSUPP || error == -E2BIG, err.text);
		refused++;
	} else {
		snprintf(suffix, sizeof(suffix), "-%u.filter", i);
		f = open_file(c, suffix);
		fprintf(f, "%.*s", (int)tw_line__len(&line), buf);
		must(!fclose(f), "cannot write");
		snprintf(suffix, sizeof(suffix), "-%u.text", i);
		f = open_file(c, suffix);
		fprintf(f, "%s", c->expressions[i].text);
		must(!fclose(f), "cannot write");
		snprintf(suffix, sizeof(suffix), "-%u.expected", i);
		write_expected(c, bound, suffix);
		filters++;
	}
	tw_bound__free(bound);
}

static void make_capture(struct capture *c, const struct archive *archive)
{
	static const struct expression_options options = { .printable = true };
	char name[32];

	memset(c->comms, 0, sizeof(c->comms));
	pool__init(&c->pool, archive, c->chance, true);
	for (unsigned int i = 0; i < EXPRESSIONS; i++)
		expression__make(&c->expressions[i], &c->pool, &options, c->chance);
	name_tasks(c);
	write_formats(c);
	snprintf(name, sizeof(name), "%u.pcap", c->number);
	sample__open(&c->sample, c->folder, name);
	c->sample.info.stream_id = FRAMES_STREAM;
	write_metadata(c);
	write_frames(c);
	sample__close(&c->sample);
	for (unsigned int i = 0; i < EXPRESSIONS; i++)
		write_filter(c, i);
	pool__fini(&c->pool);
}

int main(int argc, char **argv)
{
	const unsigned int pools = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 0) : POOLS;
	struct chance chance = { argc > 4 ? strtoull(argv[4], NULL, 0) : SEED };
	struct capture *c = calloc(1, sizeof(*c));
	struct archive archive;

	must(argc >= 3 && c, "usage: captures FORMATS.tar.xz FOLDER [POOLS [SEED]]");
	printf("seed %llu\n", (unsigned long long)chance.state);
	archive__load(&archive, argv[1]);
	c->folder = argv[2];
	c->chance = &chance;
	for (c->number = 0; c->number < pools; c->number++)
		make_capture(c, &archive);
	archive__fini(&archive);
	free(c);
	printf("%lu pairs of %lu expressions, %lu match; %lu expressions it cannot express\n", pairs, filters, matched,
	       refused);
	return 0;
}
