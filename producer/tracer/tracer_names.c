/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/tracer_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

bool tw_tracer_names__has(const char *text, const char *word)
{
	const size_t len = strlen(word);

	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		const size_t here = strcspn(text, " \n");

		if (here == len && !strncmp(text, word, len))
			return true;
		text += here;
	}
	return false;
}

int tw_tracer_names__unknown(const char *available, const char *tracer, struct tw_error *err)
{
	char *names = strdup(available), *save;
	struct tw_nearest nearest;
	int rc;

	if (!names)
		return tw_error__set(err, -ENOMEM, "out of memory");
	if (!strncmp(tracer, "function", strlen("function")) && !tw_tracer_names__has(available, "function")) {
		rc = tw_error__set(err, -ENOENT,
				   "this kernel is built without the function tracer: events work, functions need one "
				   "with CONFIG_FUNCTION_TRACER");
		free(names);
		return rc;
	}
	tw_nearest__init(&nearest, tracer);
	for (char *name = strtok_r(names, " \n", &save); name; name = strtok_r(NULL, " \n", &save))
		tw_nearest__offer(&nearest, name);
	if (nearest.best)
		rc = tw_error__set(err, -ENOENT, "no tracer '%s'; did you mean %s?", tracer, nearest.best);
	else
		rc = tw_error__set(err, -ENOENT, "no tracer '%s'; this kernel has: %.*s", tracer,
				   (int)strcspn(available, "\n"), available);
	free(names);
	return rc;
}
