#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# After a run was killed, `cleanup` removes its interface and its instances. All others stay.
# Usage: cleanup.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need python3
need_tracefs
ip link set lo up

stream_on() { # INTERFACE
	start_tracewire "$1" stream -v -e sched:sched_switch -i "$1"
}

stream_on dead
dead=$pid
kill_at_once "$dead"
[ -e /sys/class/net/dead ] || ip link show dead >/dev/null || fail "the killed run has left no interface to remove"
[ "$(cat "$tracing/instances/tracewire-$dead/tracing_on" 2>/dev/null || echo 0)" = 0 ] || fail "a killed run still traces"

"$tracewire" vnet up lasting 2>/dev/null
ip link add stranger type veth peer name stranger-tx
mkdir "$tracing/instances/twtest-cleanup-$$"

"$tracewire" cleanup --dry-run >"$scratch/told" || fail "cleanup --dry-run"
grep -qx 'would remove interface dead' "$scratch/told" || fail "dry run does not tell: $(cat "$scratch/told")"
ip link show dead >/dev/null || fail "a dry run removes"

stream_on living # each run does a cleanup when it starts
living=$pid
grep -q 'removed interface dead of a killed run' "$scratch/living.err" || fail "the next run does not clean up"

stream_on dead
dead=$pid
kill_at_once "$dead"
denied='tracewire cleanup: cannot remove the veth pair dead: this requires root or CAP_NET_ADMIN'
run 1 setpriv --bounding-set -net_admin "$tracewire" cleanup
expect "cleanup without CAP_NET_ADMIN" "$denied" "$(cat "$scratch/out" "$scratch/err")"
"$tracewire" cleanup >"$scratch/told" || fail "cleanup"
grep -qx 'removed interface dead' "$scratch/told" || fail "cleanup does not tell: $(cat "$scratch/told")"
[ -z "$(instances "$dead")" ] || fail "instances of the killed run are left"
ip link show dead >/dev/null 2>&1 && fail "interface of the killed run is left"

# A run that reaches its limit of open files leaves nothing, whichever step fails.
for files in $(seq 5 28); do
	# shellcheck disable=SC2016 # the inner shell expands these
	in_background limited sh -c 'ulimit -n "$1"; shift; exec "$@"' sh "$files" "$tracewire" record -e sched_switch -F -w "$scratch/limited.pcapng" -- true
	limited=$pid
	wait "$limited" && [ "$files" -lt 12 ] && fail "a run that may open $files files does not fail"
	[ -z "$(instances "$limited")" ] || fail "a run that may open $files files leaves $(instances "$limited" | wc -w) instances"
done

# A cleanup in another network namespace removes the instances of a dead run, but does not see its interface. Meanwhile, dry runs of cleanup
# in this namespace still see that the run is dead.
stream_on dead
dead=$pid
kill_at_once "$dead"
in_background elsewhere unshare --net "$tracewire" cleanup
elsewhere=$pid
until has_ended "$elsewhere"; do
	"$tracewire" cleanup --dry-run >"$scratch/told" || fail "cleanup --dry-run beside another"
	grep -qx 'would remove interface dead' "$scratch/told" || fail "the interface is thought to be in use: $(cat "$scratch/told")"
done
wait "$elsewhere" || fail "cleanup in another namespace: $(cat "$scratch/elsewhere.err")"
[ -z "$(instances "$dead")" ] || fail "dry runs have kept a cleanup from removing instances"
"$tracewire" cleanup >"$scratch/told" || fail "cleanup after one elsewhere"
grep -qx 'removed interface dead' "$scratch/told" || fail "the interface is not removed: $(cat "$scratch/told")"

# If the messages of a run are JSON, those of its cleanup are JSON too.
stream_on dead
kill_at_once "$pid"
run 0 "$tracewire" capture -j -i lo -a duration:0.1 -f 'no_such_field == 1' -w "$scratch/none.pcapng"
cp "$scratch/err" "$scratch/json"
run 2 "$tracewire" capture -j -i lo -a duration:0.1 --packed -f 'pid == 1' -w "$scratch/none.pcapng"
cat "$scratch/err" >>"$scratch/json"
python3 - "$scratch/json" <<'END' || fail "what capture -j says is not JSON: $(cat "$scratch/json")"
import json, sys
said = [json.loads(line) for line in open(sys.argv[1])]
notes = [line["note"] for line in said if "note" in line]
assert "removed interface dead of a killed run" in notes, notes
assert [next(iter(line)) for line in said if "note" not in line] == ["begin", "end", "error"], said
end = [line for line in said if "end" in line][0]
assert end["file"]["events"] == 0 and end["filter"]["rejected"] == 0, end
END

# A live run keeps its objects, also while it starts and while it ends.
in_background sweeper sh -c 'while "$0" cleanup; do :; done' "$tracewire"
sweeper=$pid
for _ in 1 2 3 4 5 6 7 8; do
	in_background brief "$tracewire" stream -q -e sched:sched_switch -i brief -- true
	wait "$pid" || fail "a brief stream beside cleanups: $(cat "$scratch/brief.err")"
	says "$scratch/sweeper.out" "interface brief\$|instance tracewire-$pid([.-]|\$)" && fail "a living run's: $(cat "$scratch/sweeper.out")"
done
has_ended "$sweeper" && fail "cleanup beside runs: $(cat "$scratch/sweeper.err")"
end_children "$sweeper"
kill "$sweeper"

# Two cleanups at the same time both succeed, and leave nothing.
stream_on dead
dead=$pid
kill_at_once "$dead"
in_background beside "$tracewire" cleanup
"$tracewire" cleanup >"$scratch/told" || fail "cleanup beside another"
wait "$pid" || fail "cleanup beside another: $(cat "$scratch/beside.err")"
ip link show dead >/dev/null 2>&1 && fail "two cleanups have left the interface"
[ -z "$(instances "$dead")" ] || fail "two cleanups have left instances"

# The capture of a killed run gets a valid zstd end.
start_tracewire recording record -e sched:sched_switch -w "$scratch/killed.pcapng.zst"
recording=$pid
has_packets() {
	zstd -dcq "$scratch/killed.pcapng.zst" 2>/dev/null | tshark -r - 2>/dev/null | grep -q .
}
wait_for has_packets
kill_at_once "$recording"
zstd -tq "$scratch/killed.pcapng.zst" 2>/dev/null && fail "a killed recording ends well by itself"
"$tracewire" cleanup --dry-run >"$scratch/told" || fail "cleanup --dry-run"
grep -qx "would repair capture $scratch/killed.pcapng.zst" "$scratch/told" || fail "dry run does not tell: $(cat "$scratch/told")"
"$tracewire" cleanup >"$scratch/told" || fail "cleanup"
grep -qx "repaired capture $scratch/killed.pcapng.zst" "$scratch/told" || fail "cleanup does not tell: $(cat "$scratch/told")"
zstd -tq "$scratch/killed.pcapng.zst" || fail "a repaired recording has no end"
[ "$(tshark -r "$scratch/killed.pcapng.zst" 2>"$scratch/err" | wc -l)" -gt 0 ] || fail "nothing in it: $(cat "$scratch/err")"

for interface in living lasting stranger; do
	ip link show "$interface" >/dev/null || fail "$interface was removed"
done
[ -n "$(instances "$living")" ] || fail "an instance of a living run was removed"
[ -d "$tracing/instances/twtest-cleanup-$$" ] || fail "somebody else's instance was removed"
kill -0 "$living" 2>/dev/null || fail "the living run has ended: $(cat "$scratch/living.err")"

interrupt "$living" || fail "Ctrl-C does not end a stream with 0: $(cat "$scratch/living.err")"
grep -q '^events ' "$scratch/living.err" || fail "no summary: $(cat "$scratch/living.err")"
ip link show living >/dev/null 2>&1 && fail "the interface of a run that ended is left"
[ -z "$(instances "$living")" ] || fail "instances of a run that ended are left"
rmdir "$tracing/instances/twtest-cleanup-$$"
exit $failed
