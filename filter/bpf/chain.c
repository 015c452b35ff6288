/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/chain.h"

#include <errno.h>
#include <stdlib.h>

#include "filter/bpf/program.h"
#include "filter/bpf/shape.h"
#include "filter/bpf/way.h"

#define EMPTY UINT32_MAX

static bool same_link(const struct tw_chain_link *a, const struct tw_chain_link *b)
{
	return a->hash == b->hash && a->matched == b->matched && a->next == b->next &&
	       tw_shape__equal(a->root, b->root);
}

/* Return: the slot that has the link, or the one where it belongs. */
static uint32_t *find_slot(const struct tw_chains *c, const struct tw_chain_link *link)
{
	uint32_t i = (uint32_t)link->hash & (c->table_size - 1);

	while (c->table[i] != EMPTY && !same_link(&c->links[c->table[i]], link))
		i = (i + 1) & (c->table_size - 1);
	return &c->table[i];
}

/* The table is twice as large as all links that may be. */
static int make_table(struct tw_chains *c)
{
	c->table_size = 1;
	while (c->table_size < 2 * TW_BPF_INSNS_MAX)
		c->table_size *= 2;
	c->table = malloc(c->table_size * sizeof(*c->table));
	if (!c->table)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->table_size; i++)
		c->table[i] = EMPTY;
	return 0;
}

/* How far the tests of a tree look. */
static uint32_t extent_of(const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	uint32_t extent = 0, end;
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		if (at != TW_WALK_LEAF)
			continue;
		end = tw_test__extent(walk.node->test);
		if (end > extent)
			extent = end;
	}
	return extent;
}

static int add_link(struct tw_chains *c, struct tw_chain_link link, uint32_t *ret)
{
	uint32_t *slot = find_slot(c, &link);

	if (*slot == EMPTY) {
		if (c->n_links == TW_BPF_INSNS_MAX)
			return -E2BIG;
		link.extent = extent_of(link.root);
		if (!(link.next & TW_TO_ROW) && c->links[link.next].extent > link.extent)
			link.extent = c->links[link.next].extent;
		if (link.extent > c->extent)
			c->extent = link.extent;
		c->links[c->n_links] = link;
		*slot = c->n_links++;
	}
	*ret = *slot;
	return 0;
}

static const struct tw_node *tree_of(const struct tw_rules *rules, unsigned int rule, const uint16_t *id)
{
	const struct tw_bound *bound = rules->rules[rule].bound;

	return id ? tw_bound__root(bound, *id) : bound->unknown;
}

/* The chain of an event, or, without an id, of those that the schema does not have. From its end backwards. */
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
							       .hash = tw_shape__hash(root),
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
	int err = make_table(&c);

	c.links = calloc(TW_BPF_INSNS_MAX, sizeof(*c.links));
	c.ranges = calloc(ranges, sizeof(*c.ranges));
	if (!c.links || !c.ranges)
		err = -ENOMEM;
	if (!err)
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
