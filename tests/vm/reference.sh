#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `capture --reference` on a machine whose wall clock is set during the capture: an hour forward, then half an hour backward. The reference
# `host` does not follow. `realtime` and `tai` follow, and the file has an OFFSET record with each step.
# Usage: reference.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
need python3
cp "$1" "$job/tracewire"

cat >"$job/take" <<'END'
ip link set lo up
mount -t tmpfs tmpfs /run
for reference in host realtime tai; do
	/job/tracewire capture -j -u 127.0.0.1:18101 --reference $reference --align host -w /job/$reference.pcapng 2>/job/$reference.err &
	capture=$!
	for _ in $(seq 300); do grep -q begin /job/$reference.err && break; sleep 0.1; done
	/job/tracewire stream -q -F -e sched -u 127.0.0.1:18101 -- sh -c '
		sleep 2; date -s @$(($(date +%s) + 3600)) >/dev/null; sleep 2; date -s @$(($(date +%s) - 1800)) >/dev/null; sleep 2' || exit 1
	sleep 1
	kill -INT $capture
	wait $capture || exit 1
done
END
in_machine "sh /job/take" || fail "in Linux $release it ends with $?: $(cat "$job"/*.err)"

# steps_of FILE: the steps of the reference in minutes, from the OFFSET records of the kind 7; then how many minutes the packet times span
steps_of() {
	"$job/tracewire" info -j "$1" 2>/dev/null | python3 -c '
import json, re, struct, sys
file = open(sys.argv[1], "rb").read()
records = {file[m.start():m.start() + 48] for m in re.finditer(rb"\0\x0f\0\x30\0\x07", file)}
steps = sorted(round(struct.unpack(">q", r[24:32])[0] / 6e10) for r in records)
print(*steps, "span", round(float(json.load(sys.stdin)["duration"]) / 60))' "$1"
}
expect "host" "span 0" "$(steps_of "$job/host.pcapng")"
expect "realtime" "-30 60 span 60" "$(steps_of "$job/realtime.pcapng")"
expect "tai" "-30 60 span 60" "$(steps_of "$job/tai.pcapng")"
exit $failed
