#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture explains its socket events: it says what each stage is attached to, as `doctor` does. This holds for a recording, packets beside
# events, each file of a ring of files that `capture` writes, a capture that joins late, and the Wireshark plugin.
# Usage: socket-hooks.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need ping python3
cd "$scratch" || exit 1
ip link set lo up
"$tracewire" doctor --json >doctor.json
python3 - >stages <<'PYTHON'
import json
for check in json.load(open("doctor.json"))["checks"]:
    if check["check"] == "socket events" and ", stage " in check["text"]:
        print(check["text"])
PYTHON
[ -s stages ] || skip "this kernel can make no socket events"

# hooks FILE: prints the hooks of the only stream
hooks() {
	"$tracewire" info -j "$1" 2>/dev/null |
		python3 -c 'import json, sys; print("\n".join(json.loads(sys.stdin.readline())["streams"][0]["hooks"]))' 2>/dev/null
}
# has_hooks FILE STAGES: they are the lines of the file STAGES
has_hooks() {
	[ "$(hooks "$1")" = "$(cat "$2")" ]
}
check_hooks() {
	expect "hooks of $1" "$(cat "$2")" "$(hooks "$1")"
}

grep -E '^sockts:(tcp_reset|drop), ' stages >two
"$tracewire" record -q -e sockts:tcp_reset,sockts:drop -w two.pcapng -- true || fail "record ends with $?"
check_hooks two.pcapng two
expect "info" "$(cat two)" "$("$tracewire" info two.pcapng | sed -nE 's/^  (hooks|     )     (sockts:)/\2/p')"
expect "the plugin" "$(cat two)" \
	"$(tshark -r two.pcapng -T fields -E aggregator='|' -e trace.host.hook 2>/dev/null | grep . | tail -n 1 | tr '|' '\n')"
grep '^sockts:icmp_echo, ' stages >echo
"$tracewire" record -q -e sockts:icmp_echo --with-packets lo -w beside.pcapng -- ping -q -c 1 127.0.0.1 >/dev/null 2>err || fail "with packets: $(cat err)"
check_hooks beside.pcapng echo
has_some() { ping -q -c 1 127.0.0.1 >/dev/null && [ -s "$1" ]; }
dumpcap -q -i lo -a packets:2 -w lo.pcapng >/dev/null 2>&1 &
packets=$!
wait_for has_some lo.pcapng
ping -q -c 2 -i 0.2 127.0.0.1 >/dev/null
wait $packets
"$tracewire" convert -q --join lo.pcapng two.pcapng joined.pcapng 2>err || fail "join: $(cat err)"
check_hooks joined.pcapng two

# All events of the system and wake-ups: the HOST is longer than a frame. It is sent over UDP to two captures, of which one joins late. The
# filter leaves out the socket events of the stream's own datagrams.
in_background first "$tracewire" capture -Z root -u 18101 -b packets:1000 -b files:3 -w first.pcapng
first=$pid
wait_for says first.err '^capturing '
in_background stream "$tracewire" stream -v -e 'sockts:*,sched' -f 'system == "sched" or sport == 1' -u 127.0.0.1
stream=$pid
has_files() { [ "$(find . -name 'first_*' | wc -l)" -ge 3 ]; }
wait_for has_files
interrupt $first
in_background late "$tracewire" capture -Z root -u 18101 -w late.pcapng
late=$pid
wait_for has_hooks late.pcapng stages
interrupt $stream
interrupt $late
for file in first_*.pcapng late.pcapng; do
	check_hooks "$file" stages
done
"$tracewire" record -q -e sched -w none.pcapng -- true
expect "hooks without socket events" "" "$(hooks none.pcapng)"
exit $failed
