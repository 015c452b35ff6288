#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The wall clock is set, forward and back, while `record --with-packets` runs: each packet stays between the events of the kernel that
# precede and follow it. A test must not set the clock of its own machine.
# Usage: with-packets.sh RELEASE KERNELS TRACEWIRE; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
need tshark python3
cp "$1" "$job/tracewire"
chmod 755 "$scratch"
mkdir "$scratch/epan"
export HOME=$scratch TZ=UTC LC_ALL=C
cp "$PLUGIN" "$scratch/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan" || exit 1

# Sends datagrams to itself, and sets the wall clock among them. Before it is set again, the recorder has written the last packet.
cat >"$job/send.py" <<'PYTHON'
import socket, time
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 7777))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
length = 100
for step in 3600, -7200, 0.5, 86400 * 365, -1.5:
    for i in range(40):
        if i == 20:
            time.clock_settime(time.CLOCK_REALTIME, time.time() + step)
        data = b"%d bytes" % length
        sender.sendto(data + bytes(length - len(data)), ("127.0.0.1", 7777))
        receiver.recv(2000)
        length += 1
    while data not in open("/job/both.pcapng", "rb").read():
        time.sleep(0.02)
PYTHON
in_machine '
modprobe af_packet 2>/dev/null
ip link set lo up
/job/tracewire record -e net:net_dev_queue,net:netif_receive_skb --with-packets lo --packet-filter "udp port 7777" -w /job/both.pcapng -- \
	python3 /job/send.py 2>/job/err
' || fail "record: $(cat "$job/err")"
tshark -r "$job/both.pcapng" -T fields -e frame.interface_name -e frame.time_epoch -e udp.length -e trace.event \
	-e trace.net.net_dev_queue.len -e trace.net.netif_receive_skb.len 2>/dev/null >"$job/rows"
cat >"$job/check.py" <<'PYTHON'
import sys
ns = lambda text: int(text.split(".")[0]) * 10**9 + int((text.split(".")[1] + "0" * 9)[:9])
rows = [(line.rstrip("\n") + "\t" * 6).split("\t") for line in open(sys.argv[1])]
bound = int(sys.argv[2])
packets, events = {}, {}
for interface, time, length, event, queued, received, *_ in rows:
    if interface == "lo":
        packets.setdefault(int(length) - 8, []).append(ns(time))
    elif event == "net_dev_queue":
        events.setdefault(("queue", int(queued) - 42), []).append(ns(time))
    elif event == "netif_receive_skb":
        events.setdefault(("receive", int(received) - 28), []).append(ns(time))
assert sorted(packets) == list(range(100, 300)), sorted(packets)
for length, times in packets.items():
    queue, receive = events["queue", length][0], events["receive", length][0]
    for time in times:
        assert queue - bound <= time <= receive + bound, (length, time - queue, receive - time, bound)
PYTHON
bound=$(strings -n 16 "$job/both.pcapng" | sed -nE 's/^packet times are within ([0-9]+) ns of those of the events.*/\1/p' | sort -n |
	tail -n 1)
python3 "$job/check.py" "$job/rows" "${bound:-none}" || fail "packet times: $(cat "$job/err")"
exit $failed
