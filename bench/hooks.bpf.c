/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs at the same event by each way of attaching, for bench/hooks.c: one that returns at once, and one that makes a record. */
#include <linux/bpf.h>
#include <stdint.h>

#include <bpf/bpf_helpers.h>

struct event {
	uint64_t time, pid;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

static __always_inline int make_record(void)
{
	struct event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);

	if (!event)
		return 0;
	event->time = bpf_ktime_get_ns();
	event->pid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

#define WAY(name, section)               \
	SEC(section)                     \
	int empty_##name(void *context)  \
	{                                \
		return 0;                \
	}                                \
	SEC(section)                     \
	int record_##name(void *context) \
	{                                \
		return make_record();    \
	}

#pragma clang diagnostic ignored "-Wunused-parameter"
WAY(tp, "tp/raw_syscalls/sys_enter")
WAY(raw_tp, "raw_tp/sys_enter")
WAY(tp_btf, "tp_btf/sys_enter")
WAY(kprobe, "kprobe/security_task_getpgid")
WAY(kretprobe, "kretprobe/security_task_getpgid")
WAY(fentry, "fentry/security_task_getpgid")
WAY(uprobe, "uprobe")

char LICENSE[] SEC("license") = "GPL";
