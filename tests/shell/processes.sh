# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# To be sourced behind check.sh: processes in the background, none of which outlives the test.

# end_children PROCESS: and theirs, which would go on without it: a tshark has a dumpcap. Stopped, none begins another.
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

# end_traces PROCESS: asks each tracewire below it to end, and waits for it, as it removes its trace instances and its interface then;
# killed, it would leave them to the next run. Five seconds at most.
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

# in_background NAME COMMAND...: its output in NAME.out and NAME.err in $scratch, its process id in $pid
in_background() {
	local name=$1
	shift
	: >"$scratch/$name.err" # what an earlier one said is not said by this one
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err" &
	pid=$!
	started+=("$pid")
}

# wait_for COMMAND...: until it succeeds; $patience seconds at most, half a minute where nothing is said
wait_for() {
	for _ in $(seq $((${patience:-30} * 20))); do
		"$@" && return
		sleep 0.05
	done
	fail "waited in vain for: $*"
	return 1
}

# interrupt PROCESS: as Ctrl-C does; returns its exit status
interrupt() {
	kill -INT "$1"
	wait "$1"
}

# kill_at_once PROCESS: it can do nothing about it
kill_at_once() {
	kill -KILL "$1"
	wait "$1" 2>/dev/null
}

has_ended() { # PROCESS: or is only waited for
	! grep -q '^State:.*[^Z] (' "/proc/$1/status" 2>/dev/null
}

is_stopped() { # PROCESS
	grep -q '^State:.*T (' "/proc/$1/status"
}
