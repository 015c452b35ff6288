#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `doctor` says about time is what the kernel, ptp4l and the running programs say. No clock is set. tests/vm/clocks.sh looks at the
# clock of a network card.
# Usage: doctor-time.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need python3 ip
mount -t tmpfs tmpfs /run || skip "cannot mount" # other ptp4l and chronyd do not answer

examine() {
	"$tracewire" doctor --json >"$scratch/json"
}

# finding CHECK: prints the status and the text of each finding of the last examination
finding() {
	python3 - "$scratch/json" "$1" <<-'PYTHON'
		import json, sys
		for c in json.load(open(sys.argv[1]))["checks"]:
		    if c["check"] == sys.argv[2]:
		        assert (c["status"] == "ok") == (c["fix"] == ""), c
		        assert not c["needed"], c
		        print(c["status"], c["text"], sep=": ")
	PYTHON
}

examine
source=$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)
case $source in
hpet | acpi_pm | pit | jiffies | refined-jiffies) wanted="limited: $source: .* costs about a microsecond more" ;;
*) wanted="ok: $source" ;;
esac
finding "clock source" | grep -qx "$wanted" || fail "the clock source is $source: $(finding "clock source")"

# adjtimex(2) that changes nothing
tai=$(python3 -c 'import ctypes, struct
timex = ctypes.create_string_buffer(208)
ctypes.CDLL(None).adjtimex(timex)
print(struct.unpack_from("i", timex, 160)[0])')
[ "$tai" = 0 ] && wanted="limited: not set: .* -C tai, .*" || wanted="ok: $tai s"
finding "TAI offset" | grep -qx "$wanted" || fail "the TAI offset is $tai: $(finding "TAI offset")"

clocks=$(find /dev -maxdepth 1 -name 'ptp[0-9]*' | wc -l)
expect "PTP clocks" "$((clocks ? clocks : 1))" "$(finding "PTP clock" | wc -l)"
[ "$clocks" = 0 ] && expect "no PTP clock" "limited: this machine has none" "$(finding "PTP clock")"
# This namespace has only lo, which is not a card.
expect "no card" "limited: there is no network card here" "$(finding "packet stamps")"

# ptp4l finds no other master, and is the master.
if command -v ptp4l >/dev/null && ip link add name va type veth peer name vb; then
	ip link set va up && ip link set vb up
	printf '%s\n' '[global]' 'time_stamping software' 'network_transport L2' 'free_running 1' 'logAnnounceInterval -2' >"$scratch/master.cfg"
	in_background master ptp4l -f "$scratch/master.cfg" -i va -m
	wait_for grep -q 'assuming the grand master role' "$scratch/master.out"
	has_ptp4l() {
		examine
		finding "system clock" | grep -q ptp4l
	}
	wait_for has_ptp4l # on a busy machine, ptp4l may answer too late
	expect "system clock" "ok: ptp4l as the master, software time stamps: other clocks follow this one" "$(finding "system clock")"
	kill_at_once "$pid"
fi

# doctor finds programs by the names of their processes, including those of the machine that runs this test.
is_named() { [ "$(cat "/proc/$1/comm")" = "$2" ]; }
for name in chronyd phc2sys; do
	cp "$(command -v sleep)" "$scratch/$name"
	in_background $name "$scratch/$name" 600
	wait_for is_named "$pid" $name
done
examine
finding "system clock" | grep -qxE 'limited: chronyd.* and phc2sys run at the same time, and each sets the system clock' ||
	fail "two programs set the clock: $(finding "system clock")"
exit $failed
