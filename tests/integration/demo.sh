#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `make demo` in a fresh copy of the tree. Without root, or without tracefs, it decodes a recorded sample and prints why. With both, it
# traces this kernel.
# Usage: demo.sh TRACEWIRE SOURCE_DIR
tracewire=$1
source=$2
. "$(dirname "$0")/common.sh"
umount "$PLUGINDIR/epan" # the demo builds and uses a plugin of its own

mkdir "$scratch/tree"
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$scratch/tree" -xf -
chown -R nobody: "$scratch/tree"
cd "$scratch/tree" || exit 1

# demo WHAT COMMAND...: runs the demo; its output is in $scratch/out
demo() {
	local what=$1
	shift
	"$@" make demo >"$scratch/out" 2>&1
	expect "demo $what: exit status" 0 $?
	lines=$(grep -cE ' TRACE [0-9]+ .+-[0-9]+ \[[0-9]{3}\] [a-z_]+: [a-z_]+=' "$scratch/out")
	[ "$lines" -gt 100 ] || fail "demo $what: only $lines decoded events: $(tail -n 20 "$scratch/out")"
	grep -E 'format not received yet|<\.\.\.>' "$scratch/out" && fail "demo $what: undecoded"
	grep -qE ' sched_process_exec: filename=[^ ]*/sleep ' "$scratch/out" || fail "demo $what: nothing of sleep"
}

demo "without root" setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent
says "$scratch/out" '^demo: not live, a recorded sample instead: only root may trace' || fail "no word why: $(grep ^demo "$scratch/out")"
[ "$(stat -c %s tests/data/sample.pcapng)" -lt 61440 ] || fail "the sample is large"
demo "as root" env
says "$scratch/out" '^[0-9]+ events in .* s, ' || fail "root sees a sample: $(grep ^demo "$scratch/out")"
awk '$3 == "tracefs" || $3 == "debugfs" { print $2 }' /proc/mounts | tac | xargs umount -l
demo "without tracefs" setpriv --bounding-set=-sys_admin
says "$scratch/out" '^demo: not live, a recorded sample instead: .*tracefs is not mounted' || fail "no word why: $(grep ^demo "$scratch/out")"
exit $failed
