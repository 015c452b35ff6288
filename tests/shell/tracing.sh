# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# To be sourced after processes.sh, with $tracewire set to the program: functions for tests that trace. $tracing is tracefs's directory.

# need_tracefs: skip if tracefs is not mounted. If it is mounted, a program that does not find it has a bug.
need_tracefs() {
	"$tracewire" list >"$scratch/all" 2>"$scratch/why"
	tracing=$(grep -m1 -E '^[^ ]+ [^ ]+ tracefs ' /proc/mounts | cut -d' ' -f2)
	[ -n "$tracing" ] || skip "$(cat "$scratch/why")"
}

# start_tracewire NAME WORD...: starts tracewire as in_background does, and waits until it traces
start_tracewire() {
	local name=$1
	shift
	in_background "$name" "$tracewire" "$@"
	wait_for says "$scratch/$name.err" '^(events are on|recording to|streaming on)'
}

# odd_ledger FILE: whether the summary in FILE says that its numbers do not match each other, or do not match the kernel's. A ledger is not
# odd if another process has switched tracing off.
odd_ledger() {
	says "$1" 'do not balance|^unsure |please report'
}

instances() { # PROCESS: prints the trace instances that it has made
	find "$tracing/instances" -maxdepth 1 -name "tracewire-$1" -o -maxdepth 1 -name "tracewire-$1[-.]*"
}

# forget_task_names: the kernel keeps names of ended tasks for all later traces; setting the size empties the list, also to the same size.
forget_task_names() {
	local size
	size=$(cat "$tracing/saved_cmdlines_size")
	echo "$size" >"$tracing/saved_cmdlines_size"
}

# unseen_threads: prints the threads of process 1. Some kernels call no BPF program at a tracepoint while an interrupt interrupts one of
# these threads, so that socket events of tracepoints with this pid can be missing.
unseen_threads() {
	ls /proc/1/task
}

need_cgroup2() {
	grep -q ' cgroup2 ' /proc/mounts || skip "cgroup2 is not mounted"
}

# need_in_kernel NAME...: skip if the kernel lacks one of these functions, or of these tracepoints, which are named btf_trace_NAME
need_in_kernel() {
	local types name
	types=$(bpftool btf dump file /sys/kernel/btf/vmlinux 2>/dev/null)
	for name in "$@"; do
		grep -q "'$name'" <<<"$types" || skip "this kernel has no $name"
	done
}

# need_socket_stamps: skip if the kernel cannot make the socket events of sent TCP data
need_socket_stamps() {
	need_in_kernel bpf_sock_ops_enable_tx_tstamp # Linux 6.15
	need_cgroup2
}
