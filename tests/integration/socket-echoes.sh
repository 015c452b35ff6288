#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The events sockts:icmp_echo and sockts:ecn_ce: each echo that ping shows has its request and its reply, with a round trip that is shorter
# than the one of ping; each packet with the mark CE is seen where it is sent and where it is received.
# Usage: socket-echoes.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need ping python3
cd "$scratch" || exit 1
[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no type information"

start_lan_and_far
ping -q -c 1 10.3.0.2 >/dev/null || fail "far does not answer"
ping -q -c 1 fd00:3::2 >/dev/null || fail "far does not answer over IPv6"

# Reads the events of a recording.
cat >read.py <<'PYTHON'
import json
TYPES = {"icmp_echo": ["", "request", "reply"], "ecn_ce": ["", "sent", "received"]}
def read(name):
    for e in map(json.loads, open(name)):
        if e["event"] in TYPES:
            f = e["fields"]
            f["what"] = TYPES[e["event"]][f["type"] if "type" in f else f["direction"]]
            f["to"] = f["daddr"] if f["family"] == 2 else f["daddrv6"]
            yield f
PYTHON

# right NAME WANTED CHECK COMMAND...: records, and fails unless the Python program CHECK prints WANTED. Some kernels call no program at a
# tracepoint while a thread of process 1 is interrupted, so COMMAND may run again.
right() {
	local name=$1 wanted=$2 check=$3 result
	shift 3
	for _ in 1 2 3; do
		"$tracewire" record -v -e sockts:icmp_echo,sockts:ecn_ce -w "$name.pcapng" -- "$@" >"$name.out" 2>"$name.err" ||
			fail "$name: $(cat "$name.err")"
		"$tracewire" report -q --json "$name.pcapng" >"$name.json" 2>"$name.err" || fail "$name: report: $(cat "$name.err")"
		result=$(python3 "$check" "$name" 2>&1)
		[ "$result" = "$wanted" ] && break
	done
	expect "$name" "$wanted" "$result"
	nothing_lost "$name"
}

# With -U, ping does not use the receive time stamp, which the kernel makes before. It rounds to three digits.
cat >echoes.py <<'PYTHON'
import re, sys
from read import read
events = [e for e in read(sys.argv[1] + ".json") if e["to"] in ("10.3.0.2", "fd00:3::2") and "rtt" in e]
shown = {int(seq): float(ms) * 1e6 for seq, ms in re.findall(r"icmp_seq=(\d+) .*time=([0-9.]+) ms", open(sys.argv[1] + ".out").read())}
requests, replies = ([e for e in events if e["what"] == what] for what in ("request", "reply"))
assert len({e["id"] for e in events}) == 1 and len({e["skaddr"] for e in events}) == 1 and events[0]["skaddr"], events
assert all(0 < e["rtt"] < shown[e["seq"]] * 1.01 for e in replies) and not any(e["rtt"] for e in requests), (shown, replies)
print([e["seq"] for e in requests], [e["seq"] for e in replies], sorted(shown), *{e["bytes"] for e in events})
PYTHON
for address in 10.3.0.2 fd00:3::2; do
	right "echoes_${address//:/}" "[1, 2, 3, 4, 5] [1, 2, 3, 4, 5] [1, 2, 3, 4, 5] 108" echoes.py ping -U -c 5 -i 0.2 -s 100 $address
done

# A request without a reply is there, too. A reply to it may come after the one of a later request.
in_far sysctl -qw net.ipv4.icmp_echo_ignore_all=1
cat >unanswered.py <<'PYTHON'
import sys
from read import read
print(*((e["what"], e["id"], e["seq"]) for e in read(sys.argv[1] + ".json") if e["to"] == "10.3.0.2" and e["id"] == 77))
PYTHON
right unanswered "('request', 77, 1)" unanswered.py sh -c "ping -q -e 77 -c 1 -W 1 10.3.0.2; true"

# 30 datagrams with each value of the ECN bits, from near to far; and one packet of 4 datagrams.
cat >mark.py <<'PYTHON'
import ctypes, os, socket, struct, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
s = socket.socket(family, socket.SOCK_DGRAM)
ctypes.CDLL(None).setns(os.open(f"/proc/{sys.argv[2]}/ns/net", os.O_RDONLY), 0)
r = socket.socket(family, socket.SOCK_DGRAM)
r.bind((sys.argv[1], 0))
r.settimeout(30)
for bits in range(4):
    s.setsockopt(*((41, 67) if ":" in sys.argv[1] else (0, 1)), bits)
    for _ in range(30):
        s.sendto(b"x", r.getsockname()[:2])
        r.recv(2)
s.sendmsg([bytes(400)], [(17, 103, struct.pack("H", 100))], 0, r.getsockname()[:2]) # UDP_SEGMENT
for _ in range(4):
    r.recv(200)
print(s.getsockname()[1], r.getsockname()[1])
PYTHON
cat >marks.py <<'PYTHON'
import collections, sys
from read import read
sender, receiver = map(int, open(sys.argv[1] + ".out").read().split())
counts, header = collections.Counter(), 28 if "v4" in sys.argv[1] else 48
for e in read(sys.argv[1] + ".json"):
    # sport is the port of this host
    if (e["sport"], e["dport"]) == ((sender, receiver) if e["what"] == "sent" else (receiver, sender)) and "segments" in e:
        assert e["bytes"] in (header + 1, header + 400), e
        assert bool(e["skaddr"]) == (e["what"] == "sent"), e
        counts[e["what"], e["segments"]] += 1
print(*sorted(counts.items()))
PYTHON
# Each packet is sent by lan and near. It is received by far.
marks="(('received', 1), 30) (('received', 4), 1) (('sent', 1), 60) (('sent', 4), 2)"
right marks_v4 "$marks" marks.py python3 mark.py 10.3.0.2 $far
right marks_v6 "$marks" marks.py python3 mark.py fd00:3::2 $far
exit $failed
