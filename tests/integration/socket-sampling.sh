#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sampling of socket events: with --sample N, the first of each N sent messages of a socket has all of its stages, and the others have none.
# Received segments of TCP are chosen by a hash of their sequence numbers, which this script computes, too.
# Usage: socket-sampling.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need bpftool python3
cd "$scratch" || exit 1
need_socket_stamps
ip link set lo up

# Messages of TCP one by one, and datagrams; then messages that wait until all of them have arrived. Prints the cookie of the namespace.
cat >cause.py <<'PYTHON'
import socket, struct
listener = socket.create_server(("127.0.0.1", 7100))
client = socket.create_connection(("127.0.0.1", 7100))
server, _ = listener.accept()
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for i in range(400):
    client.sendall(bytes(100 + i))
    server.recv(100 + i, socket.MSG_WAITALL)
    server.sendall(b"ok")
    client.recv(2, socket.MSG_WAITALL)
for i in range(200):  # more than the programs remember
    client.sendall(bytes(100))
for i in range(100):
    server.recv(200, socket.MSG_WAITALL)
client.close()
server.recv(1)
server.close()
receiver, sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
receiver.bind(("127.0.0.1", 7101))
sender.bind(("127.0.0.1", 7102))
for i in range(400):
    sender.sendto(bytes(50), ("127.0.0.1", 7101))
    receiver.recv(100)
print(struct.unpack("Q", socket.socket().getsockopt(socket.SOL_SOCKET, 71, 8))[0])
PYTHON

cat >check.py <<'PYTHON'
import collections, json, sys
N, netns = int(sys.argv[1]), int(open("netns").read())
sent, received = (collections.defaultdict(lambda: collections.defaultdict(list)) for _ in range(2))
for line in open("events.json"):
    event = json.loads(line)
    f = event["fields"]
    if f["netns_cookie"] != netns:
        continue
    if f["sample"] != N:
        sys.exit(f"sample is {f['sample']}")
    of = (sent if event["event"] == "egress_ts" else received)[f["protocol"], f["sport"] if f["sport"] in (7100, 7101, 7102) else 0]
    of[f["type"]].append(f)
def check(what, wanted, got):
    if wanted != got:
        sys.exit(f"{what}: wanted {wanted[:5]}... ({len(wanted)}), got {got[:5]}... ({len(got)})")
def keys(events): return [f["key"] for f in events]
def is_chosen(key):
    key ^= key >> 16; key = key * 0x85ebca6b % 2**32; key ^= key >> 13; key = key * 0xc2b2ae35 % 2**32; key ^= key >> 16
    return key <= (2**32 - 1) // N

# the lengths of the messages of each socket; the last 200 of the client may share packets, so their stages are not counted
flows = {(6, 0): [100 + i for i in range(400)], (6, 7100): [2] * 400}
left_out = 0
for flow, lengths in flows.items():
    ends = [sum(lengths[:i + 1]) for i in range(len(lengths))]
    chosen = [end - 1 for end in ends[::N]]
    rest = [ends[-1] + 100 * (i + 1) - 1 for i in range(200)] if flow[1] == 0 else []
    base = (sent[flow][2][0]["seq"] - sent[flow][2][0]["key"]) % 2**32
    for type in 1, 2, 3, 4, 6:
        check(f"sent {flow}, type {type}", chosen, [key for key in keys(sent[flow][type]) if key < ends[-1]])
    check(f"sent {flow}, calls that share packets", rest[-400 % N::N], [key for key in keys(sent[flow][2]) if key >= ends[-1]])
    left_out += len(ends) + len(rest) - len(sent[flow][2])
    peer = (6, 7100 - flow[1])
    wanted = [key for key in ((base + end - 1) % 2**32 for end in ends) if is_chosen(key)]
    last = (base + ends[-1]) % 2**32
    for type in 1, 2, 3, 4, 7:
        got = [key for key in keys(received[peer][type]) if (key - last) % 2**32 >= 2**31]
        check(f"received {peer}, type {type}", wanted, got)
    for key in keys(received[peer][1]):  # each chosen segment is in the queue and is read
        for type in 4, 7:
            if not any((f["key"] - key) % 2**32 < f["bytes"] for f in received[peer][type]):
                sys.exit(f"received {peer}: the segment {key} has no event of type {type}")
for type in 2, 3, 4:
    check(f"sent datagrams, type {type}", list(range(0, 400, N)), keys(sent[17, 7102][type]))
for type in 1, 2, 3, 4, 7:
    check(f"received datagrams, type {type}", list(range(0, 400, N)), keys(received[17, 7101][type]))
PYTHON

# The kernel does not call a program while it runs on the same CPU, or in some interrupts. The run is then repeated.
try() { # N
	"${beside[@]}" "$tracewire" record -e sockts:egress_ts,sockts:ingress_ts --sample "$1" --buffer-size 8M -w run.pcapng -- \
		python3 cause.py >netns 2>record.err ||
		fail "record: $(cat record.err)"
	[ "$(ledger run ring)" = 0 ] || return 1
	"$tracewire" report -q --json -f "egress_ts.protocol or ingress_ts.protocol" run.pcapng >events.json 2>report.err ||
		fail "report: $(cat report.err)"
	python3 check.py "$1" 2>why
}

attempt() { # N
	for _ in 1 2 3; do
		try "$1" && return
	done
	fail "--sample $1: $(cat why)"
}

beside=()
attempt 4
expect "summary" 1 "$(grep -c '^[0-9]* messages of sockets without events, because only some have them' record.err)"
expect "table" "1 in 4 messages of each socket: the others are not counted (--sample, --max-cpu)" \
	"$("$tracewire" sockets -q run.pcapng 2>&1 | grep '^1 in')"
beside=("$tracewire" record -q -e sockts:egress_ts -w all.pcapng --) # the kernel then makes time stamps of all messages
attempt 7
expect "a number that is not possible" 2 "$("$tracewire" record -e sockts --sample 0 -w no.pcapng -- true >/dev/null 2>&1; echo $?)"

# Sends datagrams until a run has said that it makes fewer events. The programs take more than a millionth of the CPU time in any case.
cat >flood.py <<'PYTHON'
import socket
receiver, sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
receiver.bind(("127.0.0.1", 7103))
def send(n):
    for i in range(n):
        sender.sendto(bytes(50), ("127.0.0.1", 7103))
        receiver.recv(100)
while "messages of each socket has events from now on" not in open("thin.err").read():
    send(100)
send(5000)
PYTHON
"$tracewire" record -e sockts:egress_ts --max-cpu 0.0001 --buffer-size 8M -w thin.pcapng -- timeout 60 python3 flood.py 2>thin.err ||
	fail "--max-cpu: $(cat thin.err)"
"$tracewire" report -q --json -f 'egress_ts.dport == 7103' thin.pcapng >thin.json 2>report.err || fail "report: $(cat report.err)"
expect "rate of the last events" yes "$(python3 -c 'import json
print("yes" if max(json.loads(line)["fields"]["sample"] for line in open("thin.json")) > 1 else "no")')"
grep -qE '^[0-9]+ times? --max-cpu changed' thin.err || fail "the summary has no changes: $(cat thin.err)"
expect "difference of the ledger" 0 "$(ledger thin difference)"
"$tracewire" sockets -q thin.pcapng >thin.table 2>&1
grep -qE '^1 in 1 to 1 in [0-9]+ messages of each socket' thin.table || fail "the table of a thinned recording: $(head -n 3 thin.table)"
# Each table of a live run has the numbers of its interval: after the first one, each message is one of several.
cat >flood_live.py <<'PYTHON'
import re
exec(open("flood.py").read().split("while ")[0])
def smallest(): return [int(n) for n in re.findall(r'"sample_min":\s*(\d+)', open("live.json").read())]
while max(smallest(), default=0) < 2:
    send(100)
PYTHON
"$tracewire" sockets --json -i 0.5 --max-cpu 0.0001 -f 'any.dport == 7103' -- timeout 60 python3 flood_live.py >live.json 2>live.err ||
	fail "sockets --max-cpu: $(cat live.err)"
expect "a limit that is not possible" 2 "$("$tracewire" record -e sockts --max-cpu 101 -w no.pcapng -- true >/dev/null 2>&1; echo $?)"
exit $failed
