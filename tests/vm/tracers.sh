#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Function tracers on a stock kernel in a virtual machine. The host reads the recordings.
# Usage: tracers.sh RELEASE KERNELS all|short TRACEWIRE; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
need tshark
how=$1
tracewire=$2

cp "$tracewire" "$here/tracers-guest.sh" "$job"
in_machine "/job/tracers-guest.sh $how /job/tracewire" || fail "in Linux $release it ends with $?"

mkdir "$scratch/epan"
cp "$PLUGIN" "$scratch/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan" || exit 1
export HOME=$scratch

# seen FILE FIELD...: prints these fields of every event, separated by blanks
seen() {
	local file=$1 fields=() field
	shift
	for field in "$@"; do fields+=(-e "$field"); done
	tshark -r "$job/$file.pcapng" -Y trace.event -T fields -E separator=' ' "${fields[@]}" 2>"$scratch/err"
}

# recorded FILE EVENT COMM: checks that FILE has events EVENT of the task COMM
recorded() {
	seen "$1" trace.event trace.comm | grep -qx "$2 $3" || fail "Linux $release: no $2 of $3 in $1: $(seen "$1" trace.event \
		trace.comm | sort | uniq -c)"
}

recorded function function cat
recorded stacks function cat
recorded stacks kernel_stack cat
recorded graph funcgraph_entry cat
recorded graph funcgraph_exit cat
if [ "$how" = all ]; then
	recorded both funcgraph_entry cat
	recorded both funcgraph_exit cat
	recorded both sched_switch cat
fi
# The graph has a few events of other tasks. Linux 6.1 checks the pid only when a function is entered, so it records the return of a
# function that was entered before the pids were set. In the middle of a task switch, the kernel changes the current task, so later calls of
# the old task count for the new one.
others=$(seen graph trace.comm trace.event trace.pid | grep -vE '^(cat|tracewire) | funcgraph_exit ')
entries=$(seen graph trace.comm trace.event | grep -cx 'cat funcgraph_entry')
[ "$(grep -c . <<<"$others")" -le $((entries / 20)) ] || fail "Linux $release: --follow recorded others: $others"
seen function trace.comm | grep -q '^tracewire-' && fail "Linux $release: our own threads are in the trace"
[ "$(tshark -r "$job/graph.pcapng" -Y _ws.malformed 2>/dev/null | wc -l)" = 0 ] || fail "malformed frames"
exit $failed
