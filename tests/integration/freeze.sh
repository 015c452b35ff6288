# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by commands that are traced; $tracing is the directory of tracefs.
# shellcheck disable=SC2154

total() { # INSTANCE COUNTER: prints the sum over all CPUs
	cat "$1"/per_cpu/cpu*/stats | awk -F': ' -v counter="$2" '$1 == counter { sum += $2 } END { print sum + 0 }'
}

# instance_of PROCESS: prints the name of its trace instance. If another process's cleanup ran while the instance was created, the name has
# a number after the process id.
instance_of() {
	find "$tracing/instances" -maxdepth 1 -regex ".*/tracewire-$1\(\.[0-9]+\)?"
}

# freeze INSTANCE: stops its tracing, waits until all events were read from the rings, and prints the kernel's counters
freeze() {
	echo 0 >"$1/tracing_on"
	for _ in $(seq 200); do
		[ "$(total "$1" entries)" = 0 ] && break
		sleep 0.05
	done
	echo "kernel_read=$(total "$1" 'read events')"
	echo "kernel_lost=$(($(total "$1" overrun) + $(total "$1" 'commit overrun') + $(total "$1" 'dropped events')))"
	echo "kernel_left=$(total "$1" entries)"
}
