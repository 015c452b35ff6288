/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/traced_command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "cli/command.h"
#include "cli/standard_files.h"
#include "cli/stop.h"
#include "producer/producer.h"

#define CHECK_MS 100 /* interval of checks whether the producer has failed */

int traced_command__not_run(int err)
{
	return err == -ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_CANNOT_RUN;
}

int traced_command__fd(const struct traced_command *traced)
{
	return traced->process ? tw_command__fd(traced->process) : -1;
}

void traced_command__let_end(struct traced_command *traced, const struct tw_producer *producer)
{
	struct pollfd fd = { .fd = traced_command__fd(traced), .events = POLLIN };

	if (!traced->process || traced->ended || !stop__signal())
		return;
	if (stop__was_sent())
		kill(tw_command__pid(traced->process), stop__signal());
	while (!traced->ended && !stop__is_urgent() && !(producer && tw_producer__broken(producer))) {
		if (poll(&fd, 1, CHECK_MS) < 0 && errno != EINTR)
			return;
		traced->ended = fd.revents != 0;
		standard_files__push();
	}
}

int traced_command__exit_status(const struct traced_command *traced)
{
	if (!traced->process)
		return CLI_EXIT_OK;
	if (traced->ended)
		return tw_command__wait(traced->process);
	/* Without a signal, the run ended before the command: for example, because of --count, or because the reader of standard output ended. */
	return stop__signal() ? 128 + stop__signal() : CLI_EXIT_OK;
}
