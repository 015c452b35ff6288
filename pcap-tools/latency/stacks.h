/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel stacks at the beginning of a pair, and the times that began there. Stacks are written folded, as flame graphs need them: the names
 * from the outermost function to the innermost, with semicolons between.
 */
#ifndef TW_LATENCY_STACKS_H
#define TW_LATENCY_STACKS_H

#include "base/hash_table.h"

#define TW_LATENCY_STACKS_MAX   65536              /* different stacks of a pair, with TW_LATENCY_NO_STACK */
#define TW_LATENCY_STACKS_BYTES ((size_t)32 << 20) /* of all texts of a pair */
#define TW_LATENCY_NO_STACK     0

struct tw_latency_stack {
	char *text;     /* "TASK;FUNCTION;...;FUNCTION"; printable */
	uint64_t n, ns; /* number and sum of the times that began at this stack */
	uint32_t next;  /* number of another stack with the same hash; 0 = none */
};

struct tw_latency_stacks {
	struct tw_latency_stack
		*items; /* @n of them; the first, TW_LATENCY_NO_STACK, has the times without a known stack */
	uint32_t n;
	size_t bytes;
	struct tw_hash_table index; /* hash of a text -> number of the first stack with this hash */
};

/** tw_latency_stacks__init() - begin without stacks. Return: 0, -ENOMEM */
int tw_latency_stacks__init(struct tw_latency_stacks *stacks);

/**
 * tw_latency_stacks__add() - find the number of a stack, or add the stack
 * @task: name of the task
 * @text: as tw_print__run() prints a kernel_stack: lines "=> FUNCTION", the innermost first
 * Return: its number; TW_LATENCY_NO_STACK if the text has no function, beyond a limit, or without memory.
 */
uint32_t tw_latency_stacks__add(struct tw_latency_stacks *stacks, const char *task, const char *text, size_t len);

/** tw_latency_stacks__count() - count a time that began at a stack */
void tw_latency_stacks__count(struct tw_latency_stacks *stacks, uint32_t number, uint64_t ns);

/** tw_latency_stacks__fini() - free the memory */
void tw_latency_stacks__fini(struct tw_latency_stacks *stacks);

#endif
