#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The part of a filter that the programs of socket events evaluate. Two runs record the same sockets at the same time: one with a filter, the
# other without. The events of the first are those of the second that pass the filter. The second run is in another network namespace, so it
# has no events of type 2 (ip), because a namespace has room for the netfilter hook of only one run.
# Usage: socket-selection.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need bpftool python3
cd "$scratch" || exit 1
[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no type information"
need_cgroup2
ip link set lo up
ip addr add fd00:4::1/64 dev lo nodad

# Sends and receives by each protocol and family, with resets and drops. Prints the time before and after, and the cookie of the namespace.
cat >cause.py <<'PYTHON'
import ctypes, socket, struct, time
SO_NETNS_COOKIE, IPV6_ADDRFORM = 71, 1

def tcp(listen_on, connect_to, address_form=False):
    listener = socket.socket(listen_on[0])
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(listen_on[1:])
    listener.listen()
    client = socket.create_connection(connect_to)
    server, _ = listener.accept()
    if address_form:  # the IPv6 socket becomes an IPv4 socket, with other fields
        server.setsockopt(socket.IPPROTO_IPV6, IPV6_ADDRFORM, socket.AF_INET)
    for i in range(20):
        client.sendall(bytes(100 + i))
        server.recv(1000)
        server.sendall(bytes(5))
        client.recv(1000)
    client.close()
    server.recv(1)  # the end of the data: all of them are acknowledged
    server.close()
    listener.close()

def udp(family, host):
    sockets = [socket.socket(family, socket.SOCK_DGRAM) for _ in range(3)]
    for s, port in zip(sockets, (7001, 7002, 7003)):
        s.bind((host, port))
    receiver = sockets[2]  # the datagrams of two flows are in one queue
    for i in range(20):
        for s in sockets[:2]:
            s.sendto(bytes(200 + i), (host, 7003))
        for s in sockets[:2]:
            receiver.recv(1000)
    sockets[0].sendto(b"nobody", (host, 7009))

def reset(family, host):
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, 7004))
    listener.listen()
    client = socket.create_connection((host, 7004))
    server, _ = listener.accept()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    try:
        socket.create_connection((host, 7009))
    except ConnectionRefusedError:
        pass

begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
tcp((socket.AF_INET, "127.0.0.1", 7000), ("127.0.0.1", 7000))
tcp((socket.AF_INET6, "fd00:4::1", 7000), ("fd00:4::1", 7000))
tcp((socket.AF_INET6, "::", 7000), ("127.0.0.1", 7000))
tcp((socket.AF_INET6, "::", 7005), ("127.0.0.1", 7005), True)
for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "fd00:4::1"):
    udp(family, host)
    reset(family, host)
end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
cookie = socket.socket().getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
print(begin, end, struct.unpack("Q", cookie)[0])
PYTHON

# Compares two recordings as JSON, without the times, which each run takes itself. Prints the number of events.
cat >compare.py <<'PYTHON'
import collections, json, sys
begin, end, netns = (int(word) for word in open(sys.argv[1]).read().split())
packets = collections.Counter()  # 1 = rx, 2 = ip: the first run has both of each packet
def read(name):
    events = collections.Counter()
    for line in open(name):
        event = json.loads(line)
        fields = event["fields"]
        for time in "software", "busy_us", "rwnd_limited_us", "sndbuf_limited_us":  # a jiffy can begin between the two programs
            fields.pop(time, 0)
        seconds, fraction = str(event["time"]).split(".")
        if begin < int(seconds) * 10**9 + int((fraction + "0" * 9)[:9]) < end and fields["netns_cookie"] in (0, netns):
            type = fields.get("type") if event["event"] == "ingress_ts" else None
            packets[name, type] += 1
            if type != 2:
                events[event["event"], json.dumps(fields, sort_keys=True)] += 1
    return events
some, all = read(sys.argv[2]), read(sys.argv[3])
if some != all:
    only = list((all - some).elements())
    sys.exit(f"{len(only)} events are missing, {(some - all).total()} are too many; the first missing: {only[:1]}, too many: "
             f"{list((some - all).elements())[:1]}")
if packets[sys.argv[2], 1] != packets[sys.argv[2], 2]:
    sys.exit(f"packets at rx: {packets[sys.argv[2], 1]}, at ip: {packets[sys.argv[2], 2]}")
print(some.total())
PYTHON

json() { # FILE FILTER
	"$tracewire" report -q --json -f "$2" "$1" >"$1.json" 2>report.err || fail "report: $(cat report.err)"
}

# The kernel does not call a program while it runs on the same CPU. If one of the runs has missed an event, both are repeated.
try() { # FILTER
	unshare --net "$tracewire" record -q -e sockts -w all.pcapng -- nsenter --net="/proc/$$/ns/net" \
		"$tracewire" record -v -e sockts -f "$1" -w some.pcapng -- python3 cause.py >times 2>record.err || fail "'$1': $(cat record.err)"
	[ "$(ledger all ring)$(ledger some ring)" = 00 ]
}

# compare FILTER MIN: at least MIN events pass
compare() {
	local n
	patience=1 wait_for try "$1"
	json some.pcapng "system == sockts"
	json all.pcapng "$1"
	n=$(python3 compare.py times some.pcapng.json all.pcapng.json) || fail "'$1': $n"
	[ "$n" -ge "$2" ] || fail "'$1': only $n events pass"
}

compare 'any.sport == 7000 || any.dport == 7000' 300
expect "filters in programs" "$("$tracewire" list sockts | wc -l)" "$(sed -nE 's/^filter   in the kernel for ([0-9]+) event types.*/\1/p' record.err)"
expect "events that only the producer rejects" 0 "$(ledger some producer_filter)"
compare 'saddr == 127.0.0.0/8 and (protocol == 17 or any.dport == 7005)' 100
compare 'daddrv6 == ::ffff:127.0.0.1 and type != 4 and any.pid > 0' 50
compare 'any.comm == python3 and bytes > 105 or reason' 100
compare 'not (protocol == 6) and netns_cookie != 0' 40
exit $failed
