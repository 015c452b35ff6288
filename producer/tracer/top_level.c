/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/top_level.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include "producer/tracer/function_filter.h"
#include "producer/tracer/kept_settings.h"
#include "producer/tracer/top_file.h"
#include "producer/tracing_dir.h"

struct tw_top_level {
	struct tw_instance *mark;
	struct tw_instance *user; /* whose files are those of the top level; NULL if only the graphs are taken */
	int free_buffer_fd, lock_fd;
};

/* Lists that are empty where nobody traces at the top level; cutting them empties them. */
static const char *const lists[] = {
	"set_event",      "set_event_pid",          "set_event_notrace_pid", "set_ftrace_filter", "set_ftrace_notrace",
	"set_ftrace_pid", "set_ftrace_notrace_pid", "set_graph_function",    "set_graph_notrace",
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

/* The directory itself is locked: it is the same for everybody, while a container may have a /run of its own. */
static int lock(void)
{
	const int fd = tw_top_file__open(".", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -EBUSY;
}

static int in_use(const char *file, struct tw_error *err)
{
	return tw_error__set(err, -EBUSY,
			     "somebody uses the kernel's top-level buffer, which this kernel needs for it: %s/%s is "
			     "set; wait, or put it back",
			     tracefs_tracing_dir(), file);
}

static int check_list(const char *file, struct tw_error *err)
{
	char *text = tw_top_file__read(file);
	const bool is_free = !text || tw_top_file__is_empty(text);

	free(text);
	return is_free ? 0 : in_use(file, err);
}

static int check_free(struct tw_error *err)
{
	char *tracer = tw_top_file__read("current_tracer");
	int rc = tracer && strcmp(tracer, "nop\n") != 0 ? in_use("current_tracer", err) : 0;

	free(tracer);
	for (size_t i = 0; i < LISTS && !rc; i++)
		rc = check_list(lists[i], err);
	return rc;
}

static bool ends_in(const char *name, const char *end)
{
	const size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

int tw_top_level__restore(const char *instance, struct tw_error *err)
{
	int fd, rc;

	tw_kept_options__put_back(instance);
	if (!ends_in(instance, TW_TOP_LEVEL_MARK) && !ends_in(instance, TW_TOP_GRAPHS_MARK))
		return 0;
	fd = lock();
	if (fd < 0)
		return -EBUSY;
	rc = tw_kept_settings__put_back(instance, err);
	close(fd);
	return rc;
}

void tw_top_level__forget(const char *instance)
{
	tw_kept_settings__forget(instance);
}

/* The mark needs no ring. */
static int set_mark(struct tw_top_level *top, const char *suffix, struct tw_error *err)
{
	const int rc = tw_instance__new(suffix, &top->mark, err);

	if (rc)
		return rc;
	tw_instance__write(top->mark, "buffer_size_kb", "1", NULL);
	return tw_kept_settings__begin(tw_instance__name(top->mark), err);
}

/* Closing free_buffer changes the ring's size, whether or not we have set it. */
static int note_first(const char *mark, struct tw_error *err)
{
	int rc = tw_kept_settings__note(mark, "tracing_on", "0", err);

	if (!rc)
		rc = tw_kept_settings__note(mark, "options/disable_on_free", "1", err);
	return rc ? rc : tw_kept_settings__note(mark, "buffer_size_kb", NULL, err);
}

/* The ring empty and off, and freed by the kernel when we die, as an instance's of our own is. */
static int begin(struct tw_top_level *top, struct tw_error *err)
{
	const int rc = note_first(tw_instance__name(top->mark), err);

	if (rc)
		return rc;
	tw_top_file__put("tracing_on", "0");
	tw_top_file__cut("trace");
	tw_top_file__put("options/disable_on_free", "1");
	top->free_buffer_fd = tw_top_file__open("free_buffer", O_WRONLY);
	if (top->free_buffer_fd < 0)
		return tw_error__set(err, -errno, "free_buffer of the top level cannot be held open: %s",
				     strerror(errno));
	return tw_instance__use_top_level(top->user, tw_instance__name(top->mark), err);
}

/* Locked; nothing is taken yet. */
static int new_top_level(struct tw_top_level **ret, struct tw_error *err)
{
	const int fd = lock();
	struct tw_top_level *top;

	if (fd == -EBUSY)
		return tw_error__set(
			err, -EBUSY,
			"another run of Tracewire uses what the kernel has only once, its top-level buffer or "
			"set_graph_function: wait for its end");
	if (fd < 0)
		return tw_error__set(err, fd, "%s cannot be locked: %s", tracefs_tracing_dir(), strerror(-fd));
	top = calloc(1, sizeof(*top));
	if (!top) {
		close(fd);
		return tw_error__set(err, -ENOMEM, "out of memory");
	}
	top->free_buffer_fd = -1;
	top->lock_fd = fd;
	*ret = top;
	return 0;
}

static void free_top_level(struct tw_top_level *top)
{
	if (top->mark)
		tw_kept_settings__forget(tw_instance__name(top->mark));
	tw_instance__free(top->mark);
	close(top->lock_fd);
	free(top);
}

int tw_top_level__take(struct tw_instance *instance, struct tw_top_level **ret, struct tw_error *err)
{
	struct tw_top_level *top = NULL;
	int rc = new_top_level(&top, err);

	if (!top)
		return rc;
	rc = check_free(err);
	if (!rc)
		rc = set_mark(top, TW_TOP_LEVEL_MARK, err);
	if (rc) { /* nothing is taken yet */
		free_top_level(top);
		return rc;
	}
	top->user = instance;
	rc = begin(top, err);
	if (rc) {
		tw_top_level__give_back(top);
		return rc;
	}
	*ret = top;
	return 0;
}

int tw_top_level__take_graphs(struct tw_top_level **ret, struct tw_error *err)
{
	struct tw_top_level *top = NULL;
	int rc = new_top_level(&top, err);

	if (!top)
		return rc;
	rc = check_list("set_graph_function", err);
	if (!rc)
		rc = set_mark(top, TW_TOP_GRAPHS_MARK, err);
	if (rc)
		free_top_level(top);
	else
		*ret = top;
	return rc;
}

int tw_top_level__add(const struct tw_top_level *top, const char *file, const struct tw_words *words,
		      struct tw_error *err)
{
	const char *mark = tw_instance__name(top->mark), *dir;
	char path[PATH_MAX];
	int rc = tw_tracing_dir__find(&dir, err), noted;

	if (!rc)
		rc = tw_kept_settings__note_list(mark, file, false, err);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	rc = tw_function_filter__add(dir, path, words, err);
	noted = tw_kept_settings__note_list(mark, file, true,
					    rc ? NULL : err); /* some may be in it though one was refused */
	return rc ? rc : noted;
}

/* If somebody has changed something meanwhile, the mark stays, as if we had been killed: the next clean-up tells. */
void tw_top_level__give_back(struct tw_top_level *top)
{
	if (!top)
		return;
	if (top->user)
		tw_instance__use_top_level(top->user, NULL, NULL);
	if (top->free_buffer_fd >= 0)
		close(top->free_buffer_fd);
	if (tw_kept_settings__put_back(tw_instance__name(top->mark), NULL)) {
		tw_instance__leave(top->mark);
		top->mark = NULL;
	}
	free_top_level(top);
}
