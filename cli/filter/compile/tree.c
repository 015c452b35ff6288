/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bound filter as text: what is asked of each event, with the fields and numbers that names have become. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cli/filter/compile/targets.h"
#include "cli/filter/event_groups.h"
#include "cli/say.h"
#include "filter/describe.h"

#define TEXT_MAX    (256u << 10) /* bytes of one event's tree */
#define NAMES_WIDTH 76           /* of events that have the same */
#define NAMES_MAX   512
#define NONE        "none can match"

static void put_place(struct tw_line *line, const struct tw_field *field)
{
	tw_line__str(line, "   (");
	tw_line__str(line, field->type);
	tw_line__str(line, " at ");
	tw_line__u64(line, field->offset);
	tw_line__char(line, ')');
}

static void put_leaf(struct tw_line *line, const struct tw_node *node)
{
	if (node->kind != TW_NODE_TEST) {
		tw_line__str(line, node->kind == TW_NODE_TRUE ? "every one matches" : NONE);
		return;
	}
	if (node->negated)
		tw_line__str(line, "not ");
	tw_test__describe(node->test, line);
	if (node->test->op == TW_TEST_EXISTS)
		tw_line__str(line, " is there");
	if (node->test->field)
		put_place(line, node->test->field);
}

static void put_tree(struct tw_line *line, const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	unsigned int depth = 1;
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		depth -= at == TW_WALK_CLOSE;
		if (at != TW_WALK_OPEN && at != TW_WALK_LEAF)
			continue;
		tw_line__fill(line, ' ', (size_t)depth * 2);
		if (at == TW_WALK_LEAF)
			put_leaf(line, walk.node);
		else
			tw_line__str(line, walk.node->kind == TW_NODE_AND ? "all of" : "one of");
		tw_printable__layout(line, "\n");
		depth += at == TW_WALK_OPEN;
	}
}

static int add_event(struct event_groups *groups, const struct tw_bound_event *event, char *buf, struct tw_error *err)
{
	struct tw_line line = tw_line__of(buf, TEXT_MAX, TW_LINE_TEXT);

	put_tree(&line, event->root);
	if (line.cut)
		return tw_error__set(err, -E2BIG, "what is asked of %s:%s takes more than %u bytes of text",
				     event->format->system, event->format->name, TEXT_MAX);
	if (event_groups__add(groups, buf, tw_line__len(&line), event->format))
		return tw_error__set(err, -ENOMEM, "out of memory");
	return 0;
}

static void print_group(const struct event_groups *groups, const struct event_group *group, FILE *out)
{
	char names[NAMES_MAX];
	struct tw_line line = tw_line__on(names, sizeof(names));

	event_groups__names(groups, group, NAMES_WIDTH, &line);
	say(out, "%.*s\n", (int)tw_line__len(&line), names);
	fputs(group->text, out);
}

/* Those that cannot match come last: they are the most, and the least of interest. */
static void print_groups(const struct event_groups *groups, FILE *out)
{
	for (int never = 0; never < 2; never++)
		for (size_t i = 0; i < groups->n; i++)
			if ((strcmp(groups->items[i].text, "  " NONE "\n") == 0) == never)
				print_group(groups, &groups->items[i], out);
}

static void print_unknown(const struct tw_bound *bound, char *buf, FILE *out)
{
	struct tw_line line = tw_line__of(buf, TEXT_MAX, TW_LINE_TEXT);

	put_tree(&line, bound->unknown);
	fprintf(out, "events of other formats\n%.*s", (int)tw_line__len(&line), buf);
}

int filter_tree__print(const struct filter_expression *expression, const struct filter_classifier *classifier,
		       FILE *out, struct tw_error *err)
{
	struct event_groups groups = { .schema = expression->formats.schema };
	const struct tw_bound *bound = expression->bound;
	char *buf = malloc(TEXT_MAX);
	int error = buf ? 0 : tw_error__set(err, -ENOMEM, "out of memory");

	(void)classifier;
	for (size_t i = 0; i < bound->n_events && !error; i++)
		error = add_event(&groups, &bound->events[i], buf, err);
	if (!error) {
		print_groups(&groups, out);
		print_unknown(bound, buf, out);
	}
	event_groups__fini(&groups);
	free(buf);
	return error;
}
