#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Settings that tests must not make on their own machine: first, what NTP daemons and others report to the kernel about its clock; then, the
# clock of a network card, which is read together with the system's clock, with a ptp4l that uses hardware time stamps. A stock kernel has
# the driver of a card that QEMU emulates. The clock of this card can be set; in QEMU 7.2, it then stands still, in 10.0, it continues.
# `tracewire doctor` describes the card; it does not find Wireshark, which starts slowly in the guest.
# Usage: clocks.sh RELEASE KERNELS SHOW_SYNC TRACEWIRE
. "$(dirname "$0")/common.sh"
need ptp4l phc_ctl python3
cp "$1" "$job/show_sync"
cp "$2" "$job/tracewire"
# The card makes no time stamps of sync messages, so ptp4l sends them rarely. ptp4l is the master as long as it hears no other master.
printf '%s\n' '[global]' 'free_running 1' 'time_stamping hardware' 'network_transport L2' 'logSyncInterval 7' \
	'logAnnounceInterval 0' 'announceReceiptTimeout 2' >"$job/master.cfg"

# Sets maxerror and esterror, in us, and status with adjtimex(2)
cat >"$job/adjtimex.py" <<'END'
import ctypes, struct, subprocess
for maxerror, esterror, status in ((3000, 500, 0), (0, 0, 0), (0, 16000000, 0), (3000, 500, 0x40)):
    timex = struct.pack('I4xqqqqi4x', 4 | 8 | 0x10, 0, 0, maxerror, esterror, status)
    if ctypes.CDLL(None).adjtimex(timex + bytes(208 - len(timex))) < 0:
        raise SystemExit('the kernel refuses')
    subprocess.run(['/job/show_sync', '1', '10'])
END

# phc_ctl sets the card's clock: first to a time far off, then up to a second ahead of TAI. A clock that stands still is right when this
# second is over.
VM_DEVICES="-netdev user,id=net -device e1000e,netdev=net" in_machine '
modprobe -a e1000e af_packet || { echo "no driver"; exit 77; }
for _ in $(seq 100); do ip link set eth0 up 2>/dev/null && break; sleep 0.1; done
python3 /job/adjtimex.py >/job/kernel
[ -e /dev/ptp0 ] || { echo "the card has no clock"; exit 77; }
mount -t tmpfs tmpfs /run
phc_ctl eth0 set 1000000.5 >/dev/null
/job/show_sync 1 >/job/alone
ptp4l -f /job/master.cfg -i eth0 -m >/job/ptp4l &
for _ in $(seq 300); do grep -q "grand master" /job/ptp4l && break; sleep 0.1; done
/job/show_sync 20 200 >/job/far
PATH=/none /job/tracewire doctor --json >/job/doctor-far
for _ in $(seq 20); do
	phc_ctl eth0 set $(($(date +%s) + 38)) >/dev/null
	/job/show_sync 1 200 >>/job/near
done
PATH=/none /job/tracewire doctor --json >/job/doctor-near
'
status=$?
[ $status = 77 ] && skip "$(tail -n 1 "$job"/* 2>/dev/null)"
# A bound that grows by 500 us a second; a meaningless maxerror, twice; not synchronised
sed 's/^[3-9][0-9]\{6\} /ms /; s/within 10\? ms$/within some ms/' "$job/kernel" >"$job/kernel-says"
expect "the kernel" "ms NTP, as the kernel reports, within some ms
0 a source whose error bound the kernel does not know
0 a source whose error bound the kernel does not know
0 free running" "$(cat "$job/kernel-says")"
says "$job/alone" ptp4l && fail "said without a ptp4l: $(cat "$job/alone")"
tail -n 1 "$job/far" | grep -qE '^0 ptp4l as the master, hardware time stamps 10000[0-9]{2}$' ||
	fail "far from the system's clock: $(cat "$job/far")"
# While the card's clock is near the system's clock, there is an error bound.
says "$job/near" '^[1-9][0-9]{3,8} ptp4l as the master, hardware time stamps [0-9]{10}$' || fail "never near: $(cat "$job/near")"

# finding FILE CHECK: prints the status and the text of a finding of `tracewire doctor`
finding() {
	python3 -c 'import json, sys
print(*["%(status)s: %(text)s" % c for c in json.load(open(sys.argv[1]))["checks"] if c["check"] == sys.argv[2]], sep="\n")' "$@"
}
expect "a clock that is not set" "limited: ptp0 (NAME) of eth0 does not show the time of day: no program has set it" \
	"$(finding "$job/doctor-far" "PTP clock" | sed 's/([^)]*)/(NAME)/')"
expect "a clock that is set" "ok: ptp0 (NAME) of eth0: readings are off by N at most; between two readings of CLOCK_REALTIME in the driver" \
	"$(finding "$job/doctor-near" "PTP clock" | sed -E 's/\([^)]*\)/(NAME)/; s/CLOCK_MONOTONIC_RAW/CLOCK_REALTIME/; s/by [0-9.]+ (n|u|m)?s /by N /')"
expect "the stamps of the card" "ok: eth0: the card can stamp all packets, by ptp0" "$(finding "$job/doctor-near" "packet stamps")"
finding "$job/doctor-far" "system clock" | grep -q 'ptp4l uses the clock of a network card, and nothing compares' ||
	fail "ptp4l without phc2sys: $(finding "$job/doctor-far" "system clock")"
exit $failed
