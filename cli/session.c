/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/leftovers.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "producer/command.h"

#define CHECK_MS 100 /* how often is looked whether the producer is broken */

struct session {
	const struct run_config *config;
	const struct session_output *output;
	void *ctx;
	struct tw_producer_options options;
	struct tw_producer *producer;
	struct tw_command *command;
	bool ended; /* the command has ended by itself */
};

static void tell_leftover(void *ctx, const char *what, const char *name)
{
	const struct run_config *config = ctx;

	if (!config->quiet)
		fprintf(stderr, "removed %s %s, left behind by a run that was killed\n", what, name);
}

/* What cannot be removed does not keep us from running: `tracewire cleanup` tells why. */
static void remove_leftovers(const struct run_config *config)
{
	struct tw_error ignored;

	leftovers__remove(false, tell_leftover, (void *)config, &ignored);
}

static int open_command(struct session *session, char **argv, struct tw_error *err)
{
	const bool follow = session->options.follow;
	char marker[PATH_MAX];
	int error;

	if (!argv[0])
		return follow ? tw_error__set(err, -EINVAL, "--follow needs a command to follow, behind --") : 0;
	tw_producer__marker(session->producer, marker, sizeof(marker));
	error = tw_command__new(argv, follow ? marker : NULL, &session->command, err);
	if (!error && follow)
		error = tw_producer__follow(session->producer, err);
	return error;
}

static int open_session(struct session *session, char **command, struct tw_error *err)
{
	int error = run_config__producer(session->config, &session->options, err);

	if (!error)
		error = stop__catch(err);
	if (!error)
		remove_leftovers(session->config);
	if (!error)
		error = tw_producer__new(&session->options, &session->producer, err);
	if (!error)
		error = session->output->open(session->ctx, session->producer, err);
	if (!error)
		error = open_command(session, command, err);
	return error;
}

static int start(struct session *session, struct tw_error *err)
{
	int error = tw_producer__start(session->producer, err);

	if (!error && session->command)
		error = tw_command__run(session->command, err);
	if (!error && session->output->started)
		session->output->started(session->ctx);
	return error;
}

/* Until the command ends, somebody asks to stop, or the producer breaks. */
static void watch(struct session *session)
{
	struct pollfd fds[] = {
		{ .fd = stop__fd(), .events = POLLIN },
		{ .fd = session->command ? tw_command__fd(session->command) : -1, .events = POLLIN },
	};

	while (!tw_producer__broken(session->producer)) {
		if (poll(fds, 2, CHECK_MS) < 0 && errno != EINTR)
			return;
		session->ended = fds[1].revents != 0;
		if (session->ended || fds[0].revents)
			return;
	}
}

/* Also when something broke: what was read is sent, and the books are settled. The output knows
 * better than the producer why nothing went out. */
static int stop(struct session *session, struct tw_error *err)
{
	const int error = tw_producer__stop(session->producer, err);
	const int finished = session->output->finish ? session->output->finish(session->ctx, err) : 0;

	return error ? error : finished;
}

static void summarize(const struct session *session)
{
	struct tw_books books;

	if (session->config->quiet)
		return;
	tw_producer__books(session->producer, &books);
	summary__print(&books, stderr);
	if (session->output->summarize)
		session->output->summarize(session->ctx);
}

static int trace(struct session *session, struct tw_error *err)
{
	const int error = start(session, err);
	int stopped;

	if (error)
		return error;
	watch(session);
	stopped = stop(session, err);
	summarize(session);
	return stopped;
}

static int exit_status(struct session *session, int error)
{
	if (error)
		return cli_exit__of(error);
	if (!session->command)
		return CLI_EXIT_OK;
	if (session->ended)
		return tw_command__wait(session->command);
	return stop__signal() ? 128 + stop__signal() : CLI_EXIT_OK; /* 0: the viewer was closed */
}

int session__run(const struct run_config *config, const struct tw_producer_options *defaults, char **command,
		 const struct session_output *output, void *ctx, struct tw_error *err)
{
	struct session session = { .config = config, .output = output, .ctx = ctx, .options = *defaults };
	int error, status;

	session.options.open_sink = output->open_sink;
	session.options.joined = output->joined;
	session.options.ctx = ctx;
	error = open_session(&session, command, err);
	if (!error)
		error = trace(&session, err);
	status = exit_status(&session, error);
	tw_command__free(session.command);
	tw_producer__free(session.producer);
	return status;
}
