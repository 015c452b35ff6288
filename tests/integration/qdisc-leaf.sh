#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `latency qdisc-leaf` measures the delay in queueing disciplines below the root, and counts each packet once. A kernel that permits no
# programs at functions refuses it. tests/vm runs this script on stock kernels, with `all` or `short`: there, it must not be refused. The
# short form has one queueing discipline.
# Usage: qdisc-leaf.sh TRACEWIRE [all|short]
tracewire=$1
permitted=${2-}
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need tc python3 bpftool
need_tracefs
cd "$scratch" || exit 1
ip link set lo up

"$tracewire" latency -q qdisc-leaf -- true >out 2>err
status=$?
if [ -z "$permitted" ] && [ $status = 2 ]; then
	expect "the refusal" "tracewire latency: pair qdisc-leaf cannot be measured on this kernel: it permits no BPF program at the entry of \
a function (fentry); only the root queueing discipline can be measured, with the pair qdisc" "$(cat err)"
	# Beside another pair, it is left out.
	run 0 "$tracewire" latency qdisc qdisc-leaf -- true
	says err "with the pair qdisc; so it is left out$" || fail "latency qdisc qdisc-leaf says: $(cat err)"
	says err '^tracewire latency:' && fail "an error without failure: $(cat err)"
	says out '^qdisc-leaf' && fail "figures of the pair that was left out: $(cat out)"
	exit $failed
fi
expect "status of latency qdisc-leaf" 0 $status

# interface NAME QUEUES NUMBER: makes one with the network 10.9.NUMBER.0/24, whose packets go nowhere. Only the test sends.
interface() {
	ip link add "$1" numtxqueues "$2" type veth peer name "$1.peer"
	sysctl -qw "net.ipv6.conf.$1.disable_ipv6=1" "net.ipv6.conf.$1/peer.disable_ipv6=1" 2>/dev/null
	ip addr add "10.9.$3.1/24" dev "$1"
	ip link set "$1" arp off up
	ip link set "$1.peer" arp off up
}

# send.py ADDRESS N PER_SECOND: datagrams whose frames have 1250 bytes; then waits until no interface has a packet in its queues
cat >send.py <<'PYTHON'
import socket, subprocess, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
address, n, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
began = time.monotonic()
for i in range(n):
    time.sleep(max(0, began + i / rate - time.monotonic()))
    s.sendto(b"x" * 1208, (address, 9))
for _ in range(100):
    time.sleep(0.1)
    if "backlog" not in subprocess.run(["tc", "-s", "qdisc"], capture_output=True, text=True).stdout.replace("backlog 0b 0p", ""): break
PYTHON

# check NAME FILE PYTHON: the expression is true. p is the pair, by has its groups by their names, sent and dropped are the counters of tc
# for the interface of the test, of its queueing disciplines in the order of tc
check() {
	python3 - "$2" "$3" <<'PYTHON' || fail "$1: not $3: $(head -c 1500 "$2"); $(tc -s qdisc show dev "$dev")"
import json, os, re, sys
p = json.load(open(sys.argv[1]))["pairs"][0]
by = {tuple(g["by"].values()): g for g in p["groups"]}
left = p["left_out"]
def near(value, ms): return abs(value - ms * 1e6) <= ms * 1e5
tc = open("counters").read()
sent = {k: int(n) for k, n in re.findall(r"^qdisc (\S+) .*\n Sent \d+ bytes (\d+) pkt", tc, re.M)}
dropped = {k: int(n) for k, n in re.findall(r"^qdisc (\S+) .*\n Sent .*dropped (\d+)", tc, re.M)}
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
}

# measure DEV ADDRESS N PER_SECOND [OPTION...]: into the file $dev.json, and the counters of tc into the file counters
measure() {
	dev=$1
	"$tracewire" latency -q -j "${@:5}" qdisc-leaf -- python3 send.py "$2" "$3" "$4" >"$dev.json" 2>err ||
		fail "latency qdisc-leaf: $(cat err)"
	tc -s qdisc show dev "$dev" >counters
}

# Below htb, 1 Mbit/s are 10 ms for each packet. A full queue of 20 packets delays by 200 ms.
htb() {
	tc qdisc add dev "$1" root handle 1: htb default 1
	tc class add dev "$1" parent 1: classid 1:1 htb rate 1mbit burst 1300 cburst 1300 quantum 1500
}
interface near 1 1
htb near
tc qdisc add dev near parent 1:1 pfifo limit 20
measure near 10.9.1.9 200 200
check "a full pfifo" near.json "near(p['p50'], 200) and list(by) == [('near', 'pfifo', '1:1')]"
check "the packets of pfifo" near.json "p['count'] == sent['pfifo'] and left['cancelled'] == dropped['pfifo'] > 0 and p['begun'] == 200"
check "the rest" near.json "left['open'] == left['again'] == left['evicted'] == 0"

# Nothing stays after SIGKILL.
"$tracewire" latency -q qdisc-leaf >/dev/null 2>&1 &
killed=$!
started+=("$killed")
programs() { bpftool prog show 2>/dev/null | grep -cE 'name leaf_'; }
measuring() { [ "$(programs)" -gt 5 ]; }
gone() { [ "$(programs)" = 0 ]; }
wait_for measuring || fail "the programs are not loaded"
kill -KILL "$killed"
wait_for gone || fail "programs stay after SIGKILL"

run 0 "$tracewire" latency qdisc-leaf -- true
says err '^qdisc-leaf: measured at functions .*pfifo_enqueue.*htb_enqueue' || fail "latency qdisc-leaf says: $(cat err)"
run 2 "$tracewire" latency --qdisc htb qdisc-leaf -- true
says err '--by kind' || fail "--qdisc htb says: $(cat err)"
run 2 "$tracewire" latency --by knd qdisc-leaf -- true
says err "no field 'knd': did you mean kind" || fail "--by knd says: $(cat err)"
[ "$permitted" = all ] || exit $failed

# fq_codel drops packets that it had taken.
interface fair 1 2
htb fair
tc qdisc add dev fair parent 1:1 handle 20: fq_codel target 20ms interval 50ms
measure fair 10.9.2.9 200 200 --dev fair
check "fq_codel" fair.json "list(by) == [('fair', 'fq_codel', '1:1')] and p['count'] == sent['fq_codel'] and p['begun'] == 200"
check "drops" fair.json "left['cancelled'] == dropped['fq_codel'] > 0 and left['open'] == 0"

# Each level is a group of its own.
interface early 1 3
htb early
tc qdisc add dev early parent 1:1 handle 30: red limit 100000 min 60000 max 90000 avpkt 1250 burst 60 probability 0.01
measure early 10.9.3.9 40 1000
check "red and its bfifo" early.json "sorted(by) == [('early', 'bfifo', '30:1'), ('early', 'red', '1:1')]"
check "the levels" early.json "[g['count'] for g in by.values()] == [40, 40] and len({round(g['mean'] / 1e7) for g in by.values()}) == 1"
# Of a root, only the queue inside has none of the events.
interface slow 1 4
tc qdisc add dev slow root handle 40: tbf rate 1mbit burst 1300 limit 25000
measure slow 10.9.4.9 150 200
check "the queue of tbf" slow.json "list(by) == [('slow', 'bfifo', '40:1')] and p['count'] == sent['tbf']"

# Several packets leave at once: netem delays all for the same time.
interface wide 2 5
tc qdisc add dev wide root handle 50: prio
for band in 1 2 3; do tc qdisc add dev wide parent 50:$band netem delay 300ms limit 1000; done
measure wide 10.9.5.9 64 1000000 --by kind
check "packets that leave at once" wide.json "list(by) == [('netem',)] and p['count'] == 64 and 300e6 <= p['min'] < p['p50'] < 600e6"

# Packets of other interfaces and network namespaces
measure wide 10.9.5.9 10 1000 --dev near
check "--dev" wide.json "p['begun'] == p['count'] == 0"
measure wide 10.9.5.9 10 1000 --netns /proc/self/ns/net --by netns
check "--netns" wide.json "p['count'] == 10 and len(by) == 1"
measure wide 10.9.5.9 10 1000 --netns /proc/1/ns/net
check "another network namespace" wide.json "p['begun'] == 0"

# A kind whose module is loaded later
interface later 1 6
tc qdisc add dev later root handle 60: prio
cat >later <<'END'
tc qdisc add dev later parent 60:1 sfq
for band in 2 3; do tc qdisc add dev later parent 60:$band sfq; done
sleep 1
exec python3 send.py 10.9.6.9 10 1000
END
modprobe -r sch_sfq
"$tracewire" latency -q -j --dev later qdisc-leaf -- sh later >later.json
tc -s qdisc show dev later >counters
dev=later
check "a kind that was loaded later" later.json "[g['count'] for g in by.values()] == [10] and list(by)[0][1] == 'sfq'"
exit $failed
