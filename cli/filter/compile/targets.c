/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/compile/targets.h"

#include <errno.h>
#include <string.h>

#include "base/line.h"
#include "base/nearest.h"

const struct filter_target filter_targets[] = {
	{ "tracefs", filter_tracefs__print }, { "xdp", filter_xdp__print },
	{ "tc", filter_tc__print },           { "u32", filter_u32__print },
	{ "pcap", filter_pcap__print },       { "display", filter_display__print },
	{ "tree", filter_tree__print },       { 0 },
};

static void put_names(struct tw_line *line)
{
	for (const struct filter_target *target = filter_targets; target->name; target++) {
		if (target != filter_targets)
			tw_line__str(line, target[1].name ? ", " : " and ");
		tw_line__str(line, target->name);
	}
	tw_line__char(line, '\0');
}

const struct filter_target *filter_target__find(const char *name, struct tw_error *err)
{
	char names[128];
	struct tw_line line = tw_line__on(names, sizeof(names));
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, name ? name : "");
	for (const struct filter_target *target = filter_targets; name && target->name; target++) {
		if (!strcmp(target->name, name))
			return target;
		tw_nearest__offer(&nearest, target->name);
	}
	put_names(&line);
	if (!name)
		tw_error__set(err, -EINVAL, "no target is given: name one with --to; there are %s", names);
	else if (nearest.best)
		tw_error__set(err, -EINVAL, "there is no target '%s'; did you mean %s?", name, nearest.best);
	else
		tw_error__set(err, -EINVAL, "there is no target '%s'; there are %s", name, names);
	return NULL;
}
