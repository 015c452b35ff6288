#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the virtual machine: compares `latency`, live and in the kernel, with bpftrace, perf trace and trace-cmd over the same load; and
# measures packets in queueing disciplines.
# Usage: latency-guest.sh TRACEWIRE
for part in check processes network; do
	# shellcheck source=/dev/null
	. "/job/shell/$part.sh"
done
tracewire=$1
patience=60
modprobe virtio_blk || fail "no virtio_blk"
mount -t debugfs d /sys/kernel/debug 2>/dev/null

# The smallest shares of the other tool's samples that `latency` must have. In a live run, the kernel leaves out events that occur while a
# thread of Tracewire runs, also those of interrupts. With --in-kernel, an interrupt during a BPF program has no events.
live=0.75
kernel=0.95

compare() { # TITLE, arguments of latency-compare.py
	echo "-- $1"
	python3 /job/latency-compare.py "${@:2}" || failed=1
}

# measure LOAD PAIR:BY...: runs the load, and at the same time bpftrace, and for each pair a live run and a run in the kernel. All of them
# begin before the load and end after it. The program of bpftrace is standard input.
measure() {
	local load=$1 word tracer
	local -a runs=()
	cat >"$scratch/program.bt"
	in_background bpftrace bpftrace -B line -f json "$scratch/program.bt"
	tracer=$pid
	wait_for says "$scratch/bpftrace.out" ready
	for word in "${@:2}"; do
		in_background "live-${word%:*}" "$tracewire" latency -j --by "${word#*:}" "${word%:*}"
		runs+=("$pid")
		in_background "kernel-${word%:*}" "$tracewire" latency -j --in-kernel --by "${word#*:}" "${word%:*}"
		runs+=("$pid")
	done
	for word in "${@:2}"; do
		wait_for says "$scratch/live-${word%:*}.err" 'Ctrl-C ends it'
		wait_for says "$scratch/kernel-${word%:*}.err" 'Ctrl-C ends it'
	done
	python3 /job/latency-load.py "$load" "$scratch/pids" || fail "the load $load ends with $?"
	for pid in "${runs[@]}"; do
		interrupt "$pid" || fail "a run of $load ends with $?: $(cat "$scratch"/live-*.err "$scratch"/kernel-*.err)"
	done
	interrupt "$tracer" || fail "bpftrace: $(cat "$scratch/bpftrace.err")"
}

beside_bpftrace() { # PAIR GROUP...
	compare "$1, live, and bpftrace: count, mean" bpftrace $live "$scratch/live-$1.out" "$scratch/bpftrace.out" "${@:2}"
	compare "$1, in the kernel, and bpftrace" bpftrace $kernel "$scratch/kernel-$1.out" "$scratch/bpftrace.out" "${@:2}"
}

# groups_of PAIR: a group for each process of the load, in $groups
groups_of() {
	mapfile -t groups <<<"$(sed "s/.*/$1:&/" "$scratch/pids")"
}

# As runqlat.bt, for each task, but from sched_waking. Unlike runqlat.bt of bpftrace 0.17, it also counts tasks that were preempted in the
# kernel (state R+, 0x100).
measure sched runqlat:pid offcpu:pid <<'PROGRAM'
BEGIN { printf("ready\n"); }
tracepoint:sched:sched_waking, tracepoint:sched:sched_wakeup_new /!@woken[args->pid]/ { @woken[args->pid] = nsecs; }
tracepoint:sched:sched_switch
{
	delete(@woken[args->prev_pid]);
	if ((args->prev_state & 0xff) == 0) { @woken[args->prev_pid] = nsecs; }
	if (@woken[args->next_pid]) {
		$waited = nsecs - @woken[args->next_pid];
		@runqlat[args->next_pid] = hist($waited / 1000);
		@runqlat_ns[args->next_pid] = stats($waited);
		delete(@woken[args->next_pid]);
	}
	if ((args->prev_state & 0x30) == 0) { @left[args->prev_pid] = nsecs; }
	if (@left[args->next_pid]) {
		$away = nsecs - @left[args->next_pid];
		@offcpu[args->next_pid] = hist($away / 1000);
		@offcpu_ns[args->next_pid] = stats($away);
		delete(@left[args->next_pid]);
	}
}
END { clear(@woken); clear(@left); }
PROGRAM
groups_of runqlat
beside_bpftrace runqlat "${groups[@]}"
groups_of offcpu
beside_bpftrace offcpu "${groups[@]}"

measure calls syscalls:pid,id <<'PROGRAM'
BEGIN { printf("ready\n"); }
tracepoint:raw_syscalls:sys_enter { @began[tid] = nsecs; @id[tid] = args->id; }
tracepoint:raw_syscalls:sys_exit /@began[tid]/
{
	$took = nsecs - @began[tid];
	$name = @id[tid] == 230 ? "clock_nanosleep" : (@id[tid] == 1 ? "write" : (@id[tid] == 0 ? "read" : "other"));
	@syscalls[tid, $name] = hist($took);
	@syscalls_ns[tid, $name] = stats($took);
	delete(@began[tid]);
}
END { clear(@began); clear(@id); }
PROGRAM
groups=()
while read -r process; do
	groups+=("syscalls:$process,clock_nanosleep" "syscalls:$process,write")
done <"$scratch/pids"
beside_bpftrace syscalls "${groups[@]}"

measure irq softirqs:vec hardirqs:irq biolat:dev <<'PROGRAM'
BEGIN { printf("ready\n"); }
tracepoint:irq:softirq_entry { @soft[cpu, args->vec] = nsecs; }
tracepoint:irq:softirq_exit /@soft[cpu, args->vec]/
{
	$took = nsecs - @soft[cpu, args->vec];
	$name = args->vec == 3 ? "NET_RX" : "other";
	@softirqs[$name] = hist($took);
	@softirqs_ns[$name] = stats($took);
	delete(@soft[cpu, args->vec]);
}
tracepoint:irq:irq_handler_entry { @hard[cpu, args->irq] = nsecs; }
tracepoint:irq:irq_handler_exit /@hard[cpu, args->irq]/
{
	$took = nsecs - @hard[cpu, args->irq];
	@hardirqs[args->irq] = hist($took);
	@hardirqs_ns[args->irq] = stats($took);
	delete(@hard[cpu, args->irq]);
}
tracepoint:block:block_rq_issue /args->nr_sector > 0/ { @issued[args->dev, args->sector] = nsecs; }
tracepoint:block:block_rq_complete /@issued[args->dev, args->sector]/
{
	$took = nsecs - @issued[args->dev, args->sector];
	@biolat["254,0"] = hist($took / 1000);
	@biolat_ns["254,0"] = stats($took);
	delete(@issued[args->dev, args->sector]);
}
END { clear(@soft); clear(@hard); clear(@issued); }
PROGRAM
beside_bpftrace softirqs softirqs:NET_RX
mapfile -t groups <<<"$(awk -F: '/virtio[0-9]+-req\./ && !/ 0 +0 +PCI/ { gsub(/ /, "", $1); print "hardirqs:" $1 }' /proc/interrupts)"
beside_bpftrace hardirqs "${groups[@]}"
beside_bpftrace biolat biolat:254,0

# perf and trace-cmd run the load as their command, and are the command of `latency`. perf sched is not compared: its version 6.1 records
# sched_waking, but computes delays from sched_wakeup, so it lacks the delays after wake-ups.
if command -v perf >/dev/null; then
	run 0 "$tracewire" latency -q -j --in-kernel --by pid,id syscalls -- \
		perf trace -s -o "$scratch/perf" python3 /job/latency-load.py calls "$scratch/pids"
	mapfile -t groups <<<"$(sed "s/.*/syscalls:&,clock_nanosleep/" "$scratch/pids")"
	compare "syscalls, in the kernel, and perf trace -s" perf-trace $kernel "$scratch/out" "$scratch/perf" "${groups[@]}"
else
	echo "-- perf trace is not compared, because perf is not installed"
fi

run 0 "$tracewire" latency -q -j --in-kernel --by pid runqlat offcpu -- \
	trace-cmd record -q -o "$scratch/trace.dat" -e sched_switch -e sched_waking -e sched_wakeup -e sched_wakeup_new \
	python3 /job/latency-load.py sched "$scratch/pids"
"$tracewire" convert -q "$scratch/trace.dat" "$scratch/trace.pcapng" || fail "convert ends with $?"
"$tracewire" latency -q -j --by pid runqlat offcpu "$scratch/trace.pcapng" >"$scratch/file"
groups_of runqlat
compare "runqlat, in the kernel, and of a recording by trace-cmd" tracewire $kernel "$scratch/out" "$scratch/file" "${groups[@]}"
groups_of offcpu
compare "offcpu, in the kernel, and of a recording by trace-cmd" tracewire $kernel "$scratch/out" "$scratch/file" "${groups[@]}"
# Each queueing discipline has an interface of its name. Those that let a packet bypass an empty queue may have no events of these packets.
cat >"$scratch/qdiscs" <<'END'
fq          all     fq
tbf         all     tbf rate 20mbit burst 5k limit 400000
htb         all     htb default 1
cbs         all     cbs idleslope 98688 sendslope -901312 hicredit 153 locredit -1389
red         all     red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 100mbit
prio        all     prio
fq_codel    some    fq_codel
codel       some    codel
sfq         some    sfq
pfifo       some    pfifo
mq          some    mq
END
cat >"$scratch/send.py" <<'END'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100):
    for i in range(int(sys.argv[1])): s.sendto(b"x" * 500, (f"10.2.{i}.9", 9))
time.sleep(1)
END
in_namespace() {
	local n=0 kind words
	ip link set lo up
	while read -r kind _ words; do
		ip link add "$kind" numtxqueues 2 type veth peer name "peer$n"
		ip addr add "10.2.$n.1/24" dev "$kind"
		ip link set "$kind" up
		ip link set "peer$n" up
		ip neigh add "10.2.$n.9" lladdr 02:00:00:00:00:09 dev "$kind" nud permanent
		# shellcheck disable=SC2086 # words
		tc qdisc replace dev "$kind" root handle 1: $words || fail "no qdisc $kind"
		n=$((n + 1))
	done <"$scratch/qdiscs"
	tc class add dev htb parent 1: classid 1:1 htb rate 20mbit quantum 1500
	for how in "" --in-kernel; do
		# shellcheck disable=SC2086 # no word if empty
		run 0 "$tracewire" latency -j $how qdisc -- python3 "$scratch/send.py" $n
		echo "-- qdisc${how:+, in the kernel}: $(cat "$scratch/err")"
		python3 - "$scratch/out" "$scratch/qdiscs" <<'END' || fail "a queueing discipline lacks pairs"
import json, sys
groups = {group["device"]: group for group in json.load(open(sys.argv[1]))["pairs"][0]["groups"]}
status = 0
for line in open(sys.argv[2]):
    kind, share = line.split()[:2]
    group = groups.get(kind, {"count": 0, "qdisc": "-", "p50": 0})
    print(f"{kind:9} {group['qdisc']:24} {group['count']:4} of 100 packets, p50 {group['p50'] / 1000:9.1f} us")
    status |= share == "all" and not 90 <= group["count"] <= 110
sys.exit(status)
END
	done
	return $failed
}
export -f in_namespace fail run
export tracewire scratch failed
unshare --net bash -c in_namespace || failed=1
exit $failed
