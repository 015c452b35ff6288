/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xdp/attach.h"
#include "xdp/state.h"

/* State of reading the counters of a classifier. */
struct counter_reading {
	const struct tw_attached *attached;
	unsigned int rows, cpus;
	struct tw_counter *values; /* an entry of a map: all rows of CPU 0, then all rows of CPU 1, and so on */
	struct tw_counter sum[TW_ROWS_MAX];
	tw_counted_visitor *each;
	void *ctx;
};

static void add_up(struct counter_reading *reading)
{
	memset(reading->sum, 0, sizeof(reading->sum));
	for (unsigned int i = 0; i < reading->cpus * reading->rows; i++) {
		reading->sum[i % reading->rows].frames += reading->values[i].frames;
		reading->sum[i % reading->rows].events += reading->values[i].events;
	}
}

static bool is_empty(const struct counter_reading *reading)
{
	for (unsigned int i = 0; i < reading->rows; i++)
		if (reading->sum[i].frames || reading->sum[i].events)
			return false;
	return true;
}

static int read_streams(struct counter_reading *reading, int map)
{
	struct tw_counted what = { .has_events = true };
	struct tw_counter_key key;
	int err = bpf_map_get_next_key(map, NULL, &key);

	while (!err) {
		err = bpf_map_lookup_elem(map, &key, reading->values);
		if (err)
			break;
		add_up(reading);
		what.stream_id = key.stream_id;
		what.channel = key.channel;
		reading->each(&what, reading->sum, reading->ctx);
		err = bpf_map_get_next_key(map, &key, &key);
	}
	return err == -ENOENT ? 0 : err; /* no key is left; the programs never remove keys */
}

static int read_one(struct counter_reading *reading, int map, const struct tw_counted *what)
{
	const uint32_t only = 0;

	if (bpf_map_lookup_elem(map, &only, reading->values))
		return -errno;
	add_up(reading);
	if (what->total || !is_empty(reading))
		reading->each(what, reading->sum, reading->ctx);
	return 0;
}

static int unread(const struct tw_attached *attached, int err, struct tw_error *error)
{
	if (err == -ENOENT)
		return tw_error__set(error, err,
				     "the counters of %s on %s are gone, because another process removed the program",
				     tw_attach_place__name(attached->place), attached->ifname);
	return tw_error__set(error, err, "cannot read the counters of %s on %s: %s",
			     tw_attach_place__name(attached->place), attached->ifname,
			     err == -EPERM ? "counters of another process require CAP_SYS_ADMIN" : strerror(-err));
}

/* Open a map. A map of this process is open already, even if the program was removed; another map is opened by id (needs CAP_SYS_ADMIN). */
static int open_map(const struct tw_state *state, enum tw_bpf_map map, uint32_t id)
{
	const int fd = state->maps ? dup(state->maps->fds[map]) : bpf_map_get_fd_by_id(id);

	return fd < 0 ? -errno : fd;
}

/* Read the counters of a program. In a NIC, there are only rows for all streams together. */
static int read_maps(struct counter_reading *reading, const struct tw_state *state, struct tw_error *error)
{
	const bool offload = reading->attached->offload;
	const int counters = open_map(state, TW_MAP_COUNTERS, state->counters);
	const int overflow = offload ? -1 : open_map(state, TW_MAP_OVERFLOW, state->overflow);
	int err = counters < 0 ? counters : 0;

	if (!err && offload)
		err = read_one(reading, counters, &(struct tw_counted){ .total = true, .has_events = true });
	else if (!err)
		err = overflow < 0 ? overflow
				   : read_one(reading, overflow,
					      &(struct tw_counted){ .overflow = true, .has_events = true });
	if (!err && !offload)
		err = read_streams(reading, counters);
	if (counters >= 0)
		close(counters);
	if (overflow >= 0)
		close(overflow);
	return err ? unread(reading->attached, err, error) : 0;
}

/* Read the counters of u32 filters. u32 rules match only frames with one event, so a rule has as many events as frames. */
static int count_u32(struct counter_reading *reading, const struct tw_state *state, struct tw_error *error)
{
	const int err = tw_u32__count(state, reading->sum, error);

	for (unsigned int i = 0; i < reading->rows; i++)
		reading->sum[i].events = i <= reading->attached->n ? reading->sum[i].frames : TW_NOT_COUNTED;
	if (!err)
		reading->each(&(struct tw_counted){ .total = true }, reading->sum, reading->ctx);
	return err;
}

int tw_attached__count(const struct tw_attached *attached, tw_counted_visitor *each, void *ctx, struct tw_error *error)
{
	const int cpus = attached->offload ? 1 : libbpf_num_possible_cpus();
	struct counter_reading reading = {
		.attached = attached,
		.rows = attached->n + 1 + TW_COUNT_MORE,
		.cpus = (unsigned int)cpus,
		.each = each,
		.ctx = ctx,
	};
	int err;

	if (!attached->schema_id) /* nothing is attached yet */
		return 0;
	if (attached->place == TW_ATTACH_U32)
		return count_u32(&reading, attached->state, error);
	if (cpus < 1) /* the kernel writes the values of all CPUs, so the size of the buffer depends on their number */
		return tw_error__set(error, -EIO,
				     "cannot read the number of CPUs from /sys/devices/system/cpu/possible: %s",
				     strerror(cpus < 0 ? -cpus : ENODATA));
	reading.values = calloc((size_t)reading.rows * reading.cpus, sizeof(*reading.values));
	if (!reading.values)
		return tw_error__set(error, -ENOMEM, "out of memory for the counters of the classifier");
	err = read_maps(&reading, attached->state, error);
	free(reading.values);
	return err;
}
