/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/top_level.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/state_file.h"
#include "producer/tracing_dir.h"

#define LIST      "list" /* in notes: an empty list. Each note about a list has this value as BEFORE */
#define HASH_TEXT 17

/* Lists that are empty while nobody uses the top level. Opening them with O_TRUNC empties them. */
static const char *const lists[] = {
	"set_event",      "set_event_pid",          "set_event_notrace_pid", "set_ftrace_filter", "set_ftrace_notrace",
	"set_ftrace_pid", "set_ftrace_notrace_pid", "set_graph_function",    "set_graph_notrace",
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

/* A file with notes: one or two lines "FILE<tab>BEFORE<tab>LEFT" for each write, where LEFT is the value that the run wrote. */
struct setting_notes {
	struct tw_state_file file;
	char *text;
	size_t len;
};

struct tw_top_level {
	struct tw_instance *mark;
	struct tw_instance *user; /* the instance with the top level's files; NULL = only set_graph_function is taken */
	int free_buffer_fd, lock_fd;
	struct setting_notes notes;
};

struct tw_kept_options {
	struct setting_notes notes;
};

/* A setting that the run changed. */
struct kept_setting {
	char *file, *before, *now;
	bool ours; /* the current value is the one that the run wrote */
};

struct kept_settings {
	struct kept_setting *items;
	size_t n;
};

/* Opens a file of the top level. Return: a descriptor, or -1 with errno set */
static int open_file(const char *file, int flags)
{
	const char *dir;
	char path[PATH_MAX];

	if (tw_tracing_dir__find(&dir, NULL))
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

/* Writes a file of the top level. If this kernel does not have the file, there is nothing to restore. */
static void put(const char *file, const char *text)
{
	const int fd = open_file(file, O_WRONLY);

	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	close(fd);
}

static void cut(const char *file)
{
	const int fd = open_file(file, O_WRONLY | O_TRUNC);

	if (fd >= 0)
		close(fd);
}

char *tw_top_level__read(const char *file)
{
	const char *dir;
	char *text;

	if (tw_tracing_dir__find(&dir, NULL) || tw_tracing_file__read(dir, file, &text, NULL))
		return NULL;
	return text;
}

/* Whether the text of a list contains only what the kernel prints for an empty list. */
static bool is_empty(const char *text)
{
	while (*text) {
		const size_t len = strcspn(text, "\n");

		if (len && *text != '#' && (len != 6 || strncmp(text, "no pid", len) != 0))
			return false;
		text += len + (text[len] != '\0');
	}
	return true;
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool ends_in(const char *name, const char *end)
{
	const size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/*
 * Return: the value of a setting, cut out of the text of its file. For trace_clock: the clock in brackets. For a ring's size: the size
 * after "expanded:", which an unused ring will get. Otherwise: the first line
 */
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
		from[1] = '\0'; /* the kernel appends '*' if a trigger uses the event */
	return from;
}

/*
 * Return: the content of a list in the form that the notes have: LIST if it is empty, otherwise a hash (FNV-1a), because a list may have
 * tens of thousands of lines
 */
static char *list_of(const char *text)
{
	uint64_t hash = 14695981039346656037u;
	char ret[HASH_TEXT] = LIST;

	if (!is_empty(text)) {
		while (*text)
			hash = (hash ^ (uint8_t)*text++) * 1099511628211u;
		snprintf(ret, sizeof(ret), "%016" PRIx64, hash);
	}
	return strdup(ret);
}

/* Reads a file's current value, in the form that the notes have. The caller frees it. Return: NULL if there is no such file */
static char *read_now(const char *file, bool is_list)
{
	char *text = tw_top_level__read(file);
	char *now = !text ? NULL : is_list ? list_of(text) : strdup(setting_of(file, text));

	free(text);
	return now;
}

static int cannot_note(const struct setting_notes *notes, int err, struct tw_error *error)
{
	return tw_error__set(error, err,
			     "%s, the record of the kernel settings that this run changes, cannot be written: %s",
			     notes->file.path, strerror(-err));
}

static int open_notes(struct setting_notes *notes, const char *name, struct tw_error *error)
{
	int err;

	*notes = (struct setting_notes){ .file.fd = -1 };
	err = tw_state_file__lock(name, &notes->file, error);
	if (err)
		return err;
	err = tw_state_file__write(&notes->file, "", 0);
	return err ? cannot_note(notes, err, error) : 0;
}

static int add_note(struct setting_notes *notes, const char *file, const char *before, const char *left,
		    struct tw_error *error)
{
	const size_t more = strlen(file) + strlen(before) + strlen(left) + sizeof("\t\t\n");
	char *text = realloc(notes->text, notes->len + more);
	int err = -ENOMEM;

	if (text) {
		notes->text = text;
		notes->len += (size_t)snprintf(text + notes->len, more, "%s\t%s\t%s\n", file, before, left);
		err = tw_state_file__write(&notes->file, text, notes->len);
	}
	return err ? cannot_note(notes, err, error) : 0;
}

static void close_notes(struct setting_notes *notes)
{
	tw_state_file__close(&notes->file);
	free(notes->text);
}

void tw_top_level__forget(const char *instance)
{
	struct tw_state_file file;

	if (tw_state_file__open(instance, &file))
		return;
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
}

/* Reads notes that an older version of Tracewire wrote: a file with only the text, not in the layout of base/state_file.h. */
static int read_plain(int fd, char **ret)
{
	struct stat st;
	char *text;
	ssize_t len;
	int err;

	if (fstat(fd, &st))
		return -errno;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	len = pread(fd, text, (size_t)st.st_size, 0);
	if (len < 0) {
		err = -errno;
		free(text);
		return err;
	}
	text[len] = '\0';
	*ret = text;
	return 0;
}

static int read_notes(const char *name, char **ret)
{
	struct tw_state_file file;
	int err = tw_state_file__open(name, &file);

	if (err)
		return err;
	err = tw_state_file__read(&file, ret);
	if (err == -ENODATA)
		err = read_plain(file.fd, ret);
	tw_state_file__close(&file);
	return err;
}

static bool is_list(const struct kept_setting *kept)
{
	return !strcmp(kept->before, LIST);
}

/* Whether the file is a list of pids. Tasks that fork and exit change such a list, so its content cannot be compared. */
static bool is_list_of_pids(const struct kept_setting *kept)
{
	return is_list(kept) && ends_in(kept->file, "_pid");
}

/*
 * Whether another process has changed the setting since the run wrote it. When the run ended, tracing was off. If tracing is on now,
 * another process has switched it on.
 */
static bool is_changed(const struct kept_setting *kept)
{
	if (kept->now && !strcmp(kept->file, "tracing_on"))
		return strcmp(kept->now, "0") != 0;
	return kept->now && strcmp(kept->now, kept->before) != 0 && !kept->ours && !is_list_of_pids(kept);
}

/* Whether a ring with this size in KiB is one that the kernel has freed: such a ring has two sub-buffers. */
static bool is_freed(const char *kib)
{
	char *text = tw_top_level__read("buffer_subbuf_size_kb");
	const unsigned long subbuf = text ? strtoul(text, NULL, 10) : (unsigned long)sysconf(_SC_PAGESIZE) / 1024;

	free(text);
	return strtoul(kib, NULL, 10) <= 2 * subbuf;
}

/* Whether the setting has the value that closing free_buffer causes, whatever the run wrote: tracing is off, or the ring is freed. */
static bool is_as_closed(const struct kept_setting *kept)
{
	if (!kept->now)
		return false;
	return !strcmp(kept->file, "tracing_on") ? !strcmp(kept->now, "0")
						 : !strcmp(kept->file, "buffer_size_kb") && is_freed(kept->now);
}

/* Finds the file among the files in the notes that were read so far, or adds it. Return: NULL if there is no memory */
static struct kept_setting *find_kept(struct kept_settings *files, const char *file, const char *before)
{
	struct kept_setting *items, *kept;

	for (size_t i = files->n; i-- > 0;)
		if (!strcmp(files->items[i].file, file))
			return &files->items[i];
	items = reallocarray(files->items, files->n + 1, sizeof(*items));
	if (!items)
		return NULL;
	files->items = items;
	kept = &items[files->n++];
	*kept = (struct kept_setting){ .file = strdup(file), .before = strdup(before) };
	if (!kept->file || !kept->before)
		return NULL;
	kept->now = read_now(file, is_list(kept));
	kept->ours = is_as_closed(kept);
	return kept;
}

/*
 * Reads one line of the notes. A file can have several notes. The first note has the value before the run. Any of the notes can have the
 * value that the run left, because the kernel may have refused the last write.
 */
static int take_note(struct kept_settings *files, char *line)
{
	const char *file = strsep(&line, "\t"), *before = strsep(&line, "\t");
	struct kept_setting *kept;

	if (!before || !line || strstr(file, ".."))
		return 0;
	kept = find_kept(files, file, before);
	if (!kept)
		return -ENOMEM;
	if (strcmp(file, "tracing_on") != 0 && kept->now && !strcmp(kept->now, line))
		kept->ours = true;
	return 0;
}

static void free_files(struct kept_settings *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->items[i].file);
		free(files->items[i].before);
		free(files->items[i].now);
	}
	free(files->items);
}

/* Return: the rank in the order of restoring. Settings that cause recording come first, and tracing_on comes last. */
static int rank_of(const struct kept_setting *kept)
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

static void put_back_one(const struct kept_setting *kept)
{
	if (is_list(kept))
		cut(kept->file);
	else if (strcmp(kept->now, kept->before) != 0)
		/* a filter file contains "none" if there is no filter; writing "0" removes a filter */
		put(kept->file, !strcmp(kept->before, "none") ? "0" : kept->before);
}

/*
 * Empties the trace and restores the settings that still have the value which the run wrote. If @used is set, leaves the trace and the
 * lists of pids unchanged: they may belong to a process that has used the top level since the run wrote them.
 */
static void put_back_all(const struct kept_settings *files, bool used)
{
	for (size_t i = 0; i < files->n && !used; i++)
		/* a note of tracing_on shows that the run used the buffer, not only set_graph_function */
		if (!strcmp(files->items[i].file, "tracing_on"))
			cut("trace");
	for (int rank = 0; rank < RANKS; rank++)
		for (size_t i = 0; i < files->n; i++) {
			const struct kept_setting *kept = &files->items[i];

			if (rank_of(kept) == rank && kept->now && (is_list_of_pids(kept) ? !used : kept->ours))
				put_back_one(kept);
		}
}

/* Writes the names of the settings that another process has changed to @names, as far as they fit. Return: whether there are any */
static bool name_changed(const struct kept_settings *files, char *names, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < files->n; i++)
		if (is_changed(&files->items[i]) && len < size)
			len += (size_t)snprintf(names + len, size - len, "%s%s", len ? ", " : "", files->items[i].file);
	return len;
}

/*
 * Restores the settings that a run had changed. Called after free_buffer was closed (if the run was killed, by the kernel), so tracing is
 * off and the ring is freed.
 * Return: 0; -ESTALE if another process has changed a setting since then; -ENOENT if there are no notes, so that nothing was restored;
 * -ENOMEM
 */
static int put_back(const char *mark, struct tw_error *error)
{
	struct kept_settings files = { 0 };
	char names[160], *text, *rest;
	bool used;
	int err = read_notes(mark, &text);

	if (err)
		return tw_error__set(
			error, -ENOENT,
			"it is unknown which top-level settings of tracefs this run changed, because /run/tracewire/%s "
			"cannot be read. No setting is restored: check whether current_tracer, set_event, "
			"set_graph_function, buffer_size_kb and tracing_on have the values that you expect",
			mark);
	rest = text;
	for (char *line; !err && (line = strsep(&rest, "\n"));)
		err = take_note(&files, line);
	free(text);
	used = name_changed(&files, names, sizeof(names));
	if (!err)
		put_back_all(&files, used);
	free_files(&files);
	if (err)
		return tw_error__set(error, err, "out of memory");
	if (used)
		return tw_error__set(
			error, -ESTALE,
			"these settings of tracefs's top level are not restored, because another program changed them "
			"during the run: %s",
			names);
	tw_top_level__forget(mark);
	return 0;
}

/* Writes the name of the notes about an instance's options to @name. Return: @name */
static const char *options_name(const char *instance, char name[NAME_MAX])
{
	snprintf(name, NAME_MAX, "%.200s.options", instance);
	return name;
}

/* Restores the options noted for an instance. An option that was changed twice gets the value that it had before the first change. */
static void put_back_options(const char *instance)
{
	char option[128], file[140], before[2], name[NAME_MAX], *text, *rest;
	struct kept_settings files = { 0 };

	if (read_notes(options_name(instance, name), &text))
		return;
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (sscanf(line, "options/%127[^/ \t] %1[01]", option, before) != 2)
			continue;
		snprintf(file, sizeof(file), "options/%s", option);
		find_kept(&files, file, before);
	}
	free(text);
	for (size_t i = 0; i < files.n; i++)
		if (files.items[i].now)
			put_back_one(&files.items[i]);
	free_files(&files);
	tw_top_level__forget(name);
}

int tw_kept_options__add(struct tw_kept_options **kept, const char *instance, const char *option, bool was_on,
			 struct tw_error *error)
{
	char name[NAME_MAX];
	int err = 0;

	if (!*kept) {
		*kept = calloc(1, sizeof(**kept));
		if (!*kept)
			return tw_error__set(error, -ENOMEM, "out of memory");
		err = open_notes(&(*kept)->notes, options_name(instance, name), error);
	}
	return err ? err : add_note(&(*kept)->notes, option, was_on ? "1" : "0", "", error);
}

void tw_kept_options__free(struct tw_kept_options *kept)
{
	if (!kept)
		return;
	if (kept->notes.file.fd >= 0)
		tw_state_file__remove(&kept->notes.file);
	close_notes(&kept->notes);
	free(kept);
}

int tw_top_level__note(struct tw_top_level *top, const char *file, bool is_list, const char *value,
		       struct tw_error *error)
{
	const bool was_empty = is_list && value;
	char *now = was_empty ? NULL : read_now(file, is_list);
	int err = 0;

	if (was_empty || now)
		err = add_note(&top->notes, file, is_list ? LIST : now, was_empty ? "" : value ? value : now, error);
	free(now);
	return err;
}

/*
 * Locks the tracing directory, and not a file in /run, because all containers share the tracing directory. Return: a descriptor, or -errno
 */
static int lock(void)
{
	const int fd = open_file(".", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -EBUSY;
}

int tw_top_level__restore(const char *instance, struct tw_error *error)
{
	int fd, err;

	put_back_options(instance);
	if (!ends_in(instance, TW_TOP_LEVEL_MARK) && !ends_in(instance, TW_TOP_GRAPHS_MARK))
		return 0;
	fd = lock();
	if (fd < 0)
		return -EBUSY;
	err = put_back(instance, error);
	close(fd);
	return err;
}

static int in_use(const char *file, struct tw_error *error)
{
	return tw_error__set(
		error, -EBUSY,
		"%s/%s is in use, but the options of this run need this file: end the program that uses it, or reset the "
		"file",
		tracefs_tracing_dir(), file);
}

static int check_list(const char *file, struct tw_error *error)
{
	char *text = tw_top_level__read(file);
	const bool is_free = !text || is_empty(text);

	free(text);
	return is_free ? 0 : in_use(file, error);
}

static int check_free(struct tw_error *error)
{
	char *tracer = tw_top_level__read("current_tracer");
	int err = tracer && strcmp(tracer, "nop\n") != 0 ? in_use("current_tracer", error) : 0;

	free(tracer);
	for (size_t i = 0; i < LISTS && !err; i++)
		err = check_list(lists[i], error);
	return err;
}

static void free_top_level(struct tw_top_level *top)
{
	if (top->mark)
		tw_top_level__forget(tw_instance__name(top->mark));
	close_notes(&top->notes);
	tw_instance__free(top->mark);
	close(top->lock_fd);
	free(top);
}

/* Creates the mark, an instance with the smallest ring, and the file for the notes. */
static int set_mark(struct tw_top_level *top, const char *suffix, struct tw_error *error)
{
	const int err = tw_instance__new(suffix, &top->mark, error);

	if (err)
		return err;
	tw_instance__write(top->mark, "buffer_size_kb", "1", NULL);
	return open_notes(&top->notes, tw_instance__name(top->mark), error);
}

/* Locks the tracing directory, checks that the settings are unused and creates the mark. No setting is changed yet. */
static int new_top_level(bool graphs_only, struct tw_top_level **ret, struct tw_error *error)
{
	const int fd = lock();
	struct tw_top_level *top;
	int err;

	if (fd == -EBUSY)
		return tw_error__set(
			error, -EBUSY,
			"another run of Tracewire uses the kernel's top-level buffer or set_graph_function, which "
			"only one run can use at a time: wait until that run ends");
	if (fd < 0)
		return tw_error__set(error, fd, "%s cannot be locked: %s", tracefs_tracing_dir(), strerror(-fd));
	top = calloc(1, sizeof(*top));
	if (!top) {
		close(fd);
		return tw_error__set(error, -ENOMEM, "out of memory");
	}
	top->free_buffer_fd = top->notes.file.fd = -1;
	top->lock_fd = fd;
	err = graphs_only ? check_list("set_graph_function", error) : check_free(error);
	if (!err)
		err = set_mark(top, graphs_only ? TW_TOP_GRAPHS_MARK : TW_TOP_LEVEL_MARK, error);
	if (err)
		free_top_level(top);
	else
		*ret = top;
	return err;
}

/* Empties the ring and switches tracing off. If the process dies, the kernel frees the ring, as it does for an instance. */
static int begin(struct tw_top_level *top, struct tw_error *error)
{
	int err = tw_top_level__note(top, "tracing_on", false, "0", error);

	if (!err)
		err = tw_top_level__note(top, "options/disable_on_free", false, "1", error);
	if (!err) /* closing free_buffer changes the ring's size, even if the run does not set the size */
		err = tw_top_level__note(top, "buffer_size_kb", false, NULL, error);
	if (err)
		return err;
	put("tracing_on", "0");
	cut("trace");
	put("options/disable_on_free", "1");
	top->free_buffer_fd = open_file("free_buffer", O_WRONLY);
	if (top->free_buffer_fd < 0)
		return tw_error__set(error, -errno,
				     "the file free_buffer at the top level of tracefs cannot be opened: %s",
				     strerror(errno));
	return tw_instance__use_top_level(top->user, top, error);
}

int tw_top_level__take(struct tw_instance *instance, struct tw_top_level **ret, struct tw_error *error)
{
	struct tw_top_level *top;
	int err = new_top_level(false, &top, error);

	if (err)
		return err;
	top->user = instance;
	err = begin(top, error);
	if (err)
		tw_top_level__give_back(top);
	else
		*ret = top;
	return err;
}

int tw_top_level__take_graphs(struct tw_top_level **ret, struct tw_error *error)
{
	return new_top_level(true, ret, error);
}

/* If another process has changed a setting during the run, the mark stays, as after a kill, and the next cleanup reports the setting. */
void tw_top_level__give_back(struct tw_top_level *top)
{
	if (!top)
		return;
	if (top->user)
		tw_instance__use_top_level(top->user, NULL, NULL);
	if (top->free_buffer_fd >= 0)
		close(top->free_buffer_fd);
	if (put_back(tw_instance__name(top->mark), NULL)) {
		tw_instance__leave(top->mark);
		top->mark = NULL;
	}
	free_top_level(top);
}
