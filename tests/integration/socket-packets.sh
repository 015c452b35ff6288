#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Packets and socket events in one capture: each packet links to the events of its bytes, each event to its packets, and both have the
# delays. socket-packets.py computes links and delays from the report of the recording and from the packets, by counting transmissions; the
# plugin does it by times. Among the packets are lost and retransmitted ones, ones divided by software GSO, and datagrams.
# Usage: socket-packets.sh TRACEWIRE STAMPS DROP.bpf.o
tracewire=$1
stamps=$2
drop=$3
here=$(dirname "$0")
# shellcheck source=/dev/null
. "$here/common.sh" || exit 1
need bpftool tc ethtool python3 mergecap
cd "$scratch" || exit 1
need_socket_stamps

start_near_and_far # packets are captured at both ends
in_background sink in_far "$stamps" sink 7777
wait_for says "$scratch/sink.out" ready
# 20 datagrams; one more of another flow says that the capture has all packets.
cat >udp.py <<'PYTHON'
import ctypes, os, socket, sys, threading
def receive(ready):
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("10.3.0.2", 7777))
        ready.release()
        for _ in range(20):
            s.recv(1000)
            ready.release()
ready = threading.Semaphore(0)
reader = threading.Thread(target=receive, args=(ready,))
reader.start()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    for i in range(20):
        ready.acquire()
        s.sendto(b"x" * (100 + i), ("10.3.0.2", 7777))
    reader.join()
    s.sendto(b"end", ("10.3.0.2", 9))
PYTHON
cat >traffic.sh <<'TRAFFIC'
set -e
stamps=$1 drop=$2 far=$3
in_far() {
	nsenter --net="/proc/$far/ns/net" "$@"
}
"$stamps" send 10.3.0.2 7777 plain 20 3000 2000
in_far tc qdisc add dev far clsact
in_far tc filter add dev far ingress bpf da obj "$drop" sec tc
"$stamps" send 10.3.0.2 7777 plain 40 1000 5000
in_far tc qdisc del dev far clsact
ethtool -K near tso off gso on >/dev/null
"$stamps" send 10.3.0.2 7777 plain 10 30000 2000
python3 udp.py "/proc/$far/ns/net"
TRAFFIC
has_end() { # FILE: dumpcap has written the last packet
	tshark -r "$1" -Y 'udp.dstport == 9' 2>/dev/null | grep -q .
}
# show NAME OPTION...: what the plugin says of packets and of events
show() {
	local name=$1
	shift
	tshark "$@" -r both.pcapng -Y 'tcp.len > 0 || udp.dstport == 7777' -T json -e frame.number -e frame.interface_name -e ip.src -e ip.dst \
		-e tcp.srcport -e tcp.dstport -e udp.srcport -e udp.dstport -e tcp.seq_raw -e tcp.len -e trace.sockts.frame -e trace.sockts.stage \
		-e trace.sockts.sched_delay -e trace.sockts.qdisc_delay -e trace.sockts.ack_delay -e trace.sockts.stack_delay \
		-e trace.sockts.wakeup_delay -e trace.sockts.read_delay >"$name.packets" 2>"$name.err" || fail "$name: $(cat "$name.err")"
	tshark "$@" -r both.pcapng -Y trace.event -T json -e frame.number -e trace.sockts.packet -e trace.sockts.sched_delay \
		-e trace.sockts.qdisc_delay -e trace.sockts.ack_delay -e trace.sockts.stack_delay -e trace.sockts.wakeup_delay \
		-e trace.sockts.read_delay >"$name.events" 2>"$name.err" || fail "$name: $(cat "$name.err")"
}
# capture: captures the traffic at both ends and its events; $result says whether the plugin's links and delays are right
capture() {
	local near far_dumpcap
	start_dumpcap near near -w near.pcapng
	near=$pid
	in_background far nsenter --net="/proc/$far/ns/net" dumpcap -q -i far -B 64 -w far.pcapng
	far_dumpcap=$pid
	wait_for says "$scratch/far.err" '^File: '
	"$tracewire" record -q -e sockts:egress_ts,sockts:ingress_ts,sockts:held -e sched:sched_waking,sched:sched_switch \
		-f 'sport == 7777 || dport == 7777' -w events.pcapng -- bash -e traffic.sh "$stamps" "$drop" "$far" >traffic.out 2>record.err ||
		fail "record: $(cat record.err traffic.out)"
	wait_for has_end near.pcapng
	wait_for has_end far.pcapng
	interrupt "$near"
	interrupt "$far_dumpcap"
	mergecap -w both.pcapng near.pcapng far.pcapng events.pcapng

	"$tracewire" report -q --json events.pcapng >events.json
	show one
	show two -2
	result=$(python3 "$here/socket-packets.py" events.json two one 2>&1)
}
# The plugin goes by times: on a busy machine, an event can be more than a millisecond from its packet.
for _ in 1 2 3; do
	capture
	[ "$result" = "as counted" ] && break
done
expect "links and delays" "as counted" "$result"
# A capture without socket events has no timelines.
expect "packets alone" "" "$(tshark -2 -r near.pcapng -Y 'trace.sockts || trace.sockts.sched_delay' 2>/dev/null)"
exit $failed
