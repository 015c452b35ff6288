/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/line.h"
#include "base/printable.h"

#define FRAMES_MAX  256  /* functions of a stack; further outer functions are left out */
#define TEXT_MAX    8192 /* bytes of a folded stack; it is cut at its innermost functions */
#define TASK_MAX    256  /* bytes of a task's name, with escaped bytes */
#define TRACING_MAX 4    /* innermost frames of a stack that may belong to the tracing */
#define CHAIN_MAX   8    /* stacks with equal hashes */

/* A function name in the printed text. */
struct frame {
	const char *name;
	size_t len;
};

int tw_latency_stacks__init(struct tw_latency_stacks *stacks)
{
	*stacks = (struct tw_latency_stacks){
		.items = calloc(TW_LATENCY_STACKS_MAX, sizeof(*stacks->items)),
		.index = { .key_size = sizeof(uint64_t), .value_size = sizeof(uint32_t), .max = TW_LATENCY_STACKS_MAX },
	};
	if (!stacks->items)
		return -ENOMEM;
	stacks->items[0].text = strdup("[unknown]");
	stacks->n = 1;
	return stacks->items[0].text ? 0 : -ENOMEM;
}

/* Splits the printed lines. Return: number of frames */
static size_t split(const char *text, size_t len, struct frame frames[FRAMES_MAX])
{
	const char *end = text + len;
	size_t n = 0;

	while (text < end && n < FRAMES_MAX) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *to = newline ? newline : end;

		while (text < to && strchr("\t =>", *text))
			text++;
		if (text < to)
			frames[n++] = (struct frame){ text, (size_t)(to - text) };
		text = to + 1;
	}
	return n;
}

static bool begins_with(const struct frame *frame, const char *text)
{
	const size_t len = strlen(text);

	return frame->len > len && !memcmp(frame->name, text, len);
}

/* Number of the innermost frames that belong to the tracing itself. */
static size_t of_tracing(const struct frame *frames, size_t n)
{
	size_t tracing = 0;

	for (size_t i = 0; i < n && i < TRACING_MAX; i++)
		if (begins_with(&frames[i], "__traceiter_") || begins_with(&frames[i], "trace_event_raw_event_"))
			tracing = i + 1;
	return tracing;
}

/* A semicolon in a name would look like the end of the name. */
static void put_name(struct tw_line *line, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		tw_line__char(line, name[i] == ';' ? ':' : name[i]);
}

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash;
}

/* Adds a stack, and stores its number in *@link. Return: its number, or TW_LATENCY_NO_STACK */
static uint32_t append(struct tw_latency_stacks *stacks, const char *text, size_t len, uint32_t *link)
{
	struct tw_latency_stack *stack = &stacks->items[stacks->n];

	if (stacks->n == TW_LATENCY_STACKS_MAX || stacks->bytes + len >= TW_LATENCY_STACKS_BYTES)
		return TW_LATENCY_NO_STACK;
	stack->text = strndup(text, len);
	if (!stack->text)
		return TW_LATENCY_NO_STACK;
	stacks->bytes += len + 1;
	return *link = stacks->n++;
}

/* Finds the stack with a folded text, or adds it. Return: its number, or TW_LATENCY_NO_STACK */
static uint32_t find(struct tw_latency_stacks *stacks, const char *text, size_t len)
{
	const uint64_t hash = hash_of(text, len);
	void *value;
	uint32_t *link;

	if (tw_hash_table__put_u64(&stacks->index, hash, &value) < 0)
		return TW_LATENCY_NO_STACK;
	link = value;
	for (int i = 0; i < CHAIN_MAX && *link; i++) {
		struct tw_latency_stack *stack = &stacks->items[*link];

		if (!strncmp(stack->text, text, len) && !stack->text[len])
			return *link;
		link = &stack->next;
	}
	return *link ? TW_LATENCY_NO_STACK : append(stacks, text, len, link);
}

uint32_t tw_latency_stacks__add(struct tw_latency_stacks *stacks, const char *task, const char *text, size_t len)
{
	struct frame frames[FRAMES_MAX];
	char folded[TEXT_MAX], printable[TASK_MAX];
	struct tw_line line = tw_line__on(folded, sizeof(folded));
	const size_t n = split(text, len, frames), tracing = of_tracing(frames, n);

	if (!n)
		return TW_LATENCY_NO_STACK;
	tw_printable__copy(printable, sizeof(printable), task, strlen(task));
	put_name(&line, printable, strlen(printable));
	for (size_t i = n; i-- > tracing;) {
		tw_line__char(&line, ';');
		put_name(&line, frames[i].name, frames[i].len);
	}
	return find(stacks, folded, tw_line__len(&line));
}

void tw_latency_stacks__count(struct tw_latency_stacks *stacks, uint32_t number, uint64_t ns)
{
	struct tw_latency_stack *stack = &stacks->items[number];

	stack->n++;
	if (__builtin_add_overflow(stack->ns, ns, &stack->ns))
		stack->ns = UINT64_MAX;
}

void tw_latency_stacks__fini(struct tw_latency_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->n; i++)
		free(stacks->items[i].text);
	free(stacks->items);
	tw_hash_table__fini(&stacks->index);
	*stacks = (struct tw_latency_stacks){ .items = NULL };
}
