#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Time stamps of network cards. Two emulated igb cards are connected, in two network namespaces of one guest, so that the true distance of
# the clocks of sender and capture host is 0. Another program makes the cards stamp packets. Both sides then use the cards' stamps of the
# requests and responses that they send, over UDP and over Ethernet, and say so; the error bounds hold. The emulated card does not stamp
# received packets of Tracewire. While a ptp4l uses the stamps of the sender's card, the sender requests none.
# Usage: card-stamps.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
need hwstamp_ctl ptp4l python3
mkdir "$scratch/bin"
"$here/qemu-with-igb" "$scratch/bin" || skip "no QEMU here emulates the card igb; \`bench/time BUILD cards\` installs that of Debian 13"
export PATH=$scratch/bin:$PATH
cp "$1" "$job/tracewire"

# The true distance of CLOCK_REALTIME, which is the capture clock, from CLOCK_MONOTONIC, which is the stream's clock
cat >"$job/distance.py" <<'END'
import time
def read():
    before, real = time.clock_gettime_ns(time.CLOCK_MONOTONIC), time.clock_gettime_ns(time.CLOCK_REALTIME)
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return after - before, real - (before + after) // 2
print(*min(read() for _ in range(1000)))
END
printf '%s\n' '[global]' 'free_running 1' 'time_stamping hardware' 'network_transport L2' 'logAnnounceInterval 0' \
	'announceReceiptTimeout 2' 'tx_timestamp_timeout 200' >"$job/ptp4l.cfg"

# exchange NAME "CAPTURE_OPTIONS" "STREAM_OPTIONS": a stream of some seconds, because stamps of cards are requested after three seconds
cat >"$job/run" <<'END'
modprobe -a igb af_packet || { echo "no driver"; exit 77; }
for _ in $(seq 100); do [ -e /sys/class/net/eth1 ] && break; sleep 0.1; done
unshare --net sleep 100000 &
peer=$!
until [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
there() { nsenter --net=/proc/$peer/ns/net "$@"; }
address=$(cat /sys/class/net/eth1/address)
ip link set eth1 netns $peer
ip addr add 192.0.2.1/24 dev eth0
ip link set eth0 up
there ip addr add 192.0.2.2/24 dev eth1
there ip link set eth1 up
hwstamp_ctl -i eth0 -t 1 >/dev/null && there hwstamp_ctl -i eth1 -t 1 >/dev/null || { echo "the card makes no stamps"; exit 77; }
for _ in $(seq 100); do ping -c 1 -W 1 192.0.2.2 >/dev/null && break; done
exchange() {
	nsenter --net=/proc/$peer/ns/net /job/tracewire capture -j --status 0.3 -Z root $2 -w /job/$1.pcapng >/job/$1.capture 2>&1 &
	capture=$!
	for _ in $(seq 300); do grep -q begin /job/$1.capture && break; sleep 0.1; done
	/job/tracewire stream -q -F -C mono -e sched:sched_process_exit $3 -- sh -c 'for _ in $(seq 25); do sleep 0.2; done' || exit 1
	sleep 1
	kill -INT $capture
	wait $capture || exit 1
}
python3 /job/distance.py >/job/distance
exchange udp "-u 18101" "-u 192.0.2.2"
exchange ethernet "-i eth1" "-i eth0 --destination $address"
ptp4l -f /job/ptp4l.cfg -i eth0 -m >/job/ptp4l &
for _ in $(seq 300); do grep -q "grand master" /job/ptp4l && break; sleep 0.1; done
exchange ptp4l "-u 18101" "-u 192.0.2.2"
END
VM_DEVICES="-netdev hubport,id=h0,hubid=0 -netdev hubport,id=h1,hubid=0
	-device pcie-root-port,id=r0,chassis=1 -device igb,bus=r0,netdev=h0,romfile=
	-device pcie-root-port,id=r1,chassis=2 -device igb,bus=r1,netdev=h1,romfile=" in_machine "bash /job/run"
status=$?
[ $status = 77 ] && skip "the card of this QEMU makes no stamps with Linux $release"
expect "status in Linux $release: $(tail -n 1 "$job"/*.capture)" 0 "$status"

# stamps NAME: prints the sources of the stamps of all exchanges in the statuses of a capture: asked, received, answered, arrived
stamps() {
	grep -o '"stamps":{[^}]*}' "$job/$1.capture" | sed -E 's/"(stamps|asked|received|answered|arrived)"://g; s/[{}"]//g' | sort -u
}
# judge NAME: checks that the interval of each event, by the bounds, contains its true time
judge() {
	"$job/tracewire" report --csv -e time,time_earliest,time_latest "$job/$1.pcapng" >"$scratch/$1.csv" || fail "$1: report"
	python3 - "$scratch/$1.csv" "$job/distance" <<'END' || fail "$1: $(head -n 3 "$scratch/$1.csv")"
import csv, sys
from decimal import Decimal
window, distance = (Decimal(n) / 10**9 for n in open(sys.argv[2]).read().split())
rows = [[Decimal(r[n]) for n in ('time', 'time_earliest', 'time_latest')] for r in csv.DictReader(open(sys.argv[1])) if r['time_latest']]
if len(rows) < 10:
    sys.exit(f'only {len(rows)} events have an error bound')
wrong = [r for r in rows if not r[1] - window <= r[0] + distance <= r[2] + window]
if wrong:
    sys.exit(f'{len(wrong)} of {len(rows)} bounds do not hold: {wrong[:3]}')
widths = sorted(r[2] - r[1] for r in rows)
print(f'{len(rows)} events, intervals of {widths[0]:.7f} to {widths[-1]:.7f} s')
END
}
for name in udp ethernet ptp4l; do judge $name; done
for name in udp ethernet; do
	stamps $name | grep -q '^hardware,software,hardware,software$' || fail "$name: the cards do not stamp both: $(stamps $name)"
done
# The producer's card is that of ptp4l, which the capture host, in another namespace, does not see.
stamps ptp4l | grep -q '^hardware,software,software,software$' || fail "ptp4l: other stamps: $(stamps ptp4l)"
stamps ptp4l | grep '^[a-z]*,[a-z]*,hardware,' && fail "stamps are requested in spite of ptp4l"
exit $failed
