/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket of the made streams: it sends their frames and answers requests. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/integration/made/made.h"
#include "wire/time_sync.h"

#define CATCH_UP_BYTES 65536 /* bytes that may wait in the receiving socket: a small part of its buffer */

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "made: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Pin the process to one CPU: frames on the loopback interface are queued on the sending CPU, and frames of two CPUs can be reordered. */
static void stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	must(!sched_setaffinity(0, sizeof(cpus), &cpus), "a CPU of its own");
}

void made_wire__udp(struct made_wire *w, uint16_t port)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	*w = (struct made_wire){ .fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), .port = port };
	must(w->fd >= 0 && !connect(w->fd, (const struct sockaddr *)&to, sizeof(to)), "a socket");
	stay_on_this_cpu();
}

void made_wire__link(struct made_wire *w, const char *ifname)
{
	static const uint8_t group[6] = { 3, 0x54, 0x57, 0x52, 0x31, 0 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(TW_ETHERTYPE),
				  .sll_ifindex = (int)if_nametoindex(ifname),
				  .sll_halen = sizeof(group) };

	*w = (struct made_wire){ .fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(TW_ETHERTYPE)),
				 .link = true };
	must(w->fd >= 0 && !bind(w->fd, (const struct sockaddr *)&to, sizeof(to)), ifname);
	memcpy(to.sll_addr, group, sizeof(group));
	w->to = to;
	stay_on_this_cpu();
}

void made_wire__send(struct made_wire *w, const void *frame, size_t len)
{
	const struct sockaddr *to = w->link ? (const struct sockaddr *)&w->to : NULL;

	while (sendto(w->fd, frame, len, 0, to, to ? sizeof(w->to) : 0) < 0) {
		must(errno == ENOBUFS || errno == EAGAIN || errno == EINTR, "sending");
		usleep(1000);
	}
}

/* Return: number of bytes that wait in the sockets at @port, from the kernel's list of sockets in @path */
static unsigned long waiting_in(const char *path, uint16_t port)
{
	FILE *f = fopen(path, "re");
	unsigned long bytes = 0, sum = 0;
	char line[256];
	unsigned int at;

	must(f, path);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %*x %*x:%lx", &at, &bytes) == 2 && at == port)
			sum += bytes;
	}
	fclose(f);
	return sum;
}

/* Return: number of bytes that wait at @port. udp6 is included, because a socket that receives on all addresses is an IPv6 socket. */
static unsigned long waiting_at(uint16_t port)
{
	return waiting_in("/proc/self/net/udp", port) + waiting_in("/proc/self/net/udp6", port);
}

static void let_take_but(const struct made_wire *w, unsigned long bytes)
{
	for (int i = 0; !w->link && waiting_at(w->port) > bytes; i++) {
		errno = ETIMEDOUT;
		must(i < 60000, "the capture host takes nothing");
		usleep(1000);
	}
}

void made_wire__let_catch_up(const struct made_wire *w)
{
	let_take_but(w, CATCH_UP_BYTES);
}

void made_wire__let_take_all(const struct made_wire *w)
{
	let_take_but(w, 0);
}

void made_wire__arrive(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct timeval patience = { .tv_sec = 60 };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(at);
	char byte = 0;

	must(fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof(at)) &&
		     !getsockname(fd, (struct sockaddr *)&at, &len) &&
		     !connect(fd, (struct sockaddr *)&at, sizeof(at)) &&
		     !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)),
	     "a socket for the last datagram");
	must(send(fd, &byte, 1, 0) == 1 && recv(fd, &byte, 1, 0) == 1, "the last datagram");
	close(fd);
}

static struct made_stream *find(const struct made_wire *w, uint64_t id)
{
	for (size_t i = 0; i < w->n_streams; i++)
		if (w->streams[i]->id == id)
			return w->streams[i];
	return NULL;
}

/* Queue a request to one of this program's streams; ignore any other frame. */
static void take_question(struct made_wire *w, const uint8_t *frame, size_t len, const struct made_answer *from)
{
	struct made_answer answer = *from;
	uint64_t id;

	if (!tw_time_sync_frame__read(frame, len, &id, &answer.exchange))
		return;
	answer.stream = find(w, id);
	if (!answer.stream || !answer.stream->answers)
		return;
	answer.at = made_now() + answer.stream->there;
	for (size_t i = 0; i < MADE_WAITING; i++) {
		if (w->waiting[i].at)
			continue;
		w->waiting[i] = answer;
		return;
	}
}

/* Handle an entry whose delay is over: a request arrives at its stream, a response is sent. */
static void move(struct made_wire *w, struct made_answer *answer)
{
	const uint64_t now = made_now();
	uint8_t frame[TW_TIME_SYNC_ROOM];

	if (!answer->heard) {
		answer->exchange.received = answer->exchange.answered = made_stream__time(answer->stream, now);
		answer->heard = true;
		answer->at = now + answer->stream->back;
		if (answer->stream->back)
			return;
	}
	sendto(w->fd, frame, tw_time_sync_frame__write(frame, answer->stream->id, &answer->exchange), 0,
	       w->link ? (const struct sockaddr *)&answer->to : NULL, w->link ? answer->to_len : 0);
	w->answered++;
	answer->at = 0;
}

void made_wire__run(struct made_wire *w, uint64_t until)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	struct pollfd fd = { .fd = w->fd, .events = POLLIN };
	uint8_t frame[2048];

	while (made_now() < until) {
		struct made_answer from = { .to_len = sizeof(from.to) };
		ssize_t len = -1;

		if (ppoll(&fd, 1, &moment, NULL) > 0)
			len = recvfrom(w->fd, frame, sizeof(frame), MSG_DONTWAIT, (struct sockaddr *)&from.to,
				       &from.to_len);
		if (len > 0)
			take_question(w, frame, (size_t)len, &from);
		for (size_t i = 0; i < MADE_WAITING; i++) {
			if (w->waiting[i].at && w->waiting[i].at <= made_now())
				move(w, &w->waiting[i]);
		}
	}
}
