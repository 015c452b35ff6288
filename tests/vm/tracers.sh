#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tracers of functions on a stock kernel in a virtual machine; what they recorded is read here.
# Usage: tracers.sh RELEASE KERNELS TRACEWIRE; PLUGIN and PLUGINDIR as in tests/integration
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
release=$1
kernels=$2
tracewire=$3
failed=0

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "FAIL: $*"
	failed=1
}

for program in qemu-system-x86_64 busybox modprobe depmod xz cpio dpkg tshark; do
	command -v $program >/dev/null || skip "$program is not installed"
done
[ "$(id -u)" = 0 ] || skip "needs root"
[ -n "${TRACEWIRE_TEST_NAMESPACE-}" ] || TRACEWIRE_TEST_NAMESPACE=yes exec unshare --mount "$0" "$@"
"$here/stock-kernel" "$release" "$kernels" || skip "no kernel $release could be had from Debian"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/job" "$scratch/epan"

# What runs in there goes along: this tree may lie where the machine in there has something else, as in /tmp.
cp "$tracewire" "$here/tracers-guest.sh" "$scratch/job"

"$here/boot" "$kernels/$release" "$scratch/job" "/job/tracers-guest.sh /job/tracewire" ||
	fail "in Linux $release it ends with $?, 125 if it did not come to its end"

cp "$PLUGIN" "$scratch/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan" || exit 1
export HOME=$scratch

# seen FILE FIELD...: of every event, separated by blanks
seen() {
	local file=$1 fields=() field
	shift
	for field in "$@"; do fields+=(-e "$field"); done
	tshark -r "$scratch/job/$file.pcapng" -Y trace.event -T fields -E separator=' ' "${fields[@]}" 2>"$scratch/err"
}

# expect FILE EVENT COMM: there are such events
expect() {
	seen "$1" trace.event trace.comm | grep -qx "$2 $3" || fail "Linux $release: no $2 of $3 in $1: $(seen "$1" trace.event \
		trace.comm | sort | uniq -c)"
}

expect function function cat
expect stacks function cat
expect stacks kernel_stack cat
expect graph funcgraph_entry cat
expect graph funcgraph_exit cat
expect both funcgraph_entry cat
expect both funcgraph_exit cat
expect both sched_switch cat
# Linux 6.1 looks at the pid only when a function is entered: one that was entered before the run knew its pids still returns.
# And the kernel changes its mind in the midst of a switch: what the old task still calls there counts for the new one.
others=$(seen graph trace.comm trace.event trace.pid | grep -vE '^(cat|tracewire) | funcgraph_exit ')
[ "$(grep -c . <<<"$others")" -le 3 ] || fail "Linux $release: --follow recorded others: $others"
seen function trace.comm | grep -q '^tracewire-' && fail "Linux $release: our own threads are in the trace"
[ "$(tshark -r "$scratch/job/graph.pcapng" -Y _ws.malformed 2>/dev/null | wc -l)" = 0 ] || fail "malformed frames"
exit $failed
