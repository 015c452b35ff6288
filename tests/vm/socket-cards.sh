#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Socket events of network cards. Two emulated igb cards are connected, in two network namespaces of one guest. They stamp what they send:
# `snd_hw` of TCP has the time of the right PTP hardware clock, and its number, in both namespaces, through a VLAN, for packets that the card
# divides (TSO), and in a namespace to which a card was moved during the run. The emulated card stamps received packets only if they look like
# PTP. Two registers of the card are changed, so that it takes IPv4 packets with ECN bits for such; some `rx` then have the stamp and the number
# of the clock. UDP has no `snd_hw`.
# Usage: socket-cards.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
need ethtool hwstamp_ctl ip nsenter python3
mkdir "$scratch/bin"
"$here/qemu-with-igb" "$scratch/bin" || skip "no QEMU here emulates the card igb; \`bench/time BUILD cards\` installs that of Debian 13"
export PATH=$scratch/bin:$PATH
cp "$1" "$job/tracewire"

# talk.py HOST PORT COUNT SIZE: sends messages, of which each is answered by one byte. serve.py PORT SIZE answers them.
cat >"$job/talk.py" <<'PYTHON'
import socket, sys
host, port, count, size = sys.argv[1], *map(int, sys.argv[2:5])
one = socket.create_connection((host, port))
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(count):
    one.sendall(b"x" * size)
    assert one.recv(1)
PYTHON
cat >"$job/serve.py" <<'PYTHON'
import socket, sys
port, size = map(int, sys.argv[1:3])
listener = socket.create_server(("", port))
while True:
    one, _ = listener.accept()
    n = 0
    while data := one.recv(1 << 20):
        n += len(data)
        while n >= size:
            n -= size
            one.sendall(b"y")
PYTHON
# registers.py DEVICE: the card also stamps received IPv4 packets (first byte 0x45) with the ECN bits ECT(0) (second byte 2), in the same way
# as PTP packets, whose first bytes are the kind of the message and the version of PTP
cat >"$job/registers.py" <<'PYTHON'
import mmap, os, struct, sys
ETQF, TSYNCRXCFG = 0x5cb0 + 4 * 5, 0x5f50
ENABLE, IS_1588 = 1 << 26, 1 << 30
fd = os.open(f"/sys/class/net/{sys.argv[1]}/device/resource0", os.O_RDWR | os.O_SYNC)
card = mmap.mmap(fd, 0x20000)
def write(register, value): card[register:register + 4] = struct.pack("<I", value)
write(ETQF, ENABLE | IS_1588 | 0x0800)
write(TSYNCRXCFG, 0x45 << 8)
PYTHON
# clocks.py [AHEAD]: prints the time of each PHC, ns; before, sets the second one AHEAD seconds ahead
cat >"$job/clocks.py" <<'PYTHON'
import os, sys, time
for n in 0, 1:
    clock = ~os.open(f"/dev/ptp{n}", os.O_RDWR) << 3 | 3
    if n and sys.argv[1:]:
        time.clock_settime_ns(clock, time.clock_gettime_ns(clock) + int(sys.argv[1]) * 10**9)
    print(time.clock_gettime_ns(clock))
PYTHON
# datagrams.py HOST PORT COUNT
cat >"$job/datagrams.py" <<'PYTHON'
import socket, sys, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[3])):
    one.sendto(bytes(100), (sys.argv[1], int(sys.argv[2])))
    time.sleep(0.05)
PYTHON

cat >"$job/run" <<'END'
modprobe -a igb af_packet 8021q || { echo "no driver"; exit 77; }
for _ in $(seq 100); do [ -e /sys/class/net/eth1 ] && break; sleep 0.1; done
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
for card in eth0 eth1; do
	ls /sys/class/net/$card/device/ptp | tr -dc 0-9 >/job/phc.$card
done
cat /sys/class/net/eth0/ifindex >/job/ifindex
# namespace NAME: makes one, in which there NAME COMMAND... runs a command
namespace() {
	unshare --net sleep 100000 &
	eval "$1=$!"
	until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
}
there() {
	local pid=${!1}
	shift
	nsenter --net=/proc/$pid/ns/net "$@"
}
# settle NAME: the second card, which is in the namespace, is set up, and servers run there
settle() {
	there $1 sysctl -qw net.ipv4.tcp_ecn=1
	there $1 ip addr add 192.0.2.2/24 dev eth1
	there $1 ip link set eth1 up
	there $1 hwstamp_ctl -i eth1 -t 1 >/dev/null || return
	there $1 python3 /job/serve.py 5000 1000 &
	there $1 python3 /job/serve.py 5001 100000 &
	for port in 5000 5001; do
		until there $1 ss -tln | grep -q ":$port "; do sleep 0.1; done
	done
	for _ in $(seq 100); do ping -c 1 -W 1 192.0.2.2 >/dev/null && break; done
}
sysctl -qw net.ipv4.tcp_ecn=1
ip addr add 192.0.2.1/24 dev eth0
ip link set eth0 up
hwstamp_ctl -i eth0 -t 1 -r 12 >/dev/null || { echo "the card makes no stamps"; exit 77; }
python3 /job/registers.py eth0 || exit 1
namespace one
namespace two
ip link set eth1 netns $one
settle one || exit 1
ip link add link eth0 name eth0.7 type vlan id 7
ip addr add 192.0.3.1/24 dev eth0.7
ip link set eth0.7 up
there one ip link add link eth1 name eth1.7 type vlan id 7
there one ip addr add 192.0.3.2/24 dev eth1.7
there one ip link set eth1.7 up
for _ in $(seq 100); do ping -c 1 -W 1 192.0.3.2 >/dev/null && break; done
python3 /job/clocks.py 1000 >/job/before
# recorded NAME COMMAND...
recorded() {
	/job/tracewire record -q -e sockts:egress_ts,sockts:ingress_ts -w /job/$1.pcapng -- "${@:2}" >/job/$1.err 2>&1 || exit 1
}
recorded plain python3 /job/talk.py 192.0.2.2 5000 5 1000
recorded vlan python3 /job/talk.py 192.0.3.2 5000 5 1000
recorded large python3 /job/talk.py 192.0.2.2 5001 5 100000
recorded udp python3 /job/datagrams.py 192.0.2.2 319 5
# The card comes to a namespace in which nobody has seen it, by way of that of the run. The clocks are looked up once a second.
move() {
	there one ip link set eth1 netns $$
	ip link set eth1 netns $two
	settle two
	sleep 3
	python3 /job/talk.py 192.0.2.2 5000 5 1000
}
export -f move settle there
export one two
python3 /job/clocks.py >/job/after
recorded moved bash -c move
END
VM_APPEND=iomem=relaxed VM_DEVICES="-netdev hubport,id=h0,hubid=0 -netdev hubport,id=h1,hubid=0
	-device pcie-root-port,id=r0,chassis=1 -device igb,bus=r0,netdev=h0,romfile=
	-device pcie-root-port,id=r1,chassis=2 -device igb,bus=r1,netdev=h1,romfile=" in_machine "bash /job/run"
status=$?
[ $status = 77 ] && skip "the card of this QEMU makes no stamps with Linux $release"
expect "status in Linux $release: $(tail -n 1 "$job"/*.err)" 0 "$status"

# judge NAME: checks the stamps of a run
judge() {
	"$job/tracewire" report -q --csv -e event,type,protocol,sport,dport,seq,bytes,ifindex,hardware,phc "$job/$1.pcapng" >"$job/$1.csv" ||
		fail "$1: report"
	python3 - "$1" "$job" <<'END' || fail "$1: $(head -n 60 "$job/$1.csv")"
import csv, sys
name, job = sys.argv[1:]
def numbers(file): return [int(line) for line in open(f"{job}/{file}").read().split()]
cards = numbers("phc.eth0") + numbers("phc.eth1") # of the client's side, of the server's
eth0, before, after = numbers("ifindex")[0], numbers("before"), numbers("after")
HW, SW, SCHED, RX = 5, 4, 3, 1
sent = {0: [], 1: []}
sides = {}
passed, received = set(), 0
for row in csv.DictReader(open(f"{job}/{name}.csv")):
    event = row.pop("event")
    row = {key: int(value) for key, value in row.items()}
    if not {row["sport"], row["dport"]} & {5000, 5001, 319}:
        continue
    side = 0 if row["dport"] in (5000, 5001, 319) else 1
    has_stamp = event == "egress_ts" and row["type"] == HW or event == "ingress_ts" and row["type"] == RX and row["hardware"]
    if not has_stamp:
        assert not row["hardware"] and row["phc"] == -1, row
        if event == "egress_ts":
            passed.add((side, row["type"], row["seq"], row["bytes"], row["ifindex"]))
        continue
    assert row["phc"] == cards[side], (row, cards)
    clock = cards[side]
    if name != "moved": # the driver sets the clock of a card that it starts again
        assert before[clock] <= row["hardware"] <= after[clock], (row, before, after)
    if event == "ingress_ts":
        received += 1
        assert row["ifindex"] == eth0, row
        continue
    sent[side].append(row)
for side, rows in sent.items():
    for row in rows:
        for step in SCHED, SW:
            assert (side, step, row["seq"], row["bytes"], row["ifindex"]) in passed, (step, row)
if name == "udp":
    assert not sent[0] and {one[1] for one in passed} == {1, 2, 3, 4}, (sent, passed)
else:
    assert sent[0] and sent[1], (len(sent[0]), len(sent[1]))
    assert all(row["ifindex"] == eth0 for row in sent[0]), sent
if name == "vlan":
    assert len({one[4] for one in passed if one[0] == 0 and one[1] == SCHED}) == 2, passed
if name == "large":
    assert max(row["bytes"] for row in sent[0]) > 9000, sent
print(f"{name}: {len(sent[0])} and {len(sent[1])} stamps of sent packets, {received} of received ones")
open(f"{job}/received", "a").write(f"{received}\n")
END
}
for name in plain vlan large udp moved; do judge $name; done
grep -q '[1-9]' "$job/received" || fail "no received packet has a stamp"
exit $failed
