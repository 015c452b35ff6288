#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 200 streams at once: each has an interface in the file, all events are in time order, and none is missing. Memory grows with the number of
# streams and not with time. The streams do not answer, and send more per second than such streams may by default (--unanswered).
# Usage: many.sh TRACEWIRE REMOTE_MANY; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
need capinfos

start_capture all -u 18101 --unanswered 0 -w "$scratch/all.pcapng"
capture=$pid
send 18101 200 240
end_capture all $capture
check check_many.py "$scratch/all" 200 240
expect "interfaces in the file" 200 "$(capinfos -M "$scratch/all.pcapng" | awk '/^Number of interfaces/ { print $NF }')"

# All frames of all streams have arrived before the capture processes the first frame.
start_capture stopped -u 18101 --unanswered 0 -w "$scratch/stopped.pcapng"
capture=$pid
kill -STOP $capture
send 18101 200 24 at-once
kill -CONT $capture
end_capture stopped $capture
check check_many.py "$scratch/stopped" 200 24

# memory STREAMS EVENTS: captures such streams and sets $memory to the largest memory of the capture, KiB. The captured file is discarded.
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

memory 10 60000 # enough events that the capture has allocated all memory that it reuses
short=$memory
memory 10 300000
# The two runs may differ by four huge pages of 2 MiB. The additional events have 20 MiB.
[ $((memory - short)) -le 8192 ] || fail "five times as many events take $((memory - short)) KiB more"
exit $failed
