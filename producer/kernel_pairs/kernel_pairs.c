/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/kernel_pairs/kernel_pairs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "producer/kernel_pairs/impl.h"
#include "producer/missed.h"

#define LOG_SIZE (1024 * 1024) /* of the verifier */

/* The id of this process in the initial pid namespace, as programs see it; getpid() may differ. */
static uint32_t own_task(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct tw_bpf_program code;
	struct tw_asm a;
	int fd = -1, err;

	tw_asm__init(&a);
	tw_asm__call(&a, BPF_FUNC_get_current_pid_tgid);
	tw_asm__alu(&a, BPF_RSH, BPF_REG_0, 32);
	tw_asm__exit(&a);
	err = tw_asm__finish(&a, &code);
	tw_asm__fini(&a);
	if (!err)
		fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "tw_own", "GPL", code.insns, code.n, NULL);
	if (fd < 0 || bpf_prog_test_run_opts(fd, &opts))
		opts.retval = (uint32_t)getpid();
	if (fd >= 0)
		close(fd);
	tw_bpf_program__fini(&code);
	return opts.retval;
}

/* The last line of the verifier's log, except its statistics. Return: a part of @log, whose text changes */
static const char *last_line(char *log)
{
	const char *last = log;
	char *rest = log, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line && strncmp(line, "processed ", strlen("processed ")) != 0)
			last = line;
	return last;
}

static int refuse_program(const struct tw_format *format, const struct tw_bpf_program *code, int err,
			  struct tw_error *error)
{
	char *log = calloc(1, LOG_SIZE);
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = LOG_SIZE, .log_level = 1);
	int fd;

	if (err == -EPERM) {
		free(log);
		return tw_error__set(error, err,
				     "cannot load a BPF program: this requires root, or CAP_BPF and CAP_PERFMON");
	}
	fd = log ? bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "tw_pairs", "GPL", code->insns, code->n, &opts) : -ENOMEM;
	if (fd >= 0)
		close(fd);
	tw_error__set(error, err, "the kernel refuses the program of %u instructions for %s:%s: %s", code->n,
		      format->system, format->name, log && *log ? last_line(log) : strerror(-err));
	free(log);
	return err;
}

/* Loads the program of a tracepoint, if its event has an effect. */
static int load(struct tw_kernel_pairs *kernel, const struct tw_tracepoint *tracepoint, uint32_t own,
		struct tw_error *error)
{
	struct tw_kernel_program *program = &kernel->programs[kernel->n_programs];
	struct tw_bpf_program code;
	int err = tw_kernel_program__generate(tracepoint, own, &code);

	if (err)
		return tw_error__set(error, err, "no program can be generated for %s:%s: %s",
				     tracepoint->format->system, tracepoint->format->name, strerror(-err));
	if (!code.n)
		return 0;
	for (uint32_t i = 0; i < code.n_map_uses; i++)
		code.insns[code.map_uses[i].insn].imm = tw_kernel_maps__fd(&kernel->maps, code.map_uses[i].map);
	*program = (struct tw_kernel_program){ .format = tracepoint->format, .event = -1, .n = code.n };
	program->fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "tw_pairs", "GPL", code.insns, code.n, NULL);
	if (program->fd < 0)
		err = refuse_program(tracepoint->format, &code, program->fd, error);
	else
		kernel->n_programs++;
	tw_bpf_program__fini(&code);
	return err;
}

static int load_all(struct tw_kernel_pairs *kernel, bool include_self, struct tw_error *error)
{
	const uint32_t own = include_self ? 0 : own_task();
	int err = 0;

	kernel->programs = calloc(kernel->plan.n_tracepoints + 1, sizeof(*kernel->programs));
	if (!kernel->programs)
		return tw_error__set(error, -ENOMEM, "no memory for the pairs");
	for (size_t i = 0; i < kernel->plan.n_tracepoints && !err; i++)
		err = load(kernel, &kernel->plan.tracepoints[i], own, error);
	return err;
}

/* Whether a group has values that are printed as symbols. */
static bool needs_symbols(const struct tw_kernel_plan *plan)
{
	for (size_t i = 0; i < plan->n_roles; i++) {
		for (size_t by = 0; by < plan->roles[i]->pair->figures.n_by; by++) {
			const struct tw_field *field = plan->roles[i]->binding.by[by].field;

			if (field && field->kind == TW_FIELD_POINTER)
				return true;
		}
	}
	return false;
}

int tw_kernel_pairs__new(const struct tw_kernel_pairs_options *options, struct tw_kernel_pairs **ret,
			 struct tw_error *error)
{
	struct tw_kernel_pairs *kernel = calloc(1, sizeof(*kernel));
	int err;

	if (!kernel)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", options->n_pairs);
	kernel->maps.gate = -1;
	kernel->names = tw_pair_names__new();
	kernel->shown = calloc(options->n_pairs, sizeof(*kernel->shown));
	kernel->kallsyms.path = "/proc/kallsyms";
	err = kernel->names && kernel->shown ? tw_kernel_plan__make(options, &kernel->plan, error)
					     : tw_error__set(error, -ENOMEM, "no memory for the pairs");
	if (!err)
		err = tw_kernel_maps__make(&kernel->maps, &kernel->plan, options->memory, error);
	if (!err)
		err = load_all(kernel, options->include_self, error);
	if (!err && kernel->plan.packets)
		err = tw_packets__load(kernel->plan.packets,
				       options->memory / options->n_pairs * kernel->plan.n_of_packets, error);
	if (!err && needs_symbols(&kernel->plan))
		tw_kallsyms__read(&kernel->kallsyms);
	if (err)
		tw_kernel_pairs__free(kernel);
	else
		*ret = kernel;
	return err;
}

const char *tw_kernel_pairs__note(const struct tw_kernel_pairs *kernel, size_t i)
{
	const char *text = kernel->plan.pairs[i].note.text;

	return *text ? text : NULL;
}

bool tw_kernel_pairs__measures(const struct tw_kernel_pairs *kernel, size_t i)
{
	return !kernel->plan.pairs[i].is_left_out;
}

const struct tw_error *tw_kernel_pairs__filter_note(const struct tw_kernel_pairs *kernel)
{
	return &kernel->plan.filter_note;
}

/*
 * Opens a perf event of a tracepoint on one CPU. A BPF program that is attached to it runs on all CPUs. A CPU that is offline is skipped.
 * The event is disabled, so that it does not count: the program runs nevertheless.
 */
static int open_event(uint16_t id, size_t cpus)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int fd = -ENODEV;

	for (int cpu = 0; cpu < (int)cpus && fd == -ENODEV; cpu++) {
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	return fd;
}

static int attach(struct tw_kernel_program *program, size_t cpus, struct tw_error *error)
{
	program->event = open_event(program->format->id, cpus);
	if (program->event < 0)
		return tw_error__set(error, program->event, "cannot open a perf event of %s:%s: %s",
				     program->format->system, program->format->name, strerror(-program->event));
	if (!ioctl(program->event, PERF_EVENT_IOC_SET_BPF, program->fd))
		return 0;
	if (errno == EINVAL)
		return tw_error__set(
			error, -EINVAL,
			"%s:%s cannot be measured in the kernel, because it is the event of a probe: omit --in-kernel",
			program->format->system, program->format->name);
	return tw_error__set(error, -errno, "cannot attach a BPF program to %s:%s: %s", program->format->system,
			     program->format->name, strerror(errno));
}

static uint64_t count_missed(const struct tw_kernel_pairs *kernel)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < kernel->n_programs; i++)
		missed = tw_missed__add(missed, tw_missed__of(kernel->programs[i].fd));
	return missed;
}

uint64_t tw_kernel_pairs__missed(const struct tw_kernel_pairs *kernel)
{
	const uint64_t of_packets = kernel->plan.packets ? tw_packets__missed(kernel->plan.packets) : 0;

	return tw_missed__add(of_packets, kernel->has_stopped
						  ? kernel->missed
						  : tw_missed__since(count_missed(kernel), kernel->missed_before));
}

const char *tw_kernel_pairs__hook(const struct tw_kernel_pairs *kernel, size_t i)
{
	return kernel->plan.pairs[i].is_of_packets && !kernel->plan.pairs[i].is_left_out
		       ? tw_packets__hook(kernel->plan.packets, kernel->plan.pairs[i].figures.pair)
		       : NULL;
}

void tw_kernel_pairs__follow(struct tw_kernel_pairs *kernel)
{
	if (kernel->plan.packets)
		tw_packets__follow(kernel->plan.packets);
}

/* Sets the epoch that all programs fill, and waits until none uses the previous one. */
static int set_epoch(struct tw_kernel_pairs *kernel, uint32_t epoch)
{
	if (kernel->plan.packets)
		tw_packets__set_epoch(kernel->plan.packets, epoch);
	return tw_kernel_maps__set_gate(&kernel->maps, epoch);
}

int tw_kernel_pairs__start(struct tw_kernel_pairs *kernel, struct tw_error *error)
{
	int err = 0;

	for (size_t i = 0; i < kernel->n_programs && !err; i++)
		err = attach(&kernel->programs[i], kernel->maps.cpus, error);
	if (!err && kernel->plan.packets)
		err = tw_packets__attach(kernel->plan.packets, error);
	if (err)
		return err;
	kernel->missed_before = count_missed(kernel);
	err = set_epoch(kernel, kernel->epoch);
	return err ? tw_error__set(error, err, "cannot write a BPF map: %s", strerror(-err)) : 0;
}

void tw_kernel_pairs__stop(struct tw_kernel_pairs *kernel)
{
	if (kernel->has_stopped)
		return;
	if (kernel->maps.gate >= 0)
		set_epoch(kernel, TW_KERNEL_CLOSED);
	kernel->missed = tw_missed__since(count_missed(kernel), kernel->missed_before);
	if (kernel->plan.packets)
		tw_packets__detach(kernel->plan.packets);
	kernel->has_stopped = true;
	for (size_t i = 0; i < kernel->n_programs; i++) {
		if (kernel->programs[i].event >= 0)
			close(kernel->programs[i].event);
		close(kernel->programs[i].fd);
	}
}

/* Completes the counters of what was read. */
static void balance(struct tw_kernel_pair *pair)
{
	struct tw_pairing_stats *stats = &pair->figures.stats;

	stats->paired = pair->figures.all.n;
	pair->open += stats->begun - stats->paired - stats->again - stats->cancelled - stats->backwards -
		      stats->evicted - pair->figures.unstamped - pair->figures.blocked;
	/* While the gate changes, an end can count in the earlier epoch, and its beginning in the later one. */
	stats->open = (int64_t)pair->open < 0 ? 0 : pair->open;
}

int tw_kernel_pairs__take(struct tw_kernel_pairs *kernel, struct tw_pair_figures **ret, struct tw_error *error)
{
	const uint32_t epoch = kernel->epoch;
	int err = 0;

	if (!kernel->has_stopped) {
		kernel->epoch = (epoch + 1) % TW_KERNEL_EPOCHS;
		err = set_epoch(kernel, kernel->epoch);
	}
	tw_kallsyms__renew(&kernel->kallsyms, true);
	for (size_t i = 0; i < kernel->plan.n_pairs && !err; i++) {
		struct tw_kernel_pair *pair = &kernel->plan.pairs[i];

		if (pair->is_left_out)
			continue;
		tw_pair_figures__clear(&pair->figures);
		err = pair->is_of_packets ? tw_packets__read(kernel->plan.packets, &pair->figures, epoch,
							     !kernel->has_stopped, kernel->names)
					  : tw_kernel_pairs__read(kernel, pair, epoch, !kernel->has_stopped);
		balance(pair);
		tw_pair_figures__sort(&pair->figures);
		kernel->shown[i] = pair->figures;
	}
	*ret = kernel->shown;
	return err ? tw_error__set(error, err, "cannot read what the kernel has measured: %s", strerror(-err)) : 0;
}

const struct tw_pair_names *tw_kernel_pairs__names(const struct tw_kernel_pairs *kernel)
{
	return kernel->names;
}

struct tw_kernel_pairs_size tw_kernel_pairs__size(const struct tw_kernel_pairs *kernel)
{
	struct tw_kernel_pairs_size size = { .programs = kernel->n_programs, .memory = kernel->maps.memory };

	for (size_t i = 0; i < kernel->n_programs; i++)
		size.instructions += kernel->programs[i].n;
	if (kernel->plan.packets)
		tw_packets__size(kernel->plan.packets, &size.programs, &size.instructions, &size.memory);
	return size;
}

void tw_kernel_pairs__free(struct tw_kernel_pairs *kernel)
{
	if (!kernel)
		return;
	tw_kernel_pairs__stop(kernel);
	tw_kernel_maps__fini(&kernel->maps);
	tw_kallsyms__fini(&kernel->kallsyms);
	tw_pair_names__free(kernel->names);
	tw_kernel_plan__fini(&kernel->plan);
	free(kernel->programs);
	free(kernel->shown);
	free(kernel);
}
