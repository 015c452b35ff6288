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
certain = {event["event"] for event in diff["events"] if event["certain"]}
assert "sched:sched_switch" in certain and "ftrace:function" in certain, certain
E1
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
exit $failed
