/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before the run: the trace instance for events, with rings of the right size. */
#include <errno.h>
#include <stdio.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "producer/producer_impl.h"

#define RING_KIB_MAX     16384 /* default per CPU where memory allows */
#define RING_KIB_MIN     1408  /* the kernel's own default */
#define RAM_SHARE        32    /* all rings together take that part of the memory at most */
#define LATENCY_MS       10    /* up to this latency small sub-buffers are cheaper */
#define SUBBUF_KIB_SMALL 16
#define SUBBUF_KIB_LARGE 64

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

static int write_number(const struct tw_instance *in, const char *file, size_t number, struct tw_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return tw_instance__write(in, file, text, err);
}

/* Sub-buffers of another size than a page came with Linux 6.8; without, what was asked for is refused, a default is not. */
static int set_subbuf(const struct tw_producer *p, struct tw_error *err)
{
	static const char file[] = "buffer_subbuf_size_kb";
	const size_t wanted = p->options->subbuf_kib;

	if (tw_instance__has(p->instance, file))
		return write_number(p->instance, file,
				    wanted                                              ? wanted
				    : tw_producer__latency_ms(p->options) <= LATENCY_MS ? SUBBUF_KIB_SMALL
											: SUBBUF_KIB_LARGE,
				    err);
	if (wanted)
		return tw_error__set(err, -ENOTSUP,
				     "this kernel cannot set the sub-buffer size (Linux 6.8 can): "
				     "leave out --subbuf-size");
	return 0;
}

int tw_producer__make_instance(struct tw_producer *p, struct tw_error *err)
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
