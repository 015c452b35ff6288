/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bench/time needs to know the true distance of two clocks: each is compared with the CPU's counter (the TSC), which all namespaces of
 * a machine share. An emulated guest of QEMU has the same counter, too, plus a constant: QEMU emulates RDTSC with the host's own counter.
 *
 * truth log SECONDS CLOCK... -- every 20 ms, prints for each CLOCK a line: its name, the counter, the clock's reading in ns, and the number
 * of ticks of the counter within which both were read. CLOCK is mono, boot, real, tai, or a PTP hardware clock, such as /dev/ptp0.
 * truth ask FILE, truth answer FILE -- two processes that share the memory of FILE, one in a guest, exchange readings of their counters.
 * The guest's FILE is the memory of an ivshmem device. The process that asks prints the least and the greatest possible value of the other
 * counter - this counter.
 * truth drift PPM -- makes the clocks of this machine run faster by PPM, until they are adjusted again.
 * truth ptp-stamps FILE TYPE -- for an emulated igb card, whose registers are the memory of FILE: makes it stamp each received PTP message
 * of TYPE (0 = SYNC, 1 = DELAY_REQ), until it is killed. The driver configures the card to stamp all event messages. The emulated card
 * stamps only messages of one type, and a further one only after a register was read that the driver does not read.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/time.h"

#define TRIES     20 /* readings of a clock, of which the one within the fewest ticks is used */
#define PAUSE_MS  20
#define ROUNDS    20000
#define CLOCK_MAX 8

struct named_clock {
	const char *name;
	clockid_t id;
};

static uint64_t counter(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
	return ticks;
#else
	return tw_time__now(CLOCK_MONOTONIC_RAW);
#endif
}

static bool find_clock(const char *name, struct named_clock *ret)
{
	static const struct named_clock clocks[] = { { "mono", CLOCK_MONOTONIC },
						     { "boot", CLOCK_BOOTTIME },
						     { "real", CLOCK_REALTIME },
						     { "tai", CLOCK_TAI } };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!strcmp(name, clocks[i].name)) {
			*ret = clocks[i];
			return true;
		}
	}
	*ret = (struct named_clock){ name, open(name, O_RDONLY | O_CLOEXEC) };
	if (ret->id < 0)
		return false;
	ret->id = (clockid_t)(~(unsigned int)ret->id << 3 | 3); /* FD_TO_CLOCKID of the kernel's documentation */
	return true;
}

static void log_clock(const struct named_clock *clock)
{
	uint64_t at = 0, reading = 0, best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		const uint64_t before = counter();
		const uint64_t ns = tw_time__now(clock->id);
		const uint64_t ticks = counter() - before;

		if (ticks >= best)
			continue;
		best = ticks;
		at = before + ticks / 2;
		reading = ns;
	}
	printf("%s %llu %llu %llu\n", clock->name, (unsigned long long)at, (unsigned long long)reading,
	       (unsigned long long)best);
}

static int log_clocks(double seconds, int n, char **names)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC_RAW) + (uint64_t)(seconds * TW_NS_PER_SECOND);
	struct named_clock clocks[CLOCK_MAX];

	for (int i = 0; i < n; i++) {
		if (n > CLOCK_MAX || !find_clock(names[i], &clocks[i])) {
			fprintf(stderr, "truth: there is no clock %s\n", names[i]);
			return 1;
		}
	}
	while (tw_time__now(CLOCK_MONOTONIC_RAW) < end) {
		for (int i = 0; i < n; i++)
			log_clock(&clocks[i]);
		fflush(stdout);
		usleep(PAUSE_MS * 1000);
	}
	return 0;
}

/* The memory that the two processes share */
struct meeting {
	_Atomic uint64_t asked;    /* number of the round; ROUNDS + 1 = over */
	_Atomic uint64_t answered; /* number of the last answered round */
	_Atomic uint64_t reading;  /* of the answering process */
};

static void *map(const char *path, size_t size)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	return memory;
}

static int ask(struct meeting *m)
{
	int64_t low = INT64_MIN, high = INT64_MAX;

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		const uint64_t before = counter();
		int64_t least, most;

		atomic_store(&m->asked, round);
		while (atomic_load(&m->answered) != round)
			;
		least = (int64_t)(atomic_load(&m->reading) - counter());
		most = (int64_t)(atomic_load(&m->reading) - before);
		low = least > low ? least : low;
		high = most < high ? most : high;
	}
	atomic_store(&m->asked, ROUNDS + 1);
	printf("%lld %lld\n", (long long)low, (long long)high);
	return low > high;
}

static int answer(struct meeting *m)
{
	uint64_t last = 0, round;

	while ((round = atomic_load(&m->asked)) <= ROUNDS) {
		if (round == last)
			continue;
		atomic_store(&m->reading, counter());
		atomic_store(&m->answered, round);
		last = round;
	}
	atomic_store(&m->asked, 0); /* for the next meeting */
	atomic_store(&m->answered, 0);
	return 0;
}

static int drift(double ppm)
{
	struct timex timex = { .modes = ADJ_FREQUENCY, .freq = (long)(ppm * 65536) };

	if (adjtimex(&timex) < 0) {
		perror("adjtimex");
		return 1;
	}
	return 0;
}

/* Registers of an 82576 network controller, as 32-bit words */
#define TSYNCRXCFG (0x5F50 / 4)
#define TSYNCRXCTL (0xB620 / 4)
#define RXSATRH    (0xB630 / 4)
#define VALID      1 /* in TSYNCRXCTL: a stamp is in other registers */

/* The driver has several milliseconds to read a stamp. */
_Noreturn static void stamp(volatile uint32_t *registers, uint32_t type)
{
	bool valid = false;

	for (;;) {
		const bool was_valid = valid;

		registers[TSYNCRXCFG] = type << 8; /* the driver resets it when it is configured */
		valid = registers[TSYNCRXCTL] & VALID;
		if (valid && was_valid) {
			(void)registers[RXSATRH];
			valid = false;
		}
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "log") && argc > 3)
		return log_clocks(atof(argv[2]), argc - 3, argv + 3);
	if (!strcmp(what, "ask"))
		return ask(map(argv[2], sizeof(struct meeting)));
	if (!strcmp(what, "answer"))
		return answer(map(argv[2], sizeof(struct meeting)));
	if (!strcmp(what, "drift"))
		return drift(atof(argv[2]));
	if (!strcmp(what, "ptp-stamps") && argc > 3)
		stamp(map(argv[2], 128 * 1024), (uint32_t)atoi(argv[3]));
	fprintf(stderr,
		"usage: truth log SECONDS CLOCK... | ask FILE | answer FILE | drift PPM | ptp-stamps FILE TYPE\n");
	return 1;
}
