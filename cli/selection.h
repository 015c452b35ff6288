/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of -e and --event-filter: first member of the configs of `live`, `record`, `stream`, `list` and three `filter` commands. */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include "producer/events.h"
#include "producer/producer.h"

struct cli_selection {
	struct tw_event_request *items; /* their texts are borrowed from the command line */
	size_t n;
	size_t n_filtered; /* number of items that already have an --event-filter */
};

/** cli_selection__add() - add a specification, from -e or an argument; @selection is a struct cli_selection. Return: 0 or -ENOMEM */
int cli_selection__add(void *selection, const char *spec, struct tw_error *error);

/** cli_selection__filter() - set the tracefs filter of all items that have none yet. Return: 0; -EINVAL if there is no such item */
int cli_selection__filter(void *selection, const char *filter, struct tw_error *error);

/** cli_selection__resolve() - append the events that the items select to @list, as tw_event_list__select() does */
int cli_selection__resolve(const struct cli_selection *selection, const struct tw_event_list *all,
			   struct tw_event_list *list, struct tw_error *error);

/** cli_selection__fini() - free the items; @selection is a struct cli_selection */
void cli_selection__fini(void *selection);

#endif
