/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/pushdown.h"

#include <errno.h>

#include "filter/arena.h"

enum { WHOLE, PART, REST };

int pushdown__init(struct pushdown *p, const struct tw_bound *bound, uint16_t id, enum tw_back_end back_end)
{
	const struct tw_node *root = tw_bound__root(bound, id);
	int error = -ENOMEM;

	*p = (struct pushdown){ .arena = tw_arena__new(TW_FILTER_MEMORY_MAX) };
	if (!p->arena)
		return -ENOMEM;
	p->roots[WHOLE] = root;
	p->roots[PART] = tw_node__weaken(root, back_end, p->arena, &p->is_exact);
	p->roots[REST] = tw_node__rest(root, back_end, p->arena);
	if (p->roots[PART] && p->roots[REST])
		error = 0;
	for (int i = 0; !error && i < 3; i++) {
		p->bounds[i] = (struct tw_bound){ .options = bound->options, .arena = p->arena };
		p->bounds[i].unknown = p->roots[i];
		error = tw_bound__prepare(&p->bounds[i], NULL);
	}
	if (error)
		tw_arena__free(p->arena);
	return error;
}

void pushdown__fini(struct pushdown *p)
{
	tw_arena__free(p->arena);
}

bool pushdown__holds(const struct pushdown *p, const struct tw_filter_event *event)
{
	const bool whole = tw_bound__matches(&p->bounds[WHOLE], event);
	const bool part = tw_bound__matches(&p->bounds[PART], event);
	const bool rest = tw_bound__matches(&p->bounds[REST], event);

	return (part || !whole) && (part && rest) == whole && (!p->is_exact || part == whole);
}
