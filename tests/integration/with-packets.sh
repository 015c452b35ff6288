#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `record --with-packets` writes packets and events into one file: the same packets, with the same times, as tcpdump; in time order; each
# packet between the events of the kernel that precede and follow it. `live --with-packets` shows them. Packets that the kernel drops are
# counted. An interface that is not there, or goes away, is told in a sentence.
# Usage: with-packets.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need tcpdump python3 ping
cd "$scratch" || exit 1

# A second network namespace, behind a veth pair: $near 10.3.0.1, far 10.3.0.2. Events of all namespaces are recorded, and other tests may
# have an interface near.
near=near$$
start_far
ip link add "$near" type veth peer name far netns $far
ip addr add 10.3.0.1/24 dev "$near"
ip link set "$near" up
ip link set lo up
nsenter --net="/proc/$far/ns/net" sh -c 'ip addr add 10.3.0.2/24 dev far; ip link set far up'
ping -q -c 1 -W 10 10.3.0.2 >/dev/null || fail "the veth pair does not work"

# Sends datagrams of different lengths from near to far; each is answered by one that is 500 bytes longer.
cat >echo.py <<'PYTHON'
import ctypes, os, socket, sys
near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
near.settimeout(60)
ctypes.CDLL(None).setns(os.open(f"/proc/{sys.argv[1]}/ns/net", os.O_RDONLY), 0)
far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
far.settimeout(60)
far.bind(("10.3.0.2", 7777))
for n in range(200):
    near.sendto(bytes(100 + n), ("10.3.0.2", 7777))
    data, sender = far.recvfrom(2000)
    far.sendto(data + bytes(500), sender)
    near.recvfrom(2000)
PYTHON

# fields FILE: prints interface, packet time, length, event, and the event's fields of each packet
fields() {
	[ "$1" = mono.pcapng ] && tshark -r "$1" >/dev/null 2>&1 # learns the fields of socket events
	tshark -r "$1" -T fields -e frame.number -e frame.interface_name -e frame.time_epoch -e frame.len -e trace.event -e trace.time \
		-e trace.net.net_dev_queue.name -e trace.net.net_dev_queue.len -e trace.net.net_dev_start_xmit.name \
		-e trace.net.net_dev_start_xmit.len -e trace.net.netif_receive_skb.name -e trace.net.netif_receive_skb.len \
		-e trace.sockts.ingress_ts.type -e trace.sockts.ingress_ts.hook -e trace.sockts.ingress_ts.software \
		-e trace.sockts.ingress_ts.bytes -e udp.port -e trace.sockts.ingress_ts.dev 2>/dev/null
}

# The checks of a recording: see the messages. The bound is that in the file.
cat >check.py <<'PYTHON'
import re, sys
name, dump, bound, sockets, near = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "sockets", sys.argv[5]
def ns(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 10**9 + int((fraction + "000000000")[:9])
def check(what, good):
    if not good:
        print("FAIL: " + what)
        sys.exit(1)
rows = [line.rstrip("\n").split("\t") for line in open(name)]
rows = [row + [""] * (18 - len(row)) for row in rows]
times = [ns(row[2]) for row in rows]
check("times go back", times == sorted(times) or sys.argv[6] == "False")
packets = [(ns(row[2]), int(row[3])) for row in rows if row[1] == near and "7777" in row[16]]
wanted = [(ns(time), int(length)) for time, length in (line.split() for line in open(dump))]
check(f"{len(packets)} packets instead of {len(wanted)}", len(packets) == len(wanted) == 400)
check("other packets than those of tcpdump", [p[1] for p in packets] == [w[1] for w in wanted])
apart = [p[0] - w[0] for p, w in zip(packets, wanted)]
# Packet times are the wall clock as it was at the first CLOCK record; both readings have an error. mono_raw drifts from it.
check(f"stamps are {min(apart)} to {max(apart)} ns from those of tcpdump, the bound is {bound}",
      max(map(abs, apart)) <= 2 * bound or sys.argv[7] == "mono_raw")
stamps = []
at = {}  # (event, length) -> packet time of the events on near
for row in rows:
    for event, column in ("net_dev_queue", 6), ("net_dev_start_xmit", 8), ("netif_receive_skb", 10):
        if row[4] == event and row[column] == near:
            at.setdefault((event, int(row[column + 1])), []).append(ns(row[2]))
    if row[4] == "ingress_ts" and row[12] == "1" and row[13] == "6" and row[17] == near:  # rx, stamped by the kernel
        stamp = int(row[14]) + ns(row[2]) - ns(row[5])
        at.setdefault(("stamp", int(row[15])), []).append(stamp)
for i, (time, length) in enumerate(packets):
    if i % 2 == 0:  # sent: its stamp is made between these two events
        queue, start = at["net_dev_queue", length], at["net_dev_start_xmit", length]
        check(f"{length} bytes are not queued once", len(queue) == len(start) == 1)
        check(f"sent: queued {time - queue[0]} ns before, started {start[0] - time} ns after; bound {bound}",
              queue[0] - bound <= time <= start[0] + bound)
    else:
        receive = at["netif_receive_skb", length - 14]
        start = at["net_dev_start_xmit", packets[i - 1][1]]
        check(f"received {receive[0] - time} ns after, bound {bound}",
              len(receive) == 1 and start[0] - bound <= time <= receive[0] + bound)
        if sockets:
            stamps += (stamp := at.get(("stamp", length - 42), []))
            far = max((abs(s - time) for s in stamp), default=0)
            check(f"the receive stamp is {far} ns from the packet, bound {bound}", len(stamp) <= 1 and far <= bound + 1000)
check(f"only {len(stamps)} receive stamps", len(stamps) >= 100 or not sockets)
PYTHON

# tells PATTERN: the last line that the last command wrote to standard error matches PATTERN
tells() {
	tail -n 1 err | grep -qE -- "$1" || fail "expected '$1': $(cat err)"
}

# bound FILE: prints the bound, in ns, in the statistics
bound() {
	strings -n 16 "$1" | sed -nE 's/^packet times are within ([0-9]+) ns of those of the events.*/\1/p' | sort -n | tail -n 1
}

# has_all FILE: tcpdump has written all packets
has_all() {
	[ "$(tcpdump -r "$1" 2>/dev/null | wc -l)" = 400 ]
}

beside() { # CLOCK EVENTS SOCKETS
	in_background tcpdump tcpdump -i "$near" --immediate-mode -U -B 16384 -s 2000 --time-stamp-precision=nano -w "dump-$1.pcap" udp port 7777
	wait_for says tcpdump.err '^tcpdump: listening'
	run 0 "$tracewire" record -C "$1" -e "$2" --with-packets "$near" --with-packets lo -w "$1.pcapng" -- python3 echo.py $far
	says err '^[0-9]+ events and [0-9]+ packets in .* s, ' || fail "$1: the summary: $(cat err)"
	order=True
	says err 'written out of order' && order=False # on a busy machine, a packet may come later than events wait for it
	wait_for has_all "dump-$1.pcap"
	interrupt "$pid"
	tshark -r "dump-$1.pcap" -T fields -e frame.time_epoch -e frame.len 2>/dev/null >dump
	fields "$1.pcapng" >rows
	python3 check.py rows dump "$(bound "$1.pcapng")" "$3" "$near" $order "$1" || fail "clock $1"
	expect "$1: strict order" $order "$(capinfos -Mo "$1.pcapng" | awk '/^Strict time order/ { print $NF }')"
	expect "$1: interfaces" "$near lo" "$(capinfos -MI "$1.pcapng" | sed -nE 's/^ +Name = (near.*|lo)$/\1/p' | tr '\n' ' ' | sed 's/ $//')"
	[ "$3" ] || nothing_lost "$1" # BPF programs may be skipped
}
net=net:net_dev_queue,net:net_dev_start_xmit,net:netif_receive_skb
beside mono $net,sockts:ingress_ts sockets
for clock in tai mono_raw; do beside $clock $net ""; done

# A filter and a length, as with dumpcap. The interface of the file has them.
run 0 "$tracewire" record -e $net --with-packets "$near" --packet-filter 'udp dst port 7777' --packet-length 64 -w short.pcapng -- \
	python3 echo.py $far
expect "filtered packets" "200 64" "$(tshark -r short.pcapng -Y "frame.interface_name == \"$near\"" -T fields -e frame.cap_len 2>/dev/null |
	sort | uniq -c | awk '{ print $1, $2 }')"
capinfos -MI short.pcapng | grep -qF 'Filter string = udp dst port 7777' ||
	fail "the filter is not in the file: $(capinfos -MI short.pcapng)"

# Echoes: requests and replies link to both events, and have the round trip of the event.
run 0 "$tracewire" record -e sockts:icmp_echo --with-packets "$near" --packet-filter icmp -w echo.pcapng -- ping -q -c 3 -i 0.01 10.3.0.2
tshark -2 -r echo.pcapng -Y 'icmp.type == 8 || icmp.type == 0' -T fields -e icmp.seq -e trace.sockts.frame -e trace.sockts.rtt 2>/dev/null |
	sort >packets
tshark -2 -r echo.pcapng -Y 'trace.sockts.icmp_echo.type == "reply"' -T fields -e trace.sockts.icmp_echo.seq -e frame.number \
	-e trace.sockts.icmp_echo.rtt -e trace.sockts.packet 2>/dev/null | sort >replies
expect "packets of echoes" 6 "$(wc -l <packets)"
awk 'NR == FNR { reply[$1] = $2; rtt[$1] = $3; n += split($4, packet, ",") == 2; next }
	{ split($2, frame, ","); n += frame[2] == reply[$1] && $3 == rtt[$1] && $3 > 0 } END { exit n != 9 }' replies packets ||
	fail "links of echoes: $(cat replies packets)"

# The kernel drops packets while the recorder is stopped, and counts each.
cat >flood.py <<'PYTHON'
import os, signal, socket
near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
os.kill(os.getppid(), signal.SIGSTOP)
for n in range(5000):
    near.sendto(bytes(1000), ("10.3.0.2", 7778))
os.kill(os.getppid(), signal.SIGCONT)
PYTHON
run 0 "$tracewire" record -e net:net_dev_start_xmit --with-packets "$near" --packet-filter 'udp port 7778' --packet-buffer 128 \
	-w drop.pcapng -- python3 flood.py
dropped=$(sed -nE 's/^([0-9]+) packets of --with-packets dropped by the kernel, .*--packet-buffer.*/\1/p' err)
[ "${dropped:-0}" -gt 0 ] || fail "no packet was dropped: $(cat err)"
written=$(tshark -r drop.pcapng -Y "frame.interface_name == \"$near\"" -T fields -e frame.number 2>/dev/null | wc -l)
expect "dropped and written packets" 5000 "$((dropped + written))"
expect "the statistics in the file" "5000 $dropped $dropped $written" "$(statistics drop.pcapng)"
"$tracewire" info drop.pcapng | grep -qxF "captured $written packets on $near, filter udp port 7778; $dropped dropped by the capture program" ||
	fail "info: $("$tracewire" info drop.pcapng)"

# If the disk is full, each packet that the kernel has passed is in the file, or counted as not written.
mkdir small && mount -t tmpfs -o size=1m tmpfs small || fail "no small file system"
run 1 "$tracewire" record -e net:net_dev_start_xmit --with-packets "$near" --packet-filter 'udp port 7778' -w small/full.pcapng -- python3 flood.py
unwritten=$(sed -nE 's/^([0-9]+) packets of --with-packets not written, because the output failed$/\1/p' err)
read -r received dropped _ written < <(statistics small/full.pcapng)
[ "${unwritten:-0}" -gt 0 ] || fail "all packets fit: $(cat err)"
expect "packets, written or not, of a full disk" "$received" "$((dropped + written + unwritten))"
umount small

# `live` shows packets and events in time order, and packets also while there are no events.
run 0 "$tracewire" live -e $net --with-packets "$near" --packet-filter 'udp port 7777' -- python3 echo.py $far
says err '^[0-9]+ events and 400 packets in .* s, 0 lost$' || fail "live: the summary: $(cat err)"
expect "packets that live shows" 400 "$(grep -c ' UDP [0-9]' out)"
expect "events of these packets that live shows" 200 "$(grep -c "net_dev_start_xmit: dev=$near .* protocol=0x0800 .* len=[1-3][0-9][0-9] " out)"
says err 'written out of order' || # on a busy machine, events may come later than packets wait for them
	awk '{ if ($2 < last) { print "FAIL: live: time goes back: " $0; exit 1 } last = $2 }' out || failed=1
in_background live "$tracewire" live -e printk:console --with-packets "$near" --packet-filter 'udp port 7777'
wait_for says live.err '^events are on'
python3 echo.py $far
wait_for says live.out ' UDP [0-9]'
interrupt "$pid" || fail "live without events: $(cat live.err)"
run 1 "$tracewire" live -e $net --with-packets nosuch -- true
tells '^tracewire live: packets of nosuch cannot be captured: there is no such interface; `ip link` shows the interfaces; the run did not start$'
nothing_left "$pid" "$near"

# Interfaces that are not there, or go away.
run 1 "$tracewire" record -e $net --with-packets nosuch -w no.pcapng -- true
tells '^tracewire record: packets of nosuch cannot be captured: there is no such interface; `ip link` shows the interfaces; the run did not start$'
[ -e no.pcapng ] && fail "a file without a recording"
run 2 "$tracewire" record -e $net --with-packets "$near" --packet-filter 'udp prt' -w no.pcapng -- true
tells "^tracewire record: 'udp prt' is no capture filter for $near: "
run 2 "$tracewire" record -e $net --packet-length 64 -w no.pcapng -- true
tells '^tracewire record: --packet-length needs an interface: name one with --with-packets$'
run 1 "$tracewire" record -e $net --with-packets "$near" --with-packets lo -w gone.pcapng -- \
	sh -c "ip link del $near; until grep -q 'not captured any more' err; do sleep 0.02; done; ping -q -c 3 -i 0.1 127.0.0.1"
tells "^tracewire record: packets of $near could not be captured to the end \\(it does not exist any more\\): the events, and the packets of other "
says err "^the packets of $near are not captured any more \\(it does not exist any more\\); the run goes on without them\$" ||
	fail "not told during the run: $(cat err)"
expect "packets of the other interface" 6 "$(tshark -r gone.pcapng -Y 'frame.interface_name == "lo" and icmp' 2>/dev/null | wc -l)"
# On a loopback interface, the kernel passes each packet twice; it counts as received once, as it is written.
read -r received dropped _ written < <(statistics gone.pcapng)
expect "packets of lo received, and dropped or written" "$received" "$((dropped + written))"
nothing_lost gone
exit $failed
