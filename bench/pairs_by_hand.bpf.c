/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hand-written programs that measure the time in system calls, with the same histogram and counters as `latency --in-kernel syscalls`, with
 * and without groups; bench/pairs.c compares them with the generated ones.
 */
#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_helpers.h>

#define UNIT    1000 /* ns */
#define BUCKETS 1920

struct enter {
	__u64 unused;
	long id;
};

struct begin {
	__u64 time;
	long id;
};

struct cell {
	long id;
	__u64 bucket;
};

struct samples {
	__u64 n, sum, max, min;
};

struct figures {
	__u64 begun, again, evicted, no_begin, backwards;
	struct samples samples;
	__u64 buckets[BUCKETS + 1];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 100000);
	__type(key, __u64);
	__type(value, struct begin);
} open_by_id SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 100000);
	__type(key, __u64);
	__type(value, __u64);
} open SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct figures);
} all SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 32768);
	__type(key, struct cell);
	__type(value, struct samples);
} cells SEC(".maps");

static __always_inline struct figures *find_figures(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&all, &zero);
}

static __always_inline void count_begin(long err)
{
	struct figures *figures = find_figures();

	if (!figures)
		return;
	figures->begun++;
	if (err == -EEXIST)
		figures->again++;
	else if (err)
		figures->evicted++;
}

static __always_inline __u64 bucket_of(__u64 ns)
{
	__u64 value = ns ? (ns - 1) / UNIT : 0, at = 0;

	if (value >> 37) {
		value >>= 32;
		at += 32 << 5;
	}
	if (value >= 1 << 21) {
		value >>= 16;
		at += 16 << 5;
	}
	if (value >= 1 << 13) {
		value >>= 8;
		at += 8 << 5;
	}
	if (value >= 1 << 9) {
		value >>= 4;
		at += 4 << 5;
	}
	if (value >= 1 << 7) {
		value >>= 2;
		at += 2 << 5;
	}
	if (value >= 1 << 6) {
		value >>= 1;
		at += 1 << 5;
	}
	return at + value;
}

static __always_inline void add(struct samples *samples, __u64 ns)
{
	if (!samples->n || ns < samples->min)
		samples->min = ns;
	if (ns > samples->max)
		samples->max = ns;
	samples->n++;
	samples->sum += ns;
}

SEC("tp/raw_syscalls/sys_enter")
int enter(void *context)
{
	const __u64 now = bpf_ktime_get_ns(), task = (__u32)bpf_get_current_pid_tgid();
	long err = bpf_map_update_elem(&open, &task, &now, BPF_NOEXIST);

	(void)context;
	if (err == -EEXIST)
		bpf_map_update_elem(&open, &task, &now, BPF_ANY);
	count_begin(err);
	return 0;
}

SEC("tp/raw_syscalls/sys_exit")
int leave(void *context)
{
	const __u64 now = bpf_ktime_get_ns(), task = (__u32)bpf_get_current_pid_tgid();
	__u64 *begin = bpf_map_lookup_elem(&open, &task), time, bucket;
	struct figures *figures = find_figures();

	(void)context;
	if (!figures)
		return 0;
	if (!begin) {
		figures->no_begin++;
		return 0;
	}
	time = *begin;
	bpf_map_delete_elem(&open, &task);
	if (now < time) {
		figures->backwards++;
		return 0;
	}
	add(&figures->samples, now - time);
	bucket = bucket_of(now - time);
	if (bucket <= BUCKETS)
		figures->buckets[bucket]++;
	return 0;
}

SEC("tp/raw_syscalls/sys_enter")
int enter_by_id(struct enter *context)
{
	const struct begin begin = { bpf_ktime_get_ns(), context->id };
	const __u64 task = (__u32)bpf_get_current_pid_tgid();
	long err = bpf_map_update_elem(&open_by_id, &task, &begin, BPF_NOEXIST);

	if (err == -EEXIST)
		bpf_map_update_elem(&open_by_id, &task, &begin, BPF_ANY);
	count_begin(err);
	return 0;
}

SEC("tp/raw_syscalls/sys_exit")
int leave_by_id(void *context)
{
	const __u64 now = bpf_ktime_get_ns(), task = (__u32)bpf_get_current_pid_tgid();
	struct begin *begin = bpf_map_lookup_elem(&open_by_id, &task);
	struct figures *figures = find_figures();
	static const struct samples none;
	struct samples *samples;
	struct cell cell;
	__u64 time;

	(void)context;
	if (!figures)
		return 0;
	if (!begin) {
		figures->no_begin++;
		return 0;
	}
	time = begin->time;
	cell.id = begin->id;
	bpf_map_delete_elem(&open_by_id, &task);
	if (now < time) {
		figures->backwards++;
		return 0;
	}
	cell.bucket = bucket_of(now - time);
	samples = bpf_map_lookup_elem(&cells, &cell);
	if (!samples) {
		bpf_map_update_elem(&cells, &cell, &none, BPF_NOEXIST);
		samples = bpf_map_lookup_elem(&cells, &cell);
	}
	add(samples ? samples : &figures->samples, now - time);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
