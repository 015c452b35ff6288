#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture host gives right packet times to streams whose clocks are set, suspended, drifting or far apart, and its error bounds contain
# the true times.
# Usage: clocks.sh TRACEWIRE REMOTE_CLOCKS; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"

# A stream whose invented clock runs for one minute is sent as fast as possible.
for way in steady: wall:--wall; do
	name=${way%%:*}
	start_capture "$name" -u 18101 -w "$scratch/$name.pcapng" ${way#*:}
	capture=$pid
	send steps 18101 >"$scratch/sent"
	end_capture "$name" $capture
done
check check_steps.py "$scratch"

# tells_changes STREAM CHANGES: after the error bound of STREAM, the summary with -v has these changes of its clock
tells_changes() {
	in_background "$1" "$tracewire" capture -v -Z root -u 18101 -w "$scratch/$1.pcapng"
	wait_for says "$scratch/$1.err" '^capturing on UDP '
	send "$1" 18101
	end_capture "$1" "$pid"
	expect "$1: changes of the clock" "$2" "$(sed -n 's/^times  *stepping:[^;]*; //p' "$scratch/$1.err")"
}
tells_changes set "the producer's wall clock was set 2 times"
tells_changes steps "the producer's wall clock was set 2 times; the producer's machine was suspended 1 time"

# The captures `none` (on a link) and `host` (UDP) run in parallel, because each takes long.
ip link add made0 type veth peer name made1
ip link set made0 up
ip link set made1 up
wait_for is_up made0
wait_for is_up made1
start_capture none -i made1 -w "$scratch/none.pcapng"
none=$pid
start_capture host -u 18101 -w "$scratch/host.pcapng" --align host
host=$pid
send apart made0 >"$scratch/none.sent" &
sending=$!
send apart 18101 >"$scratch/host.sent"
wait $sending || failed=1
end_capture none $none
end_capture host $host
check check_apart.py "$scratch"
exit $failed
