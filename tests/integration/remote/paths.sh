#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Error bounds on slow paths: tc programs delay the requests or the responses of time synchronisation, or a full queue does. All hosts are
# this machine, so the true time of each event is known. Each packet time with --align host differs from it by at most trace.time_error.
# Usage: paths.sh TRACEWIRE LOAD DELAY, where DELAY is the object file of delay.bpf.c
tracewire=$1 load=$2 delay=$3
. "$(dirname "$0")/common.sh"
need tc python3

hosts host quiet responses requests queue

# The delays are between the transmit stamp of a packet, which its host makes after tc, and the receive stamp of the other host.
slow() { # WHAT DEVICE DIRECTION: runs the program WHAT for each packet that enters or leaves the device
	tc qdisc add dev "$2" clsact
	tc filter add dev "$2" "$3" bpf direct-action object-file "$delay" section "tc/$1" || fail "tc does not take the program $1"
}
slow constant to-responses ingress # the bridge's ports to these hosts
slow jitter to-requests egress

# The queue of 200,000 bytes is full most of the time, which delays packets by up to 80 ms. The capture host's IP layer drops the packets
# that fill it, because their address is not its own.
on queue tc qdisc add dev eth0 root tbf rate 20mbit burst 5k limit 200000
on queue ip neigh add 10.2.0.99 lladdr "$(on host cat /sys/class/net/eth0/address)" dev eth0
cat >"$scratch/fill.py" <<'END'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
while True:
    for _ in range(20): s.sendto(b"x" * 1158, ("10.2.0.99", 9))
    time.sleep(0.008 if time.monotonic() % 1 < 0.7 else 0.05)
END

# The wall clock minus CLOCK_MONOTONIC, which all streams use, at the start of the capture. Also its error: half of the shortest time for
# reading it, plus an allowance for the capture, which reads it in the same way.
read -r real_minus_mono read_error < <(python3 -c '
import time
best = None
for _ in range(200):
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    real = time.clock_gettime_ns(time.CLOCK_REALTIME)
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    if not best or after - before < best[1]: best = real - (before + after) // 2, after - before
print(best[0], best[1] // 2 + 10000)')
start_capture all -u 18101 --align host --status 0.2
capture=$pid
in_background fill nsenter --net="/proc/${init[queue]}/ns/net" python3 "$scratch/fill.py"
fill=$pid
prepare_load 100 9
streams=()
for host in quiet responses requests queue; do
	start_stream $host -C mono -u $capture_host -e raw_syscalls --event-filter "$loaded"
	streams+=("$pid")
done
# Each event has a bound from now on. On a busy machine, the first responses may be late.
for host in quiet responses requests queue; do wait_for has_bound all $host; done
run_load
kill_at_once "$fill"
for stream in "${streams[@]}"; do interrupt "$stream"; done
end_capture "$capture" all

events "$scratch/all.pcapng" frame.interface_name frame.time_epoch trace.time trace.time_error >"$scratch/times"
python3 - "$real_minus_mono" "$read_error" "$scratch/times" <<'END' || failed=1
import collections, statistics, sys

def ns(seconds):
    whole, _, part = seconds.partition(".")
    return int(whole) * 10**9 + int((part + "0" * 9)[:9])

offset, slack, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
errors, bounds, wrong = collections.defaultdict(list), collections.defaultdict(list), 0
for line in open(path):
    name, packet, time, bound = line.rstrip("\n").split("\t")
    if not bound: continue # before the first response
    host = name.split(":")[0]
    errors[host].append(ns(packet) - ns(time) - offset)
    bounds[host].append(ns(bound))
    if abs(errors[host][-1]) > bounds[host][-1] + slack:
        wrong += 1
        print(f"FAIL: {host}: an event is {errors[host][-1]} ns off, and its error bound is {bounds[host][-1]} ns")
for host in ("quiet", "responses", "requests", "queue"):
    if len(errors[host]) < 200: sys.exit(f"FAIL: {host}: only {len(errors[host])} events with an error bound")
    print(f"{host}: error {statistics.median(map(abs, errors[host])) / 1e3:.1f} us (median), {max(map(abs, errors[host])) / 1e3:.1f} us "
          f"(largest); bound {statistics.median(bounds[host]) / 1e3:.1f} us (median), {min(bounds[host]) / 1e3:.1f} us (smallest)")
if min(bounds["responses"]) < 200000: sys.exit("FAIL: the responses were not delayed by 400 us")
sys.exit(wrong > 0)
END
exit $failed
