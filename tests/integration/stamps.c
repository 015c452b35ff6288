/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends messages over TCP or UDP, and prints the time stamps that the kernel returns on the error queue, one a line:
 *
 *     TYPE KEY TIME
 *
 * with TIME in ns by CLOCK_MONOTONIC. Then prints the number of other messages on the error queue.
 *
 * Usage: stamps sink PORT: accept connections, and read from them
 *        stamps send ADDRESS PORT MODE N SIZE PAUSE: send 10 bytes, and then N messages of SIZE bytes, PAUSE us apart. MODE:
 *            plain   no time stamps
 *            id      SOF_TIMESTAMPING_OPT_ID
 *            tcp     also SOF_TIMESTAMPING_OPT_ID_TCP, if the kernel has it
 *            more    as tcp; two of three messages with MSG_MORE, so that a packet has three
 *            third   as more, but time stamps are requested for the first of three messages only
 *            udp     over UDP, SOF_TIMESTAMPING_OPT_ID
 *            udp-gso as udp; the kernel divides each message into datagrams of 1000 bytes (UDP_SEGMENT)
 *            udp-plain as udp, without time stamps
 *            stats   as tcp; also prints the state of the connection (SOF_TIMESTAMPING_OPT_STATS)
 */
#include <time.h> /* before <linux/errqueue.h>, which uses struct timespec */

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPT_ID_TCP       (1 << 16) /* for <linux/net_tstamp.h> before Linux 6.2 */
#define UDP_SEGMENT      103       /* for <netinet/udp.h> before glibc 2.38 */
#define DATAGRAM         1000
#define NS               1000000000ll
#define FIRST            "0123456789"
#define LAST_WAIT_US     20000
#define LAST_WAITS       20
#define STAMPS           (SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_TX_ACK)
#define BIG_ENDIAN_HOST  (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define NLA_ALIGNED(len) (((len) + 3u) & ~3u)

static int64_t real_minus_mono;
static unsigned int others;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

/* The shortest of several readings. */
static int64_t read_offset(void)
{
	int64_t shortest = INT64_MAX, offset = 0;

	for (int i = 0; i < 100; i++) {
		const int64_t before = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME), after = now(CLOCK_MONOTONIC);

		if (after - before >= shortest)
			continue;
		shortest = after - before;
		offset = real - (before + after) / 2;
	}
	return offset;
}

static struct addrinfo *find(const char *host, const char *port, int type)
{
	const struct addrinfo hints = { .ai_socktype = type,
					.ai_family = host ? AF_UNSPEC : AF_INET6,
					.ai_flags = AI_PASSIVE };
	struct addrinfo *found;

	if (getaddrinfo(host, port, &hints, &found))
		die("getaddrinfo");
	return found;
}

static void read_all(int from)
{
	static char data[1 << 16];

	while (read(from, data, sizeof(data)) > 0)
		;
}

static void run_sink(const char *port)
{
	const struct addrinfo *own = find(NULL, port, SOCK_STREAM);
	const int fd = socket(AF_INET6, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, own->ai_addr, own->ai_addrlen) || listen(fd, 16))
		die("listen");
	puts("ready");
	fflush(stdout);
	for (;;) {
		const int peer = accept(fd, NULL, NULL);

		if (!fork()) {
			read_all(peer);
			exit(0);
		}
		close(peer);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static const char *type_name(uint32_t type)
{
	return type == SCM_TSTAMP_SCHED ? "sched"
	       : type == SCM_TSTAMP_SND ? "snd_sw"
	       : type == SCM_TSTAMP_ACK ? "ack"
					: "?";
}

/* Prints netlink attributes, whose values are numbers: TYPE=VALUE */
static void print_stats(const unsigned char *at, size_t len)
{
	uint16_t head[2];

	for (; len >= sizeof(head); at += NLA_ALIGNED(head[0]), len -= NLA_ALIGNED(head[0])) {
		unsigned long long value = 0; /* least significant byte first */

		memcpy(head, at, sizeof(head));
		if (head[0] < sizeof(head) || NLA_ALIGNED(head[0]) > len)
			return;
		for (size_t i = 0; i < head[0] - sizeof(head) && i < sizeof(value); i++)
			value |= (unsigned long long)
					 at[sizeof(head) + (BIG_ENDIAN_HOST ? head[0] - sizeof(head) - 1 - i : i)]
				 << 8 * i;
		printf(" %u=%llu", head[1], value);
	}
}

/* Reads one message of the error queue. Return: false if it is empty */
static bool read_error(int fd)
{
	char control[1024], data[1 << 16];
	struct iovec to = { data, sizeof(data) };
	struct msghdr message = {
		.msg_iov = &to, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	const struct sock_extended_err *error = NULL;
	const struct scm_timestamping *stamp = NULL;
	const struct cmsghdr *stats = NULL;

	if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
			stamp = (const void *)CMSG_DATA(c);
		else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING_OPT_STATS)
			stats = c;
		else if ((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
			 (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR))
			error = (const void *)CMSG_DATA(c);
	}
	if (!error || !stamp || error->ee_origin != SO_EE_ORIGIN_TIMESTAMPING) {
		others++;
		return true;
	}
	printf("%s %u %lld", type_name(error->ee_info), error->ee_data,
	       (long long)(stamp->ts[0].tv_sec * NS + stamp->ts[0].tv_nsec - real_minus_mono));
	if (stats)
		print_stats(CMSG_DATA(stats), stats->cmsg_len - CMSG_LEN(0));
	putchar('\n');
	return true;
}

static void read_errors(int fd)
{
	while (read_error(fd))
		;
}

static void send_message(int fd, char *data, size_t size, int flags, uint32_t stamps)
{
	char control[CMSG_SPACE(sizeof(stamps))] = { 0 };
	struct iovec from = { data, size };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1 };

	if (stamps) {
		struct cmsghdr *c;

		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SO_TIMESTAMPING;
		c->cmsg_len = CMSG_LEN(sizeof(stamps));
		memcpy(CMSG_DATA(c), &stamps, sizeof(stamps));
	}
	if (sendmsg(fd, &message, flags) != (ssize_t)size)
		die("sendmsg");
}

/* Linux before 6.2 does not know OPT_ID_TCP. Without it, keys are counted from the first byte that is not acknowledged. */
static void request_stamps(int fd, uint32_t flags)
{
	const uint32_t known = flags & ~(uint32_t)OPT_ID_TCP;

	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) &&
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &known, sizeof(known)))
		die("SO_TIMESTAMPING");
}

static void run_send(char **args)
{
	const char *mode = args[2];
	const bool is_udp = !strncmp(mode, "udp", 3), is_plain = !strcmp(mode, "plain") || !strcmp(mode, "udp-plain");
	const struct addrinfo *to = find(args[0], args[1], is_udp ? SOCK_DGRAM : SOCK_STREAM);
	const bool by_thirds = !strcmp(mode, "more") || !strcmp(mode, "third"), is_third = !strcmp(mode, "third");
	const int n = atoi(args[3]), size = atoi(args[4]), fd = socket(to->ai_family, to->ai_socktype, 0), one = 1,
		  segment = DATAGRAM;
	const useconds_t pause = (useconds_t)atoi(args[5]);
	uint32_t flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
	char *data = calloc(1, (size_t)size);

	real_minus_mono = read_offset();
	if (connect(fd, to->ai_addr, to->ai_addrlen))
		die("connect");
	if (!is_udp)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!strcmp(mode, "udp-gso") && setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		die("UDP_SEGMENT");
	send_message(fd, FIRST, strlen(FIRST), 0, 0);
	usleep(LAST_WAIT_US);
	if (strcmp(mode, "id") != 0 && !is_udp)
		flags |= OPT_ID_TCP;
	if (!strcmp(mode, "stats"))
		flags |= SOF_TIMESTAMPING_OPT_STATS;
	if (!is_third)
		flags |= STAMPS;
	if (!is_plain)
		request_stamps(fd, flags);
	for (int i = 0; i < n; i++) {
		send_message(fd, data, (size_t)size, by_thirds && i % 3 != 2 ? MSG_MORE : 0,
			     is_third && i % 3 == 0 ? STAMPS : 0);
		usleep(pause);
		read_errors(fd);
	}
	for (int i = 0; i < LAST_WAITS; i++) {
		usleep(LAST_WAIT_US);
		read_errors(fd);
	}
	printf("others %u\n", others);
	free(data);
}

int main(int n_args, char **args)
{
	if (n_args == 3 && !strcmp(args[1], "sink"))
		run_sink(args[2]);
	if (n_args != 8 || strcmp(args[1], "send") != 0)
		return 2;
	run_send(args + 2);
	return 0;
}
