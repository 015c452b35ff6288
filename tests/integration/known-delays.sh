#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `latency` measures delays that are known: packets wait in a queue of known length at a known rate, or for a slow tc program; a task
# sleeps for a known time, or waits for one that uses the CPU for a known time.
# Usage: known-delays.sh TRACEWIRE SPIN, where SPIN is the object file of spin.bpf.c
tracewire=$1 spin=$2
. "$(dirname "$0")/common.sh"

# within NAME WANTED_MS FILE FIGURE: the figure of the first pair is at most 10 % away
within() {
	python3 - "$@" <<'END' || fail "$1: $4 is not $2 ms: $(head -c 600 "$3")"
import json, sys
pair, wanted = json.load(open(sys.argv[3]))["pairs"][0], float(sys.argv[2]) * 1e6
assert abs(pair[sys.argv[4]] - wanted) <= wanted / 10, pair[sys.argv[4]]
END
}

# at_least NAME MS FILE FIGURE: the figure of the first pair is not smaller
at_least() {
	python3 - "$@" <<'END' || fail "$1: $4 is less than $2 ms: $(head -c 600 "$3")"
import json, sys
sys.exit(json.load(open(sys.argv[3]))["pairs"][0][sys.argv[4]] < float(sys.argv[2]) * 1e6)
END
}

# one_group FILE KEY VALUE: prints the file with a single pair, the group of its first pair in which KEY is VALUE
one_group() {
	python3 - "$@" <<'END'
import json, sys
groups = json.load(open(sys.argv[1]))["pairs"][0]["groups"]
json.dump({"pairs": [group for group in groups if group["by"][sys.argv[2]] == sys.argv[3]]}, sys.stdout)
END
}

# 20 Mbit/s are 2500 bytes/ms, so a full queue of 200,000 bytes delays a packet by 80 ms. Each 200 packets fill it. How long it is full
# depends on the machine, and a busy one serves it late. Therefore, send.py gets the delay of each packet from the kernel: the time between
# the stamp before the queueing discipline and the one in the driver. Other network namespaces have queueing disciplines, too, so the
# interfaces have indexes that no other one has.
index=$((1000000000 + 10 * $$))
ip link add q0 index $index type veth peer name q1
ip addr add 10.2.0.1/24 dev q0
ip link set q0 up
ip link set q1 up
ip neigh add 10.2.0.9 lladdr 02:00:00:00:00:09 dev q0 nud permanent
tc qdisc add dev q0 root tbf rate 20mbit burst 5k limit 200000
# send.py ADDRESS FILE: writes the median of the delays to FILE, in ms
cat >"$scratch/send.py" <<'END'
import queues, socket, statistics, struct, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
SO_RCVBUFFORCE, SO_TIMESTAMPING, MSG_ERRQUEUE = 33, 37, 0x2000
s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26) # for the stamps
# TX_SOFTWARE, SOFTWARE, OPT_ID, TX_SCHED, OPT_TSONLY
s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, 1 << 1 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 11)
for _ in range(25):
    for _ in range(200): s.sendto(b"x" * 1158, (sys.argv[1], 9))
    time.sleep(0.04)
queues.wait_until_empty()
stamps = {0: {}, 1: {}} # in the driver, before the queueing discipline: the time of each packet
while True:
    try: _, parts, _, _ = s.recvmsg(0, 512, MSG_ERRQUEUE | socket.MSG_DONTWAIT)
    except BlockingIOError: break
    parts = {part[:2]: part[2] for part in parts}
    seconds, ns = struct.unpack_from("qq", parts[socket.SOL_SOCKET, SO_TIMESTAMPING])
    kind, packet = struct.unpack_from("8xII", parts[socket.SOL_IP, 11])
    stamps[kind][packet] = seconds * 10**9 + ns
delays = [stamps[0][packet] - stamps[1][packet] for packet in stamps[0]]
open(sys.argv[2], "w").write(str(statistics.median_low(delays) / 1e6))
END
cat >"$scratch/queues.py" <<'END'
import subprocess, time
def wait_until_empty():
    for _ in range(300):
        time.sleep(0.1)
        if "backlog" not in subprocess.run(["tc", "-s", "qdisc"], capture_output=True, text=True).stdout.replace("backlog 0b 0p", ""): break
END
export PYTHONDONTWRITEBYTECODE=1
# full_queue NAME MS IFINDEX ADDRESS [OPTION...]: packets to ADDRESS wait for MS in the full queue of the interface with this index
full_queue() {
	"$tracewire" latency -q -j "${@:5}" qdisc -- python3 "$scratch/send.py" "$4" "$scratch/delay" >"$scratch/all" ||
		fail "$1: status $?"
	one_group "$scratch/all" ifindex "$3" >"$scratch/qdisc"
	within "$1" "$(cat "$scratch/delay")" "$scratch/qdisc" p50
	at_least "$1" "$(($2 * 9 / 10))" "$scratch/qdisc" max
}
full_queue "a full queue" 80 $index 10.2.0.9

# A run tells which queueing disciplines are in use, and --qdisc selects one. Of htb, only the root has events.
ip link add q2 index $((index + 2)) type veth peer name q3
ip addr add 10.3.0.1/24 dev q2
ip link set q2 up
ip link set q3 up
ip neigh add 10.3.0.9 lladdr 02:00:00:00:00:09 dev q2 nud permanent
tc qdisc add dev q2 root handle 1: htb default 1
tc class add dev q2 parent 1: classid 1:1 htb rate 20mbit quantum 1500
tc qdisc add dev q2 parent 1:1 pfifo limit 100
# 100 packets of 1200 bytes at the same rate
full_queue "a full queue below htb" 48 $((index + 2)) 10.3.0.9 --qdisc htb
cat >"$scratch/both.py" <<'END'
import queues, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(50):
    for to in "10.2.0.9", "10.3.0.9": s.sendto(b"x" * 1158, (to, 9))
queues.wait_until_empty()
END
both=(python3 "$scratch/both.py")
indexes="$(ip -o link show q0 | cut -d: -f1) $(ip -o link show q2 | cut -d: -f1)"
for how in "" --in-kernel; do
	# shellcheck disable=SC2086 # no word if empty
	run 0 "$tracewire" latency $how qdisc -- "${both[@]}"
	says "$scratch/err" '^queueing disciplines of this network namespace: .*q0: tbf; .*q2: htb with pfifo(;|$)' ||
		fail "'latency $how qdisc' says: $(cat "$scratch/err")"
	says "$scratch/out" "  ${indexes% *} q0: tbf$" || fail "no figures of q0 with its qdisc: $(cat "$scratch/out")"
	says "$scratch/out" "  ${indexes#* } q2: htb with pfifo$" || fail "no figures of q2 with its qdisc: $(cat "$scratch/out")"
	# shellcheck disable=SC2086
	run 0 "$tracewire" latency -j $how --qdisc htb qdisc -- "${both[@]}"
	expect "groups with --qdisc $how" "q2 htb with pfifo ${indexes#* } True" "$(python3 -c '
import json, sys
groups = json.load(open(sys.argv[1]))["pairs"][0]["groups"]
for group in groups: print(group["device"], group["qdisc"], group["by"]["ifindex"], group["count"] >= 45)
' "$scratch/out")"
done
run 2 "$tracewire" latency --qdisc fq qdisc -- true
says "$scratch/err" '^tracewire latency: fq is not in use: .*; q2 has htb with pfifo(;|$)' || fail "--qdisc fq says: $(cat "$scratch/err")"
run 2 "$tracewire" latency --qdisc pfifo qdisc -- true
says "$scratch/err" 'pfifo has no events, because only the root qdisc of an interface and the queues of mq have some: ' ||
	fail "--qdisc pfifo says: $(cat "$scratch/err")"
# Below mq, the qdisc of a transmit queue has events.
ip link add q4 numtxqueues 2 type veth peer name q5
ip link set q4 up
tc qdisc add dev q4 root handle 1: mq
tc qdisc add dev q4 parent 1:2 pfifo
run 0 "$tracewire" latency --qdisc pfifo qdisc -- true
for kind in mq noqueue; do
	run 2 "$tracewire" latency --qdisc $kind qdisc -- true
	says "$scratch/err" "^tracewire latency: $kind has no .*; q4 has mq with (pfifo_fast, )?pfifo(;|$)" ||
		fail "--qdisc $kind says: $(cat "$scratch/err")"
done

# A task that sleeps for 20 ms, or longer on a busy machine. It measures the times itself.
cat >"$scratch/sleep.py" <<'END'
import statistics, sys, time
def sleep():
    begin = time.monotonic_ns()
    time.sleep(0.02)
    return time.monotonic_ns() - begin
open(sys.argv[1], "w").write(str(statistics.median_low([sleep() for _ in range(20)]) / 1e6))
END
"$tracewire" latency -q -j -F -f 'id == clock_nanosleep' syscalls -- python3 "$scratch/sleep.py" "$scratch/slept" >"$scratch/sleep"
within "a sleep of 20 ms" "$(cat "$scratch/slept")" "$scratch/sleep" p50
at_least "a sleep of 20 ms" 20 "$scratch/sleep" min

# A tc program delays the packets that arrive here. The increase of the round trip that ping shows is the delay before the IP layer. With
# -U, ping does not use the receive time stamp, which the kernel makes before tc. The program runs in the time of ping, which would then
# wait for other tasks that want the CPU, so ping has a real-time priority. Other interfaces receive packets, too, which are not delayed.
start_far
ip link add q6 type veth peer name q7 netns $far
ip addr add 10.4.0.1/24 dev q6
ip link set q6 up
nsenter --net="/proc/$far/ns/net" sh -c 'ip addr add 10.4.0.2/24 dev q7; ip link set q7 up'
round_trip() { sed -nE 's|^rtt min/avg/max/mdev = ([0-9.]+)/.*|\1|p' "$1"; }
chrt -f 1 ping -U -q -c 20 -i 0.05 10.4.0.2 >"$scratch/ping.before" || fail "ping: $(cat "$scratch/ping.before")"
tc qdisc add dev q6 clsact
tc filter add dev q6 ingress bpf direct-action object-file "$spin" section tc
"$tracewire" latency -q -j --dev q6 rxstack-ip-start -- chrt -f 1 ping -U -q -c 20 -i 0.05 10.4.0.2 >"$scratch/ping" 2>"$scratch/err" ||
	fail "$(cat "$scratch/err")"
sed -n '/^{/,$p' "$scratch/ping" >"$scratch/ip-start"
within "a slow tc program" "$(python3 -c 'import sys; print(float(sys.argv[1]) - float(sys.argv[2]))' \
	"$(round_trip "$scratch/ping")" "$(round_trip "$scratch/ping.before")")" "$scratch/ip-start" min

# A task with a higher real-time priority uses the CPU for 20 ms each time that it wakes the other one.
cat >"$scratch/hog.py" <<'END'
import os, statistics, struct, sys, time
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
reader, writer = os.pipe()
waiter = os.fork()
if not waiter:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    os.close(writer)
    waits = []
    while begin := os.read(reader, 8):
        waits.append(time.monotonic_ns() - struct.unpack("Q", begin)[0])
    open(sys.argv[1], "w").write("%d %f" % (os.getpid(), statistics.median_low(waits) / 1e6))
    os._exit(0)
time.sleep(0.1) # the other task waits in read()
for _ in range(20):
    begin = time.monotonic_ns()
    os.write(writer, struct.pack("Q", begin))
    while time.monotonic_ns() < begin + 20000000:
        pass
    time.sleep(0.02)
os.close(writer)
os.waitpid(waiter, 0)
END
"$tracewire" latency -q -j --by pid runqlat -- python3 "$scratch/hog.py" "$scratch/hog" >"$scratch/runqlat"
read -r waiter waited <"$scratch/hog"
one_group "$scratch/runqlat" pid "$waiter" >"$scratch/waiter"
within "a CPU in use" "$waited" "$scratch/waiter" p50

exit $failed
