#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Forged streams arrive as fast as a capture host accepts them. A real sender that begins in the middle loses nothing, memory and file are
# bounded, and refused frames are counted. If the streams arrive faster, drops of the socket count at `receiver`. A refused sender is
# notified.
# Usage: flood.sh TRACEWIRE REMOTE_FLOOD LOAD; PLUGIN and PLUGINDIR as in tests/integration. FLOOD_SECONDS: of the flood, 20
. "$(dirname "$0")/common.sh"
load=$3
seconds=${FLOOD_SECONDS:-20}

# real NAME SECONDS: runs a sender that traces only a load of its own; its summary is in NAME.err
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

# flood NAME KIND SECONDS PACE SENDER: a sender begins in the middle and sends for SENDER seconds; further words are arguments of the check
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
# These streams do not wait, so the socket may drop all datagrams meanwhile. The sender continues when they have ended.
flood full events 4 0 4 full
flood bundles bundles 4 0 4 full

# One stream per address is allowed: the second sender continues, and is notified.
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
