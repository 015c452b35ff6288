/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/packets/packets.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/line.h"
#include "base/time.h"
#include "producer/bpf_links.h"
#include "producer/kernel_pairs/figures.h"
#include "producer/missed.h"
#include "producer/packets/impl.h"
#include "producer/receive_stamps.h"
#include "producer/sockets/formats.h"

#include "packet_programs.skel.h" /* after the types that it uses */

#define SYSTEM        TW_SOCKTS_SYSTEM
#define ELEMENT_BYTES 72u /* of the kernel for each element of a hash map, besides key and value */
#define ECHOES        16384
#define HOLES         16384
#define LEAF_PACKETS  32768
#define CELLS_MIN     64
#define CELLS_MAX     (1u << 16)
#define HOOK_TEXT     1024

/* An event that is measured. */
struct measured {
	const struct tw_pair_figures *figures; /* NULL = the event is not measured */
	const struct tw_packet_hook *hook;
	uint32_t by[TW_PAIR_KEYS_MAX]; /* bits of the fields whose values are the groups */
	char text[HOOK_TEXT];          /* of the hook, for people */
};

struct tw_packets {
	struct packet_programs *programs; /* NULL = not loaded */
	struct tw_bpf_kernel kernel;
	struct tw_packet_selection selection;
	struct measured events[TW_PACKET_EVENTS];
	struct tw_packet_clones clones;
	struct tw_bpf_links links;
	int stamping; /* a socket that requests receive time stamps; -1 = none */
	uint32_t cells;
	size_t cpus;
	uint64_t missed_before, missed;
	bool has_stopped;
};

static enum tw_packet_event find_name(const char *name)
{
	enum tw_packet_event event = 0;

	while (event < TW_PACKET_EVENTS && strcmp(name, tw_packet_event_names[event]) != 0)
		event++;
	return event;
}

/*
 * The event of a pair that is made from packets. The other socket events are recorded. An event of which there are both is measured.
 * Return: NULL if the pair has none
 */
static const struct tw_pair_event *packet_event(const struct tw_pair *pair)
{
	for (size_t i = 0; i < pair->n_events; i++)
		if (pair->events[i].system && !strcmp(pair->events[i].system, SYSTEM) &&
		    (find_name(pair->events[i].event) < TW_PACKET_EVENTS ||
		     tw_sockts__find(pair->events[i].event) == TW_SOCKTS_EVENTS))
			return &pair->events[i];
	return NULL;
}

bool tw_packets__has(const struct tw_pair *pair)
{
	return packet_event(pair);
}

int tw_packets__new(const struct tw_packets_selection *selection, struct tw_packets **ret, struct tw_error *error)
{
	struct tw_packets *packets = calloc(1, sizeof(*packets));
	int err;

	if (!packets)
		return tw_error__set(error, -ENOMEM, "no memory for the programs that read packets");
	packets->stamping = -1;
	packets->kernel.cgroup = -1;
	err = tw_packet_selection__resolve(selection, &packets->selection, error);
	if (!err)
		err = tw_bpf_kernel__init(&packets->kernel, error);
	if (err)
		tw_packets__free(packets);
	else
		*ret = packets;
	return err;
}

/* The number of the event of a pair. Return: TW_PACKET_EVENTS with @error filled if there is none */
static enum tw_packet_event find_event(const struct tw_pair *pair, struct tw_error *error)
{
	const struct tw_pair_event *named = packet_event(pair);
	const enum tw_packet_event event = find_name(named->event);

	if (event == TW_PACKET_EVENTS)
		tw_error__set(error, -EINVAL, "%sthere is no event %s:%s",
			      TW_PAIR_PLACE(pair->source, named->line, named->column), SYSTEM, named->event);
	return event;
}

/* Checks that a pair has only the value of this event, without a condition. */
static int check(const struct tw_pair *pair, enum tw_packet_event event, struct tw_error *error)
{
	const struct tw_pair_event *named = packet_event(pair);

	if (!tw_pair__has_values(pair) || pair->n_events != 1 || named->condition)
		return tw_error__set(error, -EINVAL,
				     "%san event of the system " SYSTEM
				     " can only be the single `value` of a pair, without a condition",
				     TW_PAIR_PLACE(pair->source, named->line, named->column));
	if (strcmp(named->keys[0], tw_packet_event__value(event)) != 0)
		return tw_error__set(error, -EINVAL, "%sthe value of " SYSTEM ":%s is '%s', not '%s'",
				     TW_PAIR_PLACE(pair->source, named->line, named->column), named->event,
				     tw_packet_event__value(event), named->keys[0]);
	return 0;
}

static int refuse_event(const struct tw_packets *packets, enum tw_packet_event event, struct tw_error *error)
{
	const struct tw_bpf_kernel *kernel = &packets->kernel;
	const char *more = "";

	if (event == TW_PACKET_QDISC_LEAF)
		more = "; only the root queueing discipline can be measured, with the pair qdisc";
	else if (kernel->cgroup < 0 && (event == TW_PACKET_TCP_START || event == TW_PACKET_UDP_START))
		more = ", and no cgroup2 file system is mounted";
	return tw_error__set(error, -EOPNOTSUPP, "pair %s cannot be measured on this kernel: %s%s",
			     packets->events[event].figures->pair->name,
			     kernel->has_fentry
				     ? "it lacks the function or tracepoint to which the BPF program would be attached"
				     : "it permits no BPF program at the entry of a function (fentry)",
			     more);
}

static int choose_hook(struct tw_packets *packets, enum tw_packet_event event, struct tw_error *error)
{
	struct measured *measured = &packets->events[event];
	const struct tw_packet_hook *hook = tw_packet_hook__find(&packets->kernel, event);

	if (!hook)
		return refuse_event(packets, event, error);
	measured->hook = hook;
	snprintf(measured->text, sizeof(measured->text), "%s%s%s%s", hook->kind == TW_HOOK_FENTRY ? "function " : "",
		 hook->targets[0], hook->targets[1] ? ", " : "", hook->targets[1] ? hook->targets[1] : "");
	return 0;
}

int tw_packets__add(struct tw_packets *packets, struct tw_pair_figures *figures, struct tw_error *error)
{
	const struct tw_pair *pair = figures->pair;
	const enum tw_packet_event event = find_event(pair, error);
	struct measured *measured;
	int err = event == TW_PACKET_EVENTS ? -EINVAL : check(pair, event, error);

	if (err)
		return err;
	measured = &packets->events[event];
	if (measured->figures)
		return tw_error__set(error, -EINVAL,
				     "pairs %s and %s have the same event " SYSTEM
				     ":%s: measure them one after the other",
				     measured->figures->pair->name, pair->name, tw_packet_event_names[event]);
	measured->figures = figures;
	figures->is_named = event == TW_PACKET_ECN;
	if (figures->n_by + figures->is_named > TW_PAIR_KEYS_MAX)
		return tw_error__set(error, -EINVAL, "pair %s can be divided by %d fields at most", pair->name,
				     TW_PAIR_KEYS_MAX - 1);
	for (size_t i = 0; i < figures->n_by; i++) {
		measured->by[i] = tw_packet_field__find(event, figures->by[i], error);
		if (!measured->by[i])
			return -EINVAL;
	}
	err = choose_hook(packets, event, error);
	if (err)
		measured->figures = NULL; /* the pair is left out */
	return err;
}

static bool is_hooked(const struct tw_packets *packets, const char *program)
{
	for (size_t i = 0; i < TW_PACKET_EVENTS; i++) {
		const struct tw_packet_hook *hook = packets->events[i].hook;

		for (size_t k = 0; k < TW_HOOK_PROGRAMS_MAX && hook && hook->programs[k]; k++)
			if (!strcmp(hook->programs[k], program))
				return true;
	}
	return false;
}

/* Stores the settings, which are constants of the programs. */
static void set_constants(struct tw_packets *packets)
{
	struct packet_programs__rodata *constants = packets->programs->rodata;

	memcpy((void *)&constants->selection, &packets->selection, sizeof(packets->selection));
	for (size_t i = 0; i < TW_PACKET_EVENTS; i++) {
		const struct measured *measured = &packets->events[i];
		struct tw_packet_setting *setting = (void *)&constants->settings[i];

		if (!measured->figures)
			continue;
		setting->scale = measured->figures->all.scale;
		for (size_t k = 0; k < TW_PAIR_KEYS_MAX; k++)
			setting->by |= measured->by[k];
		setting->is_divided = measured->figures->n_by || measured->figures->is_named;
	}
}

/* Chooses the sizes of the maps, and the programs that are loaded. */
static int prepare(struct tw_packets *packets, size_t memory)
{
	const struct packet_programs *programs = packets->programs;
	const int cpus = libbpf_num_possible_cpus();
	const bool has_echoes = packets->events[TW_PACKET_ICMP_ECHO].figures;
	struct bpf_program *program;
	size_t of_cell, cells;
	int err;

	if (cpus < 0)
		return cpus;
	packets->cpus = (size_t)cpus;
	of_cell = ELEMENT_BYTES + sizeof(struct tw_packet_cell) + packets->cpus * sizeof(struct tw_kernel_samples);
	cells = memory / of_cell;
	packets->cells = cells < CELLS_MIN ? CELLS_MIN : cells > CELLS_MAX ? CELLS_MAX : (uint32_t)cells;
	bpf_object__for_each_program(program, programs->obj)
		bpf_program__set_autoload(program, is_hooked(packets, bpf_program__name(program)));
	bpf_program__set_type(programs->progs.ip_start_netfilter, (enum bpf_prog_type)TW_BPF_PROG_NETFILTER);
	bpf_program__set_expected_attach_type(programs->progs.ip_start_netfilter,
					      (enum bpf_attach_type)TW_BPF_ATTACH_NETFILTER);
	err = bpf_map__set_max_entries(programs->maps.groups, packets->cells);
	if (!err)
		err = bpf_map__set_max_entries(programs->maps.leaves,
					       is_hooked(packets, "leaf_enqueued") ? LEAF_PACKETS : 1);
	if (!err)
		err = bpf_map__set_max_entries(programs->maps.echoes, has_echoes ? ECHOES : 1);
	if (!err)
		err = bpf_map__set_max_entries(programs->maps.holes, is_hooked(packets, "tcp_read") ? HOLES : 1);
	return err;
}

/* Refuses options that select reads if no read is measured. */
static int check_reads(const struct tw_packets *packets, struct tw_error *error)
{
	const struct tw_packet_selection *selection = &packets->selection;
	const char *option = selection->n_pids           ? "pid"
			     : selection->cgroup         ? "cgroup"
			     : selection->nonempty_queue ? "nonempty-queue"
			     : selection->blocked_reads  ? "blocked-reads"
							 : NULL;

	if (!option || packets->events[TW_PACKET_TCP_SOCKET_READ].hook ||
	    packets->events[TW_PACKET_UDP_SOCKET_READ].hook)
		return 0;
	return tw_error__set(error, -EINVAL,
			     "--%s selects reads from sockets: leave it out, or name a pair of reads, such as "
			     "rxstack-tcp-socket-read",
			     option);
}

/* Loads the programs of queueing disciplines, and lists their functions. */
static int load_clones(struct tw_packets *packets)
{
	struct measured *measured = &packets->events[TW_PACKET_QDISC_LEAF];
	struct tw_line line = tw_line__on(measured->text, sizeof(measured->text) - 1);
	int err;

	if (!measured->hook)
		return 0;
	err = tw_packet_clones__load(&packets->clones, packets->kernel.btf, packets->programs->progs.leaf_enqueued);
	if (!err && !packets->clones.n)
		err = -EOPNOTSUPP;
	for (size_t i = 0; i < packets->clones.n; i++) {
		tw_line__str(&line, i ? ", " : "functions ");
		tw_line__str(&line, packets->clones.functions[i]);
	}
	measured->text[tw_line__len(&line)] = '\0';
	return err;
}

int tw_packets__load(struct tw_packets *packets, size_t memory, struct tw_error *error)
{
	libbpf_print_fn_t print;
	int err = check_reads(packets, error);

	if (err)
		return err;
	print = libbpf_set_print(NULL); /* libbpf prints nothing; the error is reported below */
	packets->programs = packet_programs__open();
	err = packets->programs ? prepare(packets, memory) : -errno;
	if (!err)
		set_constants(packets);
	if (!err)
		err = packet_programs__load(packets->programs);
	if (!err)
		err = load_clones(packets);
	libbpf_set_print(print);
	if (err == -EPERM)
		return tw_error__set(
			error, err,
			"cannot load a BPF program: this requires root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN");
	return err ? tw_error__set(error, err, "the kernel refuses a BPF program that reads packets: %s",
				   strerror(-err))
		   : 0;
}

static int attach_clones(struct tw_packets *packets, size_t first)
{
	int err = 0;

	for (size_t i = first; i < packets->clones.n && !err; i++)
		err = tw_bpf_links__trace(&packets->links, packets->clones.programs[i]);
	return err;
}

/* The program at a function is replaced by its copies. */
static int attach_of_qdiscs(struct tw_packets *packets, const struct bpf_program *program)
{
	if (bpf_program__expected_attach_type(program) == BPF_TRACE_FENTRY)
		return attach_clones(packets, 0);
	return tw_bpf_links__trace(&packets->links, bpf_program__fd(program));
}

static int attach_program(struct tw_packets *packets, const struct tw_packet_hook *hook, const char *name)
{
	const struct bpf_program *program = bpf_object__find_program_by_name(packets->programs->obj, name);
	const int fd = bpf_program__fd(program);

	switch (hook->kind) {
	case TW_HOOK_TRACEPOINT:
	case TW_HOOK_FENTRY:
		return tw_bpf_links__trace(&packets->links, fd);
	case TW_HOOK_NETFILTER:
		return tw_bpf_links__netfilter(&packets->links, fd);
	case TW_HOOK_QDISCS:
		return attach_of_qdiscs(packets, program);
	case TW_HOOK_CGROUP:
		return tw_bpf_links__cgroup(&packets->links, fd, packets->kernel.cgroup, BPF_CGROUP_INET_INGRESS);
	}
	return -EINVAL;
}

static int attach_event(struct tw_packets *packets, const struct measured *measured, struct tw_error *error)
{
	const struct tw_packet_hook *hook = measured->hook;
	int err = 0;

	for (size_t i = 0; i < TW_HOOK_PROGRAMS_MAX && hook && hook->programs[i] && !err; i++)
		err = attach_program(packets, hook, hook->programs[i]);
	if (err == -EPERM && hook->kind == TW_HOOK_CGROUP)
		return tw_error__set(
			error, err,
			"cannot attach a BPF program to the root cgroup: another program there permits no others; "
			"`bpftool cgroup show` names it");
	return err ? tw_error__set(error, err, "cannot attach a BPF program to %s: %s", measured->text, strerror(-err))
		   : 0;
}

/* Makes the kernel stamp received packets until the socket is closed. */
static int begin_stamping(struct tw_packets *packets, struct tw_error *error)
{
	const int fd = tw_receive_stamps__begin();

	if (fd < 0)
		return tw_error__set(error, fd, "cannot switch on receive time stamps: %s", strerror(-fd));
	packets->stamping = fd;
	return 0;
}

static bool needs_stamps(const struct tw_packets *packets)
{
	for (size_t i = TW_PACKET_IP_START; i < TW_PACKET_EVENTS; i++)
		if (packets->events[i].figures)
			return true;
	return false;
}

static uint64_t count_missed(const struct tw_packets *packets)
{
	struct bpf_program *program;
	uint64_t missed = 0;

	bpf_object__for_each_program(program, packets->programs->obj)
	{
		if (bpf_program__fd(program) >= 0) /* it was loaded */
			missed = tw_missed__add(missed, tw_missed__of(bpf_program__fd(program)));
	}
	for (size_t i = 0; i < packets->clones.n; i++)
		missed = tw_missed__add(missed, tw_missed__of(packets->clones.programs[i]));
	return missed;
}

static void follow_tai(struct tw_packets *packets)
{
	struct timex times = { 0 };

	if (packets->programs && adjtimex(&times) >= 0)
		__atomic_store_n(&packets->programs->bss->tai_offset, times.tai * (int64_t)TW_NS_PER_SECOND,
				 __ATOMIC_RELAXED);
}

int tw_packets__attach(struct tw_packets *packets, struct tw_error *error)
{
	int err = needs_stamps(packets) ? begin_stamping(packets, error) : 0;

	follow_tai(packets);
	for (size_t i = 0; i < TW_PACKET_EVENTS && !err; i++)
		err = attach_event(packets, &packets->events[i], error);
	packets->missed_before = count_missed(packets);
	return err;
}

void tw_packets__detach(struct tw_packets *packets)
{
	packets->missed = tw_packets__missed(packets);
	packets->has_stopped = true;
	tw_bpf_links__close(&packets->links);
	if (packets->stamping >= 0)
		close(packets->stamping);
	packets->stamping = -1;
}

void tw_packets__set_epoch(struct tw_packets *packets, uint32_t epoch)
{
	if (packets->programs)
		__atomic_store_n(&packets->programs->data->epoch, epoch, __ATOMIC_RELAXED);
}

void tw_packets__follow(struct tw_packets *packets)
{
	const size_t first = packets->clones.n;

	follow_tai(packets);
	if (packets->programs && packets->events[TW_PACKET_QDISC_LEAF].hook &&
	    !tw_packet_clones__load(&packets->clones, packets->kernel.btf, packets->programs->progs.leaf_enqueued))
		attach_clones(packets, first);
}

static enum tw_packet_event event_of(const struct tw_packets *packets, const struct tw_pair *pair)
{
	enum tw_packet_event event = 0;

	while (event < TW_PACKET_EVENTS &&
	       (!packets->events[event].figures || packets->events[event].figures->pair != pair))
		event++;
	return event;
}

const char *tw_packets__hook(const struct tw_packets *packets, const struct tw_pair *pair)
{
	const enum tw_packet_event event = event_of(packets, pair);

	return event < TW_PACKET_EVENTS ? packets->events[event].text : "";
}

/* Finds the group of a cell. Return: NULL without memory */
static struct tw_histogram *find_group(const struct measured *measured, const struct tw_packet_cell *cell,
				       struct tw_pair_figures *figures, struct tw_pair_names *names)
{
	uint64_t group[TW_PAIR_KEYS_MAX] = { 0 };
	size_t n = 0;

	if (figures->is_named)
		group[n++] = tw_packet_codepoint__name(cell->fields.codepoint, names);
	for (size_t i = 0; i < figures->n_by; i++)
		group[n++] = tw_packet_field__name(measured->by[i], &cell->fields, names);
	for (size_t i = 0; i < n; i++)
		if (group[i] == TW_PAIR_NO_NAME)
			return NULL;
	return tw_pair_figures__group(figures, group);
}

static int add_cell(const struct tw_packets *packets, const struct tw_packet_cell *cell,
		    const struct tw_kernel_samples *of_cpus, struct tw_pair_figures *figures,
		    struct tw_pair_names *names)
{
	struct tw_histogram *group = find_group(&packets->events[cell->event], cell, figures, names);

	for (size_t i = 0; i < packets->cpus && group; i++) {
		tw_kernel_samples__add(&of_cpus[i], cell->bucket, group);
		tw_kernel_samples__add(&of_cpus[i], cell->bucket, &figures->all);
	}
	return group ? 0 : -ENOMEM;
}

/* Reads the cells of an event and epoch. Meanwhile, programs may add cells of the other epoch. */
static int read_groups(struct tw_packets *packets, enum tw_packet_event event, struct tw_pair_figures *figures,
		       uint32_t epoch, bool clear, struct tw_pair_names *names)
{
	const int fd = bpf_map__fd(packets->programs->maps.groups);
	struct tw_kernel_samples *of_cpus = calloc(packets->cpus, sizeof(*of_cpus));
	struct tw_packet_cell cell, next;
	int more = bpf_map_get_next_key(fd, NULL, &next);
	int err = of_cpus ? 0 : -ENOMEM;

	for (uint32_t n = 0; !more && !err && n < 2 * packets->cells; n++) {
		cell = next;
		more = bpf_map_get_next_key(fd, &cell, &next);
		if (cell.event != event || cell.epoch != epoch)
			continue;
		err = bpf_map_lookup_elem(fd, &cell, of_cpus) ? -errno
							      : add_cell(packets, &cell, of_cpus, figures, names);
		if (!err && clear)
			bpf_map_delete_elem(fd, &cell);
	}
	free(of_cpus);
	return err || !more || more == -ENOENT ? err : more;
}

int tw_packets__read(struct tw_packets *packets, struct tw_pair_figures *figures, uint32_t epoch, bool clear,
		     struct tw_pair_names *names)
{
	const enum tw_packet_event event = event_of(packets, figures->pair);
	const int err = tw_kernel_figures__read(bpf_map__fd(packets->programs->maps.figures),
						event * TW_KERNEL_EPOCHS + epoch, packets->cpus, clear, figures);

	if (err || (!figures->n_by && !figures->is_named))
		return err;
	return read_groups(packets, event, figures, epoch, clear, names);
}

uint64_t tw_packets__missed(const struct tw_packets *packets)
{
	if (!packets->programs)
		return 0;
	return packets->has_stopped ? packets->missed : tw_missed__since(count_missed(packets), packets->missed_before);
}

void tw_packets__size(const struct tw_packets *packets, size_t *programs, size_t *instructions, size_t *memory)
{
	const struct bpf_map *const of_packets[] = { packets->programs->maps.echoes, packets->programs->maps.holes,
						     packets->programs->maps.leaves };
	struct bpf_program *program;

	bpf_object__for_each_program(program, packets->programs->obj)
	{
		if (bpf_program__fd(program) < 0)
			continue;
		++*programs;
		*instructions += bpf_program__insn_cnt(program);
	}
	*programs += packets->clones.n;
	*instructions += packets->clones.n * bpf_program__insn_cnt(packets->programs->progs.leaf_enqueued);
	for (size_t i = 0; i < sizeof(of_packets) / sizeof(of_packets[0]); i++)
		*memory += bpf_map__max_entries(of_packets[i]) *
			   (ELEMENT_BYTES + bpf_map__key_size(of_packets[i]) + bpf_map__value_size(of_packets[i]));
	*memory += TW_PACKET_EVENTS * TW_KERNEL_EPOCHS * packets->cpus * sizeof(struct tw_kernel_figures);
	*memory += packets->cells *
		   (ELEMENT_BYTES + sizeof(struct tw_packet_cell) + packets->cpus * sizeof(struct tw_kernel_samples));
}

void tw_packets__free(struct tw_packets *packets)
{
	if (!packets)
		return;
	tw_packets__detach(packets);
	tw_packet_clones__fini(&packets->clones);
	packet_programs__destroy(packets->programs);
	tw_bpf_kernel__fini(&packets->kernel);
	free(packets);
}
