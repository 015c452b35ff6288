/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/drop_counters.h"

#include <cap-ng.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/ordinary_user.h"
#include "cli/stop.h"
#include "stream/streams.h"
#include "xdp/classifier.h"

#define ANSWER_MS   1000             /* longest wait for an answer of the child */
#define END_NS      TW_NS_PER_SECOND /* longest wait for the end of the child */
#define END_LOOK_MS 5                /* interval at which this process checks whether the child has ended, ms */

#define CAPABILITIES ((uint64_t)1 << CAP_SYS_ADMIN | (uint64_t)1 << CAP_DAC_READ_SEARCH)

/* Memory shared by both processes: the child writes the rows, the parent reads them at any time. Rows with an index below n are valid. */
struct tally {
	struct {
		uint64_t id;
		_Atomic uint64_t total;
	} rows[TW_STREAMS_LIVE_MAX];
	_Atomic unsigned int n;
	/* A counter could not be read, no row was free for it, or the child has ended. Set by either process; never cleared. */
	atomic_bool unread;
};

struct drop_counters {
	struct tally *tally;
	pid_t child;
	int fd;    /* socket: the parent sends a byte to request a reading, the child answers with a byte */
	bool owed; /* an answer is pending; the next request is sent only after the answer */
};

struct count {
	uint64_t seen; /* value of @now at the end of the last reading */
	uint64_t now;  /* during a reading: dropped events of the stream, summed over the channels read so far */
};

/* State of the child. The index of a stream in tally->rows and in @counts is its number in the table @streams. */
struct counting {
	const char *ifname; /* interface; NULL = all interfaces */
	struct tally *tally;
	struct tw_streams *streams;
	struct count counts[TW_STREAMS_LIVE_MAX];
	bool began;
};

/* Context of add_counted() for one classifier. @row: index of the row that counts dropped events, among the rows of this classifier */
struct counted_classifier {
	struct counting *counting;
	unsigned int row;
};

/* If @err is not 0, notes that the counts are incomplete. @err: why dropped events of a classifier could not be counted; 0 = they were */
static void note_unread(struct counting *c, int err)
{
	if (err)
		atomic_store(&c->tally->unread, true);
}

static struct count *count_of(struct counting *c, uint64_t id)
{
	const struct tw_stream *stream = tw_streams__get(c->streams, id);

	if (!stream)
		return NULL;
	if (stream->number == atomic_load(&c->tally->n)) {
		c->tally->rows[stream->number].id = id;
		atomic_store(&c->tally->n, stream->number + 1);
	}
	return &c->counts[stream->number];
}

static void add_counted(const struct tw_counted *what, const struct tw_counter *rows, void *ctx)
{
	const struct counted_classifier *classifier = ctx;
	const uint64_t events = rows[classifier->row].events;
	struct count *count;

	if (what->total || events == TW_NOT_COUNTED)
		return;
	count = what->overflow ? NULL : count_of(classifier->counting, what->stream_id);
	if (count)
		count->now += events;
	else if (events)
		note_unread(classifier->counting, -ENOSPC);
}

/* Reads the drop counters of a classifier in XDP. Classifiers in tc are ignored, because captures see frames before tc drops them. */
static int read_classifier(const struct tw_attached *attached, void *ctx, struct tw_error *error)
{
	struct counting *c = ctx;
	struct counted_classifier classifier = { .counting = c, .row = attached->n + 1 + TW_COUNT_DROPPED };

	if (attached->place == TW_ATTACH_XDP && (!c->ifname || !strcmp(attached->ifname, c->ifname)))
		note_unread(c, tw_attached__count(attached, add_counted, &classifier, error));
	return 0;
}

/* Adds the growth of each counter to its total. A counter that has become smaller belongs to a new classifier, which began with 0. */
static void take_over(struct counting *c)
{
	for (unsigned int i = 0; i < tw_streams__count(c->streams); i++) {
		struct count *count = &c->counts[i];

		if (c->began)
			atomic_fetch_add(&c->tally->rows[i].total,
					 count->now < count->seen ? count->now : count->now - count->seen);
		count->seen = count->now;
		count->now = 0;
	}
	c->began = true;
}

static void look(struct counting *c)
{
	struct tw_error ignored;

	note_unread(c, tw_attached__each(read_classifier, c, &ignored));
	take_over(c);
}

/*
 * Reads the counters once, and then for each request. A terminal or a service manager may send its signals to both processes. The child
 * ignores them, and ends when the parent closes the socket.
 */
static _Noreturn void run_child(struct counting *c, const struct ordinary_user *user, int fd)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	char byte = 0;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	prctl(PR_SET_NAME, "tracewire-count");
	/* Without the variable, this process reads /run/tracewire, where root writes the state files of classifiers. */
	unsetenv("RUNTIME_DIRECTORY");
	if (ordinary_user__become_with(user, CAPABILITIES))
		_exit(1);
	/* SIGKILL also ends a stopped child. The death signal is set last, because a change of credentials resets it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do {
		look(c);
		byte = 1;
	} while (write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1);
	_exit(0);
}

static int spawn(struct drop_counters *rejected, const char *ifname, const struct ordinary_user *user,
		 struct tw_error *error)
{
	static const struct tw_streams_options streams = { .known = TW_STREAMS_LIVE_MAX };
	struct counting *c;
	int fds[2], err = 0;

	c = calloc(1, sizeof(*c));
	if (c)
		c->streams = tw_streams__new(&streams);
	if (!c || !c->streams) {
		free(c);
		return tw_error__set(error, -ENOMEM, "no memory for the counters of classifiers");
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
		err = tw_error__set(error, -errno,
				    "cannot make sockets to the process that reads the counters of classifiers: %s",
				    strerror(errno));
		goto out;
	}
	rejected->child = fork();
	if (!rejected->child) {
		close(fds[0]);
		c->ifname = ifname;
		c->tally = rejected->tally;
		run_child(c, user, fds[1]);
	}
	if (rejected->child < 0)
		err = tw_error__set(error, -errno,
				    "cannot start the process that reads the counters of classifiers: %s",
				    strerror(errno));
	close(fds[1]);
	rejected->fd = fds[0];
out:
	tw_streams__free(c->streams);
	free(c);
	return err;
}

/* Waits at most ANSWER_MS for a pending answer. Return: false if the child has ended; true also if the answer is still pending. */
static bool await_answer(struct drop_counters *rejected)
{
	struct pollfd fd = { .fd = rejected->fd, .events = POLLIN };
	char byte;

	if (rejected->owed && poll(&fd, 1, ANSWER_MS) > 0) {
		if (read(rejected->fd, &byte, 1) != 1)
			return false;
		rejected->owed = false;
	}
	return true;
}

/* Finds the user that the child becomes: @name, or nobody if @name is root. If the user does not exist, @ret is all zero: the user root. */
static int find_user(const char *name, struct ordinary_user *ret, struct tw_error *error)
{
	int err = ordinary_user__find(name, ret, error);

	if (!err && !ret->uid) {
		ordinary_user__fini(ret);
		err = ordinary_user__find("nobody", ret, error);
	}
	return err == -ESRCH ? 0 : err;
}

static int spawn_as(const char *name, struct drop_counters *rejected, const char *ifname, struct tw_error *error)
{
	struct ordinary_user user;
	int err = find_user(name, &user, error);

	if (!err)
		err = spawn(rejected, ifname, &user, error);
	ordinary_user__fini(&user);
	if (err)
		return err;
	rejected->owed = true; /* the child makes its first reading without a request */
	return await_answer(rejected)
		       ? 0
		       : tw_error__set(
				 error, -EPERM,
				 "the process that reads the counters of classifiers ended at its start: it could not give up "
				 "its privileges, or was killed");
}

int drop_counters__new(const char *ifname, const char *user, struct drop_counters **ret, struct tw_error *error)
{
	struct drop_counters *rejected = calloc(1, sizeof(*rejected));
	int err;

	if (!rejected)
		return tw_error__set(error, -ENOMEM, "no memory for the counters of classifiers");
	rejected->fd = -1;
	rejected->tally =
		mmap(NULL, sizeof(*rejected->tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	err = rejected->tally == MAP_FAILED
		      ? tw_error__set(error, -errno, "no memory for the counters of classifiers: %s", strerror(errno))
		      : spawn_as(user, rejected, ifname, error);
	if (err) {
		drop_counters__free(rejected);
		return err;
	}
	*ret = rejected;
	return 0;
}

/*
 * Waits until the child ends, at most END_NS. The child ends after this process has closed its end of the socket, unless the child is
 * stopped or blocked in the kernel. A child that still runs has no data to lose, and the kernel kills it when this process ends.
 */
static void await_end(pid_t child)
{
	const uint64_t until = tw_time__now(CLOCK_MONOTONIC) + END_NS;

	while (!waitpid(child, NULL, WNOHANG) && !tw_deadline__is_over(stop__deadline()) &&
	       tw_time__now(CLOCK_MONOTONIC) < until)
		poll(NULL, 0, END_LOOK_MS);
}

void drop_counters__free(struct drop_counters *rejected)
{
	if (!rejected)
		return;
	if (rejected->fd >= 0)
		close(rejected->fd);
	if (rejected->child > 0)
		await_end(rejected->child);
	if (rejected->tally != MAP_FAILED)
		munmap(rejected->tally, sizeof(*rejected->tally));
	free(rejected);
}

void drop_counters__look(struct drop_counters *rejected)
{
	const char byte = 1;
	bool is_alive;

	if (!rejected)
		return;
	is_alive = await_answer(rejected);
	/* No request is sent while an answer is pending: that answer would be taken for the answer to the new request. */
	if (is_alive && !rejected->owed) {
		rejected->owed = send(rejected->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
		is_alive = rejected->owed && await_answer(rejected);
	}
	if (!is_alive)
		atomic_store(&rejected->tally->unread, true);
}

bool drop_counters__is_whole(const struct drop_counters *rejected)
{
	return rejected && !rejected->owed && !atomic_load(&rejected->tally->unread);
}

uint64_t drop_counters__of(void *ctx, uint64_t stream_id)
{
	struct drop_counters *rejected = ctx;
	const unsigned int n = rejected ? atomic_load(&rejected->tally->n) : 0;
	uint64_t total = 0;

	for (unsigned int i = 0; i < n; i++)
		total += rejected->tally->rows[i].id == stream_id ? atomic_load(&rejected->tally->rows[i].total) : 0;
	return total;
}
