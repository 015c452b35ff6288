/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cleanup.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/service.h"
#include "cli/standard_files.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "cli/traced_command.h"

#define CHECK_MS 100 /* interval of checks whether the producer has failed */

struct session {
	const struct run_config *config;
	const struct session_output *output;
	void *ctx;
	struct tw_producer_options options;
	struct tw_producer *producer;
	struct traced_command command;
};

/* Called in any thread of the producer. */
static void say_note(void *ctx, const char *sentence)
{
	(void)ctx;
	note__say("%s", sentence);
}

static int count_signals(void *ctx)
{
	(void)ctx;
	return stop__signals();
}

static int check(struct session *session, char *const *command, struct tw_error *error)
{
	if (session->config->follow && !command[0])
		return tw_error__set(error, -EINVAL, "--follow needs a command to trace: give it after --");
	return run_config__producer(session->config, &session->options, error);
}

/* Forks the command. Called before the output is opened, so that no file is truncated if the command does not exist. Return: exit status */
static int open_command(struct session *session, char **argv, struct tw_error *error)
{
	const bool follow = session->options.follow;
	char marker[PATH_MAX];
	int err;

	if (!argv[0])
		return CLI_EXIT_OK;
	tw_producer__marker(session->producer, marker, sizeof(marker));
	err = tw_command__new(argv, follow ? marker : NULL, &session->command.process, error);
	if (err)
		return traced_command__not_run(err);
	err = follow ? tw_producer__follow(session->producer, error) : 0;
	return err ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* Opens the producer, the command and the output. Return: exit status. */
static int open_session(struct session *session, char **command, struct tw_error *error)
{
	int err = check(session, command, error), status;

	if (!err)
		err = stop__catch(error);
	if (!err)
		stale__clear(session->config->quiet);
	if (!err && session->output->connect) {
		err = session->output->connect(session->ctx, &session->options, error);
		if (err)
			return cli_exit__of_opening(err);
	}
	if (!err)
		err = tw_producer__new(&session->options, &session->producer, error);
	if (err && session->options.filter)
		caret__show(tw_filter__text(session->options.filter), error);
	if (err)
		return cli_exit__of(err);
	status = open_command(session, command, error);
	if (status)
		return status;
	err = session->output->open(session->ctx, session->producer, error);
	stop__opened();
	return cli_exit__of_opening(err);
}

static void tell_filter(const struct session *session)
{
	struct tw_filter_places places;

	if (session->config->quiet || !session->options.filter)
		return;
	filter_option__note(session->options.filter, tw_producer__filter_note(session->producer));
	tw_producer__filter_places(session->producer, &places);
	if (session->config->verbose)
		summary__print_places(&places, stderr);
}

/* Starts tracing, and then the command. Return: exit status. */
static int start(struct session *session, struct tw_error *error)
{
	int err;

	tw_producer__ignore(session->producer, getpid());
	err = tw_producer__start(session->producer, error);
	if (err)
		return cli_exit__of(err);
	err = session->command.process ? tw_command__run(session->command.process, error) : 0;
	if (err) {
		stop__ending();
		tw_producer__stop(session->producer, NULL);
		return traced_command__not_run(err);
	}
	if (session->output->started)
		session->output->started(session->ctx);
	service__ready("tracing");
	tell_filter(session);
	return CLI_EXIT_OK;
}

/* Waits for the end of the command, a request to stop, or a failure of the producer. */
static void watch(struct session *session)
{
	struct pollfd fds[] = {
		{ .fd = stop__fd(), .events = POLLIN },
		{ .fd = traced_command__fd(&session->command), .events = POLLIN },
	};

	while (!tw_producer__broken(session->producer)) {
		if (poll(fds, 2, CHECK_MS) < 0 && errno != EINTR)
			return;
		session->command.ended = fds[1].revents != 0;
		if (session->command.ended || fds[0].revents)
			return;
		if (session->output->tick && session->output->tick(session->ctx))
			return;
		service__alive(tw_producer__progress(session->producer));
		standard_files__push();
	}
}

/*
 * Stops the producer and finishes the output. The output is finished even if the producer fails: events that were read are sent, and the
 * accounting is completed. If both fail, the error text of the output is kept, because it says more precisely why frames were not sent.
 */
static int stop(struct session *session, struct tw_error *error)
{
	const int err = tw_producer__stop(session->producer, error);
	const int finished = session->output->finish ? session->output->finish(session->ctx, error) : 0;

	return err ? err : finished;
}

/* Prints the short lines at the end of a run and, with --verbose, the detailed lines. */
static void summarize(const struct session *session)
{
	struct outcome outcome = { .traces = true, .verbose = session->config->verbose };
	struct tw_filter_places places;
	struct tw_producer_counters counters;

	if (session->config->quiet)
		return;
	tw_producer__counters(session->producer, &counters);
	tw_producer__filter_places(session->producer, &places);
	outcome__add_producer(&outcome, &counters, &places);
	if (session->output->add_outcome)
		session->output->add_outcome(session->ctx, &counters, &outcome);
	outcome__print(&outcome, stderr);
	if (!session->config->verbose)
		return;
	summary__print(&counters, session->options.filter ? &places : NULL, stderr);
	if (session->output->summarize)
		session->output->summarize(session->ctx, &counters);
}

/* Traces until the end of the run, and prints the summary. Return: exit status. */
static int trace(struct session *session, struct tw_error *error)
{
	const int status = start(session, error);
	int err;

	if (status)
		return status;
	watch(session);
	service__stopping();
	traced_command__let_end(&session->command, session->producer);
	stop__ending();
	err = stop(session, error);
	summarize(session);
	return err ? CLI_EXIT_FAILURE : traced_command__exit_status(&session->command);
}

/* Closes the output. Return: @status, or the exit status of a failure to close if @status is 0. */
static int close_output(const struct session *session, int status, struct tw_error *error)
{
	struct tw_error why;

	if (session->output->close && session->output->close(session->ctx, &why) && !status)
		return tw_error__set(error, CLI_EXIT_FAILURE, "%s", why.text);
	return status;
}

static void free_producer(const struct session *session)
{
	const unsigned int stay = tw_producer__free(session->producer);

	if (stay)
		note__say(
			"%u trace %s, disabled, because another process has files open there; `tracewire cleanup` removes "
			"%s later",
			stay, stay == 1 ? "instance of this run stays" : "instances of this run stay",
			stay == 1 ? "it" : "them");
}

int session__run(const struct run_config *config, const struct tw_producer_options *defaults, char **command,
		 const struct session_output *output, void *ctx, struct tw_error *error)
{
	struct session session = { .config = config, .output = output, .ctx = ctx, .options = *defaults };
	int status;

	session.options.open_sink = output->open_sink;
	session.options.open_questions = output->open_requests;
	session.options.clock_failed = config->quiet ? NULL : say_note;
	session.options.event_left_out = config->quiet ? NULL : say_note;
	session.options.signals = count_signals;
	session.options.refused = output->refused;
	session.options.joined = output->joined;
	session.options.ctx = ctx;
	session.options.deadline = stop__deadline();
	status = open_session(&session, command, error);
	if (!status)
		status = trace(&session, error);
	stop__ending(); /* repeated for a run that failed to start: closing its output may block, too */
	status = close_output(&session, status, error);
	tw_command__free(session.command.process);
	free_producer(&session);
	return status;
}
