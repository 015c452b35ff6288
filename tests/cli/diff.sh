#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `diff` counts the events of both captures as `trace-cmd report` prints them, and finds no difference between a capture and itself.
# Usage: diff.sh TRACEWIRE DATA
tracewire=$1 data=$2
. "$(dirname "$0")/common.sh"
need trace-cmd python3

export HOME=$scratch XDG_CONFIG_HOME=$scratch/config
for name in debian-6.1 debian-6.12-function; do
	run 0 "$tracewire" convert -q "$data/$name.dat" "$scratch/$name.pcapng"
	trace-cmd report -t "$data/$name.dat" 2>/dev/null >"$scratch/$name.report"
done
run 0 "$tracewire" diff -j "$scratch/debian-6.1.pcapng" "$scratch/debian-6.12-function.pcapng"
python3 - "$scratch/out" "$scratch/debian-6.1.report" "$scratch/debian-6.12-function.report" <<'E1' || fail "counts differ from trace-cmd's"
import collections, json, re, sys
diff = json.load(open(sys.argv[1]))
reports = [collections.Counter(re.findall(r"^.*? [\d.]+: +(\w+): ", open(file, errors="replace").read(), re.M)) for file in sys.argv[2:]]
for side, report in zip("ab", reports):
    ours = collections.Counter()
    for event in diff["events"]:
        ours[event["event"].split(":")[1]] += event[side]["count"]
    assert +ours == report, (side, (+ours) - report, report - (+ours))
assert len(diff["events"]) > 20
for event in diff["events"]: # the captures have no type in common, and a trace.dat does not contain the selection
    other = "a" if event["event"] == "ftrace:function" else "b"
    assert event[other] == {"count": 0, "traced": None} and not event["certain"], event
E1

# The run of sample.pcapng selected sched_switch, sched_process_exec and others. A trace.dat does not contain the selection.
run 0 "$tracewire" diff "$data/sample.pcapng" "$scratch/debian-6.1.pcapng"
says "$scratch/out" '^  not traced +[0-9.]+ +-  irq:softirq_entry$' || fail "an event that was not selected: $(cat "$scratch/out")"
says "$scratch/out" '^ +[0-9.]+ +[0-9.]+ +\+[0-9]+ %  sched:sched_switch$' || fail "an event of both: $(cat "$scratch/out")"
run 0 "$tracewire" diff -j "$data/sample.pcapng" "$scratch/debian-6.1.pcapng"
python3 - "$scratch/out" <<'E2' || fail "certain differences: $(cat "$scratch/out")"
import json, sys
events = {event["event"]: event for event in json.load(open(sys.argv[1]))["events"]}
assert events["sched:sched_switch"]["certain"] and not events["irq:softirq_entry"]["certain"]
assert events["irq:softirq_entry"]["a"] == {"count": 0, "traced": False}, events["irq:softirq_entry"]
E2
run 0 "$tracewire" diff --all "$data/sample.pcapng" "$scratch/debian-6.12-function.pcapng"
says "$scratch/out" '^ +[0-9.]+ +unknown +-  sched:sched_process_exec$' || fail "an event without a selection: $(cat "$scratch/out")"
run 0 "$tracewire" diff - "$scratch/debian-6.1.pcapng" <"$scratch/debian-6.1.pcapng"
says "$scratch/out" '^A standard input: ' || fail "standard input: $(head -1 "$scratch/out")"
run 2 "$tracewire" diff <(cat "$scratch/debian-6.1.pcapng") "$scratch/debian-6.1.pcapng"
says "$scratch/err" ' cannot be read twice: write it to a file first$' || fail "a pipe: $(cat "$scratch/err")"
run 0 "$tracewire" diff "$scratch/debian-6.1.pcapng" "$scratch/debian-6.1.pcapng"
expect "lines about a capture and itself" 2 "$(grep -c 'without a difference that is more than chance$' "$scratch/out")"
grep -Eq '^ +[0-9]' "$scratch/out" && fail "a capture differs from itself: $(cat "$scratch/out")"
run 0 "$tracewire" diff --all "$scratch/debian-6.1.pcapng" "$scratch/debian-6.1.pcapng"
says "$scratch/out" ' \+0 %  sched:sched_switch$' || fail "--all prints: $(cat "$scratch/out")"
says "$scratch/out" ' \+0 % .* \+0 %  runqlat$' || fail "--all prints: $(cat "$scratch/out")"
run 2 "$tracewire" diff "$scratch/debian-6.1.pcapng"
says "$scratch/err" 'diff needs two captures' || fail "one capture: $(cat "$scratch/err")"
run 2 "$tracewire" diff "$scratch/debian-6.1.pcapng" "$scratch/nosuch.pcapng"
says "$scratch/err" 'cannot open .*nosuch.pcapng: No such file' || fail "no file: $(cat "$scratch/err")"
# Damage is reported once, although a file is read twice, and in the exit status.
head -c 40001 "$data/sample.pcapng" >"$scratch/damaged.pcapng"
run 1 "$tracewire" diff "$data/sample.pcapng" "$scratch/damaged.pcapng"
expect "notes of damage" 1 "$(grep -c 'the events before the damage are compared$' "$scratch/err")"

exit $failed
