/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs in the kernel: the programs run on made events, and their figures are those of pairs/pairing.c for the same events.
 *
 * The kernel has no test runs of programs at tracepoints. Therefore, the instructions are loaded as programs at raw tracepoints, whose test
 * runs take a context of 96 bytes. Three calls are replaced: the time, the task and the CPU are read from this context.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h needs these before it */
#include <cmocka.h>

#include <bpf/bpf.h>

#include "base/bytes.h"
#include "filter/evaluate.h"
#include "producer/kernel_pairs/impl.h"
#include "tests/schema/texts.h"

#define SKIPPED  77
#define EVENTS   6000
#define NAMES    "{ 0, \"none\" }, { 1, \"one\" }, { 2, \"two\" }"
#define TIME_AT  0  /* offsets in a context: of the time, in place of the common fields */
#define TASK_AT  80 /* as bpf_get_current_pid_tgid() returns it */
#define CPU_AT   88
#define CONTEXT  96
#define OWN_TASK 77

/* clang-format off */
#define FIELDS \
	FIELD("unsigned long addr", 8, 8, 0) FIELD("pid_t pid", 16, 4, 1) FIELD("u8 kind", 20, 1, 0) FIELD("short level", 22, 2, 1) \
	FIELD("unsigned int vec", 24, 4, 0) FIELD("signed char small", 28, 1, 1) FIELD("long state", 32, 8, 1)
static const struct made_event {
	const char *name, *text;
} made[] = {
	{ "enter", EVENT_TEXT("enter", 901, FIELDS FIELD("int depth", 40, 4, 1) FIELD("char name[8]", 48, 8, 0),
		"print fmt: \"vec=%s depth=%d\", __print_symbolic(REC->vec, " NAMES "), REC->depth") },
	{ "leave", EVENT_TEXT("leave", 902, FIELDS FIELD("int wide", 40, 4, 1),
		"print fmt: \"vec=%u %s\", REC->vec, __print_flags(REC->state, \"|\", { 1, \"A\" }, { 2, \"B\" })") },
	{ "drop", EVENT_TEXT("drop", 903, FIELDS, "print fmt: \"\"") },
	{ "both", EVENT_TEXT("both", 904, FIELD("pid_t prev", 8, 4, 1) FIELD("pid_t next", 12, 4, 1) FIELD("long state", 16, 8, 1)
		FIELD("unsigned long addr", 24, 8, 0) FIELD("u8 a[4]", 32, 4, 0) FIELD("unsigned long args[3]", 40, 24, 0), "print fmt: \"\"") },
};
/* clang-format on */
#define MADE (sizeof(made) / sizeof(made[0]))

static const char table_text[] =
	"pair plain\n begin t:enter addr\n end t:leave addr\n cancel t:drop addr\n"
	"pair first\n begin t:enter addr\n end t:leave addr\n again first\n unit us\n by vec\n"
	"pair signs\n begin t:enter level,kind\n end t:leave wide,kind\n again first\n unit ms\n"
	"pair roles\n begin t:enter pid\n begin t:both prev if state & 3 == 0 and prev != 0\n"
	" end t:both next if next != 0\n cancel t:both prev\n cancel t:drop common_pid\n again first\n"
	"pair cpus\n begin t:enter cpu,vec\n end t:leave cpu,vec\n by cpu,state\n"
	"pair tasks\n begin t:enter common_pid\n end t:leave common_pid if state >= -2 and !(kind in {1,3})\n"
	" cancel t:drop pid if vec in {1..2} or cpu == 1\n by pid\n unit us\n"
	"pair either\n begin t:enter addr if level < 0 or pid == -1\n begin t:both addr if args == 2\n"
	" end t:leave addr if small != -1 and small & 0xf0 > 16\n by vec,level\n"
	"pair texts\n begin t:enter addr\n end t:leave addr\n by name\n"
	"pair named\n begin t:enter name\n end t:leave addr\n"
	"pair never\n begin t:enter addr if name == x\n end t:leave addr\n"
	"pair loop\n begin t:leave addr\n end t:leave addr\n"
	"pair task\n begin t:enter common_pid\n end t:leave common_pid\n cancel t:drop common_pid if kind < 2\n"
	" by vec,level\n again first\n"
	"pair last\n begin t:enter common_pid\n begin t:both common_pid\n end t:leave common_pid\n unit us\n";

struct event {
	size_t kind; /* index in made */
	uint64_t time;
	uint32_t pid;
	uint16_t cpu;
	uint8_t record[CONTEXT];
};

/* Everything that belongs to one measurement. */
struct under_test {
	struct tw_kernel_pairs *kernel;
	int programs[MADE]; /* -1 = none */
	struct tw_pair_names *names;
	struct tw_bound *filter;
	/* The reference: a pairing and figures for each pair. */
	struct tw_pair_figures figures[TW_KERNEL_PAIRS_MAX];
	struct tw_pairing *pairings[TW_KERNEL_PAIRS_MAX];
};

static char tracing_dir[] = "/tmp/test-kernel-pairs-XXXXXX";
static struct tw_pair_table *table;
static uint32_t only_pid; /* of all events; 0 = several */
static uint64_t random_state = 88172645463325252u;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", tracing_dir, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		fail_msg("%s: %s", path, strerror(errno));
}

static void make_dir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", tracing_dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void remove_all(void)
{
	char path[160];

	for (size_t i = 0; i < MADE; i++) {
		snprintf(path, sizeof(path), "%s/events/t/%s/format", tracing_dir, made[i].name);
		unlink(path);
		snprintf(path, sizeof(path), "%s/events/t/%s", tracing_dir, made[i].name);
		rmdir(path);
	}
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", tracing_dir,
			 (const char *[]){ "/available_events", "/events/t", "/events", "" }[i]);
		remove(path);
	}
}

static int set_up(void **state)
{
	char all[256] = "", name[64];
	struct tw_error error;

	(void)state;
	assert_non_null(mkdtemp(tracing_dir));
	make_dir("events");
	make_dir("events/t");
	for (size_t i = 0; i < MADE; i++) {
		snprintf(name, sizeof(name), "events/t/%s", made[i].name);
		make_dir(name);
		snprintf(name, sizeof(name), "events/t/%s/format", made[i].name);
		write_file(name, made[i].text);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "t:%s\n", made[i].name);
	}
	write_file("available_events", all);
	table = tw_pair_table__new();
	if (tw_pair_table__parse(table, table_text, strlen(table_text), "test", &error))
		fail_msg("%s", error.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tw_pair_table__free(table);
	remove_all();
	return 0;
}

static size_t find_pairs(const char *names, const struct tw_pair **ret)
{
	char *copy = strdup(names), *rest = copy, *name;
	struct tw_error error;
	size_t n = 0;

	while ((name = strsep(&rest, " "))) {
		ret[n++] = tw_pair_table__find(table, name, &error);
		if (!ret[n - 1])
			fail_msg("%s", error.text);
	}
	free(copy);
	return n;
}

/* Reads a value from the context, instead of calling a helper. */
static void replace_calls(struct tw_bpf_program *code)
{
	static const struct {
		int helper;
		int16_t at;
	} calls[] = { { BPF_FUNC_ktime_get_ns, TIME_AT },
		      { BPF_FUNC_get_current_pid_tgid, TASK_AT },
		      { BPF_FUNC_get_smp_processor_id, CPU_AT } };

	for (uint32_t i = 0; i < code->n; i++) {
		struct bpf_insn *insn = &code->insns[i];

		for (size_t c = 0; c < 3; c++) {
			if (insn->code == (BPF_JMP | BPF_CALL) && insn->imm == calls[c].helper)
				*insn = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
							   .dst_reg = BPF_REG_0,
							   .src_reg = BPF_REG_6,
							   .off = calls[c].at };
		}
	}
}

static int load(const struct tw_kernel_pairs *kernel, const struct tw_tracepoint *tracepoint, uint32_t own)
{
	struct tw_bpf_program code;
	int fd;

	assert_int_equal(tw_kernel_program__generate(tracepoint, own, &code), 0);
	if (!code.n)
		return -1;
	replace_calls(&code);
	for (uint32_t i = 0; i < code.n_map_uses; i++)
		code.insns[code.map_uses[i].insn].imm = tw_kernel_maps__fd(&kernel->maps, code.map_uses[i].map);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test", "GPL", code.insns, code.n, NULL);
	if (fd < 0)
		fail_msg("%s: %s", tracepoint->format->name, strerror(-fd));
	tw_bpf_program__fini(&code);
	return fd;
}

/* Options for the pairs @names; the options that are not set here are 0. */
static struct tw_kernel_pairs_options options_of(const struct tw_pair **pairs, const char *names)
{
	return (struct tw_kernel_pairs_options){
		.tracing_dir = tracing_dir,
		.pairs = pairs,
		.n_pairs = find_pairs(names, pairs),
		.memory = 8 << 20,
		.no_task_storage = true, /* because all events are of the task of this test */
	};
}

static void begin_reference(struct under_test *t, const struct tw_kernel_pairs_options *options)
{
	const struct tw_bind_options bind = { .schema = t->kernel->plan.formats };
	struct tw_error error;

	t->names = tw_pair_names__new();
	for (size_t i = 0; i < options->n_pairs; i++) {
		const struct tw_pair *pair = options->pairs[i];

		tw_pair_figures__init(&t->figures[i], pair, options->by, options->n_by, options->linear, NULL);
		if (tw_kernel_pairs__note(t->kernel, i))
			t->figures[i].n_by = 0;
		t->pairings[i] = tw_pairing__new(pair->events[0].n_keys, sizeof(uint64_t) * TW_PAIR_KEYS_MAX,
						 pair->keeps_first, NULL);
	}
	if (options->filter &&
	    (tw_filter__bind(options->filter, &bind, &t->filter, &error) || tw_bound__prepare(t->filter, &error)))
		fail_msg("%s", error.text);
}

static void begin_test(struct under_test *t, const struct tw_kernel_pairs_options *options)
{
	struct tw_error error;
	int err;

	*t = (struct under_test){ 0 };
	err = tw_kernel_pairs__new(options, &t->kernel, &error);
	if (err == -EPERM)
		exit(SKIPPED);
	if (err)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < MADE; i++) {
		t->programs[i] = -1;
		for (size_t p = 0; p < t->kernel->plan.n_tracepoints; p++)
			if (!strcmp(t->kernel->plan.tracepoints[p].format->name, made[i].name))
				t->programs[i] = load(t->kernel, &t->kernel->plan.tracepoints[p],
						      options->include_self ? 0 : OWN_TASK);
	}
	assert_int_equal(tw_kernel_maps__set_gate(&t->kernel->maps, t->kernel->epoch), 0);
	begin_reference(t, options);
}

static void end_test(struct under_test *t)
{
	for (size_t i = 0; i < MADE; i++)
		if (t->programs[i] >= 0)
			close(t->programs[i]);
	for (size_t i = 0; i < t->kernel->plan.n_pairs; i++) {
		tw_pairing__free(t->pairings[i]);
		tw_pair_figures__fini(&t->figures[i]);
	}
	tw_bound__free(t->filter);
	tw_pair_names__free(t->names);
	tw_kernel_pairs__free(t->kernel);
}

static void run_program(const struct under_test *t, const struct event *event)
{
	uint64_t context[CONTEXT / 8], task = (uint64_t)event->pid << 32 | event->pid, cpu = event->cpu;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = context, .ctx_size_in = sizeof(context));

	if (t->programs[event->kind] < 0)
		return;
	memcpy(context, event->record, sizeof(context));
	memcpy((char *)context + TIME_AT, &event->time, sizeof(event->time));
	memcpy((char *)context + TASK_AT, &task, sizeof(task));
	memcpy((char *)context + CPU_AT, &cpu, sizeof(cpu));
	assert_int_equal(bpf_prog_test_run_opts(t->programs[event->kind], &opts), 0);
	assert_int_equal(opts.retval, 1); /* perf events of other programs get the event */
}

static bool matches(const struct tw_bound *bound, const struct event *event, uint16_t id)
{
	const struct tw_filter_event input = {
		.record = event->record, .len = CONTEXT, .id = id, .pid = (int32_t)event->pid, .cpu = event->cpu
	};

	return !bound || tw_bound__matches(bound, &input);
}

static void play(struct under_test *t, struct tw_kernel_role *role, const struct event *event,
		 const struct tw_pair_input *input)
{
	const size_t i = role->pair->index;
	const struct tw_pairing_moment moment = { .time = event->time };
	uint64_t group[TW_PAIR_KEYS_MAX] = { 0 }, of_begin[TW_PAIR_KEYS_MAX];
	struct tw_pairing_moment before;
	struct tw_pairing_key key;

	assert_true(tw_pair_binding__key(&role->binding, input, t->names, &key));
	assert_true(tw_pair_binding__group(&role->binding, input, t->figures[i].n_by, t->names, group));
	if (role->binding.event->role == TW_PAIR_CANCEL)
		tw_pairing__cancel(t->pairings[i], &key);
	else if (role->binding.event->role == TW_PAIR_BEGIN)
		tw_pairing__begin(t->pairings[i], &key, &moment, group);
	else if (tw_pairing__end(t->pairings[i], &key, &moment, &before, of_begin)) {
		for (size_t by = 0; by < t->figures[i].n_by; by++) {
			group[by] = of_begin[by] ? of_begin[by] : group[by];
			group[by] = group[by] ? group[by] : tw_pair_names__add(t->names, "", 0);
		}
		tw_pair_figures__add(&t->figures[i], event->time - before.time, group);
	}
}

/* Lets the event play the roles that the plan gives it, as pcap-tools/latency does. */
static void run_reference(struct under_test *t, const struct event *event, bool all_tasks)
{
	const struct tw_record record = { .data = event->record, .len = CONTEXT, .big_endian = TW_HOST_BE };
	struct tw_pair_input input = { .pid = event->pid, .cpu = event->cpu, .record = &record };
	struct tw_kernel_plan *plan = &t->kernel->plan;

	for (size_t i = 0; i < plan->n_roles; i++) {
		struct tw_kernel_role *role = plan->roles[i];
		struct tw_error error;

		if (strcmp(role->format->name, made[event->kind].name) != 0 ||
		    !matches(t->filter, event, role->format->id) ||
		    (role->by_task && !all_tasks && event->pid == OWN_TASK))
			continue;
		if (role->bound && !role->bound->evaluator && tw_bound__prepare(role->bound, &error))
			fail_msg("%s", error.text);
		if (!matches(role->bound, event, role->format->id))
			continue;
		if (!role->print)
			role->print = tw_print__new(role->format);
		input.print = role->print;
		play(t, role, event, &input);
	}
}

/* Fills the record with small numbers, so that keys are often equal; some are negative. */
static void fill(struct event *event)
{
	for (size_t i = 8; i < CONTEXT; i++)
		event->record[i] = 0;
	for (size_t i = 8; i < TASK_AT; i += random_number() % 2 ? 4 : 8)
		event->record[i] = (uint8_t)(random_number() % 4);
	event->record[20] = (uint8_t)(random_number() % 4);
	event->record[28] = (uint8_t)random_number();
	if (random_number() % 4 == 0)
		memset(event->record + 22, 0xff, 2); /* level: -1 */
	if (random_number() % 4 == 0)
		memset(event->record + 40, 0xff, 4); /* wide: -1 */
	if (random_number() % 8 == 0)
		memset(event->record + 16, 0xff, 4); /* pid: -1, or a part of state */
	memcpy(event->record + 4, &event->pid, sizeof(event->pid));
}

static void make_event(struct event *event)
{
	static const uint32_t pids[] = { 1, 2, 3, OWN_TASK };

	event->kind = random_number() % MADE;
	event->time += random_number() >> (20 + random_number() % 44);
	if (random_number() % 64 == 0)
		event->time -= event->time / 3;
	if (random_number() % 64 == 0)
		event->time++;
	event->pid = only_pid ? only_pid : pids[random_number() % 4];
	event->cpu = (uint16_t)(random_number() % 3);
	fill(event);
}

static void same_histograms(const struct tw_histogram *a, const struct tw_histogram *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->beyond, b->beyond);
	if (a->n) {
		assert_int_equal(a->min, b->min);
		assert_int_equal(a->max, b->max);
	}
	assert_memory_equal(a->buckets, b->buckets, sizeof(a->buckets));
}

static const struct tw_histogram *find_group(const struct under_test *t, const struct tw_pair_figures *figures,
					     const struct tw_pair_group *like)
{
	for (size_t i = 0; i < figures->n_groups; i++) {
		bool same = true;

		for (size_t by = 0; by < figures->n_by; by++)
			same &= !strcmp(tw_pair_names__text(t->names, figures->groups[i]->names[by]),
					tw_pair_names__text(tw_kernel_pairs__names(t->kernel), like->names[by]));
		if (same)
			return &figures->groups[i]->histogram;
	}
	return NULL;
}

/* Takes the figures of the kernel, compares them with those of the reference, and clears both. Return: number of samples */
static uint64_t compare(struct under_test *t)
{
	struct tw_pair_figures *figures;
	struct tw_error error;
	uint64_t n = 0;

	if (tw_kernel_pairs__take(t->kernel, &figures, &error))
		fail_msg("%s", error.text);
	for (size_t i = 0; i < t->kernel->plan.n_pairs; i++) {
		struct tw_pair_figures *wanted = &t->figures[i];
		struct tw_pairing_stats stats;

		same_histograms(&figures[i].all, &wanted->all);
		assert_int_equal(figures[i].n_groups, wanted->n_groups);
		for (size_t g = 0; g < figures[i].n_groups; g++) {
			const struct tw_histogram *group = find_group(t, wanted, figures[i].groups[g]);

			assert_non_null(group);
			same_histograms(&figures[i].groups[g]->histogram, group);
		}
		tw_pairing__stats(t->pairings[i], &stats);
		assert_int_equal(figures[i].stats.open, stats.open);
		wanted->stats.begun += figures[i].stats.begun;
		wanted->stats.again += figures[i].stats.again;
		wanted->stats.cancelled += figures[i].stats.cancelled;
		wanted->stats.backwards += figures[i].stats.backwards;
		wanted->stats.no_begin += figures[i].stats.no_begin;
		assert_int_equal(wanted->stats.begun, stats.begun);
		assert_int_equal(wanted->stats.again, stats.again);
		assert_int_equal(wanted->stats.cancelled, stats.cancelled);
		assert_int_equal(wanted->stats.backwards, stats.backwards);
		assert_int_equal(wanted->stats.no_begin, stats.no_begin);
		n += wanted->all.n;
		stats = wanted->stats; /* of all intervals */
		tw_pair_figures__clear(wanted);
		wanted->stats = stats;
	}
	return n;
}

static uint64_t run(const struct tw_kernel_pairs_options *options)
{
	struct event event = { .time = 1000000000000 };
	struct under_test *t = malloc(sizeof(*t));
	uint64_t n = 0;

	assert_non_null(t);
	begin_test(t, options);
	for (int i = 0; i < EVENTS; i++) {
		make_event(&event);
		run_program(t, &event);
		run_reference(t, &event, options->include_self);
		if (i % (EVENTS / 3) == EVENTS / 3 - 1)
			n += compare(t);
	}
	end_test(t);
	free(t);
	return n;
}

#define ALL "plain first signs roles cpus tasks either loop task last"

static void the_figures_are_those_of_the_reference(void **state)
{
	const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
	struct tw_kernel_pairs_options options = options_of(pairs, ALL);

	(void)state;
	assert_true(run(&options) > EVENTS / 2);
	options.include_self = true;
	options.linear = 1000000;
	assert_true(run(&options) > EVENTS / 2);
	for (size_t i = 0; i < 10; i++) { /* each alone, with programs of one pair */
		options.pairs = pairs + i;
		options.n_pairs = 1;
		options.linear = 0;
		assert_true(run(&options) > EVENTS / 100);
	}
}

static void a_filter_ignores_events(void **state)
{
	static const char *const texts[] = { "addr > 1", "cpu == 1 or common_pid in {2..3}",
					     "!(kind & 1) and level >= -1", "event != drop",
					     "vec == two or event in {leave,both}" };
	const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
	struct tw_kernel_pairs_options options = options_of(pairs, ALL);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tw_filter *filter;
		struct tw_error error;

		if (tw_filter__parse(texts[i], &filter, &error))
			fail_msg("%s", error.text);
		options.filter = filter;
		assert_true(run(&options) > EVENTS / 100);
		tw_filter__free(filter);
	}
}

static void groups_can_be_chosen(void **state)
{
	static const char *const by[] = { "addr", "pid", "common_pid", "cpu" };
	const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
	struct tw_kernel_pairs_options options = options_of(pairs, "plain first");

	(void)state;
	options.by = by;
	options.n_by = 4;
	assert_true(run(&options) > EVENTS / 10);
}

static void beginnings_are_stored_with_the_task(void **state)
{
	const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
	struct tw_kernel_pairs_options options = options_of(pairs, "task last tasks");
	struct tw_kernel_pairs *kernel;

	(void)state;
	options.no_task_storage = false;
	assert_int_equal(tw_kernel_pairs__new(&options, &kernel, NULL), 0);
	assert_false(kernel->plan.pairs[2].in_task); /* an event has another key */
	if (!kernel->plan.pairs[0].in_task)
		print_message("this kernel has no task storage at tracepoints\n");
	tw_kernel_pairs__free(kernel);
	options.n_pairs = 2;
	only_pid = 5;
	assert_true(run(&options) > EVENTS / 10);
	only_pid = OWN_TASK;
	assert_int_equal(run(&options), 0);
	only_pid = 0;
}

/* One beginning has room: the next one is evicted, and its end has no beginning. Samples of groups without room are in `(others)`. */
static void a_full_map_is_counted(void **state)
{
	static struct event enter = { .kind = 0, .time = 1000 }, leave = { .kind = 1, .time = 1500 };
	const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
	struct tw_kernel_pairs_options options = options_of(pairs, "plain");
	static const char *const by[] = { "state" };
	struct tw_pair_figures *figures;
	struct under_test t;

	(void)state;
	options.memory = 1;
	options.by = by;
	options.n_by = 1;
	begin_test(&t, &options);
	for (uint8_t i = 0; i < 3; i++) {
		enter.record[8] = i;
		run_program(&t, &enter);
	}
	for (uint8_t i = 0; i < 3; i++) {
		leave.record[8] = i;
		run_program(&t, &leave);
	}
	assert_int_equal(tw_kernel_pairs__take(t.kernel, &figures, NULL), 0);
	assert_int_equal(figures->stats.begun, 3);
	assert_int_equal(figures->stats.evicted, 2);
	assert_int_equal(figures->stats.no_begin, 2);
	assert_int_equal(figures->all.n, 1);
	for (int i = 0; i < 1000; i++) {
		enter.record[8] = leave.record[8] = 0;
		memcpy(enter.record + 32, &i, sizeof(i));
		run_program(&t, &enter);
		run_program(&t, &leave);
	}
	assert_int_equal(tw_kernel_pairs__take(t.kernel, &figures, NULL), 0);
	assert_int_equal(figures->all.n, 1000);
	assert_int_equal(figures->all.min, 500);
	assert_int_equal(figures->all.sum, 500000);
	assert_string_equal(tw_pair_names__text(tw_kernel_pairs__names(t.kernel), figures->groups[0]->names[0]),
			    "(others)");
	assert_true(figures->groups[0]->histogram.n > 500);
	assert_true(figures->n_groups > 10);
	end_test(&t);
}

static void what_is_impossible_is_refused(void **state)
{
	static const struct {
		const char *pair, *by, *filter, *why;
		int err;
	} cases[] = {
		{ "named", NULL, NULL,
		  "its key 'name' of t:enter cannot be read there: it is a text; leave out --in-kernel", -EOPNOTSUPP },
		{ "plain", "name", NULL, "because in t:enter, it is a text; leave out --in-kernel", -EOPNOTSUPP },
		{ "plain", "comm", NULL, "because in t:enter, it is a text; leave out --in-kernel", -EOPNOTSUPP },
		{ "plain", "common_flags", NULL, "does not read this common field; leave out --in-kernel",
		  -EOPNOTSUPP },
		{ "plain", "nothing", NULL, "no event of pair plain has the field 'nothing', by which it is divided",
		  -EINVAL },
		{ "never", NULL, NULL, "because it can compare only numbers; leave out --in-kernel", -EOPNOTSUPP },
		{ "plain", NULL, "comm == bash", "it can compare only fields, pid and cpu; leave out --in-kernel",
		  -EOPNOTSUPP },
		{ "plain", NULL, "nothing == 1", "no event has a field 'nothing'", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
		struct tw_kernel_pairs_options options = options_of(pairs, cases[i].pair);
		struct tw_filter *filter = NULL;
		struct tw_kernel_pairs *kernel;
		struct tw_error error;

		if (cases[i].filter)
			assert_int_equal(tw_filter__parse(cases[i].filter, &filter, &error), 0);
		options.filter = filter;
		options.by = &cases[i].by;
		options.n_by = cases[i].by != NULL;
		assert_int_equal(tw_kernel_pairs__new(&options, &kernel, &error), cases[i].err);
		if (!strstr(error.text, cases[i].why))
			fail_msg("'%s' lacks '%s'", error.text, cases[i].why);
		tw_filter__free(filter);
	}
}

static void groups_of_the_table_may_be_left_out(void **state)
{
	const struct tw_pair *pairs[TW_KERNEL_PAIRS_MAX];
	struct tw_kernel_pairs_options options = options_of(pairs, "texts first");
	struct tw_kernel_pairs *kernel;

	(void)state;
	assert_int_equal(tw_kernel_pairs__new(&options, &kernel, NULL), 0);
	assert_string_equal(tw_kernel_pairs__note(kernel, 0),
			    "pair texts cannot be divided by 'name' in the kernel, because in t:enter, it is a text");
	assert_null(tw_kernel_pairs__note(kernel, 1));
	tw_kernel_pairs__free(kernel);
}

/* A program that returns the bucket of the first argument. */
static int load_bucket(const struct tw_histogram_scale *scale)
{
	struct tw_bpf_program code;
	struct tw_asm a;
	int fd;

	tw_asm__init(&a);
	tw_asm__load(&a, 8, BPF_REG_1, BPF_REG_1, 0);
	tw_kernel_bucket__emit(&a, scale);
	tw_asm__mov(&a, BPF_REG_0, BPF_REG_1);
	tw_asm__exit(&a);
	assert_int_equal(tw_asm__finish(&a, &code), 0);
	tw_asm__fini(&a);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bucket", "GPL", code.insns, code.n, NULL);
	if (fd == -EPERM)
		exit(SKIPPED);
	tw_bpf_program__fini(&code);
	assert_true(fd >= 0);
	return fd;
}

static void same_bucket(int program, const struct tw_histogram_scale *scale, uint64_t value)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &value, .ctx_size_in = sizeof(value));

	assert_int_equal(bpf_prog_test_run_opts(program, &opts), 0);
	if (opts.retval != tw_histogram__bucket(scale, value))
		fail_msg("the bucket of %llu is %u", (unsigned long long)value, opts.retval);
}

static void buckets_are_those_of_the_histogram(void **state)
{
	static const struct tw_histogram_scale scales[] = {
		{ 1, 0 }, { 1000, 0 }, { 1000000, 0 }, { 0, 0 }, { 1000, 1 }, { 1000, 100 }, { 1, 1000000000000 },
	};

	(void)state;
	for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++) {
		const int program = load_bucket(&scales[s]);

		for (size_t i = 0; i < TW_HISTOGRAM_BUCKETS; i++) {
			const uint64_t bound = tw_histogram__bound(&scales[s], i);

			same_bucket(program, &scales[s], bound - 1);
			same_bucket(program, &scales[s], bound);
			same_bucket(program, &scales[s], bound + 1);
		}
		for (uint64_t value = 0; value < 300; value++)
			same_bucket(program, &scales[s], value);
		for (int i = 0; i < 3000; i++)
			same_bucket(program, &scales[s], random_number() >> random_number() % 64);
		close(program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_those_of_the_histogram),
		cmocka_unit_test(the_figures_are_those_of_the_reference),
		cmocka_unit_test(a_filter_ignores_events),
		cmocka_unit_test(groups_can_be_chosen),
		cmocka_unit_test(beginnings_are_stored_with_the_task),
		cmocka_unit_test(a_full_map_is_counted),
		cmocka_unit_test(what_is_impossible_is_refused),
		cmocka_unit_test(groups_of_the_table_may_be_left_out),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
