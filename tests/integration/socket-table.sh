#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of sockets (`tracewire sockets`): its figures of a recording are those that a program computes in another way from the events;
# a live run counts the same messages; the timeline of a flow has its events.
# Usage: socket-table.sh TRACEWIRE PCAP_SOCKETS
tracewire=$1
export TRACEWIRE=$1
pcap_sockets=$2
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need bpftool ip python3
need_tracefs
cd "$scratch" || exit 1
need_in_kernel btf_trace_sk_data_ready
need_socket_stamps
ip link set lo up
# Other namespaces may have any number of flows.
netns=$(netns_cookie)
mine="netns_cookie == $netns"
ip addr add fd00:1111:2222:3333:4444:5555:6666:7777/128 dev lo nodad

# A client sends requests in one or three calls, of which a server answers each; datagrams; a refused connection; data that wait, corked and
# for a reader. The server's name has a control character. Writes the ports of the connections to a file.
cat >traffic.py <<'PYTHON'
import ctypes, socket, sys, threading
MORE, PR_SET_NAME = 0x8000, 15
def rename(name): ctypes.CDLL(None).prctl(PR_SET_NAME, name, 0, 0, 0)
def receive(s, n):
    while n: n -= len(s.recv(n))
def serve(l):
    rename(b"srv\x1b[7m")
    d, _ = l.accept()
    with d:
        for i in range(30):
            receive(d, 130)
            d.sendall(b"y" * (100 + 5000 * (i % 5)))
        assert not d.recv(1)
rename(b"table-client")
out = open(sys.argv[1], "w")
for address in "127.0.0.1", "fd00:1111:2222:3333:4444:5555:6666:7777":
    l = socket.create_server((address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET)
    t = threading.Thread(target=serve, args=(l,)); t.start()
    c = socket.create_connection(l.getsockname()[:2])
    print(c.getsockname()[1], l.getsockname()[1], file=out)
    for i in range(30):
        if i % 3 == 0: c.send(b"a" * 10, MORE); c.send(b"b" * 20, MORE); c.send(b"c" * 100)
        else: c.send(b"d" * 130)
        receive(c, 100 + 5000 * (i % 5))
    c.close(); t.join(); l.close()
u, v = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
u.bind(("127.0.0.1", 0))
for i in range(20): v.sendto(b"z" * 30, u.getsockname()); u.recv(100)
try: socket.create_connection(("127.0.0.1", 1))
except ConnectionRefusedError: pass
l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096); l.bind(("127.0.0.1", 0)); l.listen()
c = socket.create_connection(l.getsockname()); d, _ = l.accept()
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1); c.send(b"a"); c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
c.send(b"b" * 60000)
receive(d, 60001); d.send(b"e"); receive(c, 1)
PYTHON

# Computes the figures from the output of `report --json`, message by message.
cat >model.py <<'PYTHON'
import collections, ipaddress, json
OUT = ["", "entry", "sendmsg", "sched", "snd", "hw", "ack"]
IN = ["", "rx", "ip", "l4", "queued", "wake", "run", "read"]
STAGES = {"send": ("entry", "sendmsg"), "tcp": ("sendmsg", "sched"), "qdisc": ("sched", "snd"), "ack": ("snd", "ack"), "ip": ("rx", "ip"),
          "l4": ("ip", "l4"), "socket": ("l4", "queued"), "wake": ("queued", "wake"), "run": ("wake", "run"), "read": ("queued", "read")}
def address(f, side):
    a = ipaddress.IPv6Address(f[side + "addrv6"])
    return str(a.ipv4_mapped or a)
def events(name, netns):
    for line in open(name):
        e = json.loads(line)
        f = e["fields"]
        if e["system"] == "sockts" and int(f["netns_cookie"]) == netns:
            yield e["event"], dict(f, id=(f["protocol"], address(f, "s"), f["sport"], address(f, "d"), f["dport"]))
def after(a, b): return 0 < (a - b) % 2**32 < 2**31
def reaches(a, b): return not after(b, a)
def first(events, types, test): return next((e for e in events if e["what"] in types and test(e)), None)
def sent(mine):
    """The messages that were sent: a dictionary of steps for each, and the sender."""
    for i, m in enumerate(mine):
        if m["what"] != "sendmsg": continue
        at = {"sendmsg": m}
        start = (m["seq"] - m["bytes"]) % 2**32
        entry = next((e for e in reversed(mine[:i]) if e["what"] in ("entry", "sendmsg")), None)
        if entry and entry["what"] == "entry" and (entry["seq"] - entry["bytes"]) % 2**32 == start: at["entry"] = entry
        later, fresh = mine[i + 1:], [e for e in mine[i + 1:] if not e["transmission"]]
        at["ack"] = first(later, ["ack"], lambda e: reaches(e["seq"], m["seq"]))
        if at["ack"]: fresh = [e for e in fresh if not after(e["order"], at["ack"]["order"])]
        at["sched"] = first(fresh, ["sched"], lambda e: e["seq"] == m["seq"] or (e["seq"] - m["seq"]) % 2**32 < e["bytes"])
        if at["sched"]: at["snd"] = first(fresh, ["snd"], lambda e: e["seq"] == at["sched"]["seq"])
        yield m["comm"], at
def received(mine, is_tcp):
    """The messages that were read."""
    number = "seq" if is_tcp else "key"
    done, seen = None, set()
    for i, m in enumerate(mine):
        if m["what"] == "queued" or m["what"] in ("rx", "ip", "l4"):
            k = m[number]
            if k not in seen and not (is_tcp and done is not None and reaches(done, k)):
                seen.add(k)
                rest = mine[i:]
                fits = (lambda e: reaches(e[number], k)) if is_tcp else lambda e: e[number] == k
                at = {s: first(rest, [s], lambda e: e[number] == k) for s in ("rx", "ip", "l4")}
                at["read"] = first(rest, ["read"], fits)
                if at["read"]:
                    rest = [e for e in rest if e["order"] <= at["read"]["order"]]
                    at["queued"] = first(rest, ["queued"], fits)
                    rest = [e for e in rest if at["queued"] and e["order"] > at["queued"]["order"]]
                    at["wake"] = first(rest, ["wake"], fits)
                    at["run"] = first(rest, ["run"], fits)
                    yield at["read"]["comm"], at
            if m["what"] == "queued" and is_tcp and (done is None or after(k, done)): done = k
HELD = ["other", "pacing", "cwnd", "rwnd", "cork", "nagle", "tsq", "netfilter", "sndbuf"]
def figures(): return {"sent": 0, "read": 0, "bytes_sent": 0, "bytes_read": 0, "stages": collections.defaultdict(list), "held": {}}
def make(name, netns):
    flows, programs, lists = collections.defaultdict(figures), collections.defaultdict(figures), collections.defaultdict(lambda: ([], []))
    latest = {}
    for order, (event, f) in enumerate(events(name, netns)):
        f["order"] = order
        if event in ("egress_ts", "ingress_ts") and f["comm"]: latest[f["id"]] = f["comm"]
        if event == "egress_ts":
            lists[f["id"]][0].append(dict(f, what=OUT[f["type"]]))
            if f["type"] == 2:
                for of in flows[f["id"]], programs[f["comm"]]: of["sent"] += 1; of["bytes_sent"] += f["bytes"]
        elif event == "ingress_ts":
            lists[f["id"]][1].append(dict(f, what=IN[f["type"]]))
            if f["type"] == 7:
                for of in flows[f["id"]], programs[f["comm"]]: of["bytes_read"] += f["bytes"]
        elif event == "held":
            lists[f["id"]]
            for of in [flows[f["id"]]] + ([programs[latest[f["id"]]]] if f["id"] in latest else []):
                at = of["held"].setdefault(HELD[f["reason"]], {"count": 0, "ns": 0})
                at["count"] += 1; at["ns"] += int(f["waited"])
        else: lists[f["id"]]
    for id, (out, in_) in lists.items():
        flows[id]
        read, entry = 0, None  # the program's own time: from the last read to the begin of the next sendmsg
        for m in sorted(out + in_, key=lambda e: e["order"]):
            if m["what"] == "read": read = int(m["software"])
            elif m["what"] == "entry": entry = m
            elif m["what"] == "sendmsg":
                same = entry and (entry["seq"] - entry["bytes"] - m["seq"] + m["bytes"]) % 2**32 == 0
                begin = int((entry if same else m)["software"])
                if read and begin >= read:
                    for of in flows[id], programs[m["comm"]]: of["stages"]["program"].append(begin - read)
                    read = 0
                entry = None
        for kind, messages in ("sent", sent(out)), ("read", received(in_, id[0] == 6)):
            for comm, at in messages:
                for of in flows[id], programs[comm]:
                    of["read"] += kind == "read"
                    for stage, (a, b) in STAGES.items():
                        if at.get(a) and at.get(b): of["stages"][stage].append(int(at[b]["software"]) - int(at[a]["software"]))
    return flows, programs
PYTHON

# Compares `sockets --json` of a recording with the model. NETNS REPORT TABLE
cat >compare.py <<'PYTHON'
import json, math, sys
from model import *
def same(what, ours, row):
    for name in "sent", "read", "bytes_sent", "bytes_read":
        if row[name] is None: assert not ours[name] and name.endswith("sent"), (what, name)
        else: assert row[name] == ours[name], (what, name, row[name], ours[name])
    assert row["held"] == ours["held"], (what, row["held"], ours["held"])
    for stage in *STAGES, "program":
        h, values = row["stages_ns"][stage], sorted(v for v in ours["stages"][stage] if v >= 0)
        assert (h is None) == (not values), (what, stage, h, values)
        if h is None: continue
        assert (h["count"], h["sum"], h["min"], h["max"]) == (len(values), sum(values), values[0], values[-1]), (what, stage, h, values)
        for q, share in ("p50", 500), ("p99", 990):
            exact = values[math.ceil(len(values) * share / 1000) - 1]
            assert exact <= h[q] <= exact * 1.033 + 1, (what, stage, q, h, exact)
netns = int(sys.argv[1])
flows, programs = make(sys.argv[2], netns)
table = json.load(open(sys.argv[3]))
rows = {(r["protocol"], r["local"], r["local_port"], r["remote"], r["remote_port"]): r for r in table["flows"] if r["netns_cookie"] == str(netns)}
assert set(rows) == set(flows), set(rows) ^ set(flows)
for id in flows: same(id, flows[id], rows[id])
for r in table["programs"]:
    if r["comm"] in ("table-client", "srv\\x1b[7m"): same(r["comm"], programs[r["comm"]], r)
# Three calls share a packet, or more packets if the kernel sends early: each call has stages.
clients = [r for r in rows.values() if r["comm"] == "table-client" and r["sent"] == 50]
assert len(clients) == 2 and all(r["bytes_sent"] == 3900 for r in clients), clients
assert all(r["stages_ns"][s]["count"] == 50 for r in clients for s in ("send", "ack")), clients
assert all(r["stages_ns"]["program"]["count"] == 29 for r in clients), clients  # each answer is followed by a request, except the last
assert all(r["connection"]["srtt_us"] > 0 and r["retransmits"] is not None for r in clients)
assert any(r["remote_port"] == 1 and r["resets_received"] for r in rows.values()), "no reset of the refused connection"
assert any({"cork", "rwnd"} <= set(r["held"]) for r in rows.values()), "no data were held"
assert any(r["protocol"] == 17 and r["sent"] == 20 and r["bytes_sent"] == 600 for r in rows.values()), "no datagrams"
print("same")
PYTHON

for _ in 1 2 3; do # the kernel can skip programs
	"$tracewire" record -q -e sockts,sched:sched_waking,sched:sched_switch -f "$mine" -w x.pcapng -- python3 traffic.py ports \
		2>record.err || fail "record: $(cat record.err)"
	"$tracewire" report -q --json x.pcapng >x.json || fail "report"
	"$tracewire" sockets -q --json x.pcapng >x.table || fail "sockets"
	result=$(python3 compare.py "$netns" x.json x.table 2>&1)
	[ "$result" = same ] && break
done
read -r client server <ports
expect "figures of a recording" same "$result"
"$tracewire" sockets -q --json - <x.pcapng | sed 's/standard input/x.pcapng/' >piped.table
cmp -s x.table piped.table || fail "a pipe has other figures"

# report: addresses as text also in tables, and all fields of the steps in the text.
"$tracewire" report -q --csv -e saddr,daddrv6 -f "$mine and egress_ts.sport == $client" x.pcapng | sed 1d | sort -u >x.addresses
expect "addresses in a table" "127.0.0.1,::ffff:127.0.0.1" "$(cat x.addresses)"
for event in egress_ts ingress_ts; do
	"$tracewire" report -q --event $event x.pcapng | grep -qE " comm=.* cgroup=[0-9]+ sample=1 hook=" || fail "no field sample in the text of $event"
done

# With --follow, received data have no event before they are read, and the events without a task are left out: unknown, not 0.
"$tracewire" record -q -F -e sockts -w task.pcapng -- python3 traffic.py ports2 2>record.err || fail "record --follow: $(cat record.err)"
"$tracewire" sockets -q --json task.pcapng >task.table
expect "stages before a task reads" "ip l4 rx socket " \
	"$("$tracewire" info task.pcapng | sed -nE 's/.*sockts:ingress_ts, stage ([a-z0-9_]+): none: the reader is not known there.*/\1/p' | sort | tr '\n' ' ')"
expect "unknown numbers" "[None] [None] [None] [None] True True" "$(python3 -c 'import json
rows = json.load(open("task.table"))["flows"]
print(*(list({r[k] for r in rows}) for k in ("read", "drops", "resets_received", "held")), any(r["bytes_read"] for r in rows), 0 not in {r["sent"] for r in rows})')"

# The text: 80 columns, names escaped, rows sorted, as many as wanted.
"$tracewire" sockets -q -n 100 --sort ack x.pcapng >x.text
grep -qE '^.{81}' x.text && fail "a line is wider than 80 columns: $(grep -E '^.{81}' x.text)"
grep -q $'\x1b' x.text && fail "a control character is printed"
grep -qF "> [fd00:1111:2222:3333:4444:5555:6666:7777]:" x.text || fail "no flow of IPv6"
grep -qF 'srv\x1b[7m' x.text || fail "no escaped name"
expect "sorted" "sorted" "$(python3 - <<'PYTHON'
import json, subprocess, os
table = json.load(os.popen("'%s' sockets -q --json --sort ack x.pcapng" % os.environ["TRACEWIRE"]))
for rows in table["flows"], table["programs"]:
    p99 = [r["stages_ns"]["ack"]["p99"] if r["stages_ns"]["ack"] else 0 for r in rows]
    assert p99 == sorted(p99, reverse=True), p99
print("sorted")
PYTHON
)"
expect "rows" 1 "$("$tracewire" sockets -q --json -n 1 x.pcapng | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["flows"]))')"

# The timeline of a flow: its steps in the order of the events, from 0 on, each with the time since the step before.
"$tracewire" sockets -q --flow "127.0.0.1:$client>127.0.0.1:$server" x.pcapng >x.timeline || fail "timeline"
expect "timeline" same "$(python3 - "$netns" "$client" "$server" <<'PYTHON' 2>&1
import sys
from model import *
netns, client, server = map(int, sys.argv[1:])
names = {"egress_ts": ["", "sendmsg_entry", "sendmsg", "sched", "snd_sw", "snd_hw", "ack"],
         "ingress_ts": ["", "rx", "ip", "l4", "socket", "wake", "run", "read"]}
wanted = [(names[event][f["type"]], int(f["key"])) for event, f in events("x.json", netns)
          if event in names and f["id"] == (6, "127.0.0.1", client, "127.0.0.1", server)]
head, *lines = open("x.timeline").read().splitlines()
assert head == f"tcp 127.0.0.1:{client} > 127.0.0.1:{server}", head
words = [line.split() for line in lines]
assert words[0][0] == "0.000000000", lines[0]
got = []
for w in words:
    step = next(x for x in w[1:] if x.replace("_", "").isalnum() and not x[0].isdigit() and x not in ("ns", "us", "ms", "s"))
    if "key" in w: got.append((step, int(w[w.index("key") + 1])))
assert got == wanted, [p for p in zip(got, wanted) if p[0] != p[1]][:5]
assert sum("+" in line for line in lines) > 100
print("same")
PYTHON
)"
held=$(python3 -c 'import json; print(next(r["flow"] for r in json.load(open("x.table"))["flows"] if "cork" in r["held"]))')
"$tracewire" sockets -q --flow "$held" x.pcapng >held.timeline
for reason in cork rwnd; do
	grep -qE "  held +seq [0-9]+  bytes [0-9]+  $reason [0-9]" held.timeline || fail "no $reason in the timeline: $(cat held.timeline)"
done
grep -qE '^  program p50 [0-9.]+[mun]?s, p99 [0-9.]+[mun]?s, max [0-9.]+[mun]?s$' x.text || fail "no time of a program in the table: $(cat x.text)"
grep -qE '^  held .*cork [0-9.]+[mun]?s' x.text || fail "no reason in the table: $(cat x.text)"
run 2 "$tracewire" sockets --flow "$held" -n 1 x.pcapng
grep -q 'leave out --flow or --rows' err || fail "--rows with --flow: $(cat err)"
run 2 "$tracewire" sockets --flow nothing -c 1
run 2 "$tracewire" sockets -c 0
run 2 "$tracewire" sockets -f 'sprot == 1' x.pcapng
grep -q "column 1: no event has a field 'sprot'; did you mean 'sport'?" err || fail "a filter of a field that is not there: $(cat err)"
head -c 8 x.pcapng >begin.pcapng
run 1 "$tracewire" sockets begin.pcapng
expect "a flow by one end" "$(head -n 1 x.timeline)" "$("$tracewire" sockets -q --flow "127.0.0.1:$client" x.pcapng | head -n 1)"

"$tracewire" sockets -q --flow 192.0.2.1:9 x.pcapng >none.out 2>none.err
expect "a flow that is not there" "2, tracewire sockets: x.pcapng has no flow '192.0.2.1:9'; \`tracewire sockets x.pcapng\` shows the flows" \
	"$?, $(cat none.err)"

# The frames of the recording have the same figures if they come as in a live run.
expect "flows of frames" "$(python3 -c 'import json; print(len(json.load(open("x.table"))["flows"]))')" "$("$pcap_sockets" x.pcapng 2>&1)"

# A live run counts the same messages as a recording of the same traffic, and the stages of those that were sent. The kernel can skip the
# programs of one of them.
cat >live.py <<'PYTHON'
import json, sys
def read(name):
    rows = [r for r in json.load(open(name))["flows"] if r["netns_cookie"] == sys.argv[1] and r["protocol"] == 6]
    return {r["flow"]: (r["comm"], r["cookie"], r["sent"], r["bytes_sent"], r["resets_sent"], r["resets_received"],
                        r["held"] and "cork" in r["held"] and r["held"]["cork"]["count"],
                        [(s, r["stages_ns"][s] and r["stages_ns"][s]["count"]) for s in ("send", "tcp", "qdisc", "ack")]) for r in rows}
live, table = read("y.live"), read("y.table")
assert live == table and len(live) >= 5, [(f, live.get(f), table.get(f)) for f in live.keys() | table.keys() if live.get(f) != table.get(f)]
print("same")
PYTHON
for _ in 1 2 3; do
	"$tracewire" sockets -q --json -i 1000 -f "$mine" -- "$tracewire" record -q -f "$mine" \
		-e sockts:egress_ts,sockts:egress_stats,sockts:held,sockts:tcp_reset -w y.pcapng -- python3 traffic.py ports >y.live 2>y.err ||
		fail "live: $(cat y.err)"
	"$tracewire" sockets -q --json y.pcapng >y.table
	result=$(python3 live.py "$netns" 2>&1)
	[ "$result" = same ] && break
done
expect "live" same "$result"
exit $failed
