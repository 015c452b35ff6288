#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Forged streams arrive as fast as a capture host accepts them. A real sender that begins in the middle loses nothing, memory and file are
# bounded, and refused frames are counted. If the forged streams arrive faster, the frames that the socket drops count at `receiver`. A
# refused sender is notified.
# Usage: flood.sh TRACEWIRE REMOTE_FLOOD LOAD; PLUGIN and PLUGINDIR as in tests/integration. FLOOD_SECONDS is the duration of the longest
# flood, 8 by default.
. "$(dirname "$0")/common.sh"
load=$3
seconds=${FLOOD_SECONDS:-8}

# real NAME SECONDS: runs a real sender that traces only the load that it starts; its summary is in NAME.err
real() {
	timeout 100 "$tracewire" stream -v -e raw_syscalls -F -u 127.0.0.1 -- "$load" "$2" 2000 >/dev/null 2>"$scratch/$1.err"
	expect "$1: status of stream" 0 $?
}

# 300 streams that send their names once and nothing after that
start_capture silent -u 18101 -w "$scratch/silent.pcapng"
capture=$pid
send 18101 hosts 10 wait 300 >/dev/null
real silent-sender 1
sleep 0.3
end_capture silent "$capture"
check check_flood.py "$scratch/silent" "$scratch/silent-sender.err"

# flood NAME KIND SECONDS PACE SENDER [WORD...]: runs a flood; in its middle a real sender begins, which sends for SENDER seconds. The words
# are further arguments of check_flood.py.
flood() {
	local name=$1 capture flooding memory frames took
	start_capture "$name" -u 18101 -w "$scratch/$name.pcapng"
	capture=$pid
	"$streams" 18101 "$2" "$3" "$4" >"$scratch/sent" &
	flooding=$!
	sleep $(($3 / 2))
	real "$name-sender" "$5"
	wait $flooding || fail "$name: the flood ends with $?"
	wait_for taken 18101
	memory=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$capture/status")
	end_capture "$name" "$capture"
	read -r frames took <"$scratch/sent"
	echo "$name: $frames forged frames in $took s; $memory KiB; the file has $(stat -c %s "$scratch/$name.pcapng") bytes"
	check check_flood.py "$scratch/$name" "$scratch/$name-sender.err" "$memory" "$took" "${@:6}"
	says "$scratch/$name.err" '"note":"frames from 127.0.0.1 are refused' || fail "$name: nothing was said when frames were refused"
}

flood flood mixed "$seconds" wait $((seconds / 4))
# These floods do not wait for the capture, so the socket may drop all datagrams while they last. The real sender continues after them.
flood full events 4 0 4 full
flood bundles bundles 4 0 4 full

# The capture allows one stream per address. The second sender is notified that it is refused, and continues.
start_capture one -u 18101 --streams-per-source 1 -w "$scratch/one.pcapng"
capture=$pid
in_background first "$tracewire" stream -v -e raw_syscalls -F -u 127.0.0.1 -- "$load" 100 100
first=$pid
wait_for says "$scratch/first.err" '^streaming '
wait_for test -s "$scratch/one.pcapng"
real second 3
interrupt "$first" || true
sleep 0.3
end_capture one "$capture"
says "$scratch/second.err" '^the capture host refuses this stream: .*--streams-per-source' || fail "the second sender was not told"
says "$scratch/second.err" '^refused  [1-9].* times the capture host refused' || fail "the second sender's summary has nothing of it"
says "$scratch/first.err" 'refuses this stream' && fail "the first sender was told that it is refused"
expect "all events of the second sender are counted as refused" "$(sed -n 's/^events  *[0-9]* recorded, [0-9]* read, \([0-9]*\) sent.*/\1/p' "$scratch/second.err")" \
	"$(grep '^{"end"' "$scratch/one.err" | sed -E 's/.*"refused":\{"frames":[0-9]+,"events":([0-9]+).*/\1/')"
exit $failed
