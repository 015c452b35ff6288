#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The time stamps of sent UDP datagrams (sockts:egress_ts). A client that asks the kernel for time stamps itself (SO_TIMESTAMPING) gets the
# same ones, and the same as without a recording. Each datagram is found at each step once.
# Usage: socket-datagrams.sh TRACEWIRE STAMPS
tracewire=$1
stamps=$2
reader=$(realpath "$(dirname "$0")")/stamps.py
. "$(dirname "$0")/common.sh"
need bpftool ethtool python3
cd "$scratch" || exit 1
"$tracewire" doctor 2>/dev/null >stages
says stages '^ok.* stage udp_sendmsg: ' || skip "sent datagrams cannot be followed on this kernel"
says stages '^ok.* stage udp_entry: ' && entry=sendmsg_entry || entry= # the step that needs programs at functions
need_cgroup2

start_lan_and_far
hardware=$(in_far ip -br link show far | awk '{ print $3 }')
for address in 10.3.0.2 fd00:3::2; do
	ip neigh replace $address lladdr "$hardware" dev lan nud permanent
done
cat >sink.py <<'PYTHON'
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 7777))
print("ready", flush=True)
while True:
    s.recv(65536)
PYTHON
in_background sink in_far python3 sink.py
wait_for says "$scratch/sink.out" ready
wait_for is_up near
wait_for is_up lan

index() { # INTERFACE: prints its number
	ip -o link show "$1" | sed 's/:.*//'
}

# record NAME COMMAND...: records while COMMAND sends; NAME.client and NAME.events have what it printed and the recording got. If the kernel
# has skipped programs, COMMAND sends again.
record() {
	local name=$1
	shift
	for _ in 1 2 3; do
		"$tracewire" record -v --buffer-size 16M -e sockts:egress_ts -w "$name.pcapng" -- "$@" >"$name.client" 2>"$name.err" ||
			fail "$name: $(cat "$name.err")"
		[ "$(ledger "$name" ring)" = 0 ] && break
	done
	nothing_lost "$name"
	"$tracewire" report -q --json "$name.pcapng" >"$name.json" 2>"$name.err" || fail "$name: report: $(cat "$name.err")"
	python3 "$reader" events "$name.json" >"$name.events"
}

keys() { # FILE: what the client got, without times
	cut -d ' ' -f 1,2 "$1" | sort
}

# of_device DEVICE NAME: the events NAME without those of steps at other devices
of_device() {
	python3 - "$(index "$1")" "$2.events" <<'PYTHON'
import json, sys
for line in open(sys.argv[2]):
    if json.loads(line)["ifindex"] in (0, int(sys.argv[1])):
        print(line, end="")
PYTHON
}

# With us and without us, the client gets the same types and keys. The kernel gives it the time of SCHED at each device, and the time of SND
# at the driver, which a bridge is not. A message of 5000 bytes is divided into fragments.
both_devices() {
	python3 - "$1.events" "$(index lan)" <<'PYTHON'
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["type"] != "snd_sw" or event["ifindex"] != int(sys.argv[2]):
        print(line, end="")
PYTHON
}
for case in "udp 10.3.0.2 100 on" "udp fd00:3::2 5000 on" "udp-gso 10.3.0.2 3500 on" "udp-gso fd00:3::2 3500 off"; do
	read -r mode address size segmentation <<<"$case"
	ethtool -K near tx-udp-segmentation "$segmentation" >/dev/null 2>&1
	for _ in 1 2 3; do # on a busy machine, times are apart
		"$stamps" send "$address" 7777 "$mode" 20 "$size" 1000 >alone
		record "with" "$stamps" send "$address" 7777 "$mode" 20 "$size" 1000
		both_devices "with" >as_client.events
		result=$(python3 "$reader" compare as_client.events with.client 2>&1)
		[ "$(keys alone)" = "$(keys with.client)" ] && [ "$result" = same ] && break
	done
	expect "$case: alone and with a recording" "$(keys alone)" "$(keys with.client)"
	expect "$case: client and events" same "$result"
done

# A client that does not ask gets nothing, and its keys begin at its first datagram.
record plain "$stamps" send 10.3.0.2 7777 udp-plain 10 100 0
expect "client that does not ask" "others 0" "$(cat plain.client)"
of_device near plain >near.events
expect "keys of a client that does not ask" "first [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]" "$(python3 - $entry <<'PYTHON' 2>&1
import json, sys
events = [json.loads(line) for line in open("near.events")]
keys = {t: [e["key"] for e in events if e["type"] == t] for t in (*sys.argv[1:], "sendmsg", "sched", "snd_sw")}
order = {k: [e["software"] for t in keys for e in events if (e["type"], e["key"]) == (t, k)] for k in keys["sendmsg"]}
assert all(v == keys["sendmsg"] for v in keys.values()), keys
assert all(times == sorted(times) for times in order.values()), order
assert all(e["comm"] == "integration_sta" and e["pid"] and e["cookie"] and e["cgroup"] for e in events), events
assert all(e["bytes"] == (100 if e["key"] else 10) for e in events), events
print(*{e["key_base"] for e in events}, keys["sendmsg"])
PYTHON
)"

# A socket that exists when the recording begins. Its buffers were used before, for other datagrams.
cat >existing.py <<'PYTHON'
import os, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.3.0.2", 7777))
s.send(b"before")
os.set_inheritable(s.fileno(), True)
send = f"import socket; s = socket.socket(fileno={s.fileno()}); [s.send(b'12345') for _ in range(3)]"
os.execvp(sys.argv[1], [*sys.argv[1:], "python3", "-c", send])
PYTHON
python3 existing.py "$tracewire" record -q -e sockts:egress_ts -w existing.pcapng -- 2>existing.err || fail "existing: $(cat existing.err)"
"$tracewire" report -q --json existing.pcapng >existing.json
python3 "$reader" events existing.json >existing.events
expect "keys of a socket that existed" "seen sendmsg 0 seen sendmsg 1 seen sendmsg 2" "$(python3 - <<'PYTHON'
import json
events = [json.loads(line) for line in open("existing.events")]
print(*(word for e in events if e["type"] == "sendmsg" for word in (e["key_base"], e["type"], e["key"])))
PYTHON
)"

# Two threads send datagrams of all sizes on one socket: each step finds each datagram once, although buffers and pages are used again.
cat >mixed.py <<'PYTHON'
import random, socket, struct, threading
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.3.0.2", 7777))
def send(seed):
    chance = random.Random(seed)
    for _ in range(1000):
        if chance.random() < 0.3:
            s.sendmsg([bytes(chance.randint(101, 4000))], [(17, 103, struct.pack("H", 100))]) # UDP_SEGMENT
        else:
            s.send(bytes(chance.choice((10, 1400, 1472, 1473, 3000, 6000))))
threads = [threading.Thread(target=send, args=(i,)) for i in range(2)]
for t in threads: t.start()
for t in threads: t.join()
PYTHON
ethtool -K near tx-udp-segmentation off >/dev/null 2>&1
record mixed python3 mixed.py
expect "datagrams of two threads" "2000 messages" "$(python3 - "$(index near)" "$(index lan)" $entry <<'PYTHON' 2>&1
import collections, json, sys
near, lan, entry = int(sys.argv[1]), int(sys.argv[2]), [(step, 0) for step in sys.argv[3:]]
steps, sizes = collections.defaultdict(list), {}
for e in map(json.loads, open("mixed.events")):
    if e["type"] == "sendmsg": sizes[e["key"]] = e["bytes"]
    steps[e["key"]].append((e["type"], e["ifindex"], e["bytes"]))
for key, of_key in steps.items():
    at, sizes_at = [step[:2] for step in of_key], [step[2] for step in of_key]
    whole = sizes_at.count(sizes[key]) # 100: the first of several datagrams that the kernel has separated, at one of the devices
    if at != entry + [("sendmsg", 0), ("sched", lan), ("snd_sw", lan), ("sched", near), ("snd_sw", near)] or \
       sizes_at != [sizes[key]] * whole + [100] * (len(at) - whole) or not whole:
        sys.exit(f"datagram {key} of {sizes[key]} bytes: {of_key}")
last = -1
for key in sorted(sizes): # a message of several datagrams has the number of the last one
    if key - last not in (1, -(-sizes[key] // 100)):
        sys.exit(f"{key} of {sizes[key]} bytes after {last}")
    last = key
print(len(sizes), "messages")
PYTHON
)"
exit $failed
