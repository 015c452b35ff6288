#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where received bytes are (sockts:ingress_ts): each message is at each stage once, in the right order, and the program that reads sees the
# same receive time stamp (SO_TIMESTAMPING).
# Usage: socket-ingress.sh TRACEWIRE
tracewire=$1
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need bpftool tc python3
need_tracefs
cd "$scratch" || exit 1
need_in_kernel bpf_nf_link bpf_cast_to_kern_ctx btf_trace_sk_data_ready btf_trace_sock_recv_length
need_cgroup2

start_near_and_far
far_net=/proc/$far/ns/net

# Receives 20 messages from the far side by each protocol and family; message I has 100 + I bytes. The last one waits 20 ms in the socket.
# Prints for each message: protocol, family, port, receive time stamp.
cat >receive.py <<'PYTHON'
import ctypes, os, select, socket, struct, sys, threading, time
TIMESTAMPING, RX_SOFTWARE, SOFTWARE = 37, 8, 16
def send(family, kind, to, go):
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    c = socket.socket(family, kind)
    c.connect(to)
    for i in range(20):
        go.acquire()
        c.send(b"x" * (100 + i))
    go.acquire()
for family, address in (socket.AF_INET, "10.3.0.1"), (socket.AF_INET6, "fd00:3::1"):
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        s, go = socket.socket(family, kind), threading.Semaphore(0)
        s.bind((address, 0))
        if kind == socket.SOCK_STREAM: s.listen(1)
        t = threading.Thread(target=send, args=(family, kind, s.getsockname()[:2], go))
        t.start()
        d = s.accept()[0] if kind == socket.SOCK_STREAM else s
        d.setsockopt(socket.SOL_SOCKET, TIMESTAMPING, RX_SOFTWARE | SOFTWARE)
        for i in range(20):
            if i < 19: threading.Timer(0.003, go.release).start()
            else: go.release(); select.select([d], [], []); time.sleep(0.02)
            data, ancillary, _, _ = d.recvmsg(1000, 200)
            assert len(data) == 100 + i
            stamp = [struct.unpack("qq", b[:16]) for _, t_, b in ancillary if t_ == TIMESTAMPING][0]
            print(6 if kind == socket.SOCK_STREAM else 17, int(family), d.getsockname()[1], stamp[0] * 10**9 + stamp[1])
        go.release()
        t.join()
PYTHON

# What all checks need. events: those with a port of this namespace, with the names of types and hooks
cat >events.py <<'PYTHON'
import json, time
types = ["", "rx", "ip", "l4", "socket", "wake", "run", "read"]
hooks = ["", "sockops", "tracepoint", "function", "cgroup", "netfilter", "stamp"]
def read(name):
    events = []
    for line in open(name):
        e = json.loads(line)
        if e["event"] == "ingress_ts":
            f = e["fields"]
            # Numbers above 2^53 are strings.
            events.append(dict(f, type=types[f["type"]], hook=hooks[f["hook"]], software=int(f["software"])))
    return events
def of_port(events, port, type=None):
    return [e for e in events if e["sport"] == port and type in (None, e["type"])]
def offset(clock):  # CLOCK_REALTIME minus a clock, ns
    best = None
    for _ in range(1000):
        a = time.clock_gettime_ns(time.CLOCK_REALTIME); b = time.clock_gettime_ns(clock); c = time.clock_gettime_ns(time.CLOCK_REALTIME)
        if best is None or c - a < best[0]: best = c - a, (a + c) // 2 - b
    return best[1]
PYTHON

# Checks the events of receive.py. EVENTS MESSAGES CLOCK WAKES
cat >check.py <<'PYTHON'
import collections, sys, time
from events import *
events, messages = read(sys.argv[1]), [list(map(int, line.split())) for line in open(sys.argv[2])]
clock = {"mono": time.CLOCK_MONOTONIC, "boot": time.CLOCK_BOOTTIME, "tai": time.CLOCK_TAI}[sys.argv[3]]
behind = offset(clock)
exact = sys.argv[3] == "tai"
if exact: behind = round(behind / 1e9) * 10**9  # a number of seconds
stages = ["rx", "ip", "l4", "socket", "read"]
ports = list(dict.fromkeys(tuple(m[:3]) for m in messages))
assert len(ports) == 4, ports
for protocol, family, port in ports:
    mine = of_port(events, port)
    stamps = [m[3] - behind for m in messages if m[2] == port]
    count = collections.Counter(e["type"] for e in mine)
    assert all(count[s] == 20 for s in stages), (port, count)
    assert all(e["protocol"] == protocol and e["family"] == family and e["dport"] for e in mine)
    keys = [e["key"] for e in mine if e["type"] == "rx"]
    # Sequence numbers wrap.
    assert protocol == 17 and keys == list(range(20)) or protocol == 6 and all(
        (b - a) % 2**32 == 101 + i for i, (a, b) in enumerate(zip(keys, keys[1:]))), keys
    assert all(e["seq"] == (e["key"] if protocol == 6 else 0) for e in mine)
    woken = 0
    for i, key in enumerate(keys):
        at = {e["type"]: e for e in mine if e["key"] == key}
        order = [at[s]["software"] for s in ("rx", "ip", "l4", "socket", "wake", "run", "read") if s in at]
        assert order == sorted(order), (port, i, order)
        assert all(e["bytes"] == 100 + i for e in at.values()), at
        assert len({(str(e["saddrv6"]), str(e["daddrv6"]), e["sport"], e["dport"], e["netns_cookie"]) for e in at.values()}) == 1, at
        assert at["rx"]["cookie"] == at["ip"]["cookie"] == 0 and at["l4"]["cookie"] > 0
        assert len({(e["cookie"], e["skaddr"]) for s, e in at.items() if s not in ("rx", "ip")}) == 1
        assert at["rx"]["dev"] == at["ip"]["dev"] == at["l4"]["dev"] == "near"
        assert at["read"]["comm"] == "python3" and at["read"]["pid"] > 0 and at["read"]["cgroup"] > 0
        assert not any(e["hole"] or e["backlog"] for e in at.values())
        woken += "wake" in at and "run" in at
        # A packet of TCP comes over veth with the time at which it was to be sent, so the kernel stamps it later.
        if at["rx"]["hook"] == "stamp":
            assert abs(at["rx"]["software"] - stamps[i]) <= (0 if exact else 2000), (port, i, at["rx"], stamps[i])
        else:
            slack = 0 if exact else 2000
            assert at["ip"]["software"] - slack <= stamps[i] <= at["l4"]["software"] + slack, (port, i, at, stamps[i])
        assert protocol == 6 or at["rx"]["hook"] == "stamp"
        waited = at["read"]["software"] - at["socket"]["software"]
        assert i < 19 or 20e6 <= waited < 500e6, waited
    if sys.argv[4] == "no": assert not woken and not count["wake"] and not count["run"], count
    else: assert 15 <= woken <= 20, woken  # on a busy machine, nobody waits for some of them
print("right")
PYTHON

# record NAME OPTION... -- COMMAND: NAME.out and NAME.json get the output of the command and the events
record() {
	local name=$1
	shift
	"$tracewire" record -q -w "$name.pcapng" "$@" >"$name.out" 2>"$name.err" || fail "$name: $(cat "$name.err")"
	"$tracewire" report -q --json "$name.pcapng" >"$name.json" 2>"$name.err" || fail "$name: report: $(cat "$name.err")"
}

# right NAME CHECK OPTION... -- COMMAND: records, and fails unless CHECK prints "right", once in three times: on a busy machine, datagrams can
# be reordered, and readers be late; while threads of process 1 are interrupted, stages can be missing (unseen_threads).
right() {
	local name=$1 check=$2 result
	shift 2
	for _ in 1 2 3; do
		record "$name" "$@"
		result=$($check 2>&1)
		[ "$result" = right ] && break
	done
	expect "$name" right "$result"
}

for clock in mono boot tai; do
	right $clock "python3 check.py $clock.json $clock.out $clock no" -C $clock -e sockts:ingress_ts -- python3 receive.py "$far_net"
done
right wakes "python3 check.py wakes.json wakes.out mono yes" -e sockts:ingress_ts,sched:sched_waking,sched:sched_switch -- \
	python3 receive.py "$far_net"

# Data after a lost segment wait for it; no byte is counted twice, also after MSG_PEEK. A short queue at the far end drops segments. While
# the program reads, segments go through the backlog.
cat >holes.py <<'PYTHON'
import ctypes, os, socket, sys, threading
l = socket.create_server(("10.3.0.1", 0))
def send():
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    c = socket.create_connection(l.getsockname())
    for _ in range(200): c.send(b"x" * 20000)
    c.close()
t = threading.Thread(target=send); t.start()
d, _ = l.accept()
n = reads = 0
while True:
    reads += 1
    if reads % 5 == 0: d.recv(1000, socket.MSG_PEEK)
    data = d.recv(65536)
    if not data: break
    n += len(data)
t.join()
print(d.getsockname()[1], n)
PYTHON
nsenter --net="$far_net" tc qdisc add dev far root tbf rate 100mbit burst 10k limit 20k
cat >check-holes.py <<'PYTHON'
from events import *
port, n = map(int, open("holes.out").read().split())
events = read("holes.json")
total = {s: sum(e["bytes"] for e in of_port(events, port, s)) for s in types if s}
assert n == 4000000 and total["socket"] == total["read"] == n and total["rx"] == total["ip"] == total["l4"] >= n, total
# Each segment is in the queue, and read, at the first event that reaches its key.
for s in "socket", "read":
    last = of_port(events, port, s)
    assert all((b["seq"] - a["seq"]) % 2**32 == b["bytes"] for a, b in zip(last, last[1:])), s
assert all(any(e["hole"] for e in of_port(events, port, s)) for s in ("l4", "socket", "read"))
assert not any(e["hole"] for s in ("rx", "ip") for e in of_port(events, port, s))
print("right")
PYTHON
right holes "python3 check-holes.py" -e sockts:ingress_ts -- python3 holes.py "$far_net"
nsenter --net="$far_net" tc qdisc del dev far root

# The keys of datagrams that are read are their numbers, although many are dropped because the socket is full, and some are peeked at. A
# datagram that says to be shorter than its header has no events.
cat >datagrams.py <<'PYTHON'
import ctypes, os, socket, struct, sys, threading, time
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.3.0.1", 0))
u.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 20000)
u.settimeout(0.5)
def send():
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    c.connect(u.getsockname())
    for i in range(2000): c.send(struct.pack("I", i) + b"x" * 96)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
    for length in range(8): raw.sendto(struct.pack("!HHHH", 9, u.getsockname()[1], length, 0), u.getsockname())
t = threading.Thread(target=send); t.start()
numbers = []
try:
    while True:
        if len(numbers) % 3 == 0: u.recv(10, socket.MSG_PEEK)
        numbers.append(struct.unpack("I", u.recv(50)[:4])[0])
        time.sleep(0.0002)
except TimeoutError: pass
t.join()
print(u.getsockname()[1], *numbers)
PYTHON
cat >check-datagrams.py <<'PYTHON'
from events import *
port, *numbers = map(int, open("datagrams.out").read().split())
events = read("datagrams.json")
assert len(numbers) < 2000, "no datagram was dropped"
for s in "rx", "ip", "l4": assert [e["key"] for e in of_port(events, port, s)] == list(range(2000)), s
for s in "socket", "read": assert sorted(e["key"] for e in of_port(events, port, s)) == numbers, (s, numbers)
assert all(e["bytes"] == (50 if e["type"] == "read" else 100) for e in of_port(events, port))
print("right")
PYTHON
right datagrams "python3 check-datagrams.py" -e sockts:ingress_ts -- python3 datagrams.py "$far_net"

# The datagrams of a packet that the kernel divides (UDP_SEGMENT) have numbers of their own. The fragments of a datagram are one datagram.
# Messages of the error queue are none.
cat >divided.py <<'PYTHON'
import ctypes, os, select, socket, struct, sys, threading
TIMESTAMPING, TX_SOFTWARE, SOFTWARE = 37, 2, 16
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.3.0.1", 0))
def send():
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    c.connect(u.getsockname())
    c.setsockopt(socket.SOL_UDP, 103, 100)
    for i in range(10): c.send(b"".join(struct.pack("I", 10 * i + j) + b"x" * 96 for j in range(10)))
    c.setsockopt(socket.SOL_UDP, 103, 0)
    c.send(struct.pack("I", 100) + b"x" * 3996)
    c.send(struct.pack("I", 101))
def read_own_stamp():
    u.setsockopt(socket.SOL_SOCKET, TIMESTAMPING, TX_SOFTWARE | SOFTWARE)
    u.sendto(b"x", ("10.3.0.2", 9))
    poll = select.poll()
    poll.register(u, select.POLLERR)
    poll.poll()
    u.recv(5000, socket.MSG_ERRQUEUE)
t = threading.Thread(target=send); t.start()
numbers = []
for i in range(102):
    numbers.append(struct.unpack("I", u.recv(5000)[:4])[0])
    if not i: read_own_stamp()
print(u.getsockname()[1], *numbers)
t.join()
PYTHON
cat >check-divided.py <<'PYTHON'
from events import *
port, *numbers = map(int, open("divided.out").read().split())
events = read("divided.json")
assert numbers == list(range(102))
for s in "rx", "ip": assert [e["key"] for e in of_port(events, port, s)] == [*range(9, 100, 10), 100, 101], s
for s in "l4", "socket", "read": assert [e["key"] for e in of_port(events, port, s)] == numbers, s
for s in "rx", "ip", "l4", "socket", "read": assert sum(e["bytes"] for e in of_port(events, port, s)) == 14004, s
print("right")
PYTHON
right divided "python3 check-divided.py" -e sockts:ingress_ts -- python3 divided.py "$far_net"

# A stream to a capture host on this machine has no events of its own frames, because these events would make further frames.
cat >own.py <<'PYTHON'
import json
events = [json.loads(line)["fields"] for line in open("own.json")]
own = [e for e in events if 7700 in (e["sport"], e["dport"])]
print("right" if not own and len(events) > 20 else (len(events), own[:2]))
PYTHON
for address in 127.0.0.1 '[::1]'; do
	in_background host "$tracewire" capture -u "$address:7700" -w own.pcapng
	host=$pid
	wait_for says host.err '^capturing'
	"$tracewire" stream -q -e sockts:ingress_ts -f "netns_cookie == $(netns_cookie)" -u "$address:7700" -- \
		python3 receive.py "$far_net" >own.out 2>own.err || fail "stream: $(cat own.err)"
	interrupt "$host" || fail "capture: $(cat host.err)"
	"$tracewire" report -q --json own.pcapng >own.json 2>own.err || fail "report: $(cat own.err)"
	expect "own frames over $address" right "$(python3 own.py 2>&1)"
done

# Another run in the same network namespace has all stages, too. After SIGKILL, no programs stay, and cleanup removes the trace instances.
in_background killed "$tracewire" record -q -e sockts:ingress_ts -w killed.pcapng
killed=$pid
programs() { bpftool prog show 2>/dev/null | grep -c 'name ingress_'; }
measuring() { [ "$(programs)" -ge 6 ]; }
gone() { [ "$(programs)" = 0 ]; }
wait_for measuring
right second "python3 check.py second.json second.out mono no" -e sockts:ingress_ts -- python3 receive.py "$far_net"
kill_at_once "$killed"
wait_for gone || fail "programs stay after SIGKILL"
"$tracewire" cleanup >cleanup.out 2>&1 || fail "cleanup: $(cat cleanup.out)"
exit $failed
