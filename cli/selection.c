/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/selection.h"

#include <errno.h>
#include <stdlib.h>

int cli_selection__add(void *data, const char *spec, struct tw_error *error)
{
	struct cli_selection *selection = data;
	struct tw_event_request *items = reallocarray(selection->items, selection->n + 1, sizeof(*items));

	if (!items)
		return tw_error__set(error, -ENOMEM, "no memory for event '%s'", spec);
	selection->items = items;
	items[selection->n++] = (struct tw_event_request){ .spec = spec };
	return 0;
}

int cli_selection__filter(void *data, const char *filter, struct tw_error *error)
{
	struct cli_selection *selection = data;

	if (selection->n_filtered == selection->n)
		return tw_error__set(error, -EINVAL, "--event-filter '%s' must follow the --event that it filters",
				     filter);
	while (selection->n_filtered < selection->n)
		selection->items[selection->n_filtered++].filter = filter;
	return 0;
}

int cli_selection__resolve(const struct cli_selection *selection, const struct tw_event_list *all,
			   struct tw_event_list *list, struct tw_error *error)
{
	for (size_t i = 0; i < selection->n; i++) {
		const int err = tw_event_list__select(list, all, selection->items[i].spec, error);

		if (err)
			return err;
	}
	return 0;
}

void cli_selection__fini(void *data)
{
	struct cli_selection *selection = data;

	free(selection->items);
	*selection = (struct cli_selection){ 0 };
}
