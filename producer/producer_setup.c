/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before the run: instances, events, rings, readers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/producer_impl.h"
#include "producer/subbuf.h"
#include "producer/tracing_dir.h"

#define CPUS_MOST        1024
#define CPUS_PER_THREAD  8     /* one thread steals least; one such thread keeps up with that many CPUs */
#define RING_KIB_MOST    16384 /* default per CPU where memory allows */
#define RING_KIB_LEAST   1408  /* the kernel's own default */
#define RAM_SHARE        32    /* all rings together take that part of the memory at most */
#define LATENCY_MS       5     /* up to this pause small sub-buffers are cheaper */
#define SUBBUF_KIB_SMALL 16
#define SUBBUF_KIB_LARGE 64
#define PAUSE_MS         10
#define PAUSE_PACKED_MS  20 /* for shipping: 10 more cost a quarter less CPU at 1 M events/s */

static unsigned int max_pause_ms(const struct tw_producer_options *options)
{
	if (options->max_interval_ms)
		return options->max_interval_ms;
	return options->events_per_frame == 1 ? PAUSE_MS : PAUSE_PACKED_MS;
}

static size_t default_ring_kib(void)
{
	const size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	struct sysinfo info;
	size_t kib;

	if (sysinfo(&info))
		return RING_KIB_LEAST;
	kib = (size_t)info.totalram / 1024 * info.mem_unit / RAM_SHARE / cpus;
	return kib < RING_KIB_LEAST ? RING_KIB_LEAST : kib > RING_KIB_MOST ? RING_KIB_MOST : kib;
}

static int write_number(const struct tw_instance *in, const char *file, size_t number, struct tw_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return tw_instance__write(in, file, text, err);
}

static size_t read_number(const struct tw_instance *in, const char *file)
{
	char dir[512], *text;
	size_t number;

	tw_instance__path(in, ".", dir, sizeof(dir));
	if (tw_tracing_file__read(dir, file, &text, NULL))
		return 0;
	number = strtoul(text, NULL, 10);
	free(text);
	return number;
}

/* Sub-buffers of another size than a page came with Linux 6.8; without, what was asked for is refused, a default is not. */
static int set_subbuf(const struct tw_producer *p, struct tw_error *err)
{
	static const char file[] = "buffer_subbuf_size_kb";
	const size_t wanted = p->options->subbuf_kib;

	if (tw_instance__has(p->instance, file))
		return write_number(p->instance, file,
				    wanted                                   ? wanted
				    : max_pause_ms(p->options) <= LATENCY_MS ? SUBBUF_KIB_SMALL
									     : SUBBUF_KIB_LARGE,
				    err);
	if (wanted)
		return tw_error__set(err, -ENOTSUP,
				     "this kernel cannot set the sub-buffer size (Linux 6.8 can): "
				     "leave out --subbuf-size");
	return 0;
}

static int set_up_instance(struct tw_producer *p, struct tw_error *err)
{
	const size_t kib = p->options->buffer_kib ? p->options->buffer_kib : default_ring_kib();
	int rc = tw_instance__new("", &p->instance, err);

	if (!rc)
		rc = tw_tracer__new(&p->options->tracing, p->selection.tracing_dir, p->instance, &p->tracer, err);
	if (!rc)
		rc = tw_instance__write(p->instance, "trace_clock", p->clock.name, err);
	if (!rc)
		rc = set_subbuf(p, err);
	if (!rc)
		rc = write_number(p->instance, "buffer_size_kb", kib, err);
	if (rc)
		return rc;
	/* poll() on a ring wakes at the first event; names come from our own bookkeeping; neither is vital */
	tw_instance__write(p->instance, "buffer_percent", "0", NULL);
	tw_instance__write(p->instance, "options/record-cmd", "0", NULL);
	return tw_instance__write(p->instance, "options/event-fork", "1", err);
}

/* Clocks that no clockid_t reads are read by marks in an instance that traces nothing. */
static int set_up_probe(struct tw_producer *p, struct tw_error *err)
{
	int rc;

	if (p->clock.id >= 0)
		return 0;
	rc = tw_instance__new("-clock", &p->probe, err);
	if (!rc)
		rc = tw_instance__write(p->probe, "trace_clock", p->clock.name, err);
	if (!rc)
		rc = tw_instance__write(p->probe, "tracing_on", "1", err);
	p->clock.probe = p->probe;
	return rc;
}

/* The rings of all CPUs that may ever be online: one that comes later is read from its first event. */
static int open_rings(struct tw_producer *p, struct tw_ring **ret, size_t *ret_n, struct tw_error *err)
{
	struct tw_ring *rings = calloc(CPUS_MOST, sizeof(*rings));
	size_t n = 0;
	int rc = 0;

	if (!rings)
		return tw_error__set(err, -ENOMEM, "out of memory");
	for (unsigned int cpu = 0; cpu < CPUS_MOST && !rc; cpu++) {
		rc = tw_ring__open(&rings[n], p->instance, cpu, err);
		if (!rc)
			n++;
		if (rc == -ENODEV)
			rc = 0;
	}
	if (!rc && !n)
		rc = tw_error__set(err, -ENODEV, "the trace instance has no rings");
	*ret = rings;
	*ret_n = n;
	return rc;
}

static int init_reader(struct tw_producer *p, struct tw_reader *r, const struct tw_ring *rings, size_t n,
		       struct tw_error *err)
{
	const size_t subbuf_kib = read_number(p->instance, "buffer_subbuf_size_kb");
	const uint64_t max_pause = max_pause_ms(p->options) * TW_NS_PER_MS;

	*r = (struct tw_reader){
		.page_size = subbuf_kib ? subbuf_kib * 1024 : (size_t)sysconf(_SC_PAGESIZE),
		.ring_size = read_number(p->instance, "buffer_size_kb") * 1024,
		.max_pause = max_pause,
		.min_pause = max_pause > 5 * TW_NS_PER_MS ? max_pause / 5 : TW_NS_PER_MS,
		.clock = &p->clock,
		.tasks = p->tasks,
		.addresses.shared = &p->announcer.symbolizer.addresses,
		.stop = &p->stop,
		.newest = &p->newest,
		.wake_fd = p->wake_fd,
		.closed = UINT64_MAX,
		.n_rings = n,
	};
	r->rings = malloc(n * sizeof(*rings));
	r->page = aligned_alloc(4096, (r->page_size + TW_SUBBUF_SLACK + 4095) & ~(size_t)4095);
	if (!r->rings || !r->page)
		return tw_error__set(err, -ENOMEM, "out of memory");
	memcpy(r->rings, rings, n * sizeof(*rings));
	for (size_t i = 0; i < n; i++)
		r->rings[i].addresses = &r->addresses;
	return 0;
}

static int set_up_readers(struct tw_producer *p, struct tw_error *err)
{
	unsigned int threads = p->options->threads;
	struct tw_ring *rings = NULL;
	size_t n = 0, first = 0;
	int rc = open_rings(p, &rings, &n, err);

	if (rc)
		goto out;
	if (!threads)
		threads = (unsigned int)(n + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;
	if (threads > n)
		threads = (unsigned int)n;
	rc = -ENOMEM;
	p->readers = calloc(threads, sizeof(*p->readers));
	if (!p->readers)
		goto out;
	for (; p->n_readers < threads; p->n_readers++) {
		const size_t end = n * (p->n_readers + 1) / threads;

		rc = init_reader(p, &p->readers[p->n_readers], rings + first, end - first, err);
		p->readers[p->n_readers].alone = threads == 1;
		p->readers[p->n_readers].all = p->readers;
		p->readers[p->n_readers].n_all = threads;
		if (rc)
			break;
		first = end;
	}
out:
	for (; rc && first < n; first++)
		tw_ring__close(&rings[first]);
	free(rings);
	return rc;
}

static int set_up_announcer(struct tw_producer *p, const char *tracing_dir, struct tw_error *err)
{
	struct tw_announcer *a = &p->announcer;
	int rc;

	*a = (struct tw_announcer){
		.tasks = p->tasks,
		.clock = &p->clock,
		.selection = &p->selection,
		.instance = p->instance,
		.stream = &p->stream,
		.options = p->options,
		.stats = tw_producer__say_stats,
		.stats_ctx = p,
	};
	if (tw_symbolizer__init(&a->symbolizer, "/proc/kallsyms"))
		return tw_error__set(err, -ENOMEM, "out of memory");
	rc = tw_texts__load(tracing_dir, &p->selection.events, tw_tracer__records(&p->options->tracing),
			    &a->symbolizer.addresses, &a->texts, err);
	if (!rc)
		tw_symbolizer__prepare(&a->symbolizer);
	return rc;
}

static void describe_host(struct tw_producer *p)
{
	char events[256] = "";
	size_t n = 0, cpus = 0;

	for (size_t i = 0; i < p->options->n_events && n < sizeof(events); i++)
		n += (size_t)snprintf(events + n, sizeof(events) - n, "%s%s", i ? "," : "", p->options->events[i].spec);
	for (unsigned int i = 0; i < p->n_readers; i++)
		cpus += p->readers[i].n_rings;
	tw_host__init(&p->announcer.host, &(struct tw_host_stream){
						  .instance = tw_instance__name(p->instance),
						  .clock = p->clock.name,
						  .events = events,
						  .filter = p->options->filter_text,
						  .cpus = cpus,
					  });
}

static int check_options(const struct tw_producer_options *options, struct tw_error *err)
{
	if (options->n_events || options->tracing.tracer)
		return 0;
	return tw_error__set(err, -EINVAL,
			     "no events given: say which with -e, for example -e sched; 'tracewire list' shows all");
}

static int set_up(struct tw_producer *p, struct tw_error *err)
{
	const char *tracing_dir;
	struct tw_mark mark;
	int rc = check_options(p->options, err);

	if (!rc)
		rc = tw_tracing_dir__find(&tracing_dir, err);
	if (!rc)
		rc = tw_subbuf__check_layout(tracing_dir, err);
	if (!rc)
		rc = tw_trace_clock__init(&p->clock, p->options->clock, err);
	if (!rc)
		rc = tw_selection__init(&p->selection, tracing_dir, p->options->events, p->options->n_events, err);
	if (rc)
		return rc;
	tw_instance__cleanup(false, NULL, NULL, NULL);
	rc = set_up_instance(p, err);
	if (!rc)
		rc = set_up_probe(p, err);
	if (!rc)
		rc = tw_tasks__new(tracing_dir, p->clock.name, &p->tasks, err);
	if (rc)
		return rc;
	p->own_pids = !tw_instance__mark(tw_tasks__instance(p->tasks), &mark) && mark.pid == getpid();
	rc = tw_tracer__set(p->tracer, p->own_pids, err);
	if (!rc)
		rc = set_up_readers(p, err);
	if (!rc)
		rc = set_up_announcer(p, tracing_dir, err);
	if (!rc)
		describe_host(p);
	return rc;
}

int tw_producer__new(const struct tw_producer_options *options, struct tw_producer **ret, struct tw_error *err)
{
	struct tw_producer *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return tw_error__set(err, -ENOMEM, "out of memory");
	p->options = options;
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&p->mark_lock, NULL);
	sem_init(&p->marked, 0, 0);
	sem_init(&p->go, 0, 0);
	p->stream.flags = TW_HOST_BE ? TW_FLAG_BODY_BE : 0;
	if (getrandom(&p->stream.id, sizeof(p->stream.id), 0) != sizeof(p->stream.id) || p->wake_fd < 0)
		rc = tw_error__set(err, -EIO, "the kernel gives no random number or no eventfd");
	else
		rc = set_up(p, err);
	if (rc) {
		tw_producer__free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

const char *tw_producer__instance(const struct tw_producer *p)
{
	return tw_instance__name(p->instance);
}

size_t tw_producer__count_events(const struct tw_producer *p)
{
	return p->selection.events.n;
}

unsigned int tw_producer__threads(const struct tw_producer *p)
{
	return p->n_readers;
}

void tw_producer__free(struct tw_producer *p)
{
	if (!p)
		return;
	if (p->running)
		tw_producer__stop(p, NULL);
	for (unsigned int i = 0; i < p->n_readers; i++)
		tw_reader__fini(&p->readers[i]);
	free(p->readers);
	tw_announcer__fini(&p->announcer);
	tw_selection__fini(&p->selection);
	tw_tasks__free(p->tasks);
	tw_instance__free(p->probe);
	tw_tracer__free(p->tracer);
	tw_instance__free(p->instance);
	if (p->wake_fd >= 0)
		close(p->wake_fd);
	sem_destroy(&p->go);
	sem_destroy(&p->marked);
	pthread_mutex_destroy(&p->mark_lock);
	free(p);
}
