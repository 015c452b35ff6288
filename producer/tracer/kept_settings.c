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

int tw_kept_settings__remember(const char *mark, struct tw_error *err)
{
	char path[PATH_MAX];
	FILE *file;
	bool failed;

	memory_path(mark, path);
	mkdir(MEMORY_DIR, 0700);
	file = fopen(path, "we");
	if (!file)
		return tw_error__set(err, -errno, "%s cannot be written, to remember what is set in the kernel: %s",
				     path, strerror(errno));
	write_memory(file);
	failed = ferror(file);
	if (fclose(file) || failed)
		return tw_error__set(err, -EIO, "%s cannot be written, to remember what is set in the kernel", path);
	return 0;
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
	unlink(path);
	rmdir(MEMORY_DIR);
}
