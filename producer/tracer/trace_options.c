/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/trace_options.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "producer/tracer/kept_settings.h"
#include "producer/tracer/top_file.h"
#include "producer/tracing_dir.h"

#define NAME_SIZE 128

struct option {
	char file[NAME_SIZE]; /* "options/NAME" */
	bool on;
};

static int unknown(const struct tw_instance *instance, const char *word, struct tw_error *err)
{
	char path[PATH_MAX], best[NAME_SIZE] = "";
	struct tw_nearest nearest;
	struct dirent *entry;
	DIR *dir = opendir(tw_instance__path(instance, "options", path, sizeof(path)));

	tw_nearest__init(&nearest, !strncmp(word, "no", 2) ? word + 2 : word);
	while (dir && (entry = readdir(dir))) {
		tw_nearest__offer(&nearest, entry->d_name[0] == '.' ? NULL : entry->d_name);
		if (nearest.best == entry->d_name) { /* which the next entry overwrites */
			snprintf(best, sizeof(best), "%.*s", (int)sizeof(best) - 1, entry->d_name);
			nearest.best = best;
		}
	}
	if (dir)
		closedir(dir);
	if (*best)
		return tw_error__set(err, -ENOENT, "no trace option '%s'; did you mean %s%s?", word,
				     strncmp(word, "no", 2) ? "" : "no", best);
	return tw_error__set(err, -ENOENT,
			     "no trace option '%s'; `tracewire list --options` shows what this kernel has", word);
}

static bool has_option(const struct tw_instance *instance, const char *name, size_t len, struct option *ret)
{
	if (!len || len > NAME_SIZE - sizeof("options/") || memchr(name, '/', len) || *name == '.')
		return false;
	snprintf(ret->file, sizeof(ret->file), "options/%.*s", (int)len, name);
	return tw_instance__has(instance, ret->file);
}

static int find(const struct tw_instance *instance, const char *word, struct option *ret, struct tw_error *err)
{
	const char *value = strchr(word, '=');

	if (value && strcmp(value, "=0") != 0 && strcmp(value, "=1") != 0)
		return tw_error__set(err, -EINVAL, "trace option '%s' has another value than 0 or 1", word);
	ret->on = !value || value[1] == '1';
	if (has_option(instance, word, strcspn(word, "="), ret))
		return 0;
	ret->on = false;
	if (!value && !strncmp(word, "no", 2) && has_option(instance, word + 2, strlen(word + 2), ret))
		return 0;
	return unknown(instance, word, err);
}

static bool is_on(const struct tw_instance *instance, const char *file)
{
	char dir[PATH_MAX], *text;
	bool on;

	if (tw_tracing_file__read(tw_instance__path(instance, ".", dir, sizeof(dir)), file, &text, NULL))
		return false;
	on = *text == '1';
	free(text);
	return on;
}

static bool is_on_at_top(const char *file)
{
	char *text = tw_top_file__read(file);
	const bool on = text && *text == '1';

	free(text);
	return on;
}

static int note(struct tw_trace_options *options, const struct option *option, struct tw_error *err)
{
	struct tw_changed_option *changed = reallocarray(options->changed, options->n + 1, sizeof(*changed));

	if (!changed)
		return tw_error__set(err, -ENOMEM, "out of memory");
	options->changed = changed;
	changed[options->n] = (struct tw_changed_option){ strdup(option->file), option->on };
	if (!changed[options->n].file)
		return tw_error__set(err, -ENOMEM, "out of memory");
	options->n++;
	return 0;
}

static int set(const struct tw_instance *instance, const char *word, struct tw_trace_options *options,
	       struct tw_error *err)
{
	struct option option = { 0 };
	int rc = find(instance, word, &option, err);
	bool top;

	if (rc || is_on(instance, option.file) == option.on)
		return rc;
	if (!strcmp(option.file, "options/disable_on_free"))
		return tw_error__set(
			err, -EINVAL,
			"trace option '%s' cannot be given: with it a killed run would go on in the kernel", word);
	top = is_on_at_top(option.file);
	rc = tw_instance__write(instance, option.file, option.on ? "1" : "0", NULL);
	if (rc)
		return tw_error__set(err, -EINVAL, "the kernel refuses trace option '%s': %s", word, strerror(-rc));
	rc = note(options, &option, err);
	if (!rc && is_on_at_top(option.file) != top)
		rc = tw_kept_options__remember(tw_instance__name(instance), option.file, top, err);
	return rc;
}

int tw_trace_options__set(const struct tw_instance *instance, const struct tw_words *words,
			  struct tw_trace_options *ret, struct tw_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < words->n && !rc; i++)
		rc = set(instance, words->items[i], ret, err);
	return rc;
}

void tw_trace_options__undo(const struct tw_instance *instance, struct tw_trace_options *options)
{
	if (!options->n)
		return;
	while (options->n) {
		const struct tw_changed_option *option = &options->changed[--options->n];

		if (is_on(instance, option->file) == option->on)
			tw_instance__write(instance, option->file, option->on ? "0" : "1", NULL);
		free(option->file);
	}
	free(options->changed);
	options->changed = NULL;
	tw_kept_options__forget(tw_instance__name(instance));
}
