#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `latency` finds the pairs that a simple program finds in the output of `trace-cmd report`, and the same times. Wrong arguments and
# recordings without the needed events are refused with one sentence.
# Usage: latency.sh TRACEWIRE DATA
tracewire=$1 data=$2
. "$(dirname "$0")/common.sh"
need trace-cmd python3

export HOME=$scratch XDG_CONFIG_HOME=$scratch/config
run 0 "$tracewire" convert -q "$data/debian-6.1.dat" "$scratch/x.pcapng"
trace-cmd report -t "$data/debian-6.1.dat" 2>/dev/null >"$scratch/report"

# compare PAIR: `tracewire latency` and pairs.py have the same figures for a pair
compare() {
	"$tracewire" latency -q -j "$1" "$scratch/x.pcapng" >"$scratch/json" || fail "latency $1 ends with status $?"
	"$(dirname "$0")/pairs.py" "$1" "$scratch/report" "$scratch/json" || fail "$1 differs from trace-cmd's report"
}
for pair in syscalls runqlat offcpu softirqs hardirqs timer; do
	compare $pair
done

# A pair from the user's file is found, and its text has the same figures as its JSON. A pair from options of the command line (--from,
# --to) has the same samples as the same built-in pair.
mkdir -p "$scratch/config/tracewire"
printf 'pair mine\n\ttext  my own\n\tbegin raw_syscalls:sys_enter common_pid if id == 1\n\tend raw_syscalls:sys_exit common_pid if id == 1\n\tunit us\n' \
	>"$scratch/config/tracewire/pairs"
run 0 "$tracewire" latency -q mine "$scratch/x.pcapng"
cp "$scratch/out" "$scratch/mine"
says "$scratch/mine" '^mine: my own$' || fail "no title: $(head -1 "$scratch/mine")"
"$tracewire" latency -q -j mine "$scratch/x.pcapng" | python3 -c '
import json, sys
pair = json.load(sys.stdin)["pairs"][0]
text = open(sys.argv[1]).read()
assert pair["count"] > 40 and "count %d, min " % pair["count"] in text, text
rows = [r for r in pair["rows"] if r["count"]]
for row in rows:
    assert "%d] : %d " % (row["bound"] // 1000, row["count"]) in text.replace("  ", " "), (row, text)
assert sum(r["count"] for r in pair["rows"]) == pair["count"]
' "$scratch/mine" || fail "text and JSON differ"
run 0 "$tracewire" latency -q -j --from sys_enter --to sys_exit --key common_pid "$scratch/x.pcapng"
python3 - "$scratch/out" "$("$tracewire" latency -q -j syscalls "$scratch/x.pcapng")" <<'E2' || fail "--from differs from the same pair of the table"
import json, sys
own, table = json.load(open(sys.argv[1]))["pairs"][0], json.loads(sys.argv[2])["pairs"][0]
assert own["count"] == table["count"] and own["sum"] == table["sum"] and own["max"] == table["max"], (own, table)
E2
run 0 "$tracewire" latency -q --by comm,cpu --linear 1000000 offcpu "$scratch/x.pcapng"
says "$scratch/out" 'max  comm  cpu$' || fail "--by prints: $(cat "$scratch/out")"
"$tracewire" latency --list | grep -q '^runqlat  ' || fail "--list lacks runqlat"
"$tracewire" latency --list | grep -q '^mine  ' || fail "--list lacks the user's pair"

# The intervals together have the pairs of the whole capture, and -f leaves those of one system call.
"$tracewire" latency -q -j -i 0.1 syscalls runqlat "$scratch/x.pcapng" >"$scratch/intervals"
"$tracewire" latency -q -j syscalls runqlat "$scratch/x.pcapng" >"$scratch/whole"
"$tracewire" latency -q -j -f 'id == 0' syscalls "$scratch/x.pcapng" >"$scratch/reads"
python3 - "$scratch/intervals" "$scratch/whole" "$scratch/reads" <<'E3' || fail "intervals or -f differ from the whole capture"
import json, sys
intervals = [json.loads(line) for line in open(sys.argv[1])]
whole, reads = json.load(open(sys.argv[2]))["pairs"], json.load(open(sys.argv[3]))["pairs"][0]
assert len(intervals) > 3 and all(a["end_ns"] < b["end_ns"] for a, b in zip(intervals, intervals[1:])), len(intervals)
for i, pair in enumerate(whole):
    for key in "count", "begun":
        assert sum(one["pairs"][i][key] for one in intervals) == pair[key], (pair["pair"], key)
    assert sum(one["pairs"][i].get("sum", 0) for one in intervals) == pair["sum"], pair["pair"]
    assert max(one["pairs"][i].get("max", 0) for one in intervals) == pair["max"], pair["pair"]
of_read = [group for group in whole[0]["groups"] if group["by"]["id"] == "read"][0]
for key in "count", "sum", "p99":
    assert reads[key] == of_read[key], (reads, of_read)
E3
# The summary counts the events that -f left, and the rejected ones.
events=$("$tracewire" latency syscalls "$scratch/x.pcapng" 2>&1 >/dev/null | sed -nE 's/^([0-9]+) events, 0 lost$/\1/p')
run 0 "$tracewire" latency -f 'id == 0' syscalls "$scratch/x.pcapng"
expect "events with and without -f" "$events" "$(sed -nE 's/^([0-9]+) events, 0 lost, ([0-9]+) rejected by filters$/\1 \2/p' "$scratch/err" | awk '{ print $1 + $2 }')"
"$tracewire" latency -q -i 0.1 -c 2 runqlat "$scratch/x.pcapng" | grep -Ec '^[0-9:]{8}\.[0-9]{3}$' | grep -qx 2 || fail "-c 2 does not print two intervals"

# Of two events with values, one is enough; the other is mentioned.
printf 'pair either\n\tvalue sched:sched_switch prev_prio\n\tvalue sched:sched_nosuch prio\n' >>"$scratch/config/tracewire/pairs"
run 0 "$tracewire" latency either "$scratch/x.pcapng"
says "$scratch/err" 'x.pcapng has no event sched:sched_nosuch, which has values of pair either$' || fail "the note: $(cat "$scratch/err")"

# A row without an upper bound has no quantiles.
"$tracewire" latency -q --linear 1 runqlat "$scratch/x.pcapng" >"$scratch/out"
says "$scratch/out" '^[0-9]+ values are in the last row, which has no upper bound: a quantile in it is shown as the maximum; give a larger --linear$' ||
	fail "--linear 1: $(tail -5 "$scratch/out")"

# The group with the largest sum is the first.
"$tracewire" latency -q -j syscalls "$scratch/x.pcapng" | python3 -c '
import json, sys
sums = [group["sum"] for group in json.load(sys.stdin)["pairs"][0]["groups"]]
assert len(sums) > 3 and sums == sorted(sums, reverse=True), sums' || fail "the groups are not in order"

# --top has the slowest samples, and --svg their histogram.
run 0 "$tracewire" latency -q -j --top 5 --svg "$scratch/x.svg" runqlat "$scratch/x.pcapng"
python3 - "$scratch/out" "$scratch/x.svg" <<'E4' || fail "--top or --svg"
import json, sys, xml.dom.minidom
pair = json.load(open(sys.argv[1]))["pairs"][0]
slowest = pair["slowest"]
assert len(slowest) == 5 and slowest[0]["ns"] == pair["max"], slowest
assert [one["ns"] for one in slowest] == sorted((one["ns"] for one in slowest), reverse=True)
for one in slowest:
    assert one["ns"] == one["end"]["time_ns"] - one["begin"]["time_ns"] >= pair["p99.9"] // 2, one
    assert one["end"]["event"].startswith("sched_switch: prev_comm="), one
texts = [text.firstChild.data for text in xml.dom.minidom.parse(sys.argv[2]).getElementsByTagName("text")]
assert [text for text in texts if text.isdigit()] == [str(row["count"]) for row in pair["rows"]], texts
E4
"$tracewire" latency -q --top 1 runqlat "$scratch/x.pcapng" | grep -A2 '^slowest:$' | tail -1 | grep -Eq '^ {12}[0-9]+\.[0-9]{9} \[[0-9]{3}\] .*-[0-9]+: sched_switch: ' ||
	fail "--top prints no events"

# A file that cannot be written is refused before anything is measured; after a failure, an older file of that name stays, and no other.
for option in --svg --stacks; do
	run 1 "$tracewire" latency -q $option "$scratch/nosuch/x" runqlat "$scratch/x.pcapng"
	says "$scratch/err" 'nosuch/x cannot be created: ' || fail "$option says: $(cat "$scratch/err")"
	[ -s "$scratch/out" ] && fail "$option is refused after the measurement"
	run 2 "$tracewire" latency -q $option "$scratch/x.pcapng" runqlat "$scratch/x.pcapng"
	says "$scratch/err" 'x.pcapng is the input file' || fail "$option says: $(cat "$scratch/err")"
done
mkdir "$scratch/files"
echo older >"$scratch/files/x.svg"
run 2 "$tracewire" latency -q --svg "$scratch/files/x.svg" --stacks "$scratch/files/x.stacks" work-delay "$data/sample.pcapng"
expect "files after a failure" x.svg "$(ls -A "$scratch/files")"
expect "older picture" older "$(cat "$scratch/files/x.svg")"
run 1 "$tracewire" latency -q --svg /dev/full runqlat "$scratch/x.pcapng"
says "$scratch/err" 'cannot write /dev/full: No space' || fail "a full disk: $(cat "$scratch/err")"

# With -, standard output gets only the picture.
run 0 "$tracewire" latency -q --svg "$scratch/y.svg" runqlat "$scratch/x.pcapng"
run 0 "$tracewire" latency -q -j --svg - runqlat "$scratch/x.pcapng"
expect "standard output with --svg -" "$(cat "$scratch/y.svg")" "$(cat "$scratch/out")"
run 2 "$tracewire" latency -q --svg - --stacks - runqlat "$scratch/x.pcapng"
says "$scratch/err" 'stacks and --svg cannot both be standard output' || fail "both to standard output: $(cat "$scratch/err")"

refuses() { # PATTERN WORD...
	run 2 "$tracewire" latency "${@:2}"
	says "$scratch/err" "$1" || fail "'latency ${*:2}' says: $(cat "$scratch/err")"
}
refuses "there is no pair 'runqlta'; did you mean runqlat\?" runqlta "$scratch/x.pcapng"
refuses 'latency needs a pair, for example'
refuses "there is no pair 'runqla'; did you mean runqlat\?" runqla
refuses "there is no pair 'nonsense'; .tracewire latency --list. shows all pairs" nonsense
refuses 'x.pcapng is a capture, so no command is run' runqlat "$scratch/x.pcapng" -- true
refuses '--pid is for a live run, but .*x.pcapng is a capture' -P 1 runqlat "$scratch/x.pcapng"
refuses "key 'next_comm' of sched_switch is a text, but another event of pair command-line has a number|key 'pid' of sched_waking is a number, but" \
	--from sched_waking --to sched_switch --key pid=next_comm "$scratch/x.pcapng"
refuses "there is no pair 'softirq'; did you mean softirqs\?" softirq "$scratch/x.pcapng"
refuses "'./nofile' is neither a pair nor a file; a capture is given after the pairs" ./nofile runqlat
refuses 'pair runqlat needs the switches of all tasks on all CPUs: leave out --pid; ' -P 1 runqlat
refuses '--top 1001 is more than 1000' --top 1001 runqlat "$scratch/x.pcapng"
refuses 'x.pcapng has no kernel stacks: record it with the option --stacks' --stacks "$scratch/folded" runqlat "$scratch/x.pcapng"
refuses "'--linear': the number 0 is not in the range from 1 to 1000000000000" --linear 0 runqlat "$scratch/x.pcapng"
refuses "'--memory': the number 0 is not in the range from 1 to" --memory 0 runqlat "$scratch/x.pcapng"
refuses '--count is a number of intervals' -c 3 runqlat "$scratch/x.pcapng"
refuses "--interval '0.01' is less than 0.1 s" -i 0.01 runqlat "$scratch/x.pcapng"
refuses 'sample.pcapng has no event workqueue:workqueue_queue_work, which pair work-delay needs' work-delay "$data/sample.pcapng"
refuses '^tracewire latency: sys_exit has no field .args., which is a key' --from sys_enter --to sys_exit --key args "$scratch/x.pcapng"
run 0 "$tracewire" latency --from sys_enter --to sys_exit "$scratch/x.pcapng"
says "$scratch/err" 'there is no --key: each sys_enter is paired with the next sys_exit of any task$' || fail "no note: $(cat "$scratch/err")"
refuses '--from needs --to: give the event that ends the pair' --from sys_enter "$scratch/x.pcapng"
refuses '--from needs --to: ' --from sys_enter --key common_pid "$scratch/x.pcapng"
refuses '--to needs --from: give the event that begins the pair' --to sys_exit "$scratch/x.pcapng"
refuses '--key needs --from and --to: give the events that begin and end the pair' --key common_pid syscalls "$scratch/x.pcapng"
refuses "--from and --to replace the pair 'syscalls': leave it out" --from sys_enter --to sys_exit syscalls "$scratch/x.pcapng"
for key in '' , a, =a a= a=b=c a,,b; do
	refuses "--key '$key' is not FIELD or FIELD=FIELD" --from sys_enter --to sys_exit --key "$key" "$scratch/x.pcapng"
done
refuses "--from '' is not the name of an event" --from '' --to sys_exit "$scratch/x.pcapng"
refuses "--to 'sys_exit if id == 1' is not the name of an event" --from sys_enter --to 'sys_exit if id == 1' "$scratch/x.pcapng"
refuses 'more than 4 fields' --by a,b,c,d,e runqlat "$scratch/x.pcapng"
printf 'pair broken\n\tbegin sched:sched_switch next_pid if nix ==\n\tend sched:sched_switch prev_pid\n' >"$scratch/config/tracewire/pairs"
refuses 'pairs:2:[0-9]+: the condition of pair broken: column ' broken "$scratch/x.pcapng"
printf 'pair broken\n\tbegin\n' >"$scratch/config/tracewire/pairs"
refuses 'tracewire/pairs:2:7: an event is missing' runqlat "$scratch/x.pcapng"
exit $failed
