/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before the run: the rings of all CPUs, shared out to reader threads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/producer_impl.h"
#include "producer/subbuf.h"
#include "producer/tracing_dir.h"

#define CPUS_MAX          1024
#define CPUS_PER_THREAD   8 /* one thread steals least; one such thread keeps up with that many CPUs */
#define LEAVE_SHARE       8 /* part of a ring that may wait for the next round */
#define LATENCY_MS        20
#define LATENCY_PACKED_MS 40 /* for shipping: 20 more cost a quarter less CPU at 1 M events/s */

unsigned int tw_producer__latency_ms(const struct tw_producer_options *options)
{
	if (options->latency_ms)
		return options->latency_ms;
	return options->events_per_frame == 1 ? LATENCY_MS : LATENCY_PACKED_MS;
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

/* The rings of all CPUs that may ever be online: one that comes later is read from its first event. */
static int open_rings(struct tw_producer *p, struct tw_trace_ring **ret, size_t *ret_n, struct tw_error *err)
{
	struct tw_trace_ring *rings = calloc(CPUS_MAX, sizeof(*rings));
	size_t n = 0;
	int rc = 0;

	if (!rings)
		return tw_error__set(err, -ENOMEM, "out of memory");
	for (unsigned int cpu = 0; cpu < CPUS_MAX && !rc; cpu++) {
		rc = tw_trace_ring__open(&rings[n], p->instance, cpu, err);
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

/* While little comes; the longest is for much of it. */
static uint64_t shortest_pause(uint64_t longest)
{
	if (longest < TW_NS_PER_MS)
		return longest;
	return longest / 5 > TW_NS_PER_MS ? longest / 5 : TW_NS_PER_MS;
}

/* Room for a sub-buffer. */
static uint8_t *alloc_page(size_t size)
{
	return aligned_alloc(4096, (size + TW_SUBBUF_SLACK + 4095) & ~(size_t)4095);
}

/* Of a reader that has no memory: its rings stay the caller's. */
static int give_up_reader(struct tw_reader *r, struct tw_error *err)
{
	for (size_t i = 0; r->rings && i < r->n_rings; i++)
		free(r->rings[i].page);
	free(r->rings);
	free(r->page);
	pthread_mutex_destroy(&r->stats_lock);
	return tw_error__set(err, -ENOMEM, "out of memory");
}

static int init_reader(struct tw_producer *p, struct tw_reader *r, const struct tw_trace_ring *rings, size_t n,
		       struct tw_error *err)
{
	const size_t subbuf_kib = read_number(p->instance, "buffer_subbuf_size_kb");
	/* what waits for the next round is as old by then as what came since */
	const uint64_t pause = tw_producer__latency_ms(p->options) * TW_NS_PER_MS / 2;

	*r = (struct tw_reader){
		.page_size = subbuf_kib ? subbuf_kib * 1024 : (size_t)sysconf(_SC_PAGESIZE),
		.ring_size = read_number(p->instance, "buffer_size_kb") * 1024,
		.max_pause = pause,
		.min_pause = shortest_pause(pause),
		.clock = &p->clock,
		.tasks = p->tasks,
		.addresses.shared = &p->announcer.symbolizer.addresses,
		.stop = &p->stop,
		.newest = &p->newest,
		.wake_fd = p->wake_fd,
		.closed = UINT64_MAX,
		.n_rings = n,
	};
	pthread_mutex_init(&r->stats_lock, NULL);
	r->rings = malloc(n * sizeof(*rings));
	r->page = alloc_page(r->page_size);
	if (r->rings)
		memcpy(r->rings, rings, n * sizeof(*rings));
	if (!r->rings || !r->page)
		return give_up_reader(r, err);
	for (size_t i = 0; i < n; i++) {
		r->rings[i].addresses = &r->addresses;
		r->rings[i].gate = &r->gate;
		r->rings[i].leave_ns = pause;
		r->rings[i].leave_most = (unsigned int)(r->ring_size / r->page_size / LEAVE_SHARE);
		r->rings[i].page = alloc_page(r->page_size);
		if (!r->rings[i].page)
			return give_up_reader(r, err);
	}
	tw_event_filters__add(&p->filtering.gates, &r->gate);
	return 0;
}

int tw_producer__make_readers(struct tw_producer *p, struct tw_error *err)
{
	unsigned int threads = p->options->threads;
	struct tw_trace_ring *rings = NULL;
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
	if (!p->readers) {
		tw_error__set(err, rc, "out of memory");
		goto out;
	}
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
		tw_trace_ring__close(&rings[first]);
	free(rings);
	return rc;
}
