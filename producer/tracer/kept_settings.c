/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/kept_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "producer/tracer/top_file.h"

#define MEMORY_DIR "/run/tracewire" /* a file for each mark */
#define LIST       "list"           /* in place of what was there before */
#define HASH_TEXT  17

/* A file of the top level that the run wrote. */
struct kept {
	char *file, *before, *now;
	bool ours; /* it is as we left it */
};

struct kept_files {
	struct kept *items;
	size_t n;
};

static void memory_path(const char *mark, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, MEMORY_DIR "/%s", mark);
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

int tw_kept_settings__begin(const char *mark, struct tw_error *err)
{
	FILE *file = open_memory(mark, "we", err);

	return file ? close_memory(file, err) : -EIO;
}

void tw_kept_settings__forget(const char *mark)
{
	remove_memory(mark);
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* What is set: the clock in brackets; for a ring that has not been used yet, the size that it will have; else the first line. */
static char *setting_of(const char *file, char *text)
{
	char *from = NULL;

	if (!strcmp(file, "trace_clock") && (from = strchr(text, '[')))
		from++;
	else if (starts_with(file, "buffer_") && (from = strstr(text, "expanded: ")))
		from += strlen("expanded: ");
	if (from)
		from[strcspn(from, "])")] = '\0';
	else
		from = text;
	from[strcspn(from, "\n")] = '\0';
	if (starts_with(file, "events/") && (!strcmp(from, "0*") || !strcmp(from, "1*")))
		from[1] = '\0'; /* a trigger has it, too */
	return from;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 1099511628211u;
	return hash;
}

/* A list may have tens of thousands of lines: their hash stands for them. */
static char *list_of(const char *text)
{
	char hash[HASH_TEXT] = LIST;

	if (!tw_top_file__is_empty(text))
		snprintf(hash, sizeof(hash), "%016" PRIx64, hash_of(text));
	return strdup(hash);
}

/* What the file says now, as notes have it; free(); NULL if there is no such file. */
static char *read_now(const char *file, bool is_list)
{
	char *text = tw_top_file__read(file);
	char *now = !text ? NULL : is_list ? list_of(text) : strdup(setting_of(file, text));

	free(text);
	return now;
}

/* A line a note: "FILE<tab>BEFORE<tab>LEFT". */
static int write_note(const char *mark, const char *file, const char *before, const char *left, struct tw_error *err)
{
	FILE *memory = open_memory(mark, "ae", err);

	if (!memory)
		return -EIO;
	fprintf(memory, "%s\t%s\t%s\n", file, before, left);
	return close_memory(memory, err);
}

int tw_kept_settings__note(const char *mark, const char *file, const char *value, struct tw_error *err)
{
	char *now = read_now(file, false);
	int rc = 0;

	if (now)
		rc = write_note(mark, file, now, value ? value : now, err);
	free(now);
	return rc;
}

int tw_kept_settings__note_list(const char *mark, const char *file, bool left, struct tw_error *err)
{
	char *now = left ? read_now(file, true) : NULL;
	int rc = 0;

	if (now || !left)
		rc = write_note(mark, file, LIST, left ? now : "", err);
	free(now);
	return rc;
}

static bool is_list(const struct kept *kept)
{
	return !strcmp(kept->before, LIST);
}

/* Processes that fork and end change such a list without anybody's doing: what is in it cannot be compared. */
static bool is_list_of_pids(const struct kept *kept)
{
	const size_t len = strlen(kept->file);

	return is_list(kept) && len > 4 && !strcmp(kept->file + len - 4, "_pid");
}

/* Tracing was off when we left: if it is on, somebody else has switched it on and uses it. */
static bool is_changed(const struct kept *kept)
{
	if (kept->now && !strcmp(kept->file, "tracing_on"))
		return strcmp(kept->now, "0") != 0;
	return kept->now && strcmp(kept->now, kept->before) != 0 && !kept->ours && !is_list_of_pids(kept);
}

/* What is left of a ring that the kernel has freed: two sub-buffers. */
static bool is_freed(const char *kib)
{
	char *text = tw_top_file__read("buffer_subbuf_size_kb");
	const unsigned long subbuf = text ? strtoul(text, NULL, 10) : (unsigned long)sysconf(_SC_PAGESIZE) / 1024;

	free(text);
	return strtoul(kib, NULL, 10) <= 2 * subbuf;
}

/* Whatever we wrote, the kernel switches tracing off and frees the ring when free_buffer is closed. */
static bool is_as_closed(const struct kept *kept)
{
	if (!kept->now)
		return false;
	return !strcmp(kept->file, "tracing_on") ? !strcmp(kept->now, "0")
						 : !strcmp(kept->file, "buffer_size_kb") && is_freed(kept->now);
}

static struct kept *add_kept(struct kept_files *files, const char *file, const char *before)
{
	struct kept *items = reallocarray(files->items, files->n + 1, sizeof(*items)), *kept;

	if (!items)
		return NULL;
	files->items = items;
	kept = &items[files->n++];
	*kept = (struct kept){ .file = strdup(file), .before = strdup(before) };
	if (!kept->file || !kept->before)
		return NULL;
	kept->now = read_now(file, is_list(kept));
	kept->ours = is_as_closed(kept);
	return kept;
}

static struct kept *find_kept(struct kept_files *files, const char *file, const char *before)
{
	for (size_t i = files->n; i-- > 0;)
		if (!strcmp(files->items[i].file, file))
			return &files->items[i];
	return add_kept(files, file, before);
}

/* Of the notes about a file the first one says what was there before, and any what we left: the kernel may not have taken the last. */
static int take_note(struct kept_files *files, char *line)
{
	const char *file = strsep(&line, "\t"), *before = strsep(&line, "\t");
	struct kept *kept;

	if (!before || !line || strstr(file, ".."))
		return 0;
	line[strcspn(line, "\n")] = '\0';
	kept = find_kept(files, file, before);
	if (!kept)
		return -ENOMEM;
	if (strcmp(file, "tracing_on") != 0 && kept->now && !strcmp(kept->now, line))
		kept->ours = true;
	return 0;
}

static int read_memory(FILE *memory, struct kept_files *ret)
{
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	while (!rc && getline(&line, &size, memory) > 0)
		rc = take_note(ret, line);
	free(line);
	return rc;
}

static void free_files(struct kept_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->items[i].file);
		free(files->items[i].before);
		free(files->items[i].now);
	}
	free(files->items);
}

/* The order in which they are put back: what records goes first, and tracing is switched on again last. */
static int rank_of(const struct kept *kept)
{
	if (!strcmp(kept->file, "current_tracer"))
		return 0;
	if (starts_with(kept->file, "events/"))
		return 1;
	if (is_list(kept))
		return 2;
	return !strcmp(kept->file, "tracing_on") ? 4 : 3;
}
#define RANKS 5

static void put_back_one(const struct kept *kept)
{
	if (is_list(kept))
		tw_top_file__cut(kept->file);
	else if (strcmp(kept->now, kept->before) != 0)
		tw_top_file__put(kept->file, !strcmp(kept->before, "none") ? "0" : kept->before); /* a filter */
}

/* Whether the run had the buffer, or set_graph_function alone. */
static bool has_buffer(const struct kept_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (!strcmp(files->items[i].file, "tracing_on"))
			return true;
	return false;
}

/* The trace and the lists of pids are only ours if nobody has used the top level since. */
static void put_back_all(const struct kept_files *files, bool used)
{
	if (!used && has_buffer(files))
		tw_top_file__cut("trace");
	for (int rank = 0; rank < RANKS; rank++)
		for (size_t i = 0; i < files->n; i++) {
			const struct kept *kept = &files->items[i];

			if (rank_of(kept) == rank && kept->now && (is_list_of_pids(kept) ? !used : kept->ours))
				put_back_one(kept);
		}
}

/* Return: whether there are any; their names, with commas between, as far as there is room */
static bool name_changed(const struct kept_files *files, char *names, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < files->n; i++)
		if (is_changed(&files->items[i]) && len < size)
			len += (size_t)snprintf(names + len, size - len, "%s%s", len ? ", " : "", files->items[i].file);
	return len;
}

int tw_kept_settings__put_back(const char *mark, struct tw_error *err)
{
	struct kept_files files = { 0 };
	char path[PATH_MAX], names[160];
	FILE *memory;
	bool used;
	int rc;

	memory_path(mark, path);
	memory = fopen(path, "re");
	if (!memory)
		return tw_error__set(
			err, -ENOENT,
			"what it had set at the kernel's top level is not known, as there is no %s: nothing of it is "
			"put back; look at current_tracer, set_event, set_graph_function, buffer_size_kb and tracing_on",
			path);
	rc = read_memory(memory, &files);
	fclose(memory);
	used = name_changed(&files, names, sizeof(names));
	if (!rc)
		put_back_all(&files, used);
	free_files(&files);
	if (rc)
		return tw_error__set(err, rc, "out of memory");
	if (used)
		return tw_error__set(err, -ESTALE, "changed by somebody else since, and left as it is: %s", names);
	remove_memory(mark);
	return 0;
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

/* An option that was changed twice is put back to what it was before the first time. */
static void put_back_options(FILE *memory)
{
	char line[256], option[128], file[140], value[2];
	struct kept_files files = { 0 };

	while (fgets(line, sizeof(line), memory)) {
		if (sscanf(line, "options/%127[^/ ] %1[01]", option, value) != 2)
			continue;
		snprintf(file, sizeof(file), "options/%s", option);
		find_kept(&files, file, value);
	}
	for (size_t i = 0; i < files.n; i++)
		if (files.items[i].now)
			put_back_one(&files.items[i]);
	free_files(&files);
}

void tw_kept_options__put_back(const char *instance)
{
	char path[PATH_MAX], name[NAME_MAX];
	FILE *memory;

	memory_path(options_name(instance, name), path);
	memory = fopen(path, "re");
	if (!memory)
		return;
	put_back_options(memory);
	fclose(memory);
	remove_memory(name);
}
