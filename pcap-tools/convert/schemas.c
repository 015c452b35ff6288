/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format texts of a trace.dat file, as SCHEMA records want them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pcap-tools/convert/impl.h"
#include "schema/schema.h"
#include "wire/schema_text.h"

struct text {
	enum tw_schema_kind kind;
	uint16_t id;
	struct tw_schema_text text;
	size_t age; /* of those with the same id the first comes first */
};

struct texts {
	struct text *list;
	size_t n;
};

static void add(struct texts *all, enum tw_schema_kind kind, uint16_t id, const char *system, char *text, size_t len)
{
	all->list[all->n] = (struct text){ kind, id, { .system = system, .text = text, .len = len }, all->n };
	all->n++;
}

/* header_page, header_event, events by id, texts of printk: the order is part of the schema's id. */
static int order(const void *a, const void *b)
{
	static const int ranks[] = {
		[TW_SCHEMA_HEADER_PAGE] = 0,
		[TW_SCHEMA_HEADER_EVENT] = 1,
		[TW_SCHEMA_EVENT] = 2,
		[TW_SCHEMA_PRINTK] = 3,
	};
	const struct text *x = a, *y = b;

	if (x->kind != y->kind)
		return ranks[x->kind] - ranks[y->kind];
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->age < y->age ? -1 : 1;
}

/* The id of a text that is no format otherwise. */
static uint16_t bare_id(const struct tw_tracedat_bytes *text)
{
	const char *line = strstr(text->data, "\nID: ");
	unsigned int id;

	return line && sscanf(line, "\nID: %5u", &id) == 1 && id <= UINT16_MAX ? (uint16_t)id : 0;
}

static int add_formats(struct tw_convert *c, struct texts *all)
{
	for (size_t i = 0; i < c->info->n_formats; i++) {
		const struct tw_tracedat_format *f = &c->info->formats[i];
		const struct tw_format *format;
		uint16_t id;
		const int err = tw_schema__add(c->schema, f->system, f->text.data, f->text.len, &format, NULL);

		if (err == -ENOMEM)
			return err;
		c->stats.refused_formats += err != 0;
		id = err ? bare_id(&f->text) : format->id;
		add(all, TW_SCHEMA_EVENT, id, f->system, f->text.data, f->text.len);
	}
	return 0;
}

/* A text longer than a SCHEMA may be is cut between two lines. */
static size_t piece(const char *text, size_t len)
{
	if (len <= TW_SCHEMA_TEXT_MAX)
		return len;
	for (len = TW_SCHEMA_TEXT_MAX; len && text[len - 1] != '\n';)
		len--;
	return len ? len : TW_SCHEMA_TEXT_MAX;
}

static size_t count_pieces(const struct tw_tracedat_bytes *text)
{
	size_t n = 0;

	for (size_t at = 0; at < text->len; at += piece(text->data + at, text->len - at))
		n++;
	return n;
}

static int compress(const struct text *text, struct tw_schema_view *ret, struct tw_error *error)
{
	const size_t cap = strlen(text->text.system) + 1 + text->text.len;
	uint8_t *buf = malloc(cap);
	const int err = buf ? tw_schema_text__compress(&text->text, buf, cap, ret, error) : -ENOMEM;

	if (err)
		free(buf);
	ret->kind = (uint8_t)text->kind;
	ret->event_id = text->id;
	return err;
}

static int compress_all(struct tw_convert *c, const struct texts *all, struct tw_error *error)
{
	struct tw_schema_hash hash;
	int err = 0;

	c->texts = calloc(all->n, sizeof(*c->texts));
	if (!c->texts)
		return -ENOMEM;
	tw_schema_hash__init(&hash, c->info->big_endian, c->info->long_size);
	for (size_t i = 0; i < all->n && !err; i++) {
		const struct tw_schema_text *text = &all->list[i].text;

		err = compress(&all->list[i], &c->texts[i], error);
		c->texts[i].index = (uint32_t)i;
		c->texts[i].total = (uint32_t)all->n;
		c->n_texts += !err;
		tw_schema_hash__text(&hash, text->system, text->text, text->len);
	}
	c->schema_id = tw_schema_hash__fini(&hash);
	return err;
}

int tw_convert__texts(struct tw_convert *c, struct tw_error *error)
{
	const struct tw_tracedat_info *info = c->info;
	struct texts all = { 0 };
	int err;

	all.list = calloc(2 + info->n_formats + count_pieces(&info->printk), sizeof(*all.list));
	if (!all.list)
		return tw_error__set(error, -ENOMEM, "converting to %s: no memory", c->options->name);
	tw_schema__set_long_size(c->schema, info->long_size);
	add(&all, TW_SCHEMA_HEADER_PAGE, 0, "", info->header_page.data, info->header_page.len);
	add(&all, TW_SCHEMA_HEADER_EVENT, 0, "", info->header_event.data, info->header_event.len);
	err = add_formats(c, &all);
	for (size_t at = 0, len; at < info->printk.len; at += len) {
		len = piece(info->printk.data + at, info->printk.len - at);
		add(&all, TW_SCHEMA_PRINTK, 0, "", info->printk.data + at, len);
	}
	if (!err) {
		qsort(all.list, all.n, sizeof(*all.list), order);
		err = compress_all(c, &all, error);
	}
	free(all.list);
	return err == -ENOMEM ? tw_error__set(error, err, "converting to %s: no memory", c->options->name) : err;
}
