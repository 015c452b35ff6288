/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of sockets of a capture. */
#include <errno.h>
#include <unistd.h>

#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/sockets/sockets.h"
#include "cli/standard_files.h"

/* Prints the result, and to standard error which events the capture lacks. */
static void print(const struct sockets_config *config, const char *file, const char *name,
		  const struct tw_socket_times_result *result)
{
	const struct sockets_subject subject = { .name = name };
	struct outcome outcome = { .reads = true, .file = file };

	sockets__print(config, &subject, result);
	standard_files__flush();
	if (!result)
		return;
	if (!result->socket_events && !config->run.quiet)
		note__say("%s has no socket events: record some with `record -e sockts`", name);
	sockets__add_outcome(result, &outcome);
	if (!config->run.quiet)
		outcome__print(&outcome, stderr);
}

/* A comparison that applies to no event is a typing error. */
static int refuse_undecided(const struct sockets_config *config, const struct tw_socket_times_result *result,
			    struct tw_error *error)
{
	if (!result || !result->undecided.n)
		return 0;
	tw_error__set(error, -EINVAL, "%s", result->undecided.text[0].text);
	caret__show(tw_filter__text(config->run.filter), error);
	return -EINVAL;
}

/* Reads the capture. Return: 0, or -errno; after -EBADMSG, the events before the damage were taken */
static int read_capture(struct tw_socket_times *times, const struct sockets_config *config, const char *file,
			struct tw_error *error)
{
	const struct tw_socket_times_result *result = NULL;
	const char *name = file;
	struct progress progress;
	const int fd = standard_files__open(&name, error);
	int err;

	if (fd < 0)
		return fd;
	progress__begin(&progress, "reading", name, config->run.quiet || !isatty(STDERR_FILENO));
	progress__watch(&progress, fd);
	err = tw_socket_times__read(times, fd, name, error);
	progress__end(&progress);
	if (!err || err == -EBADMSG) {
		result = tw_socket_times__result(times);
		print(config, file, name, result);
	}
	if (!err)
		err = refuse_undecided(config, result, error);
	else if (result)
		filter_option__warn(&result->undecided); /* the error is that of the damage */
	if (fd > STDIN_FILENO)
		close(fd);
	return err;
}

int sockets__file(const struct sockets_config *config, const char *file, struct tw_error *error)
{
	struct sockets_timeline timeline = { .flow = config->flow };
	const struct tw_socket_times_options options = {
		.filter = config->run.filter,
		.step = config->flow ? sockets_timeline__step : NULL,
		.ctx = &timeline,
	};
	struct tw_socket_times *times = NULL;
	int err = tw_socket_times__new(&options, &times, error);

	if (!err)
		err = read_capture(times, config, file, error);
	if (!err && config->flow && !timeline.events)
		err = tw_error__set(error, -ENOENT, "%s has no flow '%s'; `tracewire sockets %s` shows the flows", file,
				    config->flow, file);
	tw_socket_times__free(times);
	return err == -E2BIG || err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
}
