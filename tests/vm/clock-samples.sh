#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CLOCK samples of a machine whose clocks change: a program sets the TAI offset, the wall clock is set, a leap second is inserted, and a PTP
# hardware clock goes away. Each change is in the recording, in `report`, in `info` and in Wireshark, and no time is bent by it. A second
# recording shows that the producer notices changes at once, and not when its next sample is due. The hardware
# clocks are that of the card that QEMU emulates, whose readings may stand still, and, on 6.12, one that counts CLOCK_MONOTONIC_RAW.
# Usage: clock-samples.sh RELEASE KERNELS TRACEWIRE; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
need tshark python3
tracewire=$1
if [ "$release" = 6.12 ]; then
	"$here/offload-modules" "$kernels" || skip "netdevsim cannot be built from Debian's source of $release"
	cp "$kernels/$release/extra/netdevsim.ko" "$job"
fi
chmod 755 "$scratch"
mkdir "$scratch/epan"
cp "$PLUGIN" "$scratch/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan" || exit 1
export HOME=$scratch TZ=UTC LC_ALL=C

cp "$tracewire" "$job/tracewire"
# adjtimex.py tai SECONDS | status BITS: sets one value
cat >"$job/adjtimex.py" <<'END'
import ctypes, struct, sys
modes, constant, status = {'tai': (0x80, int(sys.argv[2]), 0), 'status': (0x10, 0, int(sys.argv[2]))}[sys.argv[1]]
timex = struct.pack('I4xqqqqi4xq', modes, 0, 0, 0, 0, status, constant)
if ctypes.CDLL(None).adjtimex(timex + bytes(208 - len(timex))) < 0:
    raise SystemExit('the kernel refuses')
END
# The traced command. Between the changes, there are events and at least two samples. 16 is STA_INS.
cat >"$job/change" <<'END'
pause() { for _ in $(seq 25); do sleep 0.1; done; }
pause
python3 /job/adjtimex.py tai 37
pause
date -u -s '2026-12-31 23:59:56' >/dev/null
python3 /job/adjtimex.py status 16
for _ in $(seq 200); do
	case $(date -u +%Y-%H) in 2027-00) break ;; esac
	sleep 0.1
done
pause
python3 /job/adjtimex.py status 0
[ ! -e /job/netdevsim.ko ] || echo 1 >/sys/bus/netdevsim/del_device
pause
END
# set.py real SECONDS | tai SECONDS: sets the wall clock forward or backward, or the TAI offset, and ends a moment later
cat >"$job/set.py" <<'END'
import runpy, sys, time
if sys.argv[1] == 'real':
    time.clock_settime(time.CLOCK_REALTIME, time.time() + float(sys.argv[2]))
else:
    runpy.run_path('/job/adjtimex.py')
time.sleep(0.4)
END
cat >"$job/set" <<'END'
sleep 1.3
for change in "real 5" "tai 30" "real -2.5" "tai 36" "real 0.05" "tai 0" "real 3600" "tai 37"; do
	python3 /job/set.py $change
	sleep 0.3
	/bin/true
	sleep 1.3
done
END
cat >"$job/run" <<'END'
modprobe -a e1000e af_packet || { echo "no driver"; exit 77; }
for _ in $(seq 100); do ip link set eth0 up 2>/dev/null && break; sleep 0.1; done
[ -e /dev/ptp0 ] || { echo "the card has no clock"; exit 77; }
card=
if [ -e /job/netdevsim.ko ]; then
	modprobe psample
	{ insmod /job/netdevsim.ko && echo "1 1" >/sys/bus/netdevsim/new_device; } || exit 1
	card=$(ls /sys/bus/netdevsim/devices/netdevsim1/net)
fi
/job/tracewire record -v -C mono_raw -e sched:sched_process_exit --phc eth0 ${card:+--phc "$card"} --phc all --phc tw-none --phc lo \
	-w /job/changes.pcapng -- bash /job/change 2>/job/record.err || exit
/job/tracewire record -q -e sched:sched_process_exit -w /job/at-once.pcapng -- bash /job/set 2>>/job/record.err
END
VM_DEVICES="-netdev user,id=net -device e1000e,netdev=net" in_machine "bash /job/run"
status=$?
[ $status = 77 ] && skip "the machine has no card with a clock"
expect "status in Linux $release: $(cat "$job/record.err")" 0 "$status"
file=$job/changes.pcapng

expect "what cannot be read is said once" "there is no interface 'tw-none'; \`ip link\` lists all; the run goes on without this clock
the interface lo has no PTP hardware clock; \`ethtool -T lo\` shows what it has; the run goes on without this clock" \
	"$(grep -E "^(there is no|the interface)" "$job/record.err")"

# fields FILTER FIELD...: prints these fields of the packets that match
fields() {
	local filter=$1 args=() field
	shift
	for field in "$@"; do args+=(-e "$field"); done
	tshark -r "$file" -Y "$filter" -T fields -E separator=' ' "${args[@]}" 2>/dev/null
}

# The changes, in order: TAI, STEP, LEAP
expect "changes" "6 37.000000000
2
5 -1.000000000" "$(fields trace.offset.kind trace.offset.kind trace.offset.step |
	sed -E 's/^2 -?[1-9][0-9]*\.[0-9]+$/2/; s/ $//')"
expect "expert information" "OFFSET: TAI offset changed by +37.000 s
OFFSET: leap second: wall clock set by -1.000 s" "$(fields 'trace.expert.tai || trace.expert.leap' _ws.col.Info | sed 's/; .*//')"
for by in report info; do
	"$tracewire" "$by" "$file" >"$scratch/$by" 2>&1 || fail "$by: $(tail -n 3 "$scratch/$by")"
	says "$scratch/$by" "the producer's wall clock was set 1 time; the producer's wall clock had a leap second 1 time; the producer's TAI offset was changed 1 time$" ||
		fail "$by does not have the changes: $(tail -n 5 "$scratch/$by")"
done

# words FIELD: prints the values of a field, without repetitions
words() {
	fields "$1" "$1" | tr ',' '\n' | uniq | paste -sd' '
}
expect "TAI offsets" "0 37 38" "$(words trace.clock.tai_offset)"
leaps=$(words trace.clock.leap)
case $leaps in
"0 1 3 4 0" | "0 1 4 0" | "0 1 3 0" | "0 1 0") ;; # a sample may miss a state
*) fail "leap states: $leaps" ;;
esac

# Packet times are those of the stream's clock: no change bends them.
fields trace.pid frame.time_epoch trace.time >"$scratch/times"
python3 - "$scratch/times" <<'END' || fail "packet times"
import sys
from decimal import Decimal
distances = {Decimal(a) - Decimal(b) for a, b in (line.split() for line in open(sys.argv[1]))}
if len(distances) != 1:
    sys.exit(f'{len(distances)} distances between packet times and the stream clock: {sorted(distances)[:3]}')
END

# The readings of hardware clocks: each has a method and a bound. One that counts CLOCK_MONOTONIC_RAW, as the stream's clock does, has a
# constant distance from it, within the bounds of any two readings, even while the wall clock is set.
fields trace.clock.phc.index trace.clock.phc.index trace.clock.phc.method trace.clock.phc.error trace.clock.phc.time \
	trace.clock.phc.trace >"$scratch/readings"
phcs=$(sed -n 's/^  PHCs *//p' "$scratch/info")
python3 - "$scratch/readings" "$phcs" "$release" <<'END' || fail "PHCs '$phcs': $(head -n 3 "$scratch/readings")"
import sys
from decimal import Decimal
readings = {}
for line in open(sys.argv[1]):
    for n, method, *times in zip(*(field.split(',') for field in line.split())):
        readings.setdefault(int(n), []).append((int(method), *map(Decimal, times)))
entries = sys.argv[2].split(', ')
has_mock = sys.argv[3] == '6.12'
if not entries[0].startswith('0 eth0 ') or entries[-2:] != ['tw-none: there is none', 'lo: no hardware clock'] or \
   len(entries) != 3 + has_mock or has_mock and not entries[1].endswith(': gone'):
    sys.exit('PHCS of HOST')
card = readings[0]
if len(card) < 10 or {r[0] for r in card} - {2, 3} or any(not 0 < r[1] < 1 for r in card):
    sys.exit(f'the clock of the card: {card}')
print(f'methods {sorted({r[0] for r in card})}, {len(card)} readings, bounds up to {max(r[1] for r in card)} s')
if not has_mock:
    sys.exit(0)
mock = readings[1]
if len(mock) < 8 or {r[0] for r in mock} != {4} or len(mock) >= len(card):
    sys.exit(f'the clock that goes away: {mock}')
distances = [(time - trace, error) for _, error, time, trace in mock]
if any(abs(a - b) > error + error2 for a, error in distances for b, error2 in distances):
    sys.exit(f'the bounds do not hold: {distances}')
print(f'the clock of netdevsim: bounds {min(d[1] for d in distances)} to {max(d[1] for d in distances)} s, distances within '
      f'{max(d[0] for d in distances) - min(d[0] for d in distances)} s')
END
[ "$release" != 6.12 ] || expect "a clock that goes away" \
	"the PTP hardware clock /dev/ptp1 is gone: the stream has no readings of it until it is back" "$(grep ' is gone' "$job/record.err")"

# A step of the wall clock is noticed before the process that made it ends, 0.4 s later. The kernel tells nobody that the TAI offset was set:
# this is noticed with the next event, which is the end of this process, and before the end of true, 0.3 s later. Samples are a second apart.
file=$job/at-once.pcapng
expect "changes that are noticed at once" "2 set true 6 set true 2 set true 6 set true 2 set true 6 set true 2 set true 6 set true" \
	"$(fields 'trace.offset.kind in {2, 6} || trace.comm in {"python3", "true"}' trace.offset.kind trace.comm |
		sed 's/python3$/set/; s/^ //; s/ $//' | paste -sd' ' | sed 's/set 6/6 set/g')"
exit $failed
