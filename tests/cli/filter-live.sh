#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Filters on this kernel. The schema id equals that of a real stream. `explain --live` counts real events, and its two runs agree. dumpcap
# and tc accept the generated filters.
# Usage: filter-live.sh TRACEWIRE DATA
tracewire=$1
sample=$2/sample.pcapng
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs
need python3

# value EXPRESSION: prints the value for the JSON object on standard input, which is called o
value() {
	python3 -c "import json, sys; o = json.load(sys.stdin); print($1)"
}

# The schema id computed by explain equals that of a stream with these events.
"$tracewire" record -q -e sched,irq -w "$scratch/x.pcapng" -- true || fail "record ended with status $?"
computed=$("$tracewire" filter explain --json -e irq,sched 'cpu == 0' | value "o['schema']")
recorded=$("$tracewire" filter explain --json --from "$scratch/x.pcapng" 'cpu == 0' | value "o['schema']")
[ -n "$computed" ] && [ "$computed" = "$recorded" ] || fail "a stream's schema is '$recorded', not '$computed'"

"$tracewire" record -q -e sched,irq -f 'prev_pid == 0' -w "$scratch/y.pcapng" -- true || fail "record -f ended with status $?"
recorded=$("$tracewire" filter explain --json --from "$scratch/y.pcapng" 'cpu == 0' | value "o['schema']")
[ "$computed" = "$recorded" ] || fail "a filtered stream's schema is '$recorded', not '$computed'"

run 2 "$tracewire" filter attach -i lo -e no_such_event 'cpu == 0' --action drop
says "$scratch/err" no_such_event || fail "filter attach with an unknown event says: $(cat "$scratch/err")"

# This kernel accepts the generated filters, one per line.
instance=$tracing/instances/tracewire-test-$$
mkdir "$instance" || fail "no instance for a test"
"$tracewire" filter compile --to tracefs -e sched,irq 'prev_pid == 0 && cpu == 0 or irq == 3 or comm ~ "k*"' >"$scratch/filters"
while read -r event filter; do
	[ "$event" = '#' ] && continue
	echo "${filter:-0}" >"$instance/events/${event/://}/filter" || fail "the kernel refuses the filter of $event: $filter"
done <"$scratch/filters"
[ "$(cat "$instance/events/sched/sched_switch/filter")" = 'prev_pid == 0 && CPU == 0 || COMM ~ "k*"' ] ||
	fail "the filter of sched_switch is $(cat "$instance/events/sched/sched_switch/filter")"
rmdir "$instance"

# explain --live, with a load that the test makes: switches and wake-ups on each CPU.
load() {
	while :; do
		sleep 0.01
		echo >>"$scratch/sleeps"
	done
}
: >"$scratch/sleeps"
load &
load=$!
has_slept() { # N: the load has slept N times
	[ "$(wc -l <"$scratch/sleeps")" -ge "$1" ]
}
is_at_work() { # PROCESS: it reads events
	grep -qs '^read events: [1-9]' "$tracing/instances/tracewire-$1"*/per_cpu/cpu*/stats
}
in_background live "$tracewire" filter explain --json -e sched,irq --live 0 \
	'(prev_comm == "sleep" or any.comm == "sleep" and time > 1) and not cpu == 4095'
wait_for is_at_work "$pid"
wait_for has_slept $(($(wc -l <"$scratch/sleeps") + 100))
interrupt "$pid" || fail "explain --live ended with status $?"
cp "$scratch/live.out" "$scratch/live.json"
"$tracewire" filter explain -e sched,irq --live 1 'comm == "sleep" or prev_pid == 0 and time > 1' >"$scratch/live.txt" ||
	fail "explain --live ended with status $?"
kill "$load"
wait "$load" 2>/dev/null

live() {
	value "o['live']$1" <"$scratch/live.json"
}

near() { # WHAT A B: the counts differ by no more than the events at the edges of the window
	[ "$2" -gt $(($3 - 5)) ] && [ "$2" -lt $(($3 + 5)) ] || fail "$1: $2 and $3"
}

[ "$(live "['filtered']['matched']")" -gt 50 ] || fail "a load of 100 sleeps matches only $(live "['filtered']['matched']") times"
[ "$(live "['unfiltered']['events']")" -gt "$(live "['filtered']['events']")" ] || fail "the filter keeps nothing out"
near "both runs" "$(live "['unfiltered']['matched']")" "$(live "['filtered']['matched']")"
[ "$(live "['recorded']")" -ge "$(live "['delivered']")" ] || fail "more is delivered than recorded"
[ "$(live "['predicates'][0]['matched']")" -gt 20 ] || fail "prev_comm == \"sleep\" never matched"
[ "$(live "['predicates'][2]['asked']")" = "$(live "['predicates'][2]['matched']")" ] || fail "time > 1 is not always true"
# The name of a task is sent shortly before it changes. The two runs may differ only in events that happen in between.
grep -qE 'both numbers of matches are equal|they differ by [1-9][0-9]?:' "$scratch/live.txt" || fail "the two runs: $(cat "$scratch/live.txt")"

# Ctrl-C ends it, and leaves nothing.
"$tracewire" filter explain -e sched --live 0 'cpu == 0' >"$scratch/interrupted" &
explain=$!
traces() { [ -n "$(instances "$explain")" ]; }
wait_for traces
kill -INT "$explain"
wait "$explain" || fail "an interrupted explain ended with status $?"
grep -q '^measured for' "$scratch/interrupted" || fail "an interrupted explain tells nothing"
left=$(cd "$tracing/instances" && echo tracewire-"$explain"*)
[ "$left" = "tracewire-$explain*" ] || fail "instances stay behind: $left"

# tc accepts the commands for u32. They redirect matching events of the sample, and control frames, to another interface.
cat >"$scratch/send.py" <<'END'
import socket
import struct
import sys

capture = open(sys.argv[1], "rb").read()
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind((sys.argv[2], 0))
at = 24
while at < len(capture):
    length = struct.unpack("<I", capture[at + 8:at + 12])[0]
    wire.send(capture[at + 16:at + 16 + length])
    at += 16 + length
END
command -v editcap >/dev/null && editcap -F pcap "$sample" "$scratch/sample.pcap"
sent_on() { # prints the number of frames that each filter redirected
	tc -s filter show dev tw0 ingress | sed -n 's/.*bytes \([0-9]*\) pkt.*/\1/p' | paste -sd' '
}
have_sent_on() { # WANTED
	[ "$(sent_on)" = "$1" ]
}
redirected() { # WANTED
	"$tracewire" vnet up tw0 2>/dev/null && "$tracewire" vnet up tw1 2>/dev/null || fail "no wires"
	"$tracewire" filter compile --to u32 --from "$sample" --action redirect:tw1-tx 'prev_pid == 0 && cpu == 1' >"$scratch/commands"
	sh -e "$scratch/commands" || fail "tc refuses: $(cat "$scratch/commands")"
	python3 "$scratch/send.py" "$scratch/sample.pcap" tw0-tx
	wait_for have_sent_on "$1" >&2
	sleep 0.5 # frames that are redirected wrongly would arrive too
	sent_on
}
if command -v tc >/dev/null && command -v editcap >/dev/null; then
	reported=$("$tracewire" report -q -f 'prev_pid == 0 && cpu == 1' "$sample" | grep -vc ^cpus=)
	got=$(redirected "3 $reported")
	[ "$got" = "3 $reported" ] || fail "tc sends '$got' frames on, not 3 with control records and $reported events"
	"$tracewire" vnet down tw0 2>/dev/null
	"$tracewire" vnet down tw1 2>/dev/null
else
	echo "not checked: u32, for tc or editcap is not there"
fi

# dumpcap accepts the filter string, and passes the same packets.
has_captured() { # FRAMES
	[ "$(capinfos -Mc "$scratch/captured.pcapng" 2>/dev/null | sed -n 's/^Number of packets: *//p')" -ge "$1" ] 2>/dev/null
}
captured() { # FRAMES: at least that many were captured
	"$tracewire" vnet up tw2 2>/dev/null || fail "no wire"
	in_background dumpcap dumpcap -q -i tw2 -f "$("$tracewire" filter compile --to pcap --from "$sample" 'prev_pid == 0 && cpu == 1')" \
		-w "$scratch/captured.pcapng"
	wait_for says "$scratch/dumpcap.err" '^File: ' >&2
	python3 "$scratch/send.py" "$scratch/sample.pcap" tw2-tx
	wait_for has_captured "$1" >&2
	sleep 0.5 # frames that pass wrongly would arrive too
	interrupt "$pid"
	capinfos -Mc "$scratch/captured.pcapng" | sed -n 's/^Number of packets: *//p'
}
if command -v dumpcap >/dev/null && command -v editcap >/dev/null; then
	reported=$("$tracewire" report -q -f 'prev_pid == 0 && cpu == 1' "$sample" | grep -vc ^cpus=)
	got=$(captured $((reported + 3)))
	[ "$got" = $((reported + 3)) ] || fail "dumpcap has '$got' frames, not 3 with control records and $reported events: $(cat "$scratch/dumpcap.err")"
	"$tracewire" vnet down tw2 2>/dev/null
else
	echo "not checked: a capture filter, for dumpcap or editcap is not there"
fi

as_nobody filter compile --to tree 'cpu == 0' 2>"$scratch/err" && fail "formats of this kernel without root"
grep -q 'only root can read .*--from' "$scratch/err" || fail "without root: $(cat "$scratch/err")"

exit $failed
