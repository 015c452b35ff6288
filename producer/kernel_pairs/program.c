/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/kernel_pairs/program.h"

#include <errno.h>
#include <stddef.h>

#include "base/bytes.h"
#include "filter/bpf/test.h"

/* Registers that keep their values across calls. */
#define CONTEXT BPF_REG_6
#define FIGURES BPF_REG_7 /* of the pair, this epoch and this CPU */
#define NOW     BPF_REG_8 /* time of the event; 0 = not read yet */
#define TIME    BPF_REG_9 /* time of the beginning; then the time from the beginning to the end */

/* Offsets from the frame pointer, bytes. */
#define EPOCH (-4)  /* u32 */
#define TASK  (-8)  /* u32: the thread group of the current task */
#define PID   (-12) /* u32 */
#define CPU   (-16) /* u16 */
#define KEY   (-16 - 8 * TW_PAIR_KEYS_MAX)
#define BEGIN (KEY - (int)sizeof(struct tw_kernel_begin))
#define CELL  (BEGIN - (int)sizeof(struct tw_kernel_cell))
#define ZEROS (CELL - (int)sizeof(struct tw_kernel_samples))

#define IN_FIGURES(member) ((int)offsetof(struct tw_kernel_figures, member))
#define IN_SAMPLES(member) ((int)offsetof(struct tw_kernel_samples, member))
#define IN_VALUES(member)  ((int)offsetof(struct tw_kernel_values, member))

struct gen {
	struct tw_asm a;
	const struct tw_tracepoint *tracepoint;
	uint32_t own;
	size_t n_played;   /* roles whose condition can be true */
	bool is_timed;     /* a role needs the time */
	bool several_need; /* several roles need it */
	bool one_pair;     /* all roles are of one pair */
	enum { NOT_READ, PERHAPS_READ, READ } now;
	tw_label out;
};

/* Adds to a counter of the figures. r1 changes. */
static void count(struct tw_asm *a, int offset)
{
	tw_asm__load(a, 8, BPF_REG_1, FIGURES, offset);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, 1);
	tw_asm__store(a, 8, FIGURES, offset, BPF_REG_1);
}

static void set_argument(struct tw_asm *a, uint8_t reg, int stack)
{
	tw_asm__mov(a, reg, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, reg, stack);
}

/* Calls a helper with a map, and with a key on the stack. */
static void call_map(struct tw_asm *a, uint16_t map, int key, int helper)
{
	tw_asm__map(a, BPF_REG_1, map);
	set_argument(a, BPF_REG_2, key);
	tw_asm__call(a, helper);
}

static void call_open(struct tw_asm *a, const struct tw_kernel_pair *pair, int helper)
{
	call_map(a, tw_kernel_map__number(pair->index, TW_KERNEL_OPEN), KEY, helper);
}

/* Sets r0 to the beginning of the current task, or to 0. @flags: BPF_LOCAL_STORAGE_GET_F_CREATE makes an empty one, if there is none */
static void find_in_task(struct tw_asm *a, const struct tw_kernel_pair *pair, int flags)
{
	tw_asm__call(a, BPF_FUNC_get_current_task_btf);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_0);
	tw_asm__map(a, BPF_REG_1, tw_kernel_map__number(pair->index, TW_KERNEL_OPEN));
	tw_asm__imm(a, BPF_REG_3, 0);
	tw_asm__imm(a, BPF_REG_4, (uint64_t)flags);
	tw_asm__call(a, BPF_FUNC_task_storage_get);
}

/* Sets r0 to the beginning of the key, or to 0. A beginning in task storage can be empty. */
static void find_begin(struct tw_asm *a, const struct tw_kernel_pair *pair)
{
	if (pair->in_task)
		find_in_task(a, pair, 0);
	else
		call_open(a, pair, BPF_FUNC_map_lookup_elem);
}

/* Adds an element with a key and a value on the stack. */
static void insert(struct tw_asm *a, uint16_t map, int key, int value)
{
	set_argument(a, BPF_REG_3, value);
	tw_asm__imm(a, BPF_REG_4, BPF_NOEXIST);
	call_map(a, map, key, BPF_FUNC_map_update_elem);
}

/* Sets FIGURES. */
static void find_figures(struct gen *g, const struct tw_kernel_pair *pair)
{
	struct tw_asm *a = &g->a;

	call_map(a, tw_kernel_map__number(pair->index, TW_KERNEL_FIGURES), EPOCH, BPF_FUNC_map_lookup_elem);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->out);
	tw_asm__mov(a, FIGURES, BPF_REG_0);
}

/* Sets NOW, unless an earlier role has done so. @skipped: whether some events skip this code */
static void read_clock(struct gen *g, bool skipped)
{
	struct tw_asm *a = &g->a;
	tw_label known;

	if (g->now == READ)
		return;
	known = tw_asm__label(a);
	if (g->now == PERHAPS_READ)
		tw_asm__jump_if(a, BPF_JNE, NOW, 0, known);
	tw_asm__call(a, BPF_FUNC_ktime_get_ns);
	tw_asm__mov(a, NOW, BPF_REG_0);
	tw_asm__place(a, known);
	g->now = skipped ? PERHAPS_READ : READ;
}

/* Loads a value of the event into @reg. @sign: whether to extend its sign, as tw_field__read() does. No other register changes. */
static void load_value(struct tw_asm *a, const struct tw_pair_value *value, bool sign, uint8_t reg)
{
	int unused;

	switch (value->kind) {
	case TW_PAIR_PID:
		tw_asm__load(a, 4, reg, BPF_REG_10, PID);
		break;
	case TW_PAIR_CPU:
		tw_asm__load(a, 2, reg, BPF_REG_10, CPU);
		break;
	case TW_PAIR_FIELD:
		tw_asm__load(a, value->field->size, reg, CONTEXT, (int)value->field->offset);
		unused = 64 - 8 * (int)value->field->size;
		if (sign && unused && tw_field__is_signed(value->field)) {
			tw_asm__alu(a, BPF_LSH, reg, unused);
			tw_asm__alu(a, BPF_ARSH, reg, unused);
		}
		break;
	case TW_PAIR_COMM:
	case TW_PAIR_NO_VALUE:
		tw_asm__imm(a, reg, 0);
		break;
	}
}

static void make_key(struct tw_asm *a, const struct tw_kernel_role *role)
{
	for (size_t i = 0; i < role->pair->n_keys; i++) {
		load_value(a, &role->binding.keys[i], true, BPF_REG_1);
		tw_asm__store(a, 8, BPF_REG_10, KEY + 8 * (int)i, BPF_REG_1);
	}
}

/* Stores the event's own value of a group in a struct tw_kernel_values. r1 changes. */
static void store_own(struct tw_asm *a, const struct tw_kernel_role *role, size_t by, uint8_t base, int offset)
{
	const struct tw_pair_value *value = &role->binding.by[by];
	const int32_t from = value->kind == TW_PAIR_NO_VALUE ? 0 : role->number;

	load_value(a, value, false, BPF_REG_1);
	tw_asm__store(a, 8, base, offset + IN_VALUES(values) + 8 * (int)by, BPF_REG_1);
	tw_asm__store_imm(a, 1, base, offset + IN_VALUES(from) + (int)by, from);
}

/* Stores the time and the values of groups in a struct tw_kernel_begin. r1 changes. */
static void store_begin(struct tw_asm *a, const struct tw_kernel_role *role, uint8_t base, int offset)
{
	const int values = offset + (int)offsetof(struct tw_kernel_begin, by);

	tw_asm__store(a, 8, base, offset, NOW);
	for (size_t i = 0; i < role->pair->figures.n_by; i++)
		store_own(a, role, i, base, values);
}

/* Clears the parts of a struct tw_kernel_values on the stack that no group uses, because the kernel reads them, too. */
static void clear_rest(struct tw_asm *a, const struct tw_kernel_role *role, int values)
{
	for (size_t i = role->pair->figures.n_by; i < TW_PAIR_KEYS_MAX; i++)
		tw_asm__store_imm(a, 1, BPF_REG_10, values + IN_VALUES(from) + (int)i, 0);
	tw_asm__store_imm(a, 4, BPF_REG_10, values + IN_VALUES(cell), 0);
}

static void begin_in_task(struct gen *g, const struct tw_kernel_role *role)
{
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a), full = tw_asm__label(a), empty = tw_asm__label(a);

	find_in_task(a, role->pair, BPF_LOCAL_STORAGE_GET_F_CREATE);
	count(a, IN_FIGURES(begun));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, full);
	tw_asm__load(a, 8, BPF_REG_1, BPF_REG_0, offsetof(struct tw_kernel_begin, time));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, empty);
	count(a, IN_FIGURES(again));
	if (role->pair->figures.pair->keeps_first)
		tw_asm__jump(a, done);
	tw_asm__place(a, empty);
	store_begin(a, role, BPF_REG_0, 0);
	tw_asm__jump(a, done);
	tw_asm__place(a, full);
	count(a, IN_FIGURES(evicted));
	tw_asm__place(a, done);
}

static void begin_in_map(struct gen *g, const struct tw_kernel_role *role)
{
	const struct tw_kernel_pair *pair = role->pair;
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a), full = tw_asm__label(a);

	store_begin(a, role, BPF_REG_10, BEGIN);
	if (pair->figures.n_by)
		clear_rest(a, role, BEGIN + (int)offsetof(struct tw_kernel_begin, by));
	insert(a, tw_kernel_map__number(pair->index, TW_KERNEL_OPEN), KEY, BEGIN);
	count(a, IN_FIGURES(begun));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, done);
	/* Before Linux 6.4, the verifier replaces the helper by a function that returns an int, so the upper 32 bits are undefined. */
	tw_asm__jump32_if(a, BPF_JNE, BPF_REG_0, -EEXIST, full);
	count(a, IN_FIGURES(again));
	if (!pair->figures.pair->keeps_first) {
		call_open(a, pair, BPF_FUNC_map_lookup_elem);
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, done);
		store_begin(a, role, BPF_REG_0, 0);
	}
	tw_asm__jump(a, done);
	tw_asm__place(a, full);
	count(a, IN_FIGURES(evicted));
	tw_asm__place(a, done);
}

static void cancel(struct gen *g, const struct tw_kernel_role *role)
{
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a);

	if (role->pair->in_task) {
		find_in_task(a, role->pair, 0);
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, done);
		tw_asm__load(a, 8, BPF_REG_1, BPF_REG_0, offsetof(struct tw_kernel_begin, time));
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, done);
		tw_asm__store_imm(a, 8, BPF_REG_0, offsetof(struct tw_kernel_begin, time), 0);
	} else {
		call_open(a, role->pair, BPF_FUNC_map_delete_elem);
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, done);
	}
	count(a, IN_FIGURES(cancelled));
	tw_asm__place(a, done);
}

/* Copies a value of a group from the beginning at r0 to CELL. r1 changes. */
static void copy_value(struct tw_asm *a, size_t by)
{
	const int from = IN_VALUES(from) + (int)by, value = IN_VALUES(values) + 8 * (int)by;
	const int begin = (int)offsetof(struct tw_kernel_begin, by);

	tw_asm__load(a, 1, BPF_REG_1, BPF_REG_0, begin + from);
	tw_asm__store(a, 1, BPF_REG_10, CELL + from, BPF_REG_1);
	tw_asm__load(a, 8, BPF_REG_1, BPF_REG_0, begin + value);
	tw_asm__store(a, 8, BPF_REG_10, CELL + value, BPF_REG_1);
}

/* Takes a value of a group from the beginning at r0 if the beginning has it, otherwise from the event that ends. */
static void choose_value(struct tw_asm *a, const struct tw_kernel_role *role, size_t by)
{
	const tw_label own = tw_asm__label(a), next = tw_asm__label(a);

	if (role->pair->by_from[by] == TW_KERNEL_BY_EITHER) {
		tw_asm__load(a, 1, BPF_REG_1, BPF_REG_0,
			     (int)offsetof(struct tw_kernel_begin, by) + IN_VALUES(from) + (int)by);
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, own);
	}
	if (role->pair->by_from[by] != TW_KERNEL_BY_END) {
		copy_value(a, by);
		tw_asm__jump(a, next);
	}
	tw_asm__place(a, own);
	store_own(a, role, by, BPF_REG_10, CELL);
	tw_asm__place(a, next);
}

/* Adds TIME to the struct tw_kernel_samples at @base + @offset. r2 and r3 change. */
static void add_sample(struct tw_asm *a, uint8_t base, int offset)
{
	const tw_label no_max = tw_asm__label(a), no_min = tw_asm__label(a);

	tw_asm__load(a, 8, BPF_REG_2, base, offset + IN_SAMPLES(n));
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, 1);
	tw_asm__store(a, 8, base, offset + IN_SAMPLES(n), BPF_REG_2);
	tw_asm__load(a, 8, BPF_REG_2, base, offset + IN_SAMPLES(sum));
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_2, TIME);
	tw_asm__store(a, 8, base, offset + IN_SAMPLES(sum), BPF_REG_2);
	tw_asm__load(a, 8, BPF_REG_2, base, offset + IN_SAMPLES(max));
	tw_asm__jump_if_reg(a, BPF_JGE, BPF_REG_2, TIME, no_max);
	tw_asm__store(a, 8, base, offset + IN_SAMPLES(max), TIME);
	tw_asm__place(a, no_max);
	tw_asm__mov(a, BPF_REG_3, TIME);
	tw_asm__alu(a, BPF_XOR, BPF_REG_3, -1);
	tw_asm__load(a, 8, BPF_REG_2, base, offset + IN_SAMPLES(inverted_min));
	tw_asm__jump_if_reg(a, BPF_JGE, BPF_REG_2, BPF_REG_3, no_min);
	tw_asm__store(a, 8, base, offset + IN_SAMPLES(inverted_min), BPF_REG_3);
	tw_asm__place(a, no_min);
}

/* Adds TIME, whose bucket is in r1, to the group at CELL. If the map has no room, jumps to @others with the bucket in r1. */
static void add_to_group(struct gen *g, const struct tw_kernel_pair *pair, tw_label others, tw_label done)
{
	const uint16_t groups = tw_kernel_map__number(pair->index, TW_KERNEL_GROUPS);
	struct tw_asm *a = &g->a;
	const tw_label found = tw_asm__label(a);

	tw_asm__load(a, 4, BPF_REG_2, BPF_REG_10, EPOCH);
	tw_asm__alu(a, BPF_LSH, BPF_REG_2, 16);
	tw_asm__alu_reg(a, BPF_OR, BPF_REG_1, BPF_REG_2);
	tw_asm__store(a, 4, BPF_REG_10, CELL + IN_VALUES(cell), BPF_REG_1);
	call_map(a, groups, CELL, BPF_FUNC_map_lookup_elem);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, found);
	for (int i = 0; i < (int)sizeof(struct tw_kernel_samples); i += 8)
		tw_asm__store_imm(a, 8, BPF_REG_10, ZEROS + i, 0);
	insert(a, groups, CELL, ZEROS);
	call_map(a, groups, CELL, BPF_FUNC_map_lookup_elem);
	tw_asm__load(a, 4, BPF_REG_1, BPF_REG_10, CELL + IN_VALUES(cell));
	tw_asm__alu(a, BPF_AND, BPF_REG_1, 0xffff);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, others);
	tw_asm__place(a, found);
	add_sample(a, BPF_REG_0, 0);
	tw_asm__jump(a, done);
}

/* Counts TIME, the time from the beginning to the end. */
static void add_time(struct gen *g, const struct tw_kernel_pair *pair, tw_label done)
{
	struct tw_asm *a = &g->a;
	const tw_label others = tw_asm__label(a);

	tw_asm__mov(a, BPF_REG_1, TIME);
	tw_kernel_bucket__emit(a, &pair->figures.all.scale);
	if (pair->figures.n_by)
		add_to_group(g, pair, others, done);
	tw_asm__place(a, others);
	add_sample(a, FIGURES, IN_FIGURES(samples));
	tw_asm__jump_if(a, BPF_JGT, BPF_REG_1, TW_HISTOGRAM_BUCKETS, done); /* never; the verifier needs the check */
	tw_asm__alu(a, BPF_LSH, BPF_REG_1, 3);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, FIGURES);
	tw_asm__load(a, 8, BPF_REG_2, BPF_REG_1, IN_FIGURES(buckets));
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, 1);
	tw_asm__store(a, 8, BPF_REG_1, IN_FIGURES(buckets), BPF_REG_2);
}

/*
 * Removes the beginning at r0, whose time is TIME. If another CPU ends or cancels the same key at the same time, only one of the two can
 * delete the beginning; the other one has no beginning, and jumps to @none.
 */
static void take_begin(struct tw_asm *a, const struct tw_kernel_pair *pair, tw_label none)
{
	if (pair->in_task) {
		tw_asm__store_imm(a, 8, BPF_REG_0, offsetof(struct tw_kernel_begin, time), 0);
		return;
	}
	call_open(a, pair, BPF_FUNC_map_delete_elem);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, none);
}

static void end(struct gen *g, const struct tw_kernel_role *role)
{
	const struct tw_kernel_pair *pair = role->pair;
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a), none = tw_asm__label(a), forwards = tw_asm__label(a);

	find_begin(a, pair);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, none);
	tw_asm__load(a, 8, TIME, BPF_REG_0, offsetof(struct tw_kernel_begin, time));
	if (pair->in_task)
		tw_asm__jump_if(a, BPF_JEQ, TIME, 0, none);
	for (size_t i = 0; i < pair->figures.n_by; i++)
		choose_value(a, role, i);
	if (pair->figures.n_by)
		clear_rest(a, role, CELL);
	take_begin(a, pair, none);
	tw_asm__jump_if_reg(a, BPF_JGE, NOW, TIME, forwards);
	count(a, IN_FIGURES(backwards));
	tw_asm__jump(a, done);
	tw_asm__place(a, forwards);
	tw_asm__mov(a, BPF_REG_1, NOW);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TIME);
	tw_asm__mov(a, TIME, BPF_REG_1);
	add_time(g, pair, done);
	tw_asm__jump(a, done);
	tw_asm__place(a, none);
	count(a, IN_FIGURES(no_begin));
	tw_asm__place(a, done);
}

/* Jumps to @fails unless a tree is true for the event. @root: NULL = TRUE */
static void require(struct tw_asm *a, const struct tw_node *root, tw_label fails)
{
	static const struct tw_bpf_tracepoint tracepoint = { .context = CONTEXT, .pid = PID, .cpu = CPU };
	static const struct tw_bpf_access access = { .tracepoint = &tracepoint };
	tw_label holds;

	if (!root)
		return;
	holds = tw_asm__label(a);
	tw_tree__emit(a, root, &access, holds, fails);
	tw_asm__place(a, holds);
}

static bool is_timed(const struct tw_kernel_role *role)
{
	return role->binding.event->role != TW_PAIR_CANCEL;
}

static bool ignores_own(const struct gen *g, const struct tw_kernel_role *role)
{
	return g->own && role->by_task;
}

static void play(struct gen *g, const struct tw_kernel_role *role)
{
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a);

	if (ignores_own(g, role)) {
		tw_asm__load(a, 4, BPF_REG_1, BPF_REG_10, TASK);
		tw_asm__jump32_if(a, BPF_JEQ, BPF_REG_1, (int32_t)g->own, done);
	}
	require(a, role->condition, done);
	if (is_timed(role))
		read_clock(g, ignores_own(g, role) || role->condition);
	if (!g->one_pair || g->n_played == 1)
		find_figures(g, role->pair);
	if (!role->pair->in_task)
		make_key(a, role);
	switch (role->binding.event->role) {
	case TW_PAIR_END:
		end(g, role);
		break;
	case TW_PAIR_CANCEL:
		cancel(g, role);
		break;
	case TW_PAIR_BEGIN:
		if (role->pair->in_task)
			begin_in_task(g, role);
		else
			begin_in_map(g, role);
		break;
	case TW_PAIR_VALUE: /* refused by plan.c */
		break;
	}
	tw_asm__place(a, done);
}

static bool tests(const struct tw_node *root, uint8_t operand)
{
	struct tw_walk walk = tw_walk__on(root);
	const struct tw_test *test = NULL;

	while (root && (test = tw_walk__next_test(&walk)) && test->operand != operand)
		;
	return test;
}

static bool reads(const struct tw_kernel_role *role, int kind)
{
	for (size_t i = 0; i < TW_PAIR_KEYS_MAX; i++)
		if ((int)role->binding.keys[i].kind == kind || (int)role->binding.by[i].kind == kind)
			return true;
	return false;
}

/* Whether the program needs the pid or the CPU: for keys and groups (@kind), or for comparisons (@operand). */
static bool needs(const struct gen *g, int kind, uint8_t operand)
{
	if (tests(g->tracepoint->filter, operand))
		return true;
	for (size_t i = 0; i < g->tracepoint->n_roles; i++) {
		const struct tw_kernel_role *role = g->tracepoint->roles[i];

		if (!role->never && (reads(role, kind) || tests(role->condition, operand)))
			return true;
	}
	return false;
}

static void store_origin(struct gen *g)
{
	struct tw_asm *a = &g->a;

	if (needs(g, TW_PAIR_PID, TW_ON_PID)) {
		tw_asm__call(a, BPF_FUNC_get_current_pid_tgid);
		tw_asm__store(a, 4, BPF_REG_10, PID, BPF_REG_0);
		tw_asm__alu(a, BPF_RSH, BPF_REG_0, 32);
		tw_asm__store(a, 4, BPF_REG_10, TASK, BPF_REG_0);
	}
	if (needs(g, TW_PAIR_CPU, TW_ON_CPU)) {
		tw_asm__call(a, BPF_FUNC_get_smp_processor_id);
		tw_asm__store(a, 2, BPF_REG_10, CPU, BPF_REG_0);
	}
}

/* Code that runs for each event. */
static void enter(struct gen *g, const struct tw_kernel_pair *pair)
{
	struct tw_asm *a = &g->a;

	tw_asm__mov(a, CONTEXT, BPF_REG_1);
	tw_asm__map_value(a, BPF_REG_1, TW_KERNEL_GATE);
	tw_asm__load(a, 4, BPF_REG_1, BPF_REG_1, 0);
	tw_asm__jump_if(a, BPF_JGE, BPF_REG_1, TW_KERNEL_EPOCHS, g->out);
	tw_asm__store(a, 4, BPF_REG_10, EPOCH, BPF_REG_1);
	store_origin(g);
	require(a, g->tracepoint->filter, g->out);
	if (g->several_need)
		tw_asm__imm(a, NOW, 0);
	if (g->one_pair && g->n_played > 1)
		find_figures(g, pair);
}

/* Looks at the roles. Return: the first one whose condition can be true; NULL if there is none */
static const struct tw_kernel_role *look_at_roles(struct gen *g)
{
	const struct tw_kernel_role *first = NULL;

	g->one_pair = true;
	for (size_t i = 0; i < g->tracepoint->n_roles; i++) {
		const struct tw_kernel_role *role = g->tracepoint->roles[i];

		if (role->never)
			continue;
		first = first ? first : role;
		g->one_pair &= role->pair == first->pair;
		g->several_need |= is_timed(role) && g->is_timed;
		g->is_timed |= is_timed(role);
		g->n_played++;
	}
	return first;
}

static void write_program(struct gen *g, const struct tw_kernel_role *first)
{
	struct tw_asm *a = &g->a;

	g->out = tw_asm__label(a);
	enter(g, first->pair);
	for (size_t i = 0; i < g->tracepoint->n_roles; i++) {
		if (!g->tracepoint->roles[i]->never)
			play(g, g->tracepoint->roles[i]);
	}
	tw_asm__place(a, g->out);
	tw_asm__imm(a, BPF_REG_0, 1); /* with 0, the kernel would hide the event from perf events of others */
	tw_asm__exit(a);
}

int tw_kernel_program__generate(const struct tw_tracepoint *tracepoint, uint32_t own, struct tw_bpf_program *ret)
{
	struct gen g = { .tracepoint = tracepoint, .own = own };
	const struct tw_kernel_role *first = look_at_roles(&g);
	int err;

	*ret = (struct tw_bpf_program){ 0 };
	if (!first)
		return 0;
	tw_asm__init(&g.a);
	write_program(&g, first);
	err = tw_asm__finish(&g.a, ret);
	tw_asm__fini(&g.a);
	return err;
}
