#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine: the tracers of functions, which not every kernel that runs tests lets run. Recordings go to /job.
# Usage: tracers-guest.sh TRACEWIRE
set -u
tracewire=$1
tracing=/sys/kernel/tracing
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

run_beside() { # STATUS WORD...: record with these options and expect the exit status
	local expected=$1 status
	shift
	timeout 60 "$tracewire" record "$@" >/tmp/out 2>/tmp/err
	status=$?
	[ "$status" = "$expected" ] || fail "'$*' exits with $status, not $expected: $(cat /tmp/err)"
	grep 'do not balance' /tmp/err && fail "'$*': the books do not balance"
}

run() { # STATUS WORD...: the same, and nothing is left
	run_beside "$@"
	shift
	[ -z "$(ls $tracing/instances)" ] || fail "'$*' leaves instances: $(ls $tracing/instances)"
}

says() { grep -qE -- "$1" /tmp/err || fail "expected '$1': $(cat /tmp/err)"; }

# All that a run may change at the top level, in one text.
settings() {
	for file in current_tracer set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid set_graph_function \
		set_event set_event_pid set_event_notrace_pid buffer_percent trace_clock tracing_on tracing_cpumask trace_options \
		events/sched/sched_switch/filter options/funcgraph-proc; do
		echo "$file: $(cat $tracing/$file)"
	done
}

unchanged() {
	settings >/tmp/after
	cmp -s /tmp/before /tmp/after || fail "$*: the top level is not as it was: $(diff /tmp/before /tmp/after)"
	ls /run/tracewire >/tmp/left 2>/dev/null && fail "$*: leaves /run/tracewire"
}

settings >/tmp/before
"$tracewire" list --tracers | grep -qx function_graph || fail "list does not know function_graph"
"$tracewire" list --functions 'vfs_rea?' | grep -qx vfs_read || fail "list does not know vfs_read"

run 0 -q -p function -l 'vfs_*' -n 'vfs_w*' -w /job/function.pcapng -- cat /etc/hosts
run 0 -q -p function -F -l vfs_read -O func_stack_trace -w /job/stacks.pcapng -- cat /etc/hosts
run 0 -q -p function_graph -F -g vfs_read -w /job/graph.pcapng -- cat /etc/hosts
unchanged "a graph"
run 0 -q -p function_graph -l 'vfs_*' -e sched:sched_switch --event-filter 'prev_pid != 1' -w /job/both.pcapng -- cat /etc/hosts
unchanged "a graph with events"

run 2 -p function -l vfs_raed -w /tmp/x.pcapng -- true
says "no function 'vfs_raed' can be traced; did you mean vfs_read\?"
run 2 -p function_graph -g vfs_raed -w /tmp/x.pcapng -- true
says "did you mean vfs_read\?"
run 2 -p function_grpah -w /tmp/x.pcapng -- true
says "did you mean function_graph\?"
unchanged "what is refused"

# What somebody else has set is his.
echo vfs_fsync >$tracing/set_graph_function
run 1 -p function_graph -g vfs_read -w /tmp/x.pcapng -- true
says 'set_graph_function is set'
grep -qx vfs_fsync $tracing/set_graph_function || fail "somebody else's set_graph_function is gone"
echo >$tracing/set_graph_function

# A run that is killed: the next clean-up puts back what it had taken.
"$tracewire" record -p function_graph -F -g vfs_read -O funcgraph-proc -M 1 -P $$ -e sched:sched_switch --event-filter 'prev_pid != 1' -w /tmp/x.pcapng \
	-- sleep 1000 2>/tmp/err &
pid=$!
for _ in $(seq 300); do
	grep -q '^recording' /tmp/err && break
	sleep 0.1
done
grep -q vfs_read $tracing/set_graph_function || fail "nothing is set while a graph is recorded: $(cat /tmp/err)"
# Whatever it has taken, a second run cannot have.
run_beside 1 -p function_graph -g vfs_write -w /tmp/y.pcapng -- true
says 'another run of Tracewire'
kill -KILL $pid
wait $pid 2>/dev/null
"$tracewire" cleanup >/tmp/out 2>&1
grep -qE "tracewire-$pid-(top|graph)" /tmp/out || fail "nothing to clean up: $(cat /tmp/out)"
[ -z "$(ls $tracing/instances)" ] || fail "the clean-up leaves $(ls $tracing/instances)"
unchanged "the clean-up"
exit $failed
