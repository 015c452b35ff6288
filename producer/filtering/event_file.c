/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/event_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/tracing_dir.h"

/* Parentheses and quotes that do not match are counted first; that answers -1, -2 or -3, which mean nothing as errors. */
static bool is_refusal(int rc)
{
	return rc == -EINVAL || rc == -EPERM || rc == -ENOENT || rc == -ESRCH;
}

/* The kernel leaves its complaint, with a caret, in the filter file. @err is of the write. */
static int refused(const struct tw_instance *instance, const char *file, const char *filter, int rc,
		   struct tw_error *err)
{
	char dir[512], *text = NULL, *caret;

	tw_instance__path(instance, ".", dir, sizeof(dir));
	if (tw_tracing_file__read(dir, file, &text, NULL) || !(caret = strstr(text, "parse_error: "))) {
		free(text);
		if (rc != -EINVAL)
			return rc;
		return tw_error__set(err, -EINVAL,
				     "the kernel refuses the filter '%s' for %s: see 'tracewire list -v' for "
				     "the event's fields",
				     filter, file);
	}
	caret += strlen("parse_error: ");
	tw_error__set(err, -EINVAL, "the kernel refuses the filter '%s' at column %d (%s): %.*s", filter,
		      (int)strspn(strchr(text, '\n') ? strchr(text, '\n') + 1 : text, " ") + 1, file,
		      (int)strcspn(caret, "\n"), caret);
	free(text);
	return -EINVAL;
}

int tw_event_file__filter(const struct tw_instance *instance, const struct tw_event_name *event, const char *filter,
			  struct tw_error *err)
{
	char file[512];
	int rc;

	snprintf(file, sizeof(file), "events/%s/%s/filter", event->system, event->name);
	rc = tw_instance__write(instance, file, filter ? filter : "0", err);
	return is_refusal(rc) ? refused(instance, file, filter ? filter : "0", rc, err) : rc;
}

bool tw_event_file__has_filter(const struct tw_instance *instance, const struct tw_event_name *event,
			       const char *filter)
{
	const char *wanted = filter ? filter : "none";
	char dir[512], file[512], *text;
	bool same;

	tw_instance__path(instance, ".", dir, sizeof(dir));
	snprintf(file, sizeof(file), "events/%s/%s/filter", event->system, event->name);
	if (tw_tracing_file__read(dir, file, &text, NULL))
		return false;
	same = strlen(text) == strlen(wanted) + 1 && !strncmp(text, wanted, strlen(wanted));
	free(text);
	return same;
}

int tw_event_file__enable(const struct tw_instance *instance, const struct tw_event_name *event, struct tw_error *err)
{
	char file[512];

	snprintf(file, sizeof(file), "events/%s/%s/enable", event->system, event->name);
	return tw_instance__write(instance, file, "1", err);
}
