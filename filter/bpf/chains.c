/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bpf/gen.h"
#include "filter/bpf/program.h"
#include "filter/bpf/test.h"

static bool same_bytes(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	return a_len == b_len && (!a_len || !memcmp(a, b, a_len));
}

static bool same_field(const struct tw_field *a, const struct tw_field *b)
{
	if (!a || !b)
		return a == b;
	return a->offset == b->offset && a->size == b->size && a->count == b->count && a->elem_size == b->elem_size &&
	       a->kind == b->kind && a->elem_kind == b->elem_kind && a->place == b->place &&
	       a->is_signed == b->is_signed;
}

static bool same_test(const struct tw_test *a, const struct tw_test *b)
{
	return a->operand == b->operand && a->compared == b->compared && a->op == b->op &&
	       a->is_signed == b->is_signed && a->has_mask == b->has_mask && a->big_endian == b->big_endian &&
	       a->prefix == b->prefix && a->mask == b->mask && a->low == b->low && a->high == b->high &&
	       same_field(a->field, b->field) && same_bytes(a->bytes, a->len, b->bytes, b->len) &&
	       same_bytes(a->high_bytes, a->high_len, b->high_bytes, b->high_len) && a->pattern == b->pattern;
}

/*
 * Whether the same instructions are generated for two trees. The events of such trees share one copy of the instructions, because one field
 * name may select 700 events of a kernel.
 */
static bool same_tree(const struct tw_node *a, const struct tw_node *b)
{
	struct tw_walk in_a = tw_walk__on(a), in_b = tw_walk__on(b);
	enum tw_walk_at at;

	if (a == b)
		return true;
	do {
		at = tw_walk__next(&in_a);
		if (at != tw_walk__next(&in_b))
			return false;
		if (at == TW_WALK_END)
			return true;
		if (in_a.node->kind != in_b.node->kind || in_a.node->negated != in_b.node->negated)
			return false;
	} while (in_a.node->kind != TW_NODE_TEST || same_test(in_a.node->test, in_b.node->test));
	return false;
}

/* Add a word to a hash, as FNV-1a does with bytes. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t mix_test(uint64_t hash, const struct tw_test *test)
{
	hash = mix(hash, (uint64_t)test->operand << 16 | (uint64_t)test->op << 8 | test->prefix);
	hash = mix(mix(mix(hash, test->low), test->high), test->mask);
	hash = mix(hash, test->field ? (uint64_t)test->field->offset << 32 | test->field->size : 0);
	for (size_t i = 0; i < test->len; i++)
		hash = mix(hash, test->bytes[i]);
	return hash;
}

static uint64_t hash_of(const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		hash = mix(hash, (uint64_t)at << 16 | (uint64_t)walk.node->kind << 1 | walk.node->negated);
		if (walk.node->kind == TW_NODE_TEST)
			hash = mix_test(hash, walk.node->test);
	}
	return hash ^ hash >> 32;
}

static bool same_link(const struct tw_chain_link *a, const struct tw_chain_link *b)
{
	return a->hash == b->hash && a->matched == b->matched && a->next == b->next && same_tree(a->root, b->root);
}

/* Return: the slot of the table with an equal link; if there is none, the free slot for it. */
static uint32_t *find_slot(const struct tw_chains *c, const struct tw_chain_link *link)
{
	uint32_t i = (uint32_t)link->hash & (TW_CHAINS_TABLE - 1);

	while (c->table[i] && !same_link(&c->links[c->table[i] - 1], link))
		i = (i + 1) & (TW_CHAINS_TABLE - 1);
	return &c->table[i];
}

/* Return: largest number of bytes of the TLV that a test of the tree reads. */
static uint32_t extent_of(const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	const struct tw_test *test;
	uint32_t extent = 0;

	while ((test = tw_walk__next_test(&walk)))
		if (tw_test__extent(test) > extent)
			extent = tw_test__extent(test);
	return extent;
}

static int add_link(struct tw_chains *c, struct tw_chain_link link, uint32_t *ret)
{
	uint32_t *slot = find_slot(c, &link);

	if (!*slot) {
		if (c->n_links == TW_BPF_INSNS_MAX)
			return -E2BIG;
		link.extent = extent_of(link.root);
		if (!(link.next & TW_TO_ROW) && c->links[link.next].extent > link.extent)
			link.extent = c->links[link.next].extent;
		if (link.extent > c->extent)
			c->extent = link.extent;
		c->links[c->n_links] = link;
		*slot = ++c->n_links;
	}
	*ret = *slot - 1;
	return 0;
}

static const struct tw_node *tree_of(const struct tw_rules *rules, unsigned int rule, const uint16_t *id)
{
	const struct tw_bound *bound = rules->rules[rule].bound;

	return id ? tw_bound__root(bound, *id) : bound->unknown;
}

/* Make the chain for an event id (NULL: for unknown ids), from its last link to its first. @ret: as `to` of struct tw_chain_range */
static int make_chain(struct tw_chains *c, const struct tw_rules *rules, const uint16_t *id, uint32_t *ret)
{
	unsigned int n = 0;
	uint32_t to;
	int err = 0;

	while (n < rules->n && tree_of(rules, n, id)->kind != TW_NODE_TRUE)
		n++;
	to = TW_TO_ROW | n;
	while (n-- && !err) {
		const struct tw_node *root = tree_of(rules, n, id);

		if (root->kind != TW_NODE_FALSE)
			err = add_link(c,
				       (struct tw_chain_link){ .root = root,
							       .hash = hash_of(root),
							       .matched = TW_TO_ROW | n,
							       .next = to },
				       &to);
	}
	*ret = to;
	return err;
}

static void add_range(struct tw_chains *c, uint32_t first, uint32_t to)
{
	if (c->n_ranges && c->ranges[c->n_ranges - 1].first == first)
		c->n_ranges--;
	if (!c->n_ranges || c->ranges[c->n_ranges - 1].to != to)
		c->ranges[c->n_ranges++] = (struct tw_chain_range){ first, to };
}

static int make_ranges(struct tw_chains *c, const struct tw_rules *rules)
{
	const struct tw_bound *bound = rules->n ? rules->rules[0].bound : NULL;
	uint32_t unknown, to;
	int err = make_chain(c, rules, NULL, &unknown);

	if (err)
		return err;
	add_range(c, 0, unknown);
	for (size_t i = 0; bound && i < bound->n_events; i++) {
		err = make_chain(c, rules, &bound->events[i].format->id, &to);
		if (err)
			return err;
		add_range(c, bound->events[i].format->id, to);
		add_range(c, bound->events[i].format->id + 1u, unknown);
	}
	if (c->ranges[c->n_ranges - 1].first > UINT16_MAX)
		c->n_ranges--;
	return 0;
}

int tw_chains__make(const struct tw_rules *rules, struct tw_chains *ret)
{
	const size_t ranges = rules->n ? 2 * rules->rules[0].bound->n_events + 1 : 1;
	struct tw_chains c = { 0 };
	int err = -ENOMEM;

	c.table = calloc(TW_CHAINS_TABLE, sizeof(*c.table));
	c.links = calloc(TW_BPF_INSNS_MAX, sizeof(*c.links));
	c.ranges = calloc(ranges, sizeof(*c.ranges));
	if (c.table && c.links && c.ranges)
		err = make_ranges(&c, rules);
	if (err)
		tw_chains__fini(&c);
	else
		*ret = c;
	return err;
}

void tw_chains__fini(struct tw_chains *chains)
{
	free(chains->table);
	free(chains->links);
	free(chains->ranges);
	*chains = (struct tw_chains){ 0 };
}

/* Generating the code that finds the chain of an event's id, and evaluates its links. */

#define SINGLES_MAX 8  /* largest number of ids that are compared one by one; more ids need a binary search */
#define SEARCH_MAX  18 /* size of the stack of search(); enough for 65536 ids */

/*
 * The labels of the link with index 0; those of link i are entry + i and test + i. A chain begins at the `entry` of its first link. The
 * code there checks that the packet is long enough, and continues at `test`. Branches of other links jump to the `test` of a link.
 */
struct link_labels {
	tw_label entry, test;
};

/* Ranges that are still to be searched. */
struct id_span {
	uint32_t low, high; /* indexes of the first and the last range */
	tw_label label;     /* beginning of the code for these ranges; TW_NO_LABEL = the next instruction */
};

static tw_label goal(const struct tw_gen *g, tw_label links, uint32_t to)
{
	return to & TW_TO_ROW ? g->rows[to & ~TW_TO_ROW] : links + to;
}

static uint32_t ids_in(const struct tw_chains *c, uint32_t i)
{
	const uint32_t end = i + 1 < c->n_ranges ? c->ranges[i + 1].first : UINT16_MAX + 1u;

	return end - c->ranges[i].first;
}

/* Return: the target that most ids have. The loops are short, because this function is called only for few ranges. */
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

/*
 * If at most SINGLES_MAX ids have another target than most ids have, compare these few ids one by one. Return: false if more ids have
 * another target, or if several adjacent ids have the same other target.
 */
static bool compare_singles(struct tw_gen *g, tw_label entry)
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

static void search(struct tw_gen *g, tw_label entry)
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

static void emit_links(struct tw_gen *g, const struct tw_bpf_access *access, const struct link_labels *labels)
{
	const bool checks_once = !access->checks_each && access->too_short != TW_NO_LABEL;
	struct tw_asm *a = &g->a;

	for (uint32_t i = g->chains.n_links; i--;) {
		const struct tw_chain_link *link = &g->chains.links[i];

		tw_asm__place(a, labels->entry + i);
		/* Check once, before the tests of a chain, that the packet has the bytes that they read. The verifier requires this. */
		if (checks_once && link->extent > sizeof(struct tw_event))
			tw_gen__expect_bytes(a, TW_REG_FRAME, TW_TLV0 + (int32_t)link->extent, access->too_short);
		tw_asm__jump(a, labels->test + i);
		tw_asm__place(a, labels->test + i);
		tw_tree__emit(a, link->root, access, goal(g, labels->test, link->matched),
			      goal(g, labels->test, link->next));
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
	struct link_labels labels;

	for (unsigned int i = 0; i <= g->rules->n; i++)
		g->rows[i] = tw_asm__label(&g->a);
	labels.entry = tw_asm__labels(&g->a, n);
	labels.test = tw_asm__labels(&g->a, n);
	g->a.known = sizeof(struct tw_event);
	if (!g->a.err && !compare_singles(g, labels.entry))
		search(g, labels.entry);
	emit_links(g, &access, &labels);
}
