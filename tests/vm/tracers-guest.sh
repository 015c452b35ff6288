#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the virtual machine: function tracers, which the kernels of many test machines refuse. Recordings are written to /job. The short
# form has no failures and no kills.
# Usage: tracers-guest.sh all|short TRACEWIRE
for part in check processes tracing; do
	# shellcheck source=/dev/null
	. "/job/shell/$part.sh"
done
how=$1
tracewire=$2
need_tracefs

record_beside() { # STATUS WORD...: runs `tracewire record WORD...`, which must end with STATUS and a ledger that balances
	run "$1" "$tracewire" record "${@:2}"
	odd_ledger "$scratch/err" && fail "'$*': the ledger does not balance"
}

record() { # STATUS WORD...: as record_beside, and checks that no instance is left
	record_beside "$@"
	shift
	[ -z "$(ls $tracing/instances)" ] || fail "'$*' leaves instances: $(ls $tracing/instances)"
}

tells() { # PATTERN
	says "$scratch/err" "$1" || fail "expected '$1': $(cat "$scratch/err")"
}

# All settings of the top level that a run may change, in one text.
settings() {
	for file in current_tracer set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid set_graph_function \
		set_event set_event_pid set_event_notrace_pid buffer_percent trace_clock tracing_on tracing_cpumask trace_options \
		events/sched/sched_switch/filter options/funcgraph-proc; do
		echo "$file: $(cat $tracing/$file)"
	done
}

unchanged() {
	settings >"$scratch/after"
	cmp -s "$scratch/before" "$scratch/after" || fail "$*: the top level is not as it was: $(diff "$scratch/before" "$scratch/after")"
	ls /run/tracewire >"$scratch/left" 2>/dev/null && fail "$*: leaves /run/tracewire"
}

settings >"$scratch/before"
"$tracewire" list --tracers | grep -qx function_graph || fail "list does not know function_graph"
"$tracewire" list --functions 'vfs_rea?' | grep -qx vfs_read || fail "list does not know vfs_read"

record 0 -q -p function -l 'vfs_*' -n 'vfs_w*' -w /job/function.pcapng -- cat /etc/hosts
record 0 -q -p function -F -l vfs_read -O func_stack_trace -w /job/stacks.pcapng -- cat /etc/hosts
record 0 -q -p function_graph -F -g vfs_read -w /job/graph.pcapng -- cat /etc/hosts
unchanged "a graph"
[ "$how" = all ] || exit "$failed"
record 0 -q -p function_graph -l 'vfs_*' -e sched:sched_switch --event-filter 'prev_pid != 1' -w /job/both.pcapng -- cat /etc/hosts
unchanged "a graph with events"

record 2 -p function -l vfs_raed -w "$scratch/x.pcapng" -- true
tells "no function 'vfs_raed' can be traced; did you mean vfs_read\?"
record 2 -p function_graph -g vfs_raed -w "$scratch/x.pcapng" -- true
tells "did you mean vfs_read\?"
record 2 -p function_grpah -w "$scratch/x.pcapng" -- true
tells "did you mean function_graph\?"
unchanged "what is refused"

# Settings that others made stay.
echo vfs_fsync >$tracing/set_graph_function
record 1 -p function_graph -g vfs_read -w "$scratch/x.pcapng" -- true
tells 'set_graph_function is set'
grep -qx vfs_fsync $tracing/set_graph_function || fail "somebody else's set_graph_function is gone"
echo >$tracing/set_graph_function

# After a run was killed, the next cleanup restores the settings that it had changed.
start_tracewire killed record -p function_graph -F -g vfs_read -O funcgraph-proc -M 1 -P $$ -e sched:sched_switch \
	--event-filter 'prev_pid != 1' -w "$scratch/x.pcapng" -- sleep 1000
grep -q vfs_read $tracing/set_graph_function || fail "nothing is set while a graph is recorded: $(cat "$scratch/killed.err")"
# A second run cannot use what the first has taken.
record_beside 1 -p function_graph -g vfs_write -w "$scratch/y.pcapng" -- true
tells 'another run of Tracewire'
kill_at_once "$pid"
"$tracewire" cleanup >"$scratch/out" 2>&1
grep -qE "tracewire-$pid-(top|graph)" "$scratch/out" || fail "nothing to clean up: $(cat "$scratch/out")"
[ -z "$(ls $tracing/instances)" ] || fail "the cleanup leaves $(ls $tracing/instances)"
unchanged "the cleanup"

# A setting that others have changed since the kill stays, and the cleanup names it. The lists of pids may be theirs, so they stay, too.
start_tracewire killed record -p function_graph -F -g vfs_read -e sched:sched_switch -w "$scratch/x.pcapng" -- sleep 1000
kill_at_once "$pid"
echo vfs_fsync >$tracing/set_graph_function
"$tracewire" cleanup >"$scratch/out" 2>&1
grep -qE "^tracewire-$pid-(top|graph): these settings of tracefs's top level are not restored, because another program changed them during the run: set_graph_function$" "$scratch/out" ||
	fail "what was changed since is not named: $(cat "$scratch/out")"
grep -qx vfs_fsync $tracing/set_graph_function || fail "the cleanup takes somebody else's set_graph_function"
for list in set_graph_function set_event_pid set_event_notrace_pid set_ftrace_pid set_ftrace_notrace_pid; do
	echo >$tracing/$list
done
unchanged "the cleanup, but for what somebody had changed,"
exit $failed
