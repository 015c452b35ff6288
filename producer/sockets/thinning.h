/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. Keeps the run time of the programs below a part of the CPU time (--max-cpu): if they take more, fewer messages have
 * events, and more again when there is room. A message costs about half as much if the sampling is doubled, so the rate changes in powers
 * of two. It becomes lower at once, and higher only after the cost was far below the limit for some time.
 */
#ifndef TW_SOCKET_THINNING_H
#define TW_SOCKET_THINNING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define TW_THINNING_LOW_INTERVALS 10 /* with a low cost in a row, after which the rate is raised */
#define TW_THINNING_SHIFT_MAX     10 /* beyond it, almost the whole cost is that of messages without events */

/* The rule, without clocks and threads. */
struct tw_thinning_rule {
	uint32_t base;          /* --sample; at least 1 */
	uint32_t shift;         /* one in base << shift messages has events */
	uint32_t low_intervals; /* with a low cost until now */
};

/**
 * tw_thinning_rule__update() - choose the rate by the cost in the last interval
 * @cost, @limit: parts of the CPU time, in any unit
 * Return: whether the rate has changed
 */
bool tw_thinning_rule__update(struct tw_thinning_rule *rule, uint64_t cost, uint64_t limit);

/** tw_thinning_rule__is_at_end() - whether the rate cannot become lower */
bool tw_thinning_rule__is_at_end(const struct tw_thinning_rule *rule);

/** tw_thinning_rule__sample() - Return: one in this number of messages has events */
uint32_t tw_thinning_rule__sample(const struct tw_thinning_rule *rule);

struct tw_socket_thinning;

struct tw_socket_thinning_options {
	uint64_t limit; /* of the run time of the programs, in 1e-9 percent of the time of all CPUs */
	uint32_t sample;
	/* The three are called in a thread of the thinning */
	uint64_t (*run_time)(void *ctx); /* of all programs until now, ns */
	void (*set_sample)(void *ctx, uint32_t sample);
	void (*say)(void *ctx, const char *sentence); /* at most one sentence about the rate in 10 s */
	void *ctx;
};

/** tw_socket_thinning__new() - begin to measure. @options: copied. Return: 0 or -errno with @error filled */
int tw_socket_thinning__new(const struct tw_socket_thinning_options *options, struct tw_socket_thinning **ret,
			    struct tw_error *error);

/** tw_socket_thinning__free() - end the measurement; NULL is fine */
void tw_socket_thinning__free(struct tw_socket_thinning *thinning);

#endif
