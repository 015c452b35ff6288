/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to threads that receive and write, without privileges. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/time.h"
#include "cli/capture/capture.h"
#include "cli/cleanup.h"
#include "cli/ordinary_user.h"
#include "cli/stop.h"

#define WAIT_NS  (2 * TW_NS_PER_SECOND) /* for silent streams, and for metadata, which are repeated each second */
#define BOOKS_NS (5 * TW_NS_PER_SECOND) /* between two ledgers in the file, so that one that was cut off has one */

/* As many as the first of both limits lets through. */
static uint64_t events_max(const struct capture *capture)
{
	const uint64_t a = capture->count, b = capture->output.stop_events;

	return !a || (b && b < a) ? b : a;
}

static uint64_t explain_gaps(void *ctx, uint64_t stream_id)
{
	const struct capture *capture = ctx;

	return rejected__of(capture->rejected, stream_id);
}

/*
 * What takes privileges is done: from here on there are none. Who gives --user chooses whom; root stays root only if that is
 * asked for.
 */
static int give_up_privileges(const struct capture *capture, struct tw_error *err)
{
	struct ordinary_user user;
	int error = ordinary_user__find(capture->user, &user, err);

	if (!error) {
		error = ordinary_user__become(&user);
		if (error)
			tw_error__set(err, error, "cannot become the user %s: %s", user.name, strerror(-error));
	}
	ordinary_user__fini(&user);
	return error ? error : ordinary_user__renounce(err);
}

static int open_output(const struct capture *capture, struct tw_output **ret, struct tw_error *err)
{
	struct tw_output_options options = { .path = capture->file, .remember = true, .deadline = stop__deadline() };

	output_request__apply(&capture->output, &options);
	return tw_output__open(&options, ret, err);
}

/* Files that follow one another are made by who we have become, so the first is too: now it shows whether that can be. */
static int open_output_unprivileged(const struct capture *capture, struct tw_output **ret, struct tw_error *err)
{
	const struct passwd *user = getpwuid(geteuid());
	int error;

	leftovers__repair_files(capture->file, capture->quiet);
	error = open_output(capture, ret, err);
	if (error != -EACCES && error != -EPERM)
		return error;
	return tw_error__set(err, error,
			     "creating %.300s: %s; with --ring-buffer all files are made by the user %s: let him write "
			     "there, or choose another by --user",
			     capture->file, strerror(-error), user ? user->pw_name : "that capture becomes");
}

int capture__start(struct capture *capture, char *how, size_t size, struct tw_error *err)
{
	struct receiver_options options = {
		.recorder = { .archive = { .application = "tracewire capture " TRACEWIRE_VERSION,
					   .wait_ns = WAIT_NS,
					   .network = true,
					   .packed = capture->packed,
					   .snaplen = (uint32_t)capture->snaplen,
					   .align = capture->align,
					   .wall = capture->wall,
					   .statistics_ns = BOOKS_NS,
					   .filter = capture->filter,
					   .events_max = events_max(capture),
					   .bytes_max = output_request__rotates(&capture->output)
								? 0
								: capture->output.stop_bytes,
					   .files_max = capture->output.stop_files,
					   .explain = explain_gaps,
					   .ctx = capture },
			      .deadline = stop__deadline() },
		.others_send = true,
		.asks = true,
		.of_one_source = capture->of_one_source,
		.unanswered = capture->has_unanswered ? capture->unanswered : TW_ADMISSION_UNANSWERED,
	};
	const bool rotates = output_request__rotates(&capture->output);
	int error = capture__open_rx(capture, &options.rx, err);

	if (error)
		return error;
	capture->sync = tw_sync__new();
	tw_capture_clock__begin(&capture->clock);
	snprintf(how, size, "%s%s%s%s", capture->interface ? capture->interface : "", capture->xdp ? " (" : "",
		 capture->interface && !capture->xdp ? "" : options.rx->how, capture->xdp ? ")" : "");
	tw_printable__mend(how, size);
	if (!rotates)
		error = open_output(capture, &options.recorder.output, err);
	if (!error)
		error = give_up_privileges(capture, err);
	if (!error && rotates)
		error = open_output_unprivileged(capture, &options.recorder.output, err);
	if (!error)
		return receiver__start(&options, &capture->receiver, err);
	tw_output__free(options.recorder.output);
	tw_receiver__close(options.rx);
	return error;
}
