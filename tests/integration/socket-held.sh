#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The event sockts:held: data that are surely held for a reason have an event of this reason, which ends before the data are passed to a
# device; data that are not held have none. A filter by the reason leaves the same events.
# Usage: socket-held.sh TRACEWIRE
tracewire=$1
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need bpftool ip nft python3 sysctl tc
need_tracefs
cd "$scratch" || exit 1
need_in_kernel btf_trace_tcp_sendmsg_locked
need_socket_stamps
ip link set lo mtu 1500 up
ip addr add fd00:5::1/64 dev lo nodad
# Segments are passed to the device one after the other, and pacing is only that which a connection asks for.
sysctl -qw net.ipv4.tcp_congestion_control=reno

# Each case has one connection, whose client sends. Prints the name and the port of the client of each.
cat >cause.py <<'PYTHON'
import os, socket, subprocess, sys, threading
SO_MAX_PACING_RATE, TCP_QUICKACK = 47, 12

def ip(text): subprocess.run(["ip", *text.split()], check=True)
def tc(text): subprocess.run(["tc", *text.split()], check=True)
def nft(text): subprocess.run(["nft", "-f", "-"], input=text.encode(), check=True)
def pair(name, host="127.0.0.1", nodelay=True, sndbuf=4 << 20, rcvbuf=None, extensions=False):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener, open("ports", "a") as ports:
        if rcvbuf: listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        listener.bind((host, 0))
        listener.listen()
        client = socket.socket(family)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, sndbuf)
        for header in (socket.IPV6_HOPOPTS, socket.IPV6_DSTOPTS) if extensions else ():
            client.setsockopt(socket.IPPROTO_IPV6, header, bytes((0, 0, 1, 4, 0, 0, 0, 0)))
        client.connect(listener.getsockname())
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, nodelay)
        server, _ = listener.accept()
        print(name, client.getsockname()[1], file=ports)
    return client, server
def receive(s, n):
    while n: n -= len(s.recv(min(n, 1 << 20)))
class rule:
    """Drops packets of a socket while it lasts."""
    def __init__(self, s): self.port = s.getsockname()[1]
    def __enter__(self): nft("table inet held { chain out { type filter hook output priority 0; tcp sport %d drop; }; }" % self.port)
    def __exit__(self, *_): nft("delete table inet held")

def unheld():
    for name, host in ("unheld", "127.0.0.1"), ("unheld6", "fd00:5::1"):
        client, server = pair(name, host)
        for _ in range(100):
            client.send(b"x" * 100); receive(server, 100)
            server.send(b"y"); receive(client, 1)
def nagle(name="nagle", host="127.0.0.1", **options):
    client, server = pair(name, host, **{"nodelay": False, **options})
    with rule(server): client.send(b"a"); client.send(b"bcd")  # the first is not acknowledged
    receive(server, 4)
def nagle6(): nagle("nagle6", "fd00:5::1")
def extensions(): nagle("extensions", "fd00:5::1", extensions=True)
def cork():
    client, server = pair("cork")
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    client.send(b"a")
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
    receive(server, 1)
def cwnd():
    ip("route change local 127.0.0.1 dev lo initcwnd 1 table local")
    nagle("cwnd", nodelay=True)
    ip("route change local 127.0.0.1 dev lo initcwnd 100 table local")
def rwnd():
    client, server = pair("rwnd", rcvbuf=4096)
    client.send(b"x" * 100000); receive(server, 100000)
def sndbuf():
    client, server = pair("sndbuf", sndbuf=4096, rcvbuf=4096)
    thread = threading.Thread(target=lambda: client.sendall(b"x" * 100000)); thread.start()
    receive(server, 100000); thread.join()
def refused():
    client, server = pair("refused", sndbuf=4096, rcvbuf=4096)
    client.setblocking(False)
    sent = 0
    try:
        while True: sent += client.send(b"x" * 100000)
    except BlockingIOError: pass
    receive(server, sent)
    client.setblocking(True)
    client.send(b"y"); receive(server, 1)
def pacing():
    client, server = pair("pacing")
    client.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 2000000)
    client.send(b"x" * 100000); receive(server, 100000)
def tsq():
    open("/proc/sys/net/ipv4/tcp_limit_output_bytes", "w").write("8000")
    tc("qdisc add dev lo root tbf rate 8mbit burst 4000 limit 4000000")
    client, server = pair("tsq")
    client.send(b"x" * 60000); receive(server, 60000)
    tc("qdisc del dev lo root")
def netfilter():
    client, server = pair("netfilter")
    with rule(client): client.send(b"a")
    receive(server, 1)
for name in sys.argv[1:]: globals()[name]()
PYTHON

# Compares the events of a recording with what was caused. REPORT
cat >compare.py <<'PYTHON'
import collections, json, sys
REASONS = ["", "pacing", "cwnd", "rwnd", "cork", "nagle", "tsq", "netfilter", "sndbuf"]
SENDMSG, SCHED = 2, 3
names = {int(port): name for name, port in (line.split() for line in open("ports"))}
held, sent = (collections.defaultdict(list) for _ in range(2))
for line in open(sys.argv[1]):
    event = json.loads(line)
    f = event["fields"]
    if event["event"] == "held" and f["sport"] in names:
        held[names[f["sport"]]].append(dict(f, reason=REASONS[f["reason"]], since=int(f["since"]), waited=int(f["waited"])))
    if event["event"] == "egress_ts" and f["sport"] in names: sent[names[f["sport"]]].append(f)
def count(name): return collections.Counter(f["reason"] for f in held[name])
assert not count("unheld") and not count("unheld6"), (held["unheld"], held["unheld6"])
for name in "nagle", "nagle6", "extensions", "cork", "cwnd", "netfilter":  # exactly one wait, of the last bytes
    wanted = "nagle" if name in ("nagle6", "extensions") else name
    assert count(name) == {wanted: 1}, (name, held[name])
    (f,) = held[name]
    assert f["bytes"] == (1 if name in ("cork", "netfilter") else 3), f
    calls = [e for e in sent[name] if e["type"] == SENDMSG]
    last = calls[-1]
    assert (last["seq"] - f["seq"] + 1) % 2**32 == f["bytes"], (f, last)
    # The wait begins when sendmsg() ends, after its event, and ends before the packet is passed to the device. Netfilter drops earlier.
    assert f["since"] >= int(last["software"]), (name, f, last)
    sched = [e for e in sent[name] if e["type"] == SCHED and e["seq"] == last["seq"]]
    assert sched and f["since"] + f["waited"] <= int(sched[0]["software"]), (name, f, sched)
assert held["netfilter"][0]["waited"] > 1000000, held["netfilter"]  # the kernel tries again after its timer
for name in "rwnd", "pacing", "tsq": assert count(name)[name], (name, count(name))
assert set(count("rwnd")) == {"rwnd"}, count("rwnd")
assert "netfilter" not in sum((count(n) for n in ("rwnd", "pacing", "tsq", "sndbuf", "refused")), collections.Counter())
assert sum(f["waited"] for f in held["pacing"] if f["reason"] == "pacing") > 25000000, held["pacing"]  # 50 kB at 2 MB/s, after the start
for name, size in ("sndbuf", 100000), ("refused", 0):
    (f,) = [f for f in held[name] if f["reason"] == "sndbuf"]
    assert f["bytes"] == size and f["waited"] > 0, f
# The waits of the first unsent byte follow one after the other.
for name, of in held.items():
    waits = [f for f in of if f["reason"] != "sndbuf"]
    for a, b in zip(waits, waits[1:]): assert a["since"] + a["waited"] <= b["since"], (name, a, b)
print("same")
PYTHON

all='unheld nagle nagle6 extensions cork cwnd rwnd sndbuf refused pacing tsq netfilter'
for _ in 1 2 3; do # the kernel can skip programs
	rm -f ports
	# shellcheck disable=SC2086
	"$tracewire" record -q -e sockts:held,sockts:egress_ts -w x.pcapng -- python3 cause.py $all 2>record.err || fail "record: $(cat record.err)"
	"$tracewire" report -q --json x.pcapng >x.json || fail "report"
	result=$(python3 compare.py x.json 2>&1)
	[ "$result" = same ] && break
done
expect "held" same "$result"

rm -f ports
"$tracewire" record -q -e sockts:held -f 'reason == "cork" and any.dport > 1' -w y.pcapng -- python3 cause.py cork rwnd || fail "record with a filter"
expect "a filter by the reason" "1 cork" "$("$tracewire" report -q y.pcapng | grep -o 'reason=[a-z]*' | sort | uniq -c | sed 's/ *//; s/reason=//')"
exit $failed
