#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 200 streams at once: each has an interface in the file, all events are in one order, and none is missing. Memory grows with the number of
# streams and not with time. These streams do not answer, and send more per second than such streams may by default.
# Usage: many.sh TRACEWIRE REMOTE_MANY; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
need capinfos

start_capture all -u 18101 --unanswered 0 -w "$scratch/all.pcapng"
capture=$pid
send 18101 200 240
end_capture all $capture
check check_many.py "$scratch/all" 200 240
expect "interfaces in the file" 200 "$(capinfos -M "$scratch/all.pcapng" | awk '/^Number of interfaces/ { print $NF }')"

# All streams have arrived and ended before the capture processes the first.
start_capture stopped -u 18101 --unanswered 0 -w "$scratch/stopped.pcapng"
capture=$pid
kill -STOP $capture
send 18101 200 24 at-once
kill -CONT $capture
end_capture stopped $capture
check check_many.py "$scratch/stopped" 200 24

# memory STREAMS EVENTS: captures them and sets $memory to the maximum memory of the capture, KiB; the output is discarded
memory() {
	local capture
	in_background "memory$1" sh -c 'exec "$@" >/dev/null' sh "$tracewire" capture -j -Z root -u 18101 --unanswered 0 -w -
	capture=$pid
	wait_for says "$scratch/memory$1.err" '^\{"begin"'
	send 18101 "$1" "$2"
	wait_for taken 18101
	memory=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$capture/status")
	end_capture "memory of $1 streams" "$capture"
	check check_many.py "$scratch/memory$1" "$1" "$2"
	echo "$1 streams of $2 events: $memory KiB"
}

memory 2 720
two=$memory
memory 50 720
fifty=$memory
memory 200 720
echo "a stream takes $(((fifty - two) / 48)) KiB of 50, $(((memory - fifty) / 150)) KiB of 200"
[ $(((memory - fifty) / 150)) -le $((2 * (fifty - two) / 48 + 16)) ] || fail "memory grows faster than the number of streams"
[ $((memory - fifty)) -le $((150 * 512)) ] || fail "a stream takes $(((memory - fifty) / 150)) KiB"

memory 10 60000 # after that many events, all memory that is used repeatedly was used once
short=$memory
memory 10 300000
# The number of huge pages may differ by four. The additional events have 20 MiB.
[ $((memory - short)) -le 8192 ] || fail "five times as many events take $((memory - short)) KiB more"
exit $failed
