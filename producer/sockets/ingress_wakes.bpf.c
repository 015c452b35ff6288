/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes when a task is woken to read from a socket, and when it then runs. ingress_read.bpf.c makes the events. */
#include "producer/sockets/ingress.bpf.h"

#define WAKE_AGE_MAX 100000 /* a wake-up that is later has another cause, ns */

SEC("tp_btf/sched_waking")
int BPF_PROG(ingress_wake, struct task_struct *task)
{
	const uint32_t pid = (uint32_t)task->pid;
	struct doing *doing = this_cpu();
	struct wake wake = { 0 };

	if (!doing || !doing->ready_cookie || doing->ready_task != bpf_get_current_task())
		return 0;
	wake.wake = sockets__now();
	if (wake.wake - doing->ready_time > WAKE_AGE_MAX)
		return 0;
	wake.cookie = doing->ready_cookie;
	wake.key = doing->ready_key;
	wake.bytes = doing->ready_bytes;
	bpf_map_update_elem(&in_wakes, &pid, &wake, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(ingress_run, bool preempt, struct task_struct *before, struct task_struct *task)
{
	const uint32_t pid = (uint32_t)task->pid;
	struct doing *doing = this_cpu();
	struct wake *wake;

	if (doing)
		doing->ready_cookie = 0;
	wake = pid ? bpf_map_lookup_elem(&in_wakes, &pid) : NULL;
	if (wake && !wake->run)
		wake->run = sockets__now();
	return 0;
}
