#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `hist` counts the values that `trace-cmd report` prints, as numbers and as names. Wrong fields are refused with one sentence.
# Usage: hist.sh TRACEWIRE DATA
tracewire=$1 data=$2
. "$(dirname "$0")/common.sh"
need trace-cmd python3

export HOME=$scratch XDG_CONFIG_HOME=$scratch/config
run 0 "$tracewire" convert -q "$data/debian-6.1.dat" "$scratch/x.pcapng"
trace-cmd report -t "$data/debian-6.1.dat" 2>/dev/null >"$scratch/report"
"$tracewire" hist -q -j softirq_entry.vec raw_syscalls:sys_exit.ret "$scratch/x.pcapng" >"$scratch/json" || fail "hist ends with $?"
"$tracewire" hist -q -j sys_exit.ret --by id -f 'ret < 0' "$scratch/x.pcapng" >"$scratch/negative"
python3 - "$scratch/report" "$scratch/json" "$scratch/negative" <<'E1' || fail "hist differs from trace-cmd's report"
import collections, json, re, sys
report = open(sys.argv[1], errors="replace").read()
vectors, returned = json.load(open(sys.argv[2]))["pairs"]
negative = json.load(open(sys.argv[3]))["pairs"][0]
names = collections.Counter(re.findall(r"softirq_entry:.*\[action=(\w+)\]", report))
ours = {group["by"]["vec"]: group["count"] for group in vectors["groups"]}
assert ours == names and vectors["count"] == sum(names.values()) > 1000, (ours, names)
values = [int(value) for value in re.findall(r"sys_exit:.* = (-?\d+)$", report, re.M)]
rest = [value for value in values if value >= 0]
assert len(rest) == returned["count"] > 1000 and sum(rest) == returned["sum"] and max(rest) == returned["max"]
assert len(values) - len(rest) == returned["left_out"]["negative"] == negative["left_out"]["negative"] > 0
for row in returned["rows"]:
    wanted = sum(row["above"] < value <= row["bound"] or value == row["above"] == 0 for value in rest)
    assert wanted == row["count"], (row, wanted)
E1
run 0 "$tracewire" hist -q softirq_entry.vec "$scratch/x.pcapng"
says "$scratch/out" '^ +[0-9]+ +[0-9.]+ %  TIMER$' || fail "hist prints: $(cat "$scratch/out")"
run 0 "$tracewire" hist -q --linear 10 sched_switch.prev_prio --by prev_state "$scratch/x.pcapng"
says "$scratch/out" '^\( +110, +120\] : [0-9]+ ' || fail "--linear prints: $(cat "$scratch/out")"

refuses() { # PATTERN WORD...
	run 2 "$tracewire" hist "${@:2}"
	says "$scratch/err" "$1" || fail "'hist ${*:2}' says: $(cat "$scratch/err")"
}
refuses "'nix' is neither EVENT.FIELD, such as net_dev_queue.len, nor a file" nix
refuses 'hist needs a field' "$scratch/x.pcapng"
refuses '^tracewire hist: sched_switch has no field .prev_prioo.*did you mean prev_prio\?' sched_switch.prev_prioo "$scratch/x.pcapng"
refuses 'x.pcapng has no event sched_nosuch, which pair sched_nosuch.a needs' sched_nosuch.a "$scratch/x.pcapng"
refuses "'--linear': the number 0 is not in the range from 1 to 1000000000000" --linear 0 sched_switch.prev_prio "$scratch/x.pcapng"
refuses 'can be divided by 3 fields at most' --by a,b,c,d sched_switch.prev_prio "$scratch/x.pcapng"
exit $failed
