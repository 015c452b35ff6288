#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `latency` and `latency --in-kernel` measure the same load at the same time: pairs and counters are equal, and so are the times, except that
# a sample can be in the next row. What the kernel cannot measure is refused with one sentence.
# Usage: latency-live.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs
need python3

export HOME=$scratch XDG_CONFIG_HOME=$scratch/config
mkdir -p "$scratch/config/tracewire"
mkfifo "$scratch/go" "$scratch/went"

# The load waits for a line in `go`, works, writes a line to `went`, and waits for the next line: four pauses of three lengths, and calls in
# an order that uses each counter. It stays on one CPU.
cat >"$scratch/load.py" <<'E2'
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
go, went = open(sys.argv[1]), open(sys.argv[2], "w")
go.readline()
for i in range(2000):
    os.getppid()      # begins
    os.getuid()       # cancels
    os.getppid()      # begins
    os.getppid()      # begins again
    os.sched_yield()  # begins again, and ends
    os.getgid()       # ends without a beginning
for pause in [0.001, 0.004, 0.016] * 12:
    time.sleep(pause)
went.write("done\n")
went.flush()
go.readline()
E2
python3 "$scratch/load.py" "$scratch/go" "$scratch/went" &
load=$!
started+=("$load")
exec 8>"$scratch/go" 9<"$scratch/went"

# The ring of some kernels lacks switches from an idle task, so the CPU of the load is never idle.
in_background hog chrt --idle 0 taskset --cpu-list "$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')" sh -c 'while :; do :; done'

cat >"$scratch/config/tracewire/pairs" <<E2
pair calls
	begin  raw_syscalls:sys_enter common_pid if common_pid == $load and id in {getppid, sched_yield}
	end    raw_syscalls:sys_exit  common_pid if common_pid == $load and id in {sched_yield, getgid}
	cancel raw_syscalls:sys_enter common_pid if common_pid == $load and id == getuid
	by     id
pair sleeps
	begin  raw_syscalls:sys_enter cpu if common_pid == $load and id == clock_nanosleep
	end    raw_syscalls:sys_exit  cpu if common_pid == $load and not (id < 230 or id > 230)
	by     cpu,id
	unit   us
pair waits
	begin  sched:sched_waking     pid       if sched_waking.pid == $load
	begin  sched:sched_wakeup     pid       if sched_wakeup.pid == $load
	begin  sched:sched_switch     prev_pid  if prev_state & 0xff == 0 and prev_pid == $load
	end    sched:sched_switch     next_pid  if next_pid in {$load}
	cancel sched:sched_switch     prev_pid  if prev_pid == $load
	again  first
	unit   us
pair away
	begin  sched:sched_switch     prev_pid  if prev_pid == $load and prev_state & 0x30 == 0
	end    sched:sched_switch     next_pid  if next_pid == $load
	by     prev_state
	unit   us
E2

# Both begin, the load works, both end.
in_background kernel "$tracewire" latency --in-kernel -j --linear 200000 calls sleeps waits away
kernel=$pid
in_background user "$tracewire" latency -j --linear 200000 --buffer-size 8192 calls sleeps waits away
user=$pid
wait_for says "$scratch/kernel.err" '^measuring calls, sleeps, waits, away in the kernel; '
wait_for says "$scratch/user.err" '^measuring '
echo >&8
read -r -t 100 _ <&9 || fail "the load does not end"
kill -INT "$kernel" "$user"
wait "$kernel"
expect "status of --in-kernel" 0 $?
wait "$user"
echo >&8

# Events in an interrupt, and switches after it, can be missed while a program runs on their CPU.
missed=$(sed -n 's/^\([0-9]*\) events\{0,1\} .* not measured.*/\1/p' "$scratch/kernel.err")
python3 - "$scratch/kernel.out" "$scratch/user.out" "${missed:-0}" <<'E2' || fail "the two ways to measure differ: $(cat "$scratch/kernel.err" "$scratch/user.err")"
import json, sys
kernel, user = (json.load(open(name))["pairs"] for name in sys.argv[1:3])
missed = int(sys.argv[3])

# A task can be preempted between the two measurements of one event of a system call.
preempted, longest = 6, 30000000

def up_to(figures, bound):
    return sum(row["count"] for row in figures["rows"] if row["bound"] is not None and row["bound"] <= bound)

def same_times(a, b, what):
    assert a["count"] == b["count"], (what, a["count"], b["count"])
    if not a["count"]:
        return
    for row in a["rows"]:
        if row["bound"] is not None:
            least, most = up_to(b, row["bound"] - 200000), up_to(b, row["bound"] + 200000)
            assert least - preempted <= up_to(a, row["bound"]) <= most + preempted, (what, row, least, most)
    assert abs(a["min"] - b["min"]) < 100000, (what, a["min"], b["min"])
    assert abs(a["mean"] - b["mean"]) < 20000 + preempted * longest / a["count"], (what, a["mean"], b["mean"])

for a, b in zip(kernel, user):
    name = a["pair"]
    if missed and name in ("waits", "away"):
        assert abs(a["count"] - b["count"]) <= missed, (name, missed, a["count"], b["count"])
        continue
    same_times(a, b, name)
    assert a["begun"] == b["begun"], (name, a["begun"], b["begun"])
    for key in "open", "again", "cancelled", "no_begin", "evicted":
        assert a["left_out"][key] == b["left_out"][key], (name, key, a["left_out"], b["left_out"])
    groups = {str(group["by"]): group for group in b["groups"]}
    assert len(groups) == len(a["groups"]), (name, groups.keys(), [group["by"] for group in a["groups"]])
    for group in a["groups"]:
        same_times(group, groups[str(group["by"])], (name, group["by"]))
calls, sleeps, waits, away = kernel
assert calls["count"] == 2000 and calls["groups"][0]["by"] == {"id": "sched_yield"}, calls
assert calls["left_out"]["again"] == 4000 and calls["left_out"]["cancelled"] == 2000, calls["left_out"]
assert calls["left_out"]["no_begin"] == 2000, calls["left_out"]
# A sleep ends at a time that the task chose before the call, and it can be preempted in between.
assert sleeps["count"] == 36 and 4000000 < sleeps["mean"] < 30000000, sleeps
assert waits["count"] >= 36 - missed and away["count"] >= 36 - missed
assert "S" in [group["by"]["prev_state"] for group in away["groups"]], away["groups"]
E2

# Intervals, a command, and its status. Nothing stays attached, also after SIGKILL.
run 3 "$tracewire" latency --in-kernel -q -i 0.1 -j syscalls -- sh -c 'sleep 0.35; exit 3'
[ "$(grep -c '"end_ns"' "$scratch/out")" -ge 3 ] || fail "no intervals: $(cat "$scratch/out")"
run 0 "$tracewire" latency --in-kernel -q -i 0.1 -c 2 softirqs
[ "$(grep -c '^softirqs: ' "$scratch/out")" = 2 ] || fail "-c 2 prints: $(cat "$scratch/out")"
run 0 "$tracewire" latency --in-kernel hardirqs -f 'irq > 0' -- sleep 0.1
says "$scratch/err" "cannot be divided by 'name' in the kernel.* it is a text; so it is measured without groups" ||
	fail "no note about groups: $(cat "$scratch/err")"
in_background killed "$tracewire" latency --in-kernel runqlat
wait_for says "$scratch/killed.err" '^measuring runqlat in the kernel'
programs() { grep -ls '^prog_type' "/proc/$pid/fdinfo/"*; }
[ -n "$(programs)" ] || fail "the process holds no programs"
kill -KILL "$pid"
wait "$pid" 2>/dev/null

refuses() { # PATTERN WORD...
	run 2 "$tracewire" latency --in-kernel "${@:2}"
	says "$scratch/err" "$1" || fail "'latency --in-kernel ${*:2}' says: $(cat "$scratch/err")"
	expect "lines of 'latency --in-kernel ${*:2}'" 1 "$(wc -l <"$scratch/err")"
}
refuses "pair xmit cannot be measured in the kernel, because its key 'name' .* it is a text; leave out --in-kernel" xmit
refuses "cannot be divided by 'comm' in the kernel, because in sched:sched_switch, it is a text; leave out --in-kernel" --by comm offcpu
refuses "no event of pair offcpu has the field 'nothing'" --by nothing offcpu
refuses "cannot express 'comm == bash', because it can compare only fields, pid and cpu; leave out --in-kernel" -f 'comm == bash' offcpu
refuses "cannot express 'prev_comm matches x', because it can compare only numbers; leave out --in-kernel" -f 'prev_comm matches x' offcpu
refuses '--follow is not possible with --in-kernel' -F syscalls -- true
refuses '--pid is not possible with --in-kernel' -P 1 syscalls
refuses '--cpus is not possible with --in-kernel' -M 0 syscalls
refuses '--in-kernel permits only the clock mono: leave out --in-kernel, or --clock boot' -C boot syscalls
refuses 'x.pcapng is a capture, and --in-kernel measures a live run' syscalls x.pcapng
run 127 "$tracewire" latency --in-kernel syscalls -- no-such-command
as_nobody latency --in-kernel syscalls >"$scratch/out" 2>"$scratch/err" && fail "nobody can measure in the kernel"
exit $failed
