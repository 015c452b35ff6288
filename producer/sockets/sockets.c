/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/sockets.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "producer/missed.h"
#include "producer/receive_stamps.h"
#include "producer/sockets/flags.h"
#include "producer/sockets/formats.h"
#include "producer/sockets/impl.h"

#include "socket_programs.skel.h" /* after the types that it uses */

#define LINKS_MAX     (2 * TW_SOCKET_HOOKS_MAX)
#define RING_SIZE_MAX ((size_t)1 << 30)

struct tw_sockets {
	struct socket_programs *programs; /* NULL = not loaded */
	struct tw_bpf_kernel kernel;
	const struct tw_socket_hook *hooks[TW_SOCKET_HOOKS_MAX];
	size_t n_hooks;
	int links[LINKS_MAX];
	size_t n_links;
	int stamping;                  /* a socket that requests receive time stamps; -1 = none */
	struct tw_socket_flags *flags; /* NULL = no flags of sockets are set */
	int *rings;                    /* maps, one for each possible CPU */
	size_t n_cpus;
	size_t ring_size;
	uint64_t missed_before;
};

static uint32_t events_of(const struct tw_sockets *s)
{
	uint32_t events = 0;

	for (size_t i = 0; i < s->n_hooks; i++)
		events |= s->hooks[i]->events;
	return events;
}

/* Chooses the hooks of the selected events. Return: 0 if there is one for at least one event */
static int choose_hooks(struct tw_sockets *s, const struct tw_sockets_options *options, struct tw_error *error)
{
	const bool has_wakes = options->wakes && options->events & 1u << TW_SOCKTS_ingress_ts;
	uint32_t lacking;

	s->n_hooks = tw_socket_hooks__choose(&s->kernel, options->events | (has_wakes ? TW_SOCKET_WAKES : 0), s->hooks,
					     TW_SOCKET_HOOKS_MAX);
	lacking = options->events & ~events_of(s);
	for (uint32_t i = 0; i < TW_SOCKTS_EVENTS; i++) {
		char sentence[256];

		if (!(lacking & 1u << i))
			continue;
		snprintf(sentence, sizeof(sentence),
			 "the event " TW_SOCKTS_SYSTEM
			 ":%s is left out: this kernel has nothing to which its BPF programs could be attached",
			 tw_sockts__name(i));
		if (s->n_hooks && options->left_out)
			options->left_out(options->ctx, sentence);
		else if (!s->n_hooks)
			tw_error__set(error, -EOPNOTSUPP, "%s", sentence);
	}
	return s->n_hooks ? 0 : -EOPNOTSUPP;
}

static bool is_hooked(const struct tw_sockets *s, const char *program)
{
	for (size_t i = 0; i < s->n_hooks; i++)
		if (!strcmp(s->hooks[i]->program, program))
			return true;
	return false;
}

/* The kernel permits sizes that are a power of two and a multiple of the size of a page. */
static size_t round_size(size_t wanted)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < wanted && size < RING_SIZE_MAX)
		size *= 2;
	return size;
}

/* The length of a jiffy: clocks named COARSE advance once in each. */
static uint32_t us_per_jiffy(void)
{
	struct timespec length;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &length) ? 0 : (uint32_t)(length.tv_nsec / 1000);
}

static void set_constants_of_egress(struct tw_sockets *s)
{
	static const char *const tx_flags[] = { "SKBTX_HW_TSTAMP_NOBPF", "SKBTX_SW_TSTAMP", "SKBTX_SCHED_TSTAMP",
						"SKBTX_COMPLETION_TSTAMP" };

	for (size_t i = 0; i < sizeof(tx_flags) / sizeof(tx_flags[0]) && is_hooked(s, "egress_tcp"); i++)
		s->programs->rodata->tx_flags_of_sockets |= tw_bpf_kernel__enumerator(&s->kernel, tx_flags[i]);
	s->programs->rodata->us_per_jiffy = us_per_jiffy();
}

/* Makes the maps for received bytes as small as possible, because no program uses them. */
static void shrink_ingress_maps(struct tw_sockets *s)
{
	struct bpf_map *const maps[] = { s->programs->maps.in_flows, s->programs->maps.in_datagrams,
					 s->programs->maps.in_queue, s->programs->maps.in_wakes };

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		bpf_map__set_max_entries(maps[i], 1);
}

/* Stores the settings, and chooses the programs that are loaded. */
static int prepare(struct tw_sockets *s, const struct tw_sockets_options *options)
{
	struct bpf_program *program;
	const int cpus = libbpf_num_possible_cpus();

	if (cpus < 0)
		return cpus;
	s->n_cpus = cpus < TW_SOCKTS_CPUS_MAX ? (size_t)cpus : TW_SOCKTS_CPUS_MAX;
	s->ring_size = round_size(options->ring_size);
	s->rings = calloc(s->n_cpus, sizeof(*s->rings));
	if (!s->rings)
		return -ENOMEM;
	s->programs->rodata->stream_clock = options->clock;
	s->programs->rodata->own_tgid = options->own_tgid;
	s->programs->rodata->events_on = options->events;
	set_constants_of_egress(s);
	bpf_object__for_each_program(program, s->programs->obj)
		bpf_program__set_autoload(program, is_hooked(s, bpf_program__name(program)));
	bpf_program__set_type(s->programs->progs.ingress_ip, (enum bpf_prog_type)TW_BPF_PROG_NETFILTER);
	bpf_program__set_expected_attach_type(s->programs->progs.ingress_ip,
					      (enum bpf_attach_type)TW_BPF_ATTACH_NETFILTER);
	if (!(options->events & 1u << TW_SOCKTS_ingress_ts))
		shrink_ingress_maps(s);
	s->programs->rodata->has_wakes = options->wakes;
	return bpf_map__set_max_entries(s->programs->maps.rings, (uint32_t)s->n_cpus);
}

static int make_rings(struct tw_sockets *s)
{
	const int outer = bpf_map__fd(s->programs->maps.rings);

	for (uint32_t cpu = 0; cpu < s->n_cpus; cpu++) {
		const int ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sockts", 0, 0, (uint32_t)s->ring_size, NULL);

		if (ring < 0)
			return ring;
		s->rings[cpu] = ring;
		if (bpf_map_update_elem(outer, &cpu, &ring, BPF_ANY))
			return -errno;
	}
	return 0;
}

/* Number of events for which a program was skipped; TW_MISSED_UNKNOWN if it cannot be read. */
static uint64_t count_missed(const struct tw_sockets *s)
{
	struct bpf_program *program;
	uint64_t missed = 0;

	bpf_object__for_each_program(program, s->programs->obj)
	{
		if (bpf_program__fd(program) >= 0) /* it was loaded */
			missed = tw_missed__add(missed, tw_missed__of(bpf_program__fd(program)));
	}
	return missed;
}

static int load(struct tw_sockets *s, const struct tw_sockets_options *options, struct tw_error *error)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL); /* libbpf prints nothing; the error is reported below */
	int err;

	s->programs = socket_programs__open();
	err = s->programs ? prepare(s, options) : -errno;
	if (!err)
		err = socket_programs__load(s->programs);
	if (!err)
		err = make_rings(s);
	libbpf_set_print(print);
	if (err == -EPERM)
		return tw_error__set(
			error, err,
			"cannot load a BPF program: this requires root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN");
	return err ? tw_error__set(error, err, "the kernel refuses the BPF programs of socket events: %s",
				   strerror(-err))
		   : 0;
}

int tw_sockets__new(const struct tw_sockets_options *options, struct tw_sockets **ret, struct tw_error *error)
{
	struct tw_sockets *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return tw_error__set(error, -ENOMEM, "no memory for the programs of socket events");
	s->kernel.cgroup = -1;
	s->stamping = -1;
	err = tw_bpf_kernel__init(&s->kernel, error);
	if (!err)
		err = choose_hooks(s, options, error);
	if (!err)
		err = load(s, options, error);
	if (err)
		tw_sockets__free(s);
	else
		*ret = s;
	return err;
}

int tw_sockets__ring(const struct tw_sockets *s, unsigned int cpu)
{
	return cpu < s->n_cpus ? s->rings[cpu] : -ENODEV;
}

unsigned int tw_sockets__cpus(const struct tw_sockets *s)
{
	return (unsigned int)s->n_cpus;
}

size_t tw_sockets__ring_size(const struct tw_sockets *s)
{
	return s->ring_size;
}

struct tw_sockts_cpu *tw_sockets__cpu(const struct tw_sockets *s, unsigned int cpu)
{
	return &s->programs->bss->cpus[cpu];
}

int tw_sockets__missed(const struct tw_sockets *s, uint64_t *ret)
{
	const uint64_t missed = tw_missed__since(count_missed(s), s->missed_before);

	if (missed == TW_MISSED_UNKNOWN)
		return -EIO;
	*ret = missed;
	return 0;
}

static int keep_link(struct tw_sockets *s, int fd)
{
	if (fd < 0)
		return fd;
	s->links[s->n_links++] = fd;
	return 0;
}

static int attach_to_cgroup(struct tw_sockets *s, int program, enum bpf_attach_type type)
{
	return keep_link(s, bpf_link_create(program, s->kernel.cgroup, type, NULL));
}

static int attach_program(struct tw_sockets *s, const struct tw_socket_hook *hook)
{
	const int fd = bpf_program__fd(bpf_object__find_program_by_name(s->programs->obj, hook->program));
	int err;

	switch (hook->kind) {
	case TW_SOCKET_HOOK_TRACEPOINT:
	case TW_SOCKET_HOOK_FUNCTION:
		return keep_link(s, bpf_raw_tracepoint_open(NULL, fd));
	case TW_SOCKET_HOOK_NETFILTER:
		err = keep_link(s, tw_bpf_link__netfilter(fd, AF_INET));
		return err ? err : keep_link(s, tw_bpf_link__netfilter(fd, AF_INET6));
	case TW_SOCKET_HOOK_INGRESS:
		return attach_to_cgroup(s, fd, BPF_CGROUP_INET_INGRESS);
	case TW_SOCKET_HOOK_EGRESS:
		return attach_to_cgroup(s, fd, BPF_CGROUP_INET_EGRESS);
	case TW_SOCKET_HOOK_SOCKOPS:
		return attach_to_cgroup(s, fd, BPF_CGROUP_SOCK_OPS);
	case TW_SOCKET_HOOK_EACH_TCP:
		return tw_socket_flags__set(fd);
	}
	return -EINVAL;
}

static bool is_of_cgroup(const struct tw_socket_hook *hook)
{
	return hook->kind == TW_SOCKET_HOOK_INGRESS || hook->kind == TW_SOCKET_HOOK_EGRESS ||
	       hook->kind == TW_SOCKET_HOOK_SOCKOPS;
}

static int refuse(const struct tw_socket_hook *hook, int err, struct tw_error *error)
{
	if (err == -EPERM && is_of_cgroup(hook))
		return tw_error__set(
			error, err,
			"cannot attach a BPF program to the root cgroup: another program there permits no others; "
			"`bpftool cgroup show` names it");
	return tw_error__set(error, err, "cannot attach a BPF program to %s: %s", hook->target, strerror(-err));
}

/* Before flags of sockets are set, a cleanup must be able to find them. */
static int begin_flags(struct tw_sockets *s, uint32_t events, struct tw_error *error)
{
	for (size_t i = 0; i < s->n_hooks; i++)
		if (s->hooks[i]->kind == TW_SOCKET_HOOK_EACH_TCP && s->hooks[i]->events & events)
			return tw_socket_flags__new(bpf_map__fd(s->programs->maps.egress_sockets), &s->flags, error);
	return 0;
}

/* Makes the kernel stamp received packets until the socket is closed. */
static int begin_stamping(struct tw_sockets *s, struct tw_error *error)
{
	const int fd = tw_receive_stamps__begin();

	if (fd < 0)
		return tw_error__set(error, fd, "cannot switch on receive time stamps: %s", strerror(-fd));
	s->stamping = fd;
	return 0;
}

int tw_sockets__attach(struct tw_sockets *s, uint32_t events, struct tw_error *error)
{
	int err = begin_flags(s, events, error);

	if (!err && events & 1u << TW_SOCKTS_ingress_ts) {
		events |= TW_SOCKET_WAKES;
		err = begin_stamping(s, error);
	}
	s->missed_before = count_missed(s);
	for (size_t i = 0; i < s->n_hooks && !err; i++) {
		if (s->hooks[i]->events & events)
			err = attach_program(s, s->hooks[i]);
		if (err)
			refuse(s->hooks[i], err, error);
	}
	if (err)
		tw_sockets__detach(s);
	return err;
}

/*
 * A program may still run on another CPU when its link is closed. A memory barrier of all processes waits, as a side effect, until all
 * programs that ran before have ended (synchronize_rcu()). Without the barrier, a short time is almost always enough.
 */
static void await_programs(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(20000);
}

void tw_sockets__detach(struct tw_sockets *s)
{
	if (s->stamping >= 0)
		close(s->stamping);
	s->stamping = -1;
	if (s->n_links) {
		while (s->n_links)
			close(s->links[--s->n_links]);
		await_programs();
	}
	tw_socket_flags__free(s->flags);
	s->flags = NULL;
}

void tw_sockets__free(struct tw_sockets *s)
{
	if (!s)
		return;
	tw_sockets__detach(s);
	for (size_t i = 0; s->rings && i < s->n_cpus; i++)
		if (s->rings[i] > 0)
			close(s->rings[i]);
	free(s->rings);
	socket_programs__destroy(s->programs);
	tw_bpf_kernel__fini(&s->kernel);
	free(s);
}
