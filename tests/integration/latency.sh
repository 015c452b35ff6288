#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `latency` in live runs: it counts each system call of a command, as a recording of the same command does; its thread has the figures of the
# file for the same frames; intervals, signals and limits end it with a result, and nothing stays.
# Usage: latency.sh TRACEWIRE PCAP_LATENCY
tracewire=$1
pcap_latency=$2
. "$(dirname "$0")/common.sh"
calls=3000
sleeps=(sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.03; done')
call=(python3 -c "import os
for _ in range($calls): os.getppid()")

# figures FILE PAIR BY: count of the pair, and count and p50 of the group whose name is BY
figures() {
	python3 - "$@" <<'END'
import json, sys
pair = [p for p in json.load(open(sys.argv[1]))["pairs"] if p["pair"] == sys.argv[2]][0]
group = [g for g in pair["groups"] if list(g["by"].values()) == [sys.argv[3]]]
left_out = sum(n for name, n in pair["left_out"].items() if name in ("across_loss", "backwards", "evicted", "unreadable"))
print(pair["count"] > 0, group[0]["count"] if group else 0, left_out)
END
}

# Each system call of the command is measured once, live and in a recording.
"$tracewire" latency -j -F syscalls -- "${call[@]}" >"$scratch/live" 2>"$scratch/err" || fail "latency ends with $?: $(cat "$scratch/err")"
says "$scratch/err" '^measuring syscalls; Ctrl-C ends it$' || fail "latency says: $(cat "$scratch/err")"
says "$scratch/err" '^[0-9]+ events in [0-9.]+ s, 0 lost$' || fail "the last line of latency: $(cat "$scratch/err")"
expect "calls of getppid, live" "True $calls 0" "$(figures "$scratch/live" syscalls getppid)"
"$tracewire" record -q -F -e raw_syscalls,sched_process_exit -w "$scratch/x.pcapng" -- "${call[@]}" || fail "record ends with $?"
"$tracewire" latency -q -j syscalls "$scratch/x.pcapng" >"$scratch/file"
expect "calls of getppid in the recording" "True $calls 0" "$(figures "$scratch/file" syscalls getppid)"
number=$(python3 -c 'import json, sys; print([g for g in json.load(open(sys.argv[1]))["pairs"][0]["groups"]][0]["by"]["id"])' "$scratch/live")
[ "$number" ] || fail "groups without names"
"$tracewire" latency -q -j -F -f 'id == getppid' syscalls -- "${call[@]}" >"$scratch/filtered" 2>"$scratch/err" ||
	fail "latency -f ends with $?: $(cat "$scratch/err")"
expect "calls of getppid with -f" "True $calls 0" "$(figures "$scratch/filtered" syscalls getppid)"
expect "other calls with -f" 1 "$(grep -o '"by"' "$scratch/filtered" | wc -l)"

# This kernel records not every switch from an idle task, so no CPU is idle for these.
for cpu in $(seq 0 $(($(nproc) - 1))); do
	in_background hog$cpu taskset -c "$cpu" sh -c 'while :; do :; done'
	hogs="${hogs-} $pid"
done
# The times of the stacks add up to those of the pair; a recording with stacks has them, too.
"$tracewire" latency -q -j --stacks "$scratch/folded" offcpu -- "${sleeps[@]}" >"$scratch/stacks" ||
	fail "latency --stacks ends with $?"
expect "sum of the stacks" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pairs"][0]["sum"])' "$scratch/stacks")" \
	"$(awk '{ sum += $NF } END { printf "%.0f", sum }' "$scratch/folded")"
grep -Eq '^sleep;.*;hrtimer_nanosleep;do_nanosleep;schedule;__schedule [0-9]+$' "$scratch/folded" ||
	fail "the stack of sleep: $(grep '^sleep' "$scratch/folded")"
"$tracewire" record -q -T -e sched_switch -w "$scratch/t.pcapng" -- "${sleeps[@]}"
run 0 "$tracewire" latency -q --stacks "$scratch/folded2" offcpu "$scratch/t.pcapng"
grep -q '^sleep;.*;hrtimer_nanosleep;' "$scratch/folded2" || fail "no stack of a recording: $(head -3 "$scratch/folded2")"

kill $hogs # several processes

# The same frames have the same figures as a file and in the thread of a live run, and as a recording with one event per packet.
"$tracewire" vnet up lat0 &>"$scratch/vnet" || fail "vnet up: $(cat "$scratch/vnet")"
in_background capture "$tracewire" capture --packed -Z root -i lat0 -w "$scratch/packed.pcapng"
capture=$pid
wait_for says "$scratch/capture.err" '^capturing on '
in_background stream "$tracewire" stream -i lat0 --events-per-frame 0 -e sched,irq,raw_syscalls
stream=$pid
wait_for says "$scratch/stream.err" 'Ctrl-C ends it$'
"${call[@]}"
sleep 1
interrupt $stream
sleep 0.5 # the last frames
interrupt $capture
"$tracewire" vnet down lat0 &>"$scratch/vnet"
"$pcap_latency" "$scratch/packed.pcapng" syscalls softirqs hardirqs runqlat offcpu >"$scratch/pairs" 2>"$scratch/err" ||
	fail "live and file: $(cat "$scratch/err")"
[ "$(awk '/^syscalls/ { print $2 }' "$scratch/pairs")" -ge $calls ] || fail "pairs: $(cat "$scratch/pairs")"
"$tracewire" convert -q "$scratch/packed.pcapng" "$scratch/unpacked.pcapng"
for file in packed unpacked; do
	"$tracewire" latency -q -j syscalls softirqs runqlat offcpu "$scratch/$file.pcapng" | sed 1,2d >"$scratch/$file.json"
done
cmp "$scratch/packed.json" "$scratch/unpacked.json" || fail "packed and unpacked frames have different figures"

# `diff` finds that the calls of a command became longer.
for ms in 5 15; do
	"$tracewire" record -q -F -e raw_syscalls -f 'id == clock_nanosleep' -w "$scratch/$ms.pcapng" -- \
		python3 -c "import time
for _ in range(60): time.sleep($ms / 1000)"
done
run 0 "$tracewire" diff "$scratch/5.pcapng" "$scratch/15.pcapng"
says "$scratch/out" ' \+[0-9]+ % .*  syscalls$' || fail "diff finds no difference: $(cat "$scratch/out")"

# Intervals; -c ends the run, and so does Ctrl-C, with a result.
"$tracewire" latency -q -j -i 0.3 -c 3 runqlat >"$scratch/intervals" || fail "-c ends with $?"
expect "intervals" 3 "$(wc -l <"$scratch/intervals")"
in_background interrupted "$tracewire" latency runqlat
wait_for says "$scratch/interrupted.err" '^measuring runqlat'
sleep 0.5
interrupt $pid
expect "status after Ctrl-C" 0 $?
says "$scratch/interrupted.out" '^count [0-9]+, min ' || fail "after Ctrl-C: $(cat "$scratch/interrupted.out" "$scratch/interrupted.err")"
nothing_left $pid

# The screens of `top` together have each call of a command; a task that does not leave its CPU has time in each screen.
"$tracewire" top -q -j --by syscall -i 0.2 -F -- "${call[@]}" >"$scratch/top" || fail "top ends with $?"
"$tracewire" top -q -j --by task -i 0.2 -- python3 -c 'import os, sys, time
while time.process_time() < 0.5: pass
open(sys.argv[1], "w").write(str(os.getpid()))' "$scratch/hog.pid" >"$scratch/hog"
"$tracewire" top -q -j --by event -e sys_enter -F -- "${call[@]}" >"$scratch/types"
python3 - "$scratch/top" "$scratch/hog" "$scratch/types" $calls "$(cat "$scratch/hog.pid")" <<'END' || fail "top: $(head -c 2000 "$scratch/hog")"
import json, sys
def total(file, key, of):
    groups = [group for line in open(file) for pair in json.loads(line)["pairs"] for group in pair["groups"]]
    return sum(group.get(key, 0) for group in groups if of(list(group["by"].values())))
calls = int(sys.argv[4])
assert total(sys.argv[1], "count", lambda names: names == ["getppid"]) == calls
assert total(sys.argv[2], "sum", lambda names: names[1] == sys.argv[5]) > 400_000_000
assert total(sys.argv[3], "count", lambda names: names == ["raw_syscalls:sys_enter"]) > calls
END
run 0 "$tracewire" top --by irq -i 0.2 -c 2
expect "tables of two screens" 4 "$(grep -Ec '^ time %    time ms    count/s  (interrupt|softirq)$' "$scratch/out")"

# A run ends when its reader has gone, or when its output cannot be written.
for how in "" --in-kernel; do
	# shellcheck disable=SC2086 # no word if empty
	timeout 20 "$tracewire" latency -q $how -i 0.1 softirqs | head -1 >/dev/null
	expect "status of a run $how without a reader" 0 "${PIPESTATUS[0]}"
	# shellcheck disable=SC2086
	timeout 20 "$tracewire" latency -q $how -i 0.1 softirqs >/dev/full 2>"$scratch/err"
	expect "status of a run $how on a full disk" 1 $?
	expect "error on a full disk" "tracewire: cannot write to standard output: No space left on device" "$(cat "$scratch/err")"
done

refuses() { # PATTERN WORD...
	run 2 "$tracewire" latency "${@:2}"
	says "$scratch/err" "$1" || fail "'latency ${*:2}' says: $(cat "$scratch/err")"
}
refuses 'this kernel has no event sys_entr, which pair command-line needs; did you mean sys_enter\?' --from sys_entr --to sys_exit --key common_pid
refuses 'this kernel has no event nosuch, which pair command-line needs' --from nosuch --to sys_exit --key common_pid
refuses 'sys_exit has no field .vec., which is a key' --from sys_enter --to sys_exit --key vec -- true
run 2 "$tracewire" top --by tasks
says "$scratch/err" "'tasks' is none of task, cpu, irq, syscall and event; did you mean task\?" || fail "top says: $(cat "$scratch/err")"
exit $failed
