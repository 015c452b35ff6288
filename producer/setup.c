/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up a run: checks the options and creates all parts. Frees them after the run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/native_ring.h"
#include "producer/producer_impl.h"
#include "producer/sockets/sockets.h"
#include "producer/tracing_dir.h"

#define CPUS_MAX          1024
#define CPUS_PER_THREAD   8 /* one reader is fast enough for this many rings; fewer readers take less CPU time */
#define LATENCY_MS        20
#define LATENCY_PACKED_MS 40 /* for packed frames: 40 ms instead of 20 save 1/4 of the CPU time at 1 M events/s */
#define LEAVE_SHARE       8  /* at most 1/LEAVE_SHARE of a ring is left for the next round */

#define RING_KIB_MAX     16384 /* upper limit of the default size for each CPU */
#define RING_KIB_MIN     1408  /* lower limit: the kernel's default size */
#define RAM_SHARE        32    /* by default, within these limits, all rings together use 1/RAM_SHARE of the memory */
#define SUBBUF_SMALL_MS  10    /* up to this latency, small sub-buffers take less CPU time than large ones */
#define SUBBUF_KIB_SMALL 16
#define SUBBUF_KIB_LARGE 64
#define SUBBUF_SIZE      "buffer_subbuf_size_kb"

/* Return: the longest time that an event waits in its ring, ms */
static unsigned int latency_ms(const struct tw_producer_options *options)
{
	if (options->latency_ms)
		return options->latency_ms;
	return options->events_per_frame == 1 ? LATENCY_MS : LATENCY_PACKED_MS;
}

static size_t default_ring_kib(void)
{
	const size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	struct sysinfo info;
	size_t kib;

	if (sysinfo(&info))
		return RING_KIB_MIN;
	kib = (size_t)info.totalram / 1024 * info.mem_unit / RAM_SHARE / cpus;
	return kib < RING_KIB_MIN ? RING_KIB_MIN : kib > RING_KIB_MAX ? RING_KIB_MAX : kib;
}

static int write_number(const struct tw_instance *in, const char *file, size_t number, struct tw_error *error)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return tw_instance__write(in, file, text, error);
}

static int read_number(const struct tw_instance *in, const char *file, size_t *ret, struct tw_error *error)
{
	char *text;
	const int err = tw_instance__read(in, file, &text, error);

	if (err)
		return err;
	*ret = strtoul(text, NULL, 10);
	free(text);
	return 0;
}

/* Sets the size of sub-buffers, which is possible since Linux 6.8. On older kernels a sub-buffer is a page, and the option is refused. */
static int set_subbuf_size(const struct tw_producer *p, struct tw_error *error)
{
	size_t kib = p->options->subbuf_kib;

	if (!tw_instance__has(p->instance, SUBBUF_SIZE))
		return kib ? tw_error__set(
				     error, -ENOTSUP,
				     "this kernel cannot set the sub-buffer size (Linux 6.8 or later can): omit --subbuf-size")
			   : 0;
	if (!kib)
		kib = latency_ms(p->options) <= SUBBUF_SMALL_MS ? SUBBUF_KIB_SMALL : SUBBUF_KIB_LARGE;
	return write_number(p->instance, SUBBUF_SIZE, kib, error);
}

/* Makes poll() on a ring return at the first event, and stops the kernel from recording task names. Failures do not matter. */
static void save_work(const struct tw_instance *in)
{
	tw_instance__write(in, "buffer_percent", "0", NULL);
	tw_instance__write(in, "options/record-cmd", "0", NULL);
}

/* Creates the trace instance for events. The tracer uses this instance or the top level. */
static int make_instance(struct tw_producer *p, struct tw_error *error)
{
	const size_t kib = p->options->buffer_kib ? p->options->buffer_kib : default_ring_kib();
	int err = tw_instance__new("", &p->instance, error);

	if (!err)
		err = tw_tracer__new(&p->options->tracing, p->selection.tracing_dir, p->instance, &p->tracer, error);
	if (!err)
		err = tw_instance__write(p->instance, "trace_clock", p->clock.name, error);
	if (!err)
		err = set_subbuf_size(p, error);
	if (!err)
		err = write_number(p->instance, "buffer_size_kb", kib, error);
	if (err)
		return err;
	save_work(p->instance);
	return tw_instance__write(p->instance, "options/event-fork", "1", error);
}

/* Creates an instance without events, whose marks are used to read a clock that has no clockid_t. */
static int make_probe(struct tw_producer *p, struct tw_error *error)
{
	int err;

	if (p->clock.id >= 0)
		return 0;
	err = tw_instance__new("-clock", &p->probe, error);
	if (!err)
		err = tw_instance__write(p->probe, "trace_clock", p->clock.name, error);
	if (!err)
		err = tw_instance__write(p->probe, "tracing_on", "1", error);
	p->clock.probe = p->probe;
	return err;
}

/* Opens the trace ring of a CPU, and its ring for socket events. Return: as tw_trace_ring__open() */
static int open_rings_of(struct tw_producer *p, unsigned int cpu, struct tw_error *error)
{
	int err = tw_trace_ring__open(&p->rings[p->n_rings], p->instance, cpu, error);

	if (err)
		return err;
	p->n_rings++;
	p->n_cpus++;
	if (!p->sockets)
		return 0;
	err = tw_trace_ring__open_bpf(&p->rings[p->n_rings], p->sockets, cpu,
				      (uint16_t)(tw_sockets__cpus(p->sockets) + cpu + 1), p->clock.id, error);
	p->n_rings += !err;
	return err;
}

/* Opens the rings of all possible CPUs, so that a CPU that comes online later is read from its first event. */
static int open_rings(struct tw_producer *p, struct tw_error *error)
{
	p->rings = calloc(2 * CPUS_MAX, sizeof(*p->rings));
	if (!p->rings)
		return tw_error__set(error, -ENOMEM, "out of memory");
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		const int err = open_rings_of(p, cpu, error);

		if (err && err != -ENODEV)
			return err;
	}
	return p->n_rings ? 0 : tw_error__set(error, -ENODEV, "the trace instance has no rings");
}

static uint8_t *alloc_page(size_t size)
{
	return aligned_alloc(4096, (size + TW_NATIVE_PAGE_SLACK + 4095) & ~(size_t)4095);
}

static int init_reader(struct tw_producer *p, struct tw_reader *r, struct tw_trace_ring *rings, size_t n,
		       struct tw_error *error)
{
	size_t subbuf_kib = 0, ring_kib = 0;
	/* half of the latency, because an event can wait during two pauses */
	const uint64_t pause = latency_ms(p->options) * TW_NS_PER_MS / 2;
	int err = tw_instance__has(p->instance, SUBBUF_SIZE) ? read_number(p->instance, SUBBUF_SIZE, &subbuf_kib, error)
							     : 0;

	if (!err)
		err = read_number(p->instance, "buffer_size_kb", &ring_kib, error);
	*r = (struct tw_reader){
		.page_size = subbuf_kib ? subbuf_kib * 1024 : (size_t)sysconf(_SC_PAGESIZE),
		.ring_size = ring_kib * 1024,
		.max_pause = pause,
		.min_pause = tw_time__earlier(pause, tw_time__later(pause / 5, TW_NS_PER_MS)), /* at low rates */
		.clock = &p->clock,
		.tasks = p->tasks,
		.addresses.shared = &p->metadata.symbolizer.addresses,
		.stop = &p->stop,
		.newest = &p->newest,
		.wake_fd = p->wake_fd,
		.control_watermark = UINT64_MAX,
		.rings = rings,
		.n_rings = n,
	};
	pthread_mutex_init(&r->stats_lock, NULL);
	if (err)
		return err;
	r->page = alloc_page(r->page_size);
	if (!r->page)
		return tw_error__set(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		rings[i].addresses = &r->addresses;
		rings[i].hazard = &r->hazard;
		rings[i].leave_ns = pause;
		/* leaving a sub-buffer saves work only where the kernel copies the events of the one that it is filling */
		rings[i].leave_max = rings[i].bpf ? 0 : (unsigned int)(r->ring_size / r->page_size / LEAVE_SHARE);
		rings[i].page = alloc_page(r->page_size);
		if (!rings[i].page)
			return tw_error__set(error, -ENOMEM, "out of memory");
	}
	tw_event_filters__add(&p->filtering.event_filters, &r->hazard);
	return 0;
}

/* Creates the readers. Each reads a part of the rings. */
static int make_readers(struct tw_producer *p, struct tw_error *error)
{
	size_t threads = p->options->threads, first = 0;
	int err = open_rings(p, error);

	if (err)
		return err;
	if (!threads)
		threads = (p->n_cpus + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;
	if (threads > p->n_rings)
		threads = p->n_rings;
	p->readers = calloc(threads, sizeof(*p->readers));
	if (!p->readers)
		return tw_error__set(error, -ENOMEM, "out of memory");
	while (!err && p->n_readers < threads) {
		struct tw_reader *r = &p->readers[p->n_readers++];
		const size_t end = p->n_rings * p->n_readers / threads;

		err = init_reader(p, r, p->rings + first, end - first, error);
		r->all = p->readers;
		r->n_all = (unsigned int)threads;
		first = end;
	}
	return err;
}

/* Sets up the metadata sender, and then filtering, because the filter needs the formats that are read here. */
static int init_metadata(struct tw_producer *p, struct tw_error *error)
{
	struct tw_metadata_sender *m = &p->metadata;
	struct tw_schema *schema;
	int err;

	*m = (struct tw_metadata_sender){
		.tasks = p->tasks,
		.clock = &p->clock,
		.selection = &p->selection,
		.filtering = &p->filtering,
		.stream = &p->stream,
		.pointers = p->options->hash_pointers ? &p->pointers : NULL,
		.options = p->options,
		.sync = tw_sync__new(),
	};
	tw_phcs__init(&m->phcs, p->options->clock_failed, p->options->ctx);
	for (size_t i = 0; i < p->options->phcs.n; i++)
		tw_phcs__add(&m->phcs, p->options->phcs.items[i]);
	tw_step_watch__open(&m->step_watch);
	m->requests = tw_request_limiter__new();
	if (!m->requests)
		return tw_error__set(error, -errno, "cannot wait for metadata requests: %s", strerror(errno));
	if (!m->sync || tw_symbolizer__init(&m->symbolizer, "/proc/kallsyms"))
		return tw_error__set(error, -ENOMEM, "out of memory");
	if (m->pointers)
		m->symbolizer.key = &m->pointers->key;
	err = tw_metadata_sender__load_texts(m, &m->texts, &schema, error);
	if (!err)
		err = tw_filtering__begin(&p->filtering, &p->selection, p->instance, schema, error);
	if (!err)
		tw_symbolizer__prepare(&m->symbolizer);
	return err;
}

void tw_producer__describe_host(struct tw_producer *p)
{
	struct tw_socket_stage stages[TW_SOCKET_STAGES_MAX];
	const size_t n_stages = p->sockets ? tw_sockets__stages(p->sockets, stages, TW_SOCKET_STAGES_MAX) : 0;
	char events[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < p->options->n_events && n < sizeof(events); i++)
		n += (size_t)snprintf(events + n, sizeof(events) - n, "%s%s", i ? "," : "", p->options->events[i].spec);
	tw_host_attrs__init(&p->metadata.host,
			    &(struct tw_host_stream){
				    .instance = tw_instance__name(p->instance),
				    .clock = p->clock.name,
				    .events = events,
				    .filter = p->options->filter ? tw_filter__text(p->options->filter) : NULL,
				    .cpus = p->n_cpus,
				    .pointers_hashed = p->options->hash_pointers,
				    .no_sockets = p->no_sockets.text,
				    .stages = stages,
				    .n_stages = n_stages,
			    });
}

uint32_t tw_producer__socket_events(const struct tw_producer *p)
{
	const struct tw_selection *selection = &p->selection;
	uint32_t events = 0;

	for (size_t i = 0; i < selection->events.n; i++) {
		const enum tw_sockts_event event = tw_event_name__socket_event(&selection->events.names[i]);

		if (event < TW_SOCKTS_EVENTS)
			events |= p->filtering.events[i].off ? 0 : 1u << event;
	}
	return events;
}

static bool has_others(const struct tw_producer *p)
{
	for (size_t i = 0; i < p->selection.events.n; i++)
		if (tw_event_name__socket_event(&p->selection.events.names[i]) == TW_SOCKTS_EVENTS)
			return true;
	return p->options->tracing.tracer || p->options->tracing.lines;
}

int tw_producer__without_sockets(struct tw_producer *p, int err, const struct tw_error *why, struct tw_error *error)
{
	if (!has_others(p))
		return tw_error__set(error, err, "%s", why->text);
	p->no_sockets = *why;
	if (p->options->event_left_out)
		p->options->event_left_out(p->options->ctx, why->text);
	return 0;
}

static bool selects(const struct tw_selection *selection, const char *system, const char *name)
{
	for (size_t i = 0; i < selection->events.n; i++) {
		const struct tw_event_name *event = &selection->events.names[i];

		if (!strcmp(event->system, system) && !strcmp(event->name, name))
			return true;
	}
	return false;
}

static enum tw_sockts_clock socket_clock(int id)
{
	return id == CLOCK_BOOTTIME ? TW_SOCKTS_CLOCK_BOOT
	       : id == CLOCK_TAI    ? TW_SOCKTS_CLOCK_TAI
				    : TW_SOCKTS_CLOCK_MONO;
}

/* Looks up the names in the options for socket events. */
static int resolve_socket_names(struct tw_producer *p, struct tw_error *error)
{
	const struct tw_socket_selection *selection = &p->options->sockets;
	uint32_t events = 0;
	int err;

	if (!tw_socket_selection__given(selection))
		return 0;
	for (size_t i = 0; i < p->selection.events.n; i++) {
		const enum tw_sockts_event event = tw_event_name__socket_event(&p->selection.events.names[i]);

		if (event < TW_SOCKTS_EVENTS)
			events |= 1u << event;
	}
	err = tw_socket_selection__check(selection, events, error);
	return err ? err : tw_socket_selection__resolve(selection, &p->socket_names, error);
}

/* Refuses options that BPF programs cannot follow. */
static int check_socket_events(struct tw_producer *p, struct tw_error *error)
{
	const int clock = p->clock.id;

	for (size_t i = 0; i < p->selection.events.n; i++) {
		const struct tw_event_name *name = &p->selection.events.names[i];

		if (tw_event_name__socket_event(name) == TW_SOCKTS_EVENTS)
			continue;
		if (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI)
			return tw_error__set(
				error, -EINVAL,
				"BPF programs cannot read the clock '%s', so the event %s:%s cannot be recorded with it: "
				"choose mono, boot or tai with --clock",
				p->clock.name, name->system, name->name);
		if (tw_selection__filter(&p->selection, i))
			return tw_error__set(
				error, -EINVAL,
				"--event-filter is a filter of the kernel's trace events, and %s:%s is made by a BPF "
				"program: use --filter",
				name->system, name->name);
	}
	return resolve_socket_names(p, error);
}

/* Selects the socket events of the tasks of --pid, whose lists of numbers were checked. */
static int follow_pids(struct tw_producer *p, struct tw_error *error)
{
	const struct tw_words *pids = &p->options->tracing.pids;
	int err = 0;

	for (size_t i = 0; i < pids->n && !err; i++)
		for (const char *at = pids->items[i]; *at && !err; at += *at == ',') {
			char *end;

			err = tw_sockets__follow(p->sockets, (uint32_t)strtoul(at, &end, 10));
			at = end;
		}
	return err ? tw_error__set(error, err, "--pid cannot select socket events: %s", strerror(-err)) : 0;
}

/*
 * Loads the programs of the selected socket events. If that fails and the run has other events, a sentence says why, and the run has no socket
 * events.
 */
static int make_sockets(struct tw_producer *p, uint32_t own_tgid, struct tw_error *error)
{
	const struct tw_producer_options *o = p->options;
	struct tw_error why;
	const struct tw_sockets_options options = {
		.events = tw_producer__socket_events(p),
		.clock = socket_clock(p->clock.id),
		.ring_size = (o->buffer_kib ? o->buffer_kib : default_ring_kib()) * 1024,
		.wakes = selects(&p->selection, "sched", "sched_waking") &&
			 selects(&p->selection, "sched", "sched_switch"),
		.sample = (uint32_t)o->sockets.sample,
		.has_tasks = o->tracing.pids.n || o->follow,
		.max_cpu = o->sockets.max_cpu,
		.selected = &p->socket_names,
		.conditions = p->filtering.conditions,
		.own_tgid = o->show_self ? 0 : own_tgid,
		.own_socket = o->show_self ? 0 : o->own_socket,
		.left_out = o->event_left_out,
		.signals = o->signals,
		.ctx = o->ctx,
	};
	int err = options.events ? tw_sockets__new(&options, &p->sockets, &why) : 0;

	if (!err && options.events && o->tracing.cpus && o->event_left_out)
		o->event_left_out(o->ctx, "socket events are those of all CPUs: --cpus does not apply to them");
	if (!err && options.has_tasks && options.events & 1u << TW_SOCKTS_ingress_ts && o->event_left_out)
		o->event_left_out(
			o->ctx,
			"--pid and --follow leave out the steps rx, ip, l4 and socket of received bytes, whose reader is "
			"not known yet");
	if (!err && p->sockets)
		err = follow_pids(p, &why);
	if (err) {
		tw_sockets__free(p->sockets);
		p->sockets = NULL;
	}
	return err ? tw_producer__without_sockets(p, err, &why, error) : 0;
}

/* Makes the checks that need no trace instance, chooses the clock and selects the events. */
static int check(struct tw_producer *p, const char **ret_tracing_dir, struct tw_error *error)
{
	const struct tw_producer_options *o = p->options;
	int err;

	if (!o->n_events && !o->tracing.tracer && !o->tracing.lines)
		return tw_error__set(error, -EINVAL,
				     "no event is selected: select some with -e, for example -e sched; `tracewire "
				     "list` shows all events");
	err = tw_tracing_dir__find(ret_tracing_dir, error);
	if (!err)
		err = tw_native_ring__check_layout(*ret_tracing_dir, error);
	if (!err)
		err = tw_trace_clock__init(&p->clock, o->clock, error);
	if (!err)
		err = tw_selection__init(&p->selection, *ret_tracing_dir, o->events, o->n_events, error);
	return err ? err : check_socket_events(p, error);
}

/* The pid of this process in the initial pid namespace; 0 if it cannot be found */
static pid_t global_pid(struct tw_producer *p)
{
	struct tw_trace_mark mark;

	return tw_instance__mark(tw_producer_tasks__instance(p->tasks), &mark) ? 0 : mark.pid;
}

static int set_up(struct tw_producer *p, struct tw_error *error)
{
	const char *tracing_dir;
	pid_t pid;
	int err = check(p, &tracing_dir, error);

	if (err)
		return err;
	tw_instance__cleanup(false, NULL, NULL, NULL);
	err = make_instance(p, error);
	if (!err)
		err = make_probe(p, error);
	if (!err)
		err = tw_producer_tasks__new(tracing_dir, p->clock.name, &p->tasks, error);
	if (err)
		return err;
	pid = global_pid(p);
	p->own_pids = pid == getpid();
	err = tw_tracer__set(p->tracer, p->own_pids, error);
	if (!err && p->options->hash_pointers) {
		p->stream.pointers = &p->pointers;
		p->stream.flags |= TW_FLAG_PTR_HASHED;
		err = tw_hashed_pointers__init(&p->pointers, error);
	}
	if (!err)
		err = init_metadata(p, error);
	if (!err) /* the filter is known, and BPF programs are loaded with their part of it */
		err = make_sockets(p, (uint32_t)pid, error);
	if (!err)
		err = make_readers(p, error);
	if (err)
		return err;
	p->metadata.sockets = p->sockets;
	tw_producer__describe_host(p);
	return 0;
}

int tw_producer__new(const struct tw_producer_options *options, struct tw_producer **ret, struct tw_error *error)
{
	struct tw_producer *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return tw_error__set(error, -ENOMEM, "out of memory");
	p->options = options;
	tw_filtering__init(&p->filtering, options);
	pthread_mutex_init(&p->mark_lock, NULL);
	sem_init(&p->marked, 0, 0);
	sem_init(&p->go, 0, 0);
	p->stream.flags = TW_HOST_BE ? TW_FLAG_BODY_BE : 0;
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->wake_fd < 0)
		err = tw_error__set(error, -errno, "cannot make an eventfd for the readers: %s", strerror(errno));
	else if (getrandom(&p->stream.id, sizeof(p->stream.id), 0) != sizeof(p->stream.id))
		err = tw_error__set(error, -EIO, "cannot get a random number from the kernel");
	else
		err = set_up(p, error);
	if (err)
		tw_producer__free(p);
	else
		*ret = p;
	return err;
}

unsigned int tw_producer__free(struct tw_producer *p)
{
	unsigned int stay = 0;

	if (!p)
		return 0;
	if (p->running)
		tw_producer__stop(p, NULL);
	for (unsigned int i = 0; i < p->n_readers; i++)
		tw_reader__fini(&p->readers[i]);
	for (size_t i = 0; i < p->n_rings; i++)
		tw_trace_ring__close(&p->rings[i]);
	free(p->readers);
	free(p->rings);
	tw_sockets__free(p->sockets);
	tw_filtering__fini(&p->filtering);
	tw_metadata_sender__fini(&p->metadata);
	tw_hashed_pointers__fini(&p->pointers);
	tw_selection__fini(&p->selection);
	stay += !tw_producer_tasks__free(p->tasks);
	stay += !tw_instance__free(p->probe);
	tw_tracer__free(p->tracer);
	stay += !tw_instance__free(p->instance);
	if (p->wake_fd >= 0)
		close(p->wake_fd);
	sem_destroy(&p->go);
	sem_destroy(&p->marked);
	pthread_mutex_destroy(&p->mark_lock);
	free(p);
	return stay;
}
