/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/kept_settings.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "producer/tracer/top_file.h"

#define MEMORY_DIR "/run/tracewire" /* a file for each mark: what was set before */

/* What is set back to what it was, or where that is not known to what the kernel begins with; in this order. */
static const struct {
	const char *file, *initial; /* NULL: left as it is */
} settings[] = {
	{ "trace_clock", "local" },
	{ "buffer_subbuf_size_kb", NULL },
	{ "buffer_size_kb", "1408" },
	{ "buffer_percent", "50" },
	{ "tracing_cpumask", NULL },
	{ "options/event-fork", "0" },
	{ "options/record-cmd", "1" },
	{ "options/function-fork", "0" },
	{ "options/disable_on_free", "0" },
	{ "options/stacktrace", "0" },
	{ "tracing_on", "1" },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* One word: the clock in brackets; for a ring that has not been used yet, the size that it will have. */
static char *setting_of(char *text)
{
	char *from = strchr(text, '[');

	if (!from)
		from = strstr(text, "expanded: ");
	from = !from ? text : *from == '[' ? from + 1 : from + strlen("expanded: ");
	from[strcspn(from, "]) \n")] = '\0';
	return from;
}

static void memory_path(const char *mark, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, MEMORY_DIR "/%s", mark);
}

/* A line a setting, "FILE VALUE"; the options as trace_options has them. */
static void write_memory(FILE *file)
{
	char *text, *save;

	for (size_t i = 0; i < SETTINGS; i++) {
		text = tw_top_file__read(settings[i].file);
		if (text)
			fprintf(file, "%s %s\n", settings[i].file, setting_of(text));
		free(text);
	}
	text = tw_top_file__read("trace_options");
	for (char *word = text ? strtok_r(text, "\n", &save) : NULL; word; word = strtok_r(NULL, "\n", &save))
		fprintf(file, "trace_options %s\n", word);
	free(text);
}

static FILE *open_memory(const char *name, const char *mode, struct tw_error *err)
{
	char path[PATH_MAX];
	FILE *file;

	memory_path(name, path);
	mkdir(MEMORY_DIR, 0700);
	file = fopen(path, mode);
	if (!file)
		tw_error__set(err, -errno, "%s cannot be written, to remember what is set in the kernel: %s", path,
			      strerror(errno));
	return file;
}

static int close_memory(FILE *file, struct tw_error *err)
{
	const bool failed = ferror(file);

	if (fclose(file) || failed)
		return tw_error__set(err, -EIO,
				     "nothing can be written to " MEMORY_DIR ", to remember what is set in the kernel");
	return 0;
}

static void remove_memory(const char *name)
{
	char path[PATH_MAX];

	memory_path(name, path);
	if (!unlink(path))
		rmdir(MEMORY_DIR);
}

int tw_kept_settings__remember(const char *mark, struct tw_error *err)
{
	FILE *file = open_memory(mark, "we", err);

	if (!file)
		return -EIO;
	write_memory(file);
	return close_memory(file, err);
}

static bool is_setting(const char *file)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (!strcmp(file, settings[i].file))
			return true;
	return !strcmp(file, "trace_options");
}

/* Tracing is switched on again last, as the last line of the settings says. */
static void put_back(FILE *memory)
{
	char line[256], file[64], value[128], tracing_on[16] = "1";

	while (fgets(line, sizeof(line), memory)) {
		if (sscanf(line, "%63s %127s", file, value) != 2 || !is_setting(file))
			continue;
		if (!strcmp(file, "tracing_on"))
			snprintf(tracing_on, sizeof(tracing_on), "%.15s", value);
		else
			tw_top_file__put(file, value);
	}
	tw_top_file__put("tracing_on", tracing_on);
}

static void put_initial(void)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (settings[i].initial)
			tw_top_file__put(settings[i].file, settings[i].initial);
}

void tw_kept_settings__put_back(const char *mark)
{
	char path[PATH_MAX];
	FILE *memory;

	memory_path(mark, path);
	memory = fopen(path, "re");
	if (!memory) {
		put_initial();
		return;
	}
	put_back(memory);
	fclose(memory);
	remove_memory(mark);
}

/* Beside the file of a mark. */
static const char *options_name(const char *instance, char name[NAME_MAX])
{
	snprintf(name, NAME_MAX, "%.200s.options", instance);
	return name;
}

int tw_kept_options__remember(const char *instance, const char *option, bool was_on, struct tw_error *err)
{
	char name[NAME_MAX];
	FILE *file = open_memory(options_name(instance, name), "ae", err);

	if (!file)
		return -EIO;
	fprintf(file, "%s %d\n", option, was_on);
	return close_memory(file, err);
}

void tw_kept_options__forget(const char *instance)
{
	char name[NAME_MAX];

	remove_memory(options_name(instance, name));
}

void tw_kept_options__put_back(const char *instance)
{
	char path[PATH_MAX], line[256], name[NAME_MAX], option[128], file[140], value[2];
	FILE *memory;

	memory_path(options_name(instance, name), path);
	memory = fopen(path, "re");
	if (!memory)
		return;
	while (fgets(line, sizeof(line), memory)) {
		if (sscanf(line, "options/%127[^/ ] %1[01]", option, value) != 2)
			continue;
		snprintf(file, sizeof(file), "options/%s", option);
		tw_top_file__put(file, value);
	}
	fclose(memory);
	remove_memory(name);
}
