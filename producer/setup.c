/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before the run: what is wanted is checked, and everything made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "producer/producer_impl.h"
#include "producer/subbuf.h"
#include "producer/tracing_dir.h"

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

static int set_up_pointers(struct tw_producer *p, struct tw_error *err)
{
	const int rc = tw_hashed_pointers__init(&p->pointers, err);

	p->stream.pointers = &p->pointers;
	p->stream.flags |= TW_FLAG_PTR_HASHED;
	return rc;
}

/* The filters are set here, before anybody has begun to write what comes of it. */
static int set_up_announcer(struct tw_producer *p, struct tw_error *err)
{
	struct tw_metadata_sender *a = &p->announcer;
	struct tw_schema *schema;
	int rc;

	*a = (struct tw_metadata_sender){
		.tasks = p->tasks,
		.clock = &p->clock,
		.selection = &p->selection,
		.filtering = &p->filtering,
		.instance = p->instance,
		.stream = &p->stream,
		.pointers = p->options->hash_pointers ? &p->pointers : NULL,
		.options = p->options,
		.stats = tw_producer__send_stats,
		.stats_ctx = p,
		.sync = tw_sync__new(),
	};
	a->wants = tw_request_limiter__new();
	if (!a->wants)
		return tw_error__set(err, -errno, "cannot wait for requests for metadata: %s", strerror(errno));
	if (!a->sync || tw_symbolizer__init(&a->symbolizer, "/proc/kallsyms"))
		return tw_error__set(err, -ENOMEM, "out of memory");
	if (a->pointers)
		a->symbolizer.key = &a->pointers->key;
	rc = tw_metadata_sender__load_texts(a, &a->texts, &schema, err);
	if (!rc)
		rc = tw_filtering__begin(&p->filtering, &p->selection, p->instance, schema, err);
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
	tw_host_attrs__init(&p->announcer.host,
			    &(struct tw_host_stream){
				    .instance = tw_instance__name(p->instance),
				    .clock = p->clock.name,
				    .events = events,
				    .filter = p->options->filter ? tw_filter__text(p->options->filter) : NULL,
				    .cpus = cpus,
				    .pointers_hashed = p->options->hash_pointers,
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
	struct tw_trace_mark mark;
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
	rc = tw_producer__make_instance(p, err);
	if (!rc)
		rc = set_up_probe(p, err);
	if (!rc)
		rc = tw_tasks__new(tracing_dir, p->clock.name, &p->tasks, err);
	if (rc)
		return rc;
	p->own_pids = !tw_instance__mark(tw_tasks__instance(p->tasks), &mark) && mark.pid == getpid();
	rc = tw_tracer__set(p->tracer, p->own_pids, err);
	if (!rc)
		rc = tw_producer__make_readers(p, err);
	if (!rc && p->options->hash_pointers)
		rc = set_up_pointers(p, err);
	if (!rc)
		rc = set_up_announcer(p, err);
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
	tw_filtering__init(&p->filtering, options);
	pthread_mutex_init(&p->mark_lock, NULL);
	sem_init(&p->marked, 0, 0);
	sem_init(&p->go, 0, 0);
	p->stream.flags = TW_HOST_BE ? TW_FLAG_BODY_BE : 0;
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->wake_fd < 0)
		rc = tw_error__set(err, -errno, "cannot make an eventfd for the readers: %s", strerror(errno));
	else if (getrandom(&p->stream.id, sizeof(p->stream.id), 0) != sizeof(p->stream.id))
		rc = tw_error__set(err, -EIO, "the kernel gives no random number");
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

void tw_producer__filter_places(struct tw_producer *p, struct tw_filter_places *ret)
{
	tw_filtering__places(&p->filtering, ret);
}

const struct tw_filter *tw_producer__filter_left(const struct tw_producer *p)
{
	return p->filtering.later ? p->options->filter : NULL;
}

unsigned int tw_producer__threads(const struct tw_producer *p)
{
	return p->n_readers;
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
	free(p->readers);
	tw_filtering__fini(&p->filtering);
	tw_metadata_sender__fini(&p->announcer);
	tw_hashed_pointers__fini(&p->pointers);
	tw_selection__fini(&p->selection);
	stay += !tw_tasks__free(p->tasks);
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
