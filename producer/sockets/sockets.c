/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/sockets.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/bpf_links.h"
#include "producer/missed.h"
#include "producer/receive_stamps.h"
#include "producer/sockets/cgroups.h"
#include "producer/sockets/flags.h"
#include "producer/sockets/formats.h"
#include "producer/sockets/impl.h"
#include "producer/sockets/objects.h"
#include "producer/sockets/settings.h"
#include "producer/sockets/tasks.h"
#include "producer/sockets/thinning.h"

struct tw_sockets {
	struct tw_socket_objects objects;
	struct tw_bpf_kernel kernel;
	const struct tw_socket_hook *hooks[TW_SOCKET_HOOKS_MAX];
	size_t n_hooks;
	bool needs_socket;     /* programs that do not know the socket are not used */
	uint32_t gone_cgroups; /* bits of the selected cgroups that were removed */
	uint32_t wanted;       /* bits of struct tw_socket_hook's @events: the selected ones */
	struct tw_bpf_links links;
	int stamping;                              /* a socket that requests receive time stamps; -1 = none */
	struct tw_socket_flags *flags;             /* NULL = no flags of sockets are set */
	const struct tw_socket_selected *selected; /* NULL = everything */
	struct tw_socket_tasks *tasks;             /* NULL = all tasks are selected */
	struct tw_socket_thinning *thinning;       /* NULL = without --max-cpu, or not attached */
	uint64_t max_cpu;
	uint32_t sample;
	_Atomic uint64_t thinned;
	void (*left_out)(void *ctx, const char *sentence);
	void *ctx;
	struct tw_socket_flags_wait wait;
	uint64_t missed_before;
};

static uint32_t events_of(const struct tw_sockets *s)
{
	uint32_t events = 0;

	for (size_t i = 0; i < s->n_hooks; i++)
		events |= s->hooks[i]->events;
	return events;
}

/* Adds the programs that only wake-ups need. */
static uint32_t with_wakes(uint32_t events)
{
	return events & 1u << TW_SOCKTS_ingress_ts ? events | TW_SOCKET_WAKES : events & ~TW_SOCKET_WAKES;
}

static bool has_hook(const struct tw_sockets *s, uint32_t events)
{
	for (size_t i = 0; i < s->n_hooks; i++)
		if (s->hooks[i]->events == events)
			return true;
	return false;
}

static bool has_stage(const struct tw_sockets *s, const char *stage)
{
	for (size_t i = 0; i < s->n_hooks; i++)
		if (!strcmp(s->hooks[i]->stage, stage))
			return true;
	return false;
}

/* Says which of the selected events the programs of an object would make, and why the kernel cannot run them. */
static int explain_lack(const struct tw_sockets *s, const struct tw_sockets_options *options, size_t object,
			struct tw_error *ret)
{
	const uint32_t events = tw_socket_objects__events(object);
	struct tw_socket_stage stage;
	char names[128];

	tw_socket_hooks__explain(&s->kernel, events, &stage);
	return tw_error__set(ret, -EOPNOTSUPP, "cannot record %s%s: %s: %s",
			     tw_sockts__names(events & options->events, names, sizeof(names)),
			     tw_socket_objects__part(object), stage.lack, stage.fix);
}

/* A cgroup selects sockets, and a task its messages, so programs that do not know the socket can make no event. */
static void drop_hooks_without_socket(struct tw_sockets *s)
{
	size_t n = 0;

	s->needs_socket = true;
	for (size_t i = 0; i < s->n_hooks; i++)
		if (!tw_socket_hook__has_no_socket(s->hooks[i]))
			s->hooks[n++] = s->hooks[i];
	s->n_hooks = n;
}

/* Says which stages of events that can be made are missing because of a mount. Lacks of the kernel are shown by doctor and info. */
static void say_missing_stages(const struct tw_sockets *s, const struct tw_sockets_options *options)
{
	struct tw_socket_stage stages[TW_SOCKET_STAGES_MAX];
	const size_t n = tw_sockets__stages(s, stages, TW_SOCKET_STAGES_MAX);
	struct tw_error sentence;
	char what[128];

	for (size_t i = 0; i < n && options->left_out; i++) {
		if (!stages[i].lacks_mount || !has_hook(s, stages[i].events))
			continue;
		tw_error__set(&sentence, 0, "%s has no stage %s: %s: %s",
			      tw_sockts__names(stages[i].events, what, sizeof(what)), stages[i].name, stages[i].lack,
			      stages[i].fix);
		options->left_out(options->ctx, sentence.text);
	}
}

/* Chooses the hooks of the selected events. Return: 0 if there is one for at least one event */
static int choose_hooks(struct tw_sockets *s, const struct tw_sockets_options *options, struct tw_error *error)
{
	int err = 0;

	s->wanted = options->wakes ? with_wakes(options->events) : options->events;
	s->n_hooks = tw_socket_hooks__choose(&s->kernel, s->wanted, s->hooks, TW_SOCKET_HOOKS_MAX);
	if (options->has_tasks || (options->selected && options->selected->n_cgroups))
		drop_hooks_without_socket(s);
	for (size_t i = 0; i < TW_SOCKET_OBJECTS && !err; i++) {
		struct tw_error why;

		if (!(tw_socket_objects__events(i) & options->events) || has_hook(s, tw_socket_objects__events(i)) ||
		    (i && tw_socket_objects__events(i) == tw_socket_objects__events(i - 1)))
			continue;
		if (!s->n_hooks)
			err = explain_lack(s, options, i, error);
		else if (options->left_out && explain_lack(s, options, i, &why))
			options->left_out(options->ctx, why.text);
	}
	if (!err)
		say_missing_stages(s, options);
	return err;
}

/* Why the kernel refuses BPF maps or programs. @what: says so, without the reason */
static int refuse_bpf(const char *what, int err, struct tw_error *error)
{
	if (err == -EPERM)
		return tw_error__set(error, err, "%s: this requires root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN",
				     what);
	return tw_error__set(error, err, "%s: %s", what, strerror(-err));
}

/* Loads the programs of some events. If the verifier refuses them because of the filter, they are loaded without it. */
static int load_programs(struct tw_sockets *s, size_t i, const struct tw_sockts_settings *settings)
{
	const int err = tw_socket_objects__load(&s->objects, i, settings, s->hooks, s->n_hooks);
	struct tw_sockts_settings plain = *settings;

	if (!err || err == -EPERM)
		return err;
	tw_socket_settings__drop_filter(&plain, s->selected);
	return tw_socket_objects__load(&s->objects, i, &plain, s->hooks, s->n_hooks);
}

/* Loads the programs of some events. If the kernel refuses them, their hooks are removed. */
static int load_object(struct tw_sockets *s, size_t i, const struct tw_sockts_settings *settings,
		       struct tw_error *error)
{
	const int err = load_programs(s, i, settings);
	const uint32_t events = tw_socket_objects__events(i);
	char names[128], what[192];

	if (!err)
		return 0;
	s->n_hooks = tw_socket_objects__drop(i, s->hooks, s->n_hooks);
	snprintf(what, sizeof(what), "the kernel refuses the BPF programs of %s%s",
		 tw_sockts__names(events & settings->events, names, sizeof(names)), tw_socket_objects__part(i));
	return refuse_bpf(what, err, error);
}

static void set_sample(struct tw_sockets *s, uint32_t sample)
{
	for (size_t i = 0; i < s->objects.n_cpus; i++)
		__atomic_store_n(&s->objects.cpus[i].sample, sample, __ATOMIC_RELAXED);
}

static void change_sample(void *ctx, uint32_t sample)
{
	struct tw_sockets *s = ctx;

	set_sample(s, sample);
	atomic_fetch_add_explicit(&s->thinned, 1, memory_order_relaxed);
}

/* Return: 0 if the programs of at least one event are loaded */
static int load(struct tw_sockets *s, const struct tw_sockets_options *options, struct tw_error *error)
{
	int err = tw_socket_objects__init(&s->objects, options->ring_size);
	struct tw_sockts_settings settings;
	struct tw_error why;

	if (err)
		return refuse_bpf("cannot create the BPF rings of socket events", err, error);
	tw_socket_settings__make(&s->kernel, options, s->objects.ring_size, has_stage(s, "udp_entry"), &settings);
	set_sample(s, options->sample);
	for (size_t i = 0; i < TW_SOCKET_OBJECTS; i++) {
		err = load_object(s, i, &settings, &why);
		if (err == -EPERM || (err && !s->n_hooks))
			return tw_error__set(error, err, "%s", why.text);
		if (err && options->left_out)
			options->left_out(options->ctx, why.text);
	}
	return 0;
}

/* Leaves out the events that are not among @can. @option, @lack: parts of a sentence. Return: 0 if others are left */
static int leave_out(struct tw_sockets_options *options, uint32_t can, const char *option, const char *lack,
		     struct tw_error *error)
{
	const uint32_t cannot = options->events & ~can;
	struct tw_error sentence;
	char names[128];

	options->events &= can;
	if (!cannot)
		return 0;
	tw_error__set(&sentence, -EINVAL, "%s out %s, which %s no %s", option,
		      tw_sockts__names(cannot, names, sizeof(names)), cannot & (cannot - 1) ? "have" : "has", lack);
	if (!options->events)
		return tw_error__set(error, -EINVAL, "%s", sentence.text);
	if (options->left_out)
		options->left_out(options->ctx, sentence.text);
	return 0;
}

/* Leaves out the events that the selected names and tasks exclude. Return: 0 if others are left */
static int leave_out_unselectable(struct tw_sockets_options *options, struct tw_error *error)
{
	int err = 0;

	if (options->selected)
		err = leave_out(options, tw_socket_selected__events(options->selected), "--netdev leaves", "interface",
				error);
	if (!err && options->has_tasks)
		err = leave_out(options, TW_SOCKET_OF_MESSAGES, "--pid and --follow leave", "sender or reader", error);
	return err;
}

int tw_sockets__new(const struct tw_sockets_options *wanted, struct tw_sockets **ret, struct tw_error *error)
{
	struct tw_sockets_options selectable = *wanted;
	const struct tw_sockets_options *const options = &selectable;
	struct tw_sockets *s;
	int err = leave_out_unselectable(&selectable, error);

	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return tw_error__set(error, -ENOMEM, "no memory for the programs of socket events");
	s->kernel.cgroup = -1;
	s->objects = (struct tw_socket_objects)TW_SOCKET_OBJECTS_NONE;
	s->stamping = -1;
	s->selected = options->selected;
	s->sample = options->sample;
	s->max_cpu = options->max_cpu;
	s->left_out = options->left_out;
	s->ctx = options->ctx;
	s->wait = (struct tw_socket_flags_wait){ options->left_out, options->signals, options->ctx };
	err = tw_bpf_kernel__init(&s->kernel, error);
	if (!err)
		err = choose_hooks(s, options, error);
	if (!err)
		err = load(s, options, error);
	if (!err && options->has_tasks)
		err = tw_socket_tasks__new(s->objects.tasks_map, &s->tasks, error);
	if (err)
		tw_sockets__free(s);
	else
		*ret = s;
	return err;
}

int tw_sockets__ring(const struct tw_sockets *s, unsigned int cpu)
{
	return cpu < s->objects.n_cpus ? s->objects.rings[cpu] : -ENODEV;
}

int tw_sockets__doorbell(const struct tw_sockets *s, unsigned int cpu)
{
	return cpu < s->objects.n_cpus ? s->objects.doorbells[cpu] : -ENODEV;
}

unsigned int tw_sockets__cpus(const struct tw_sockets *s)
{
	return (unsigned int)s->objects.n_cpus;
}

size_t tw_sockets__ring_size(const struct tw_sockets *s)
{
	return s->objects.ring_size;
}

struct tw_sockts_cpu *tw_sockets__cpu(const struct tw_sockets *s, unsigned int cpu)
{
	return &s->objects.cpus[cpu];
}

uint64_t tw_sockets__unfollowed(const struct tw_sockets *s)
{
	return s->tasks ? tw_socket_tasks__not_selected(s->tasks) : 0;
}

uint64_t tw_sockets__unsampled(const struct tw_sockets *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->objects.n_cpus; i++)
		sum += __atomic_load_n(&s->objects.cpus[i].unsampled, __ATOMIC_RELAXED);
	return sum;
}

uint64_t tw_sockets__thinned(const struct tw_sockets *s)
{
	return atomic_load_explicit(&s->thinned, memory_order_relaxed);
}

int tw_sockets__missed(const struct tw_sockets *s, uint64_t *ret)
{
	const uint64_t missed = tw_missed__since(tw_socket_objects__missed(&s->objects), s->missed_before);

	if (missed == TW_MISSED_UNKNOWN)
		return -EIO;
	*ret = missed;
	return 0;
}

int tw_sockets__follow(struct tw_sockets *s, uint32_t pid)
{
	return s->tasks ? tw_socket_tasks__add(s->tasks, pid) : -EINVAL;
}

static int attach_to_cgroup(struct tw_sockets *s, int program, enum bpf_attach_type type)
{
	return tw_bpf_links__cgroup(&s->links, program, s->kernel.cgroup, type);
}

static int attach_program(struct tw_sockets *s, const struct tw_socket_hook *hook)
{
	const int fd = tw_socket_objects__program(&s->objects, hook->program);

	switch (hook->kind) {
	case TW_SOCKET_HOOK_TRACEPOINT:
	case TW_SOCKET_HOOK_FUNCTION:
		return tw_bpf_links__trace(&s->links, fd);
	case TW_SOCKET_HOOK_NETFILTER:
		return tw_bpf_links__netfilter(&s->links, fd);
	case TW_SOCKET_HOOK_INGRESS:
		return attach_to_cgroup(s, fd, BPF_CGROUP_INET_INGRESS);
	case TW_SOCKET_HOOK_EGRESS:
		return attach_to_cgroup(s, fd, BPF_CGROUP_INET_EGRESS);
	case TW_SOCKET_HOOK_CREATE:
		return attach_to_cgroup(s, fd, BPF_CGROUP_INET_SOCK_CREATE);
	case TW_SOCKET_HOOK_SOCKOPS:
		return attach_to_cgroup(s, fd, BPF_CGROUP_SOCK_OPS);
	case TW_SOCKET_HOOK_EACH_TCP:
		return tw_socket_flags__set(&s->wait, fd);
	}
	return -EINVAL;
}

/* Why a program was not attached */
static int refuse(const struct tw_socket_hook *hook, int err, struct tw_error *error)
{
	char what[128];

	if (err == -EPERM && tw_socket_hook__is_of_cgroup(hook))
		return tw_error__set(
			error, err,
			"another program at the root cgroup permits no others; `bpftool cgroup tree` names it");
	tw_socket_hook__describe(hook, what, sizeof(what));
	return tw_error__set(error, err, "cannot attach a BPF program to %s: %s", what, strerror(-err));
}

/* Before flags of sockets are set, a cleanup must be able to find them. */
static int begin_flags(struct tw_sockets *s, const struct tw_socket_hook *hook, struct tw_error *error)
{
	if (hook->kind != TW_SOCKET_HOOK_SOCKOPS || s->flags)
		return 0;
	return tw_socket_flags__new(tw_socket_objects__map(&s->objects, "egress_sockets"), &s->wait, &s->flags, error);
}

/* Makes the kernel stamp received packets until the socket is closed. */
static int begin_stamping(struct tw_sockets *s, const struct tw_socket_hook *hook, struct tw_error *error)
{
	if (!(hook->events & 1u << TW_SOCKTS_ingress_ts) || s->stamping >= 0)
		return 0;
	s->stamping = tw_receive_stamps__begin();
	return s->stamping >= 0 ? 0
				: tw_error__set(error, s->stamping, "cannot switch on receive time stamps: %s",
						strerror(-s->stamping));
}

/* Attaches the programs of some events. @ret_refused: after a failure, bits of the events that cannot be recorded */
static int attach_events(struct tw_sockets *s, uint32_t events, uint32_t *ret_refused, struct tw_error *error)
{
	int err = 0;

	for (size_t i = 0; i < s->n_hooks && !err; i++) {
		const struct tw_socket_hook *hook = s->hooks[i];

		if (!(hook->events & events))
			continue;
		*ret_refused = hook->events;
		err = begin_flags(s, hook, error);
		if (!err)
			err = begin_stamping(s, hook, error);
		if (err)
			return err;
		err = attach_program(s, hook);
		if (err)
			refuse(hook, err, error);
	}
	return err;
}

/* The sentence about events that cannot be recorded. Return: @err */
static int explain(uint32_t events, int err, const char *why, struct tw_error *ret)
{
	char names[128];

	return tw_error__set(ret, err, "cannot record %s: %s",
			     events == TW_SOCKET_WAKES ? "the wake-ups of " TW_SOCKTS_SYSTEM ":ingress_ts"
						       : tw_sockts__names(events, names, sizeof(names)),
			     why);
}

static uint64_t run_time(void *ctx)
{
	const struct tw_sockets *s = ctx;

	return tw_socket_objects__run_time(&s->objects);
}

static void say_thinned(void *ctx, const char *sentence)
{
	const struct tw_sockets *s = ctx;

	if (s->left_out)
		s->left_out(s->ctx, sentence);
}

/* Forgets the hooks of other events. */
static void keep_hooks(struct tw_sockets *s, uint32_t events)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_hooks; i++)
		if (s->hooks[i]->events & events)
			s->hooks[n++] = s->hooks[i];
	s->n_hooks = n;
}

/* Begins to watch the cost of the programs, which are attached. Without this, a run with --max-cpu has no socket events. */
static int begin_thinning(struct tw_sockets *s, struct tw_error *error)
{
	const struct tw_socket_thinning_options options = {
		.limit = s->max_cpu,
		.sample = s->sample,
		.run_time = run_time,
		.set_sample = change_sample,
		.say = say_thinned,
		.ctx = s,
	};
	const int err = s->max_cpu ? tw_socket_thinning__new(&options, &s->thinning, error) : 0;

	if (err) {
		tw_sockets__detach(s);
		keep_hooks(s, 0);
	}
	return err;
}

int tw_sockets__attach(struct tw_sockets *s, uint32_t events, struct tw_error *error)
{
	struct tw_error why, sentence;
	uint32_t refused;
	int err;

	events = with_wakes(events & events_of(s));
	while (true) {
		s->missed_before = tw_socket_objects__missed(&s->objects);
		err = attach_events(s, events, &refused, &why);
		if (!err) {
			tw_socket_flags__ready(s->flags);
			return begin_thinning(s, error);
		}
		tw_sockets__detach(s);
		explain(refused & events, err, why.text, &sentence);
		if (err == -EINTR) { /* the run ends */
			keep_hooks(s, 0);
			return tw_error__set(error, err, "%s", sentence.text);
		}
		events &= refused & 1u << TW_SOCKTS_ingress_ts ? ~(refused | TW_SOCKET_WAKES) : ~refused;
		keep_hooks(s, events);
		if (!events)
			return tw_error__set(error, err, "%s", sentence.text);
		if (s->left_out)
			s->left_out(s->ctx, sentence.text);
	}
}

/* Whether received data reach a stage before they are read. Their reader is not known there. */
static bool is_before_read(const struct tw_socket_stage *stage)
{
	static const char *const names[] = { "rx", "ip", "l4", "socket" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (stage->events == 1u << TW_SOCKTS_ingress_ts && !strcmp(stage->name, names[i]))
			return true;
	return false;
}

size_t tw_sockets__stages(const struct tw_sockets *s, struct tw_socket_stage *ret, size_t max)
{
	const size_t n =
		tw_socket_hooks__stages(&s->kernel, s->wanted, s->hooks, s->n_hooks, s->needs_socket, ret, max);

	for (size_t i = 0; i < n && s->tasks; i++) {
		if (!is_before_read(&ret[i]))
			continue;
		ret[i].hook[0] = ret[i].fix[0] = '\0';
		snprintf(ret[i].lack, sizeof(ret[i].lack), "the reader is not known there, and the run selects tasks");
	}
	return n;
}

size_t tw_sockets__programs(const struct tw_sockets *s)
{
	return s->n_hooks;
}

/* Says once for each selected cgroup that it was removed. */
static void say_gone_cgroups(struct tw_sockets *s)
{
	char sentence[512];

	for (uint32_t i = 0; s->left_out && s->selected && i < s->selected->n_cgroups; i++) {
		if (s->gone_cgroups & 1u << i || !tw_socket_cgroup__is_gone(&s->selected->cgroups[i]))
			continue;
		s->gone_cgroups |= 1u << i;
		snprintf(
			sentence, sizeof(sentence),
			"the selected cgroup %.256s was removed, so no new sockets are in it; one that is made again is another cgroup: "
			"select the cgroup above it to keep it",
			s->selected->cgroup_names[i]);
		s->left_out(s->ctx, sentence);
	}
}

void tw_sockets__update(struct tw_sockets *s)
{
	tw_socket_phcs__update(&s->objects.phcs);
	say_gone_cgroups(s);
}

void tw_sockets__detach(struct tw_sockets *s)
{
	tw_socket_thinning__free(s->thinning);
	s->thinning = NULL;
	if (s->stamping >= 0)
		close(s->stamping);
	s->stamping = -1;
	if (s->links.n) {
		tw_bpf_links__close(&s->links);
		tw_bpf_programs__await();
	}
	tw_socket_flags__free(s->flags);
	s->flags = NULL;
}

void tw_sockets__free(struct tw_sockets *s)
{
	if (!s)
		return;
	tw_sockets__detach(s);
	tw_socket_tasks__free(s->tasks);
	tw_socket_objects__fini(&s->objects);
	tw_bpf_kernel__fini(&s->kernel);
	free(s);
}
