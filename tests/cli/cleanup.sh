#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `cleanup` after a run was killed: its interface and instances go, everybody else's stay.
# Usage: cleanup.sh TRACEWIRE
set -u
tracewire=$1
# shellcheck source=tests/cli/namespace.sh
. "$(dirname "$0")/namespace.sh"

need_tracefs

start() { # INTERFACE: a stream in the background, running when this returns; its process id in $stream
	"$tracewire" stream -e sched:sched_switch -i "$1" 2>"$scratch/$1" &
	stream=$!
	for _ in $(seq 100); do
		grep -q '^streaming' "$scratch/$1" && return
		sleep 0.1
	done
	fail "stream on $1 does not start: $(cat "$scratch/$1")"
}

instances() { # PROCESS: how many instances it has
	find "$tracing/instances" -maxdepth 1 -name "tracewire-$1*" | wc -l
}

start dead
dead=$stream
kill -9 "$dead"
wait "$dead" 2>/dev/null
[ -e /sys/class/net/dead ] || ip link show dead >/dev/null || fail "the killed run has left no interface to remove"
[ "$(cat "$tracing/instances/tracewire-$dead/tracing_on" 2>/dev/null || echo 0)" = 0 ] || fail "a killed run still traces"

"$tracewire" vnet up lasting 2>/dev/null
ip link add stranger type veth peer name stranger-tx
mkdir "$tracing/instances/twtest-cleanup-$$"

"$tracewire" cleanup --dry-run >"$scratch/told" || fail "cleanup --dry-run"
grep -qx 'would remove interface dead' "$scratch/told" || fail "dry run does not tell: $(cat "$scratch/told")"
ip link show dead >/dev/null || fail "a dry run removes"

start living # its start is a clean-up too: the next run removes what the last has left
living=$stream
grep -q 'removed interface dead, left behind' "$scratch/living" || fail "the next run does not clean up"

start dead
dead=$stream
kill -9 "$dead"
wait "$dead" 2>/dev/null
"$tracewire" cleanup >"$scratch/told" || fail "cleanup"
grep -qx 'removed interface dead' "$scratch/told" || fail "cleanup does not tell: $(cat "$scratch/told")"
[ "$(instances "$dead")" = 0 ] || fail "instances of the killed run are left"
ip link show dead >/dev/null 2>&1 && fail "interface of the killed run is left"

for interface in living lasting stranger; do
	ip link show "$interface" >/dev/null || fail "$interface was removed"
done
[ "$(instances "$living")" -gt 0 ] || fail "an instance of a living run was removed"
[ -d "$tracing/instances/twtest-cleanup-$$" ] || fail "somebody else's instance was removed"
kill -0 "$living" 2>/dev/null || fail "the living run has ended: $(cat "$scratch/living")"

kill -INT "$living"
wait "$living" || fail "Ctrl-C does not end a stream with 0: $(cat "$scratch/living")"
grep -q '^events ' "$scratch/living" || fail "no summary: $(cat "$scratch/living")"
ip link show living >/dev/null 2>&1 && fail "the interface of a run that ended is left"
[ "$(instances "$living")" = 0 ] || fail "instances of a run that ended are left"
rmdir "$tracing/instances/twtest-cleanup-$$"
exit $failed
