/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the set of selected tasks: those that a selected task starts are selected, too. tasks.c replaces the map by that of the run. */
#include <linux/bpf.h>
#include <stdint.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang diagnostic ignored "-Wunused-parameter" /* by BPF_PROG() */

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} tasks SEC(".maps");

uint64_t not_selected = 0; /* tasks for which the map had no room */

static __always_inline void select_task(uint32_t pid, const uint32_t *value)
{
	if (bpf_map_update_elem(&tasks, &pid, value, BPF_ANY))
		__sync_fetch_and_add(&not_selected, 1);
}

/* Called before the new thread runs. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_started, struct task_struct *parent, struct task_struct *child)
{
	const uint32_t parent_pid = (uint32_t)parent->pid, pid = (uint32_t)child->pid;
	const uint32_t *selected = bpf_map_lookup_elem(&tasks, &parent_pid);

	if (selected)
		select_task(pid, selected);
	return 0;
}

/* A thread that executes a program gets the id of its process, whose main thread has ended. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_executed, struct task_struct *task, int old_pid)
{
	const uint32_t before = (uint32_t)old_pid, pid = (uint32_t)task->pid;
	const uint32_t *selected = bpf_map_lookup_elem(&tasks, &before);

	if (selected && before != pid) {
		select_task(pid, selected);
		bpf_map_delete_elem(&tasks, &before);
	}
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_ended, struct task_struct *task)
{
	const uint32_t pid = (uint32_t)task->pid;

	bpf_map_delete_elem(&tasks, &pid);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
