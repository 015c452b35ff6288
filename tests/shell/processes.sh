# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# To be sourced after check.sh: processes in the background, none of which outlives the test.

# end_children PROCESS: kills its children and their children, which would otherwise continue: a tshark has a dumpcap. Each child is stopped
# first, so that it does not start another process.
end_children() {
	local child
	for child in $(pgrep -P "$1"); do
		kill -STOP "$child"
		end_children "$child"
		kill -KILL "$child"
	done
}

descendants() { # PROCESS
	local child
	for child in $(pgrep -P "$1"); do
		echo "$child"
		descendants "$child"
	done
}

# end_traces PROCESS: ends each tracewire among its descendants with SIGTERM, and waits at most five seconds for its end, so that it removes
# its trace instances and its interface. A tracewire that is killed would leave them.
end_traces() {
	local process
	local -a traces=()
	for process in $(descendants "$1"); do
		[ "$(cat "/proc/$process/comm")" = tracewire ] && traces+=("$process")
	done
	[ ${#traces[@]} -gt 0 ] || return
	kill -TERM "${traces[@]}"
	kill -CONT "${traces[@]}"
	for _ in $(seq 100); do
		for process in "${traces[@]}"; do
			has_ended "$process" || { sleep 0.05 && continue 2; }
		done
		return
	done
}

declare -a started=()
end_started() {
	end_traces $$
	end_children $$
	wait
}
at_end 'end_started 2>/dev/null'

# in_background NAME COMMAND...: starts COMMAND; its output is in NAME.out and NAME.err in $scratch, its process id in $pid
in_background() {
	local name=$1
	shift
	: >"$scratch/$name.err" # removes messages of an earlier command of this name
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err" &
	pid=$!
	started+=("$pid")
}

# wait_for COMMAND...: repeats COMMAND until it succeeds, for at most $patience seconds, 30 by default
wait_for() {
	for _ in $(seq $((${patience:-30} * 20))); do
		"$@" && return
		sleep 0.05
	done
	fail "waited in vain for: $*"
	return 1
}

# interrupt PROCESS: sends SIGINT, as Ctrl-C does; returns the exit status of PROCESS
interrupt() {
	kill -INT "$1"
	wait "$1"
}

# kill_at_once PROCESS: ends it with SIGKILL
kill_at_once() {
	kill -KILL "$1"
	wait "$1" 2>/dev/null
}

has_ended() { # PROCESS: whether it has ended; a zombie has ended, too
	! grep -q '^State:.*[^Z] (' "/proc/$1/status" 2>/dev/null
}

is_stopped() { # PROCESS
	grep -q '^State:.*T (' "/proc/$1/status"
}
