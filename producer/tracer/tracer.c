/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "producer/tracer/cpu_mask.h"
#include "producer/tracer/top_level.h"
#include "producer/tracing_dir.h"

#define OPTION_FILE 128

struct trace_option {
	char file[OPTION_FILE]; /* "options/NAME" */
	bool on;
};

struct tw_tracer {
	const struct tw_tracer_request *request;
	const char *tracing_dir;
	struct tw_instance *instance;
	struct tw_top_level *top, *graphs;
	struct trace_option *options; /* the values that the run has set */
	size_t n_options;
	/* notes about the options in @options that all instances share, for a cleanup after a kill */
	struct tw_kept_options *kept;
	bool runs; /* the run has set current_tracer */
};

bool tw_tracer__records(const struct tw_tracer_request *request)
{
	return request->tracer || request->stacks || request->lines || request->options.n;
}

static bool is_graph(const struct tw_tracer_request *request)
{
	return request->tracer && !strcmp(request->tracer, "function_graph");
}

/* Refuses options that would have no effect. */
static int check_request(const struct tw_tracer_request *request, struct tw_error *error)
{
	const bool graph = is_graph(request);
	const bool functions = graph || (request->tracer && !strcmp(request->tracer, "function"));

	if (!functions && (request->functions.n || request->not_functions.n))
		return tw_error__set(
			error, -EINVAL,
			"functions can be selected only with a function tracer: add --tracer function or --tracer "
			"function_graph");
	if (!graph && request->graphs.n)
		return tw_error__set(error, -EINVAL,
				     "--graph selects functions for function_graph: add --tracer function_graph");
	return 0;
}

/* Whether a blank-separated list of tracers contains @name. */
static bool has_tracer(const char *list, const char *name)
{
	const size_t len = strlen(name);

	for (list += strspn(list, " \n"); *list; list += strspn(list, " \n")) {
		const size_t here = strcspn(list, " \n");

		if (here == len && !strncmp(list, name, len))
			return true;
		list += here;
	}
	return false;
}

static int unknown_tracer(const char *available, const char *tracer, struct tw_error *error)
{
	char *names = strdup(available), *save;
	struct tw_nearest nearest;
	int err;

	if (!names)
		return tw_error__set(error, -ENOMEM, "out of memory");
	tw_nearest__init(&nearest, tracer);
	for (char *name = strtok_r(names, " \n", &save); name; name = strtok_r(NULL, " \n", &save))
		tw_nearest__offer(&nearest, name);
	if (!strncmp(tracer, "function", strlen("function")) && !has_tracer(available, "function"))
		err = tw_error__set(
			error, -ENOENT,
			"this kernel is built without the function tracer: events can be traced, but tracing "
			"functions requires CONFIG_FUNCTION_TRACER");
	else if (nearest.best)
		err = tw_error__set(error, -ENOENT, "no tracer '%s'; did you mean %s?", tracer, nearest.best);
	else
		err = tw_error__set(error, -ENOENT, "no tracer '%s'; this kernel has: %.*s", tracer,
				    (int)strcspn(available, "\n"), available);
	free(names);
	return err;
}

/*
 * Chooses where the tracer runs. It runs in the instance if the instance offers this tracer. Otherwise function_graph runs at the top
 * level, and other tracers cannot run.
 */
static int choose_place(struct tw_tracer *t, struct tw_error *error)
{
	static const char file[] = "available_tracers";
	const char *tracer = t->request->tracer;
	char *here = NULL, *top = NULL;
	int err = tw_instance__read(t->instance, file, &here, error);

	if (!err && !has_tracer(here, tracer)) {
		err = tw_tracing_file__read(t->tracing_dir, file, &top, error);
		if (!err && !has_tracer(top, tracer))
			err = unknown_tracer(top, tracer, error);
		else if (!err && is_graph(t->request))
			err = tw_top_level__take(t->instance, &t->top, error);
		else if (!err)
			err = tw_error__set(
				error, -EINVAL,
				"tracer %s runs only in the kernel's top-level buffer, which Tracewire uses only for "
				"function_graph",
				tracer);
	}
	free(here);
	free(top);
	return err;
}

/*
 * Fills @error for a word that matches no function. The names of all functions, tens of thousands, are read only to suggest a correction.
 */
static int unknown_function(const char *tracing_dir, const char *word, struct tw_error *error)
{
	struct tw_nearest nearest;
	char *names = NULL, *save;
	int err;

	tw_nearest__init(&nearest, word);
	tw_tracing_file__read(tracing_dir, "available_filter_functions", &names, NULL);
	for (char *name = names ? strtok_r(names, "\n", &save) : NULL; name; name = strtok_r(NULL, "\n", &save)) {
		name[strcspn(name, " \t")] = '\0';
		tw_nearest__offer(&nearest, name);
	}
	if (nearest.best)
		err = tw_error__set(error, -ENOENT, "no function '%s' can be traced; did you mean %s?", word,
				    nearest.best);
	else
		err = tw_error__set(
			error, -ENOENT,
			"no function '%s' can be traced; give a name or a glob such as 'vfs_*': `tracewire list "
			"--functions` shows all functions",
			word);
	free(names);
	return err;
}

static int refused_list(const char *path, int err, struct tw_error *error)
{
	if (err == -ENOENT)
		return tw_error__set(error, -EINVAL, "this kernel cannot select functions: %s does not exist", path);
	return tw_error__set(error, err, "the kernel refuses the selection of functions in %s: %s", path,
			     strerror(-err));
}

/* Adds one word to a list of functions. The list takes effect when the file is closed, which can fail too. */
static int add_word(const char *tracing_dir, const char *path, const char *word, struct tw_error *error)
{
	const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return refused_list(path, -errno, error);
	if (!*word || write(fd, word, strlen(word)) < 0 || write(fd, "\n", 1) < 0)
		err = *word ? -errno : -EINVAL;
	if (close(fd) && !err)
		err = -errno;
	if (err == -EINVAL)
		return unknown_function(tracing_dir, word, error);
	return err ? refused_list(path, err, error) : 0;
}

/*
 * Adds names of functions to a list. @top: if the list is at the top level, the object that notes the change; NULL = the list is in the
 * instance.
 * Return: 0; -ENOENT for a name that matches no function; -EPERM
 */
static int add_words(const struct tw_tracer *t, struct tw_top_level *top, const char *file,
		     const struct tw_words *words, struct tw_error *error)
{
	char path[PATH_MAX];
	int err, note_err = 0;

	if (!words->n)
		return 0;
	if (top)
		snprintf(path, sizeof(path), "%s/%s", t->tracing_dir, file);
	else
		tw_instance__path(t->instance, file, path, sizeof(path));
	err = top ? tw_top_level__note(top, file, true, "", error) : 0;
	if (err)
		return err;
	for (size_t i = 0; i < words->n && !err; i++)
		err = add_word(t->tracing_dir, path, words->items[i], error);
	if (top) /* the list may contain some of the functions although the kernel refused one */
		note_err = tw_top_level__note(top, file, true, NULL, err ? NULL : error);
	return err ? err : note_err;
}

/*
 * Refuses "FUNCTION:COMMAND" at the top level, where the command would stay after the run. In an instance, the command is removed with the
 * instance. "FUNCTION:mod:MODULE" selects functions of a module and is not a command.
 */
static int check_commands(const struct tw_tracer *t, struct tw_error *error)
{
	for (size_t i = 0; t->top && i < t->request->functions.n; i++) {
		const char *word = t->request->functions.items[i], *command = strchr(word, ':');

		if (command && strncmp(command, ":mod:", strlen(":mod:")) != 0)
			return tw_error__set(
				error, -EINVAL,
				"'%s' contains an ftrace command (FUNCTION:COMMAND). This kernel runs function_graph "
				"at the top level of tracefs, where the command would stay after the run: give only "
				"a function",
				word);
	}
	return 0;
}

static int add_functions(struct tw_tracer *t, struct tw_error *error)
{
	int err = check_commands(t, error);

	if (!err)
		err = add_words(t, t->top, "set_ftrace_filter", &t->request->functions, error);
	if (!err)
		err = add_words(t, t->top, "set_ftrace_notrace", &t->request->not_functions, error);
	if (!err && t->request->graphs.n && !t->top)
		err = tw_top_level__take_graphs(&t->graphs, error);
	return err ? err : add_words(t, t->top ? t->top : t->graphs, "set_graph_function", &t->request->graphs, error);
}

/* Starts the tracer. The functions are selected first, because tracing every function even for a moment is expensive. */
static int run_tracer(struct tw_tracer *t, struct tw_error *error)
{
	const char *tracer = t->request->tracer;
	int err;

	if (!tracer)
		return 0;
	err = add_functions(t, error);
	if (err)
		return err;
	tw_instance__write(t->instance, "options/function-fork", "1", NULL); /* traces children, as event-fork does */
	err = tw_instance__write(t->instance, "current_tracer", tracer, NULL);
	if (err == -EPERM || err == -EACCES)
		return tw_error__set(
			error, err,
			"the kernel refuses to run tracer %s (%s): the kernel is locked down, or this container has no "
			"permission",
			tracer, strerror(-err));
	if (err)
		return tw_error__set(error, err == -EINVAL ? err : -EIO, "the kernel refuses tracer %s: %s", tracer,
				     strerror(-err));
	t->runs = true;
	return 0;
}

int tw_tracer__follow(const struct tw_tracer *t, const char *text, struct tw_error *error)
{
	const int err = tw_instance__append(t->instance, "set_event_pid", text, error);

	return err || !t->request->tracer ? err : tw_instance__append(t->instance, "set_ftrace_pid", text, error);
}

void tw_tracer__leave_out(const struct tw_tracer *t, const char *text)
{
	if (t->request->tracer)
		tw_instance__append(t->instance, "set_ftrace_notrace_pid", text, NULL);
}

/* Checks a pid, because the kernel accepts any number. A pid that does not exist is an error. 0 means the idle tasks. */
static int check_pid(const char *pid, struct tw_error *error)
{
	char path[64];

	if (!*pid || strlen(pid) > 9 || strspn(pid, "0123456789") != strlen(pid))
		return tw_error__set(error, -EINVAL, "'%s' is not a pid: give a number, or several separated by commas",
				     pid);
	snprintf(path, sizeof(path), "/proc/%lu", strtoul(pid, NULL, 10));
	if (strtoul(pid, NULL, 10) && access(path, F_OK))
		return tw_error__set(error, -ENOENT, "there is no process or thread %s", pid);
	return 0;
}

static int follow_list(const struct tw_tracer *t, const char *list, struct tw_error *error)
{
	char *copy = strdup(list), *rest = copy, *pid;
	int err = copy ? 0 : tw_error__set(error, -ENOMEM, "out of memory");

	while (!err && (pid = strsep(&rest, ","))) {
		err = check_pid(pid, error);
		if (!err)
			err = tw_tracer__follow(t, pid, error);
	}
	free(copy);
	return err;
}

static int set_pids(const struct tw_tracer *t, bool own_pids, struct tw_error *error)
{
	int err = 0;

	if (t->request->pids.n && !own_pids)
		return tw_error__set(
			error, -EINVAL,
			"--pid needs the pids of the initial pid namespace, but Tracewire runs in another one: run "
			"Tracewire in the initial pid namespace, or use --follow");
	for (size_t i = 0; i < t->request->pids.n && !err; i++)
		err = follow_list(t, t->request->pids.items[i], error);
	return err;
}

static int set_cpus(const struct tw_tracer *t, struct tw_error *error)
{
	char mask[TW_CPU_MASK_TEXT];
	int err;

	if (!t->request->cpus)
		return 0;
	err = tw_cpu_mask__parse(t->request->cpus, (unsigned int)sysconf(_SC_NPROCESSORS_CONF), mask, error);
	return err ? err : tw_instance__write(t->instance, "tracing_cpumask", mask, error);
}

static int unknown_option(const struct tw_instance *instance, const char *word, struct tw_error *error)
{
	char path[PATH_MAX], best[OPTION_FILE] = "";
	const bool off = !strncmp(word, "no", 2);
	struct tw_nearest nearest;
	struct dirent *entry;
	DIR *dir = opendir(tw_instance__path(instance, "options", path, sizeof(path)));

	tw_nearest__init(&nearest, off ? word + 2 : word);
	while (dir && (entry = readdir(dir))) {
		tw_nearest__offer(&nearest, entry->d_name[0] == '.' ? NULL : entry->d_name);
		if (nearest.best == entry->d_name) { /* the next readdir() overwrites the name */
			snprintf(best, sizeof(best), "%.*s", (int)sizeof(best) - 1, entry->d_name);
			nearest.best = best;
		}
	}
	if (dir)
		closedir(dir);
	if (*best)
		return tw_error__set(error, -ENOENT, "no trace option '%s'; did you mean %s%s?", word, off ? "no" : "",
				     best);
	return tw_error__set(error, -ENOENT, "no trace option '%s'; `tracewire list --options` lists them", word);
}

static bool has_option(const struct tw_instance *instance, const char *name, size_t len, struct trace_option *ret)
{
	if (!len || len > OPTION_FILE - sizeof("options/") || memchr(name, '/', len) || *name == '.')
		return false;
	snprintf(ret->file, sizeof(ret->file), "options/%.*s", (int)len, name);
	return tw_instance__has(instance, ret->file);
}

/* Parses "NAME", "noNAME", "NAME=1" or "NAME=0", and checks that the option exists. */
static int find_option(const struct tw_instance *instance, const char *word, struct trace_option *ret,
		       struct tw_error *error)
{
	const char *value = strchr(word, '=');

	if (value && strcmp(value, "=0") != 0 && strcmp(value, "=1") != 0)
		return tw_error__set(error, -EINVAL, "trace option '%s' must have the value 0 or 1", word);
	ret->on = !value || value[1] == '1';
	if (has_option(instance, word, strcspn(word, "="), ret))
		return 0;
	ret->on = false;
	if (!value && !strncmp(word, "no", 2) && has_option(instance, word + 2, strlen(word + 2), ret))
		return 0;
	return unknown_option(instance, word, error);
}

/* Whether an option is on. @text: content of the option's file, or NULL; freed here */
static bool is_on(char *text)
{
	const bool on = text && *text == '1';

	free(text);
	return on;
}

static bool is_on_here(const struct tw_instance *instance, const char *file)
{
	char *text = NULL;

	tw_instance__read(instance, file, &text, NULL);
	return is_on(text);
}

static int add_option(struct tw_tracer *t, const struct trace_option *option, struct tw_error *error)
{
	struct trace_option *options = reallocarray(t->options, t->n_options + 1, sizeof(*options));

	if (!options)
		return tw_error__set(error, -ENOMEM, "out of memory");
	t->options = options;
	options[t->n_options++] = *option;
	return 0;
}

static int set_option(struct tw_tracer *t, const char *word, struct tw_error *error)
{
	struct trace_option option = { 0 };
	int err = find_option(t->instance, word, &option, error);
	bool top;

	if (err || is_on_here(t->instance, option.file) == option.on)
		return err;
	if (!strcmp(option.file, "options/disable_on_free"))
		return tw_error__set(
			error, -EINVAL,
			"trace option '%s' cannot be set: with it, tracing would continue after the run is killed",
			word);
	top = is_on(tw_top_level__read(option.file));
	err = tw_instance__write(t->instance, option.file, option.on ? "1" : "0", NULL);
	if (err)
		return tw_error__set(error, -EINVAL, "the kernel refuses trace option '%s': %s", word, strerror(-err));
	err = add_option(t, &option, error);
	/* if the option has changed at the top level too, all instances share it; on most kernels they share the options of tracers */
	if (!err && is_on(tw_top_level__read(option.file)) != top)
		err = tw_kept_options__add(&t->kept, tw_instance__name(t->instance), option.file, top, error);
	return err;
}

/* Restores the options that still have the run's value. */
static void turn_back_options(struct tw_tracer *t)
{
	while (t->n_options) {
		const struct trace_option *option = &t->options[--t->n_options];

		if (is_on_here(t->instance, option->file) == option->on)
			tw_instance__write(t->instance, option->file, option->on ? "0" : "1", NULL);
	}
	free(t->options);
	tw_kept_options__free(t->kept);
}

int tw_tracer__new(const struct tw_tracer_request *request, const char *tracing_dir, struct tw_instance *instance,
		   struct tw_tracer **ret, struct tw_error *error)
{
	struct tw_tracer *t;
	int err = check_request(request, error);

	if (err)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t)
		return tw_error__set(error, -ENOMEM, "out of memory");
	t->request = request;
	t->tracing_dir = tracing_dir;
	t->instance = instance;
	err = request->tracer ? choose_place(t, error) : 0;
	if (err)
		tw_tracer__free(t);
	else
		*ret = t;
	return err;
}

static int copy_lines(const struct tw_instance *instance, struct tw_error *error)
{
	static const char option[] = "options/copy_trace_marker";

	if (!tw_instance__has(instance, option))
		return tw_error__set(
			error, -EOPNOTSUPP,
			"this kernel cannot copy the lines of trace_marker to a run (Linux 6.16 can): record "
			"them with trace-cmd, and give FILE of `tracewire convert trace.dat FILE`");
	return tw_instance__write(instance, option, "1", error);
}

int tw_tracer__set(struct tw_tracer *t, bool own_pids, struct tw_error *error)
{
	int err = run_tracer(t, error);

	if (!err)
		err = set_cpus(t, error);
	if (!err)
		err = set_pids(t, own_pids, error);
	if (!err && t->request->stacks)
		err = tw_instance__write(t->instance, "options/stacktrace", "1", error);
	if (!err && t->request->lines)
		err = copy_lines(t->instance, error);
	for (size_t i = 0; i < t->request->options.n && !err; i++)
		err = set_option(t, t->request->options.items[i], error);
	return err;
}

void tw_tracer__free(struct tw_tracer *t)
{
	if (!t)
		return;
	turn_back_options(t);
	if (t->runs && !t->top) /* tw_top_level__give_back() restores the tracer of the top level */
		tw_instance__write(t->instance, "current_tracer", "nop", NULL);
	tw_top_level__give_back(t->graphs);
	tw_top_level__give_back(t->top);
	free(t);
}
