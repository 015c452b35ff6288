/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void ignore(int number)
{
	(void)number;
}

static void use_pipe(void)
{
	char bytes[64] = { 0 };
	int ends[2];

	if (pipe(ends))
		return;
	if (write(ends[1], bytes, sizeof(bytes)) > 0 && read(ends[0], bytes, sizeof(bytes)) < 0)
		_exit(1);
	close(ends[0]);
	close(ends[1]);
}

static void use_loopback(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	char bytes[200] = { 0 };
	int receiver = socket(AF_INET, SOCK_DGRAM, 0);
	int sender = socket(AF_INET, SOCK_DGRAM, 0);

	if (!bind(receiver, (struct sockaddr *)&address, len) &&
	    !getsockname(receiver, (struct sockaddr *)&address, &len) &&
	    sendto(sender, bytes, sizeof(bytes), 0, (struct sockaddr *)&address, len) > 0 &&
	    recv(receiver, bytes, sizeof(bytes), MSG_DONTWAIT) < 0)
		usleep(1);
	close(receiver);
	/* a datagram without a receiver, for kfree_skb with a reason */
	sendto(sender, bytes, sizeof(bytes), 0, (struct sockaddr *)&address, len);
	close(sender);
}

/* Connects to a closed port, so that the kernel sends a reset. */
static void use_refused_connection(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				       .sin_port = htons(1) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		usleep(1);
	close(fd);
}

/* Uses a file without a name, so that no file is left when the load is killed. */
static void use_file(void)
{
	char bytes[8192] = { 0 };
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (fd < 0)
		return;
	if (write(fd, bytes, sizeof(bytes)) > 0)
		fdatasync(fd);
	close(fd);
}

static void use_memory(void)
{
	const size_t size = 1 << 20;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return;
	for (size_t i = 0; i < size; i += 4096)
		map[i] = 1;
	munmap(map, size);
}

static void use_process(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void use_timer(void)
{
	const struct timespec moment = { .tv_nsec = 100 * 1000 };
	const struct itimerval later = { .it_value.tv_sec = 60, .it_interval.tv_usec = 7 },
			       never = { .it_value.tv_sec = 0 };
	const struct itimerspec alarm = { .it_value.tv_sec = 60 };
	int fd = timerfd_create(CLOCK_BOOTTIME_ALARM, 0);

	nanosleep(&moment, NULL);
	setitimer(ITIMER_VIRTUAL, &later, NULL);
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	if (fd < 0)
		return;
	timerfd_settime(fd, 0, &alarm, NULL);
	close(fd);
}

static void work(void)
{
	for (unsigned int round = 0;; round++) {
		use_pipe();
		use_loopback();
		use_refused_connection();
		use_timer();
		for (int i = 0; i < 20; i++)
			syscall(SYS_getppid);
		kill(getpid(), SIGUSR1);
		if (round % 8 == 0) {
			use_process();
			use_file();
		}
		use_memory(); /* last, because it causes the most events, and a recording can end within it */
	}
}

pid_t load__start(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGUSR1, ignore);
	work();
	_exit(0);
}

void load__stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
