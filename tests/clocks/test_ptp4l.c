/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket of ptp4l, with simulated answers. tests/clocks/sync.sh has a real ptp4l. */
#include "clocks/ptp4l.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include "base/bytes.h"

#define QUESTION 54 /* bytes */
#define WAITING  16

/* The simulated ptp4l, and what the kernel says of the sender of its answers */
static struct {
	const char *name; /* of its socket */
	bool has_uid;
	uid_t uid;
	int error;                            /* of connect() */
	uint8_t questions[WAITING][QUESTION]; /* not answered yet */
	unsigned int n;
} ptp4l;

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);
ssize_t __wrap_send(int fd, const void *data, size_t len, int flags);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	(void)fd;
	(void)to;
	(void)len;
	errno = ptp4l.error;
	return ptp4l.error ? -1 : 0;
}

ssize_t __wrap_send(int fd, const void *data, size_t len, int flags)
{
	(void)fd;
	(void)flags;
	assert_int_equal(len, QUESTION);
	if (ptp4l.n == WAITING) {
		errno = EAGAIN;
		return -1;
	}
	memcpy(ptp4l.questions[ptp4l.n++], data, len);
	return (ssize_t)len;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)fds;
	(void)n;
	(void)timeout;
	return 1;
}

/* Writes the data of an answer. Return: their length; 0 = ptp4l does not know the id */
static size_t answer_data(uint16_t id, uint8_t *data)
{
	switch (id) {
	case 0x2001: /* CURRENT_DATA_SET */
		tw_store_be64(data + 2, 70 << 16);
		tw_store_be64(data + 10, 30 << 16);
		return 18;
	case 0x2002: /* PARENT_DATA_SET */
		data[19] = 6;
		data[20] = 0x21;
		return 32;
	case 0x2003: /* TIME_PROPERTIES_DATA_SET */
		tw_store_be16(data, 37);
		data[2] = 0x04 | 0x08 | 0x10;
		return 4;
	case 0xc000: /* TIME_STATUS_NP */
		data[41] = 1;
		memcpy(data + 42, "\x00\x80\xc2\xff\xfe\x00\x00\x01", 8);
		return 50;
	case 0xc004: /* PORT_PROPERTIES_NP */
		data[10] = TW_PTP_SLAVE;
		data[12] = 4;
		memcpy(data + 13, "eth0", 4);
		return 17;
	default:
		return 0;
	}
}

static void put_uid(struct msghdr *msg)
{
	const struct ucred who = { .pid = 1, .uid = ptp4l.uid };
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);

	assert_non_null(c);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_CREDENTIALS;
	c->cmsg_len = CMSG_LEN(sizeof(who));
	memcpy(CMSG_DATA(c), &who, sizeof(who));
}

/* Answers the questions of the default profile. */
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	uint8_t *m = msg->msg_iov[0].iov_base;
	struct sockaddr_un *from = msg->msg_name;
	size_t len;

	(void)fd;
	(void)flags;
	while (ptp4l.n && (ptp4l.questions[0][4] || ptp4l.questions[0][0] >> 4))
		memmove(ptp4l.questions[0], ptp4l.questions[1], sizeof(ptp4l.questions[0]) * --ptp4l.n);
	if (!ptp4l.n) {
		errno = EAGAIN;
		return -1;
	}
	assert_true(msg->msg_iov[0].iov_len >= 128);
	memset(m, 0, 128);
	memcpy(m, ptp4l.questions[0], QUESTION);
	memmove(ptp4l.questions[0], ptp4l.questions[1], sizeof(ptp4l.questions[0]) * --ptp4l.n);
	len = answer_data(tw_load_be16(m + 52), m + QUESTION);
	m[46] = 2; /* RESPONSE */
	tw_store_be16(m + 50, (uint16_t)(len + 2));
	*from = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(from->sun_path, sizeof(from->sun_path), "%s", ptp4l.name);
	msg->msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(ptp4l.name) + 1);
	if (ptp4l.has_uid)
		put_uid(msg);
	else
		msg->msg_controllen = 0;
	return (ssize_t)(QUESTION + len);
}

/* Return: whether the answers were accepted */
static bool answers(const char *name, bool has_uid, uid_t uid, struct tw_ptp4l_status *ret)
{
	struct tw_ptp4l ptp;
	bool any = false;

	memset(&ptp4l, 0, sizeof(ptp4l));
	ptp4l.name = name;
	ptp4l.has_uid = has_uid;
	ptp4l.uid = uid;
	tw_ptp4l__open(&ptp);
	assert_true(ptp.fd >= 0);
	for (int i = 0; i < 5; i++)
		any |= tw_ptp4l__look(&ptp, ret);
	tw_ptp4l__close(&ptp);
	return any;
}

static void test_answers(void **state)
{
	struct tw_ptp4l_status status = { 0 };
	uint32_t utc_ns = 0;

	(void)state;
	assert_true(answers("/run/ptp4l", true, 0, &status));
	assert_true(status.has_master && status.offset == 70 && status.path_delay == 30);
	assert_int_equal(status.state, TW_PTP_SLAVE);
	assert_string_equal(status.interface, "eth0");
	assert_int_equal(status.utc_offset, 37);
	assert_memory_equal(status.grandmaster, "\x00\x80\xc2\xff\xfe\x00\x00\x01", 8);
	assert_true(tw_ptp4l__utc(&status, &utc_ns));
	assert_int_equal(utc_ns, 100);
	assert_true(answers("/var/run/ptp/ptp4l", true, 0, &status));
}

/* Any process can create a socket with this name, in namespaces of its own. Only root's answers count. */
static void test_strangers(void **state)
{
	struct tw_ptp4l_status unused;

	(void)state;
	assert_false(answers("/run/ptp4l", true, 65534, &unused));
	assert_false(answers("/run/ptp4l", true, 1000, &unused));
	assert_false(answers("/run/ptp4l", false, 0, &unused));
	assert_false(answers("/run/stranger", true, 0, &unused));
}

/* A process that is not root, or a machine without ptp4l. */
static void test_permission(void **state)
{
	static const int errors[] = { EACCES, EPERM, ENOENT, ECONNREFUSED, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct tw_ptp4l_status unused;
		struct tw_ptp4l ptp;

		memset(&ptp4l, 0, sizeof(ptp4l));
		ptp4l.name = "/run/ptp4l";
		ptp4l.error = EACCES;
		tw_ptp4l__open(&ptp);
		assert_true(ptp.is_denied);
		ptp4l.error = errors[i]; /* ptp4l was started or has ended, or its socket was made accessible */
		tw_ptp4l__look(&ptp, &unused);
		assert_int_equal(ptp.is_denied, errors[i] == EACCES || errors[i] == EPERM);
		tw_ptp4l__close(&ptp);
	}
}

/* The kernel adds the sender only if the socket requests it. */
static void test_request_for_senders(void **state)
{
	struct tw_ptp4l ptp;
	socklen_t len = sizeof(int);
	int on = 0;

	(void)state;
	memset(&ptp4l, 0, sizeof(ptp4l));
	ptp4l.error = ENOENT;
	tw_ptp4l__open(&ptp);
	assert_int_equal(getsockopt(ptp.fd, SOL_SOCKET, SO_PASSCRED, &on, &len), 0);
	assert_int_equal(on, 1);
	tw_ptp4l__close(&ptp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_permission),
		cmocka_unit_test(test_request_for_senders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
