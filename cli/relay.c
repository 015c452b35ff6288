/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/stop.h"
#include "pcap-tools/output/pipe.h"

#define PAUSE_MS   4           /* between two batches; what comes first is passed on at once */
#define BATCH      (256 << 10) /* bytes at most */
#define PIPE_BYTES (1 << 20)

struct relay {
	pthread_t thread;
	sem_t running;
	pid_t tid;
	int input, error;
	struct tw_pipe output; /* standard output, whose reader may have stopped */
	char batch[BATCH];
};

/* Return: 0 or -errno. */
static int write_all(const struct relay *r, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t written = tw_pipe__write(&r->output, stop__deadline(), bytes, n);

		if (written < 0)
			return (int)written;
		bytes += written;
		n -= (size_t)written;
	}
	return 0;
}

/* When nobody reads standard output any more, the viewer is told by its pipe. */
static void *relay_main(void *data)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	struct relay *r = data;
	ssize_t n;

	pthread_setname_np(pthread_self(), "tracewire-print");
	r->tid = gettid();
	sem_post(&r->running);
	while (!r->error && (n = read(r->input, r->batch, sizeof(r->batch))) > 0) {
		r->error = write_all(r, r->batch, (size_t)n);
		nanosleep(&pause, NULL);
	}
	close(r->input);
	return NULL;
}

/* Signals are for the main thread. */
static int start_thread(struct relay *r, struct tw_error *err)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&r->thread, NULL, relay_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return tw_error__set(err, -error, "cannot start a thread that prints: %s", strerror(error));
	while (sem_wait(&r->running))
		;
	return 0;
}

static void release(struct relay *r)
{
	tw_pipe__close(&r->output);
	sem_destroy(&r->running);
	free(r);
}

int relay__start(struct relay **ret, int *ret_fd, struct tw_error *err)
{
	struct relay *r = calloc(1, sizeof(*r));
	int fds[2], error;

	if (!r)
		return tw_error__set(err, -ENOMEM, "no memory to print");
	sem_init(&r->running, 0, 0);
	r->output = tw_pipe__open(STDOUT_FILENO);
	if (pipe2(fds, O_CLOEXEC)) {
		error = tw_error__set(err, -errno, "cannot make a pipe: %s", strerror(errno));
		goto fail;
	}
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES); /* a smaller one does too */
	r->input = fds[0];
	error = start_thread(r, err);
	if (error)
		goto fail_pipe;
	*ret = r;
	*ret_fd = fds[1];
	return 0;

fail_pipe:
	close(fds[0]);
	close(fds[1]);
fail:
	release(r);
	return error;
}

pid_t relay__tid(const struct relay *r)
{
	return r->tid;
}

int relay__finish(struct relay *r)
{
	int error;

	if (!r)
		return 0;
	pthread_join(r->thread, NULL);
	error = r->error;
	release(r);
	return error;
}
