#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the virtual machine: sends messages through netem, which loses some, and compares the transmissions of sockts:egress_ts with the
# events tcp_retransmit_skb.
# Usage: retransmissions-guest.sh TRACEWIRE
for part in check processes network tracing; do
	# shellcheck source=/dev/null
	. "/job/shell/$part.sh"
done
tracewire=$1
mount -t cgroup2 none /sys/fs/cgroup
need_tracefs
need_socket_stamps
cd "$scratch" || exit 1
modprobe -a veth sch_netem || fail "no netem"
start_near_and_far

# Sends 400 messages, each a segment of its own (MSG_EOR). The loss begins after the handshake, and ends before the last message, so the FIN
# is not lost. Prints the port.
cat >send.py <<'PYTHON'
import os, socket, subprocess, sys, threading
MSG_EOR = 0x80
def netem(how, loss):
    subprocess.run(["tc", "qdisc", how, "dev", "near", "root", "netem", "loss", loss], check=True)
netem("add", "0%")
reader, writer = os.pipe()
if not os.fork():
    import ctypes
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    l = socket.create_server(("10.3.0.2", 0))
    os.write(writer, b"%d" % l.getsockname()[1])
    peer, _ = l.accept()
    while peer.recv(65536): pass
    os._exit(0)
c = socket.create_connection(("10.3.0.2", int(os.read(reader, 10))))
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(c.getsockname()[1])
netem("change", "15%")
for i in range(400): c.send(b"x" * 1000, MSG_EOR)
netem("change", "0%")
c.send(b"last", MSG_EOR)
c.shutdown(socket.SHUT_WR)
c.recv(1)
PYTHON
# A trace of its own has the kernel's events, because a recording lacks those that happen in interrupts of a thread of Tracewire. Its events
# with an error are of segments that are not sent again.
trace=$tracing/instances/retransmissions
mkdir "$trace"
echo mono >"$trace/trace_clock"
echo 1 >"$trace/events/tcp/tcp_retransmit_skb/enable"
"$tracewire" record -q -e sockts:egress_ts -w lost.pcapng -- python3 send.py "/proc/$far/ns/net" >port 2>err || fail "record: $(cat err)"
grep -E "tcp_retransmit_skb: .* sport=$(cat port) .*( err=0)?$" "$trace/trace" | grep -v 'err=-' >again
rmdir "$trace"
"$tracewire" report -q --json lost.pcapng >lost.json 2>err || fail "report: $(cat err)"
cat >check.py <<'PYTHON'
import collections, json
import re
port = int(open("port").read())
sent, acked, driven, order = collections.defaultdict(list), {}, collections.Counter(), []
for e in map(json.loads, open("lost.json")):
    f = e["fields"]
    if f["sport"] != port: continue
    if f["type"] == 3:
        sent[f["key"]].append(f["transmission"])
        if f["transmission"]: order.append((int(f["software"]) // 1000, "sched"))
    elif f["type"] == 4: driven[f["key"], f["transmission"]] += 1
    elif f["type"] == 6: acked[f["key"]] = f["transmission"]
again = len(order)
for line in open("again"):
    seconds, us = re.search(r" (\d+)\.(\d{6}): tcp_retransmit_skb", line).groups()
    order.append((int(seconds) * 1000000 + int(us), "told"))
retransmitted = len(order) - again
# The kernel tells each of them after it has passed the segment to the device.
order = [what for _, what in sorted(order)]
assert order == ["sched", "told"] * again, order
assert len(sent) == 401 and sent.keys() == acked.keys(), (len(sent), len(acked))
assert all(of == list(range(len(of))) for of in sent.values()), sent
assert again == retransmitted > 20 and max(map(len, sent.values())) > 2, (again, retransmitted, max(map(len, sent.values())))
# An acknowledgement comes with the last transmission before it, and lost transmissions have no driver.
assert all(number <= sent[key][-1] for key, number in acked.items())
lost = sum(not driven[key, number] for key, numbers in sent.items() for number in numbers)
assert all(of == 1 for of in driven.values()) and again >= lost > 20, (lost, again)
print(len(sent), "segments,", retransmitted, "retransmissions,", lost, "lost")
PYTHON
python3 check.py || fail "transmissions are counted wrongly: $(tail -c 3000 port)"
exit $failed
