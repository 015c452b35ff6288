/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which row decides about an event: the links of the chain that its id has, one after the other. */
#include <errno.h>
#include <stdlib.h>

#include "filter/bpf/gen.h"
#include "filter/bpf/test.h"

#define SINGLES_MAX 8  /* ids that are compared one after the other; more are searched for */
#define SEARCH_MAX  18 /* halves of 65536 ids that wait */

/* A link has two labels: what it is entered by from an id, and from the link before it. */
struct links {
	tw_label *entry, *test;
};

struct id_span {
	uint32_t low, high; /* ranges */
	tw_label label;
};

static tw_label goal(const struct tw_gen *g, const tw_label *links, uint32_t to)
{
	return to & TW_TO_ROW ? g->rows[to & ~TW_TO_ROW] : links[to];
}

static uint32_t ids_in(const struct tw_chains *c, uint32_t i)
{
	const uint32_t end = i + 1 < c->n_ranges ? c->ranges[i + 1].first : UINT16_MAX + 1u;

	return end - c->ranges[i].first;
}

/* Return: the goal that most ids have. Few ranges are looked at. */
static uint32_t usual_goal(const struct tw_chains *c)
{
	uint32_t best = c->ranges[0].to, most = 0, ids;

	for (uint32_t i = 0; i < c->n_ranges; i++) {
		ids = 0;
		for (uint32_t j = 0; j < c->n_ranges; j++)
			ids += c->ranges[j].to == c->ranges[i].to ? ids_in(c, j) : 0;
		if (ids > most) {
			most = ids;
			best = c->ranges[i].to;
		}
	}
	return best;
}

/* Where a few ids differ from all the rest: one comparison for each. Return: false if it is not so. */
static bool compare_singles(struct tw_gen *g, const tw_label *entry)
{
	const struct tw_chains *c = &g->chains;
	struct tw_asm *a = &g->a;
	uint32_t usual, singles = 0;

	if (c->n_ranges > 2 * SINGLES_MAX + 1)
		return false;
	usual = usual_goal(c);
	for (uint32_t i = 0; i < c->n_ranges; i++)
		if (c->ranges[i].to != usual)
			singles += ids_in(c, i) == 1 ? 1 : SINGLES_MAX + 1;
	if (singles > SINGLES_MAX)
		return false;
	if (singles)
		tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_EVENT(event_id));
	for (uint32_t i = 0; i < c->n_ranges; i++)
		if (c->ranges[i].to != usual)
			tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, (int32_t)c->ranges[i].first,
					goal(g, entry, c->ranges[i].to));
	tw_asm__jump(a, goal(g, entry, usual));
	return true;
}

static void search(struct tw_gen *g, const tw_label *entry)
{
	const struct tw_chains *c = &g->chains;
	struct tw_asm *a = &g->a;
	struct id_span parts[SEARCH_MAX] = { { 0, c->n_ranges - 1, TW_NO_LABEL } };
	unsigned int n = 1;

	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_EVENT(event_id));
	while (n) {
		struct id_span part = parts[--n];

		if (part.label != TW_NO_LABEL)
			tw_asm__place(a, part.label);
		while (part.low < part.high) {
			const uint32_t middle = part.low + (part.high - part.low + 1) / 2;
			const tw_label right = tw_asm__label(a);

			tw_asm__jump_if(a, BPF_JGE, BPF_REG_1, (int32_t)c->ranges[middle].first, right);
			parts[n++] = (struct id_span){ middle, part.high, right };
			part.high = middle - 1;
		}
		tw_asm__jump(a, goal(g, entry, c->ranges[part.low].to));
	}
}

/* One look at the packet's end for all that is asked from here on; the verifier wants it, too. */
static void look_at_end(struct tw_asm *a, const struct tw_bpf_access *access, uint32_t extent)
{
	if (access->checks_each || access->too_short == TW_NO_LABEL || extent <= sizeof(struct tw_event))
		return;
	tw_asm__mov(a, BPF_REG_1, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, TW_TLV0 + (int32_t)extent);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, access->too_short);
}

static void emit_links(struct tw_gen *g, const struct tw_bpf_access *access, const struct links *links)
{
	struct tw_asm *a = &g->a;

	for (uint32_t i = g->chains.n_links; i--;) {
		const struct tw_chain_link *link = &g->chains.links[i];

		tw_asm__place(a, links->entry[i]);
		look_at_end(a, access, link->extent);
		tw_asm__jump(a, links->test[i]);
		tw_asm__place(a, links->test[i]);
		tw_tree__emit(a, link->root, access, goal(g, links->test, link->matched),
			      goal(g, links->test, link->next));
	}
}

void tw_gen__judge(struct tw_gen *g, tw_label too_short)
{
	const struct tw_bpf_access access = {
		.too_short = too_short,
		.load_helper = tw_gen__is_xdp(g) ? BPF_FUNC_xdp_load_bytes : BPF_FUNC_skb_load_bytes,
		.checks_each = g->options->offload,
	};
	const uint32_t n = g->chains.n_links;
	tw_label *labels = calloc(2 * (size_t)n + 1, sizeof(*labels));
	const struct links links = { labels, labels + n };

	if (!labels) {
		g->a.err = -ENOMEM;
		return;
	}
	for (unsigned int i = 0; i <= g->rules->n; i++)
		g->rows[i] = tw_asm__label(&g->a);
	for (uint32_t i = 0; i < 2 * n; i++)
		labels[i] = tw_asm__label(&g->a);
	g->a.known = sizeof(struct tw_event);
	if (!g->a.err && !compare_singles(g, links.entry))
		search(g, links.entry);
	emit_links(g, &access, &links);
	free(labels);
}
