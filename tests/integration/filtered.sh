#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A classifier on the path marks events in packed frames as FILTERED. report and capture count these events as filtered, not as lost, and do
# not print them. Wireshark marks them.
# Usage: filtered.sh TRACEWIRE
tracewire=$1
here=$(dirname "$0")
. "$here/common.sh"
need python3

# Only the command is traced (-F): a capture of all events of a busy machine may lose some.
"$tracewire" vnet up tw0 2>"$scratch/up" || fail "vnet up: $(cat "$scratch/up")"
start_dumpcap dumpcap tw0 -P -w "$scratch/wire.pcap"
dumpcap=$pid
"$tracewire" stream -v -F -e sched -i tw0 --events-per-frame 0 -- sh -c 'for _ in $(seq 40); do sleep 0.01; done' \
	2>"$scratch/stream.err" || fail "stream: $(cat "$scratch/stream.err")"
end_dumpcap $dumpcap "$scratch/wire.pcap" "$scratch/stream.err"
eval "$(summary "$scratch/stream.err")"
rejected=$(python3 "$here/reject.py" reject "$scratch/wire.pcap" "$scratch/x.pcap")
[ "$rejected" -gt 20 ] || fail "only $rejected events in packed frames: $(cat "$scratch/stream.err")"
left=$((sent - rejected))

"$tracewire" report -v "$scratch/x.pcap" >"$scratch/text" 2>"$scratch/report.err" || fail "report: $(cat "$scratch/report.err")"
says "$scratch/report.err" "^events +$left printed of $left " || fail "report of $left events: $(cat "$scratch/report.err")"
expect "summary of report" "$left events, 0 lost, $rejected rejected by filters" "$(head -n 1 "$scratch/report.err")"
says "$scratch/report.err" "^ledger +[0-9]+ recorded: $left delivered, $rejected classifier; " || fail "report: $(cat "$scratch/report.err")"
expect "lines of events" "$left" "$(grep -c ' sched_[a-z_]*: ' "$scratch/text")"

tshark -r "$scratch/x.pcap" -T fields -e trace.filtered 2>/dev/null | tr ',' '\n' | grep -c . >"$scratch/marked"
expect "records that Wireshark marks" "$rejected" "$(cat "$scratch/marked")"
tshark -r "$scratch/x.pcap" -Y trace.expert.gap >"$scratch/gaps" 2>/dev/null || fail "tshark fails"
expect "gaps that Wireshark sees" "" "$(head -n 1 "$scratch/gaps")"

# A capture with a filter of its own receives the changed frames on a veth pair.
for expression in 'cpu >= 0' 'event == sched_switch'; do
	in_background capture "$tracewire" capture -v -i tw0 -w "$scratch/y.pcapng" -f "$expression"
	capture=$pid
	wait_for says "$scratch/capture.err" '^capturing on'
	python3 "$here/reject.py" send "$scratch/x.pcap" tw0-tx || fail "frames cannot be sent"
	sleep 0.2
	interrupt $capture
	expect "status of capture" 0 $?
	"$tracewire" report -q -f "$expression" "$scratch/x.pcap" >"$scratch/expected"
	"$tracewire" report -q "$scratch/y.pcapng" | diff "$scratch/expected" - >"$scratch/bad" || fail "capture: $(head -n 4 "$scratch/bad")"
	written=$(grep -c ' sched_[a-z_]*: ' "$scratch/expected")
	for line in "rejected $((left - written)) events by the filter" "file +$written events in .*"; do
		says "$scratch/capture.err" "^$line$" || fail "capture does not say '$line': $(cat "$scratch/capture.err")"
	done
	expect "recorded" "$sent" "$(ledger y recorded)"
	expect "rejected by the classifier" "$rejected" "$(ledger y classifier)"
	nothing_lost y
	expect "received, dropped, delivered" "$sent 0 0 $written" "$(statistics "$scratch/y.pcapng")"
done

# An XDP classifier drops frames before a capture sees them. Their numbers are missing, but the counters of the classifier show that they
# are filtered, not lost. The classifier is attached when the stream has sent its formats, which takes time on a busy machine. The process
# that reads the counters runs as nobody, with CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, which it needs.
nobody=$(id -u nobody) group=$(id -g nobody) caps=0000000000200004 none=0000000000000000
counting="Uid $nobody $nobody $nobody $nobody
Gid $group $group $group $group
Groups $(id -G nobody)
CapInh $none
CapPrm $caps
CapEff $caps
CapBnd $none
CapAmb $none
NoNewPrivs 1"
for frames in 1 0; do
	in_background attach "$tracewire" filter attach -i tw0 'event == "sched_switch" or event == "sched_stat_runtime"' --action drop
	attach=$pid
	wait_for says "$scratch/attach.err" '^(waiting on|attached to) tw0'
	in_background capture "$tracewire" capture -v -i tw0 -w "$scratch/z.pcapng"
	capture=$pid
	wait_for says "$scratch/capture.err" '^capturing on'
	counter=$(pgrep -P $capture -x tracewire-count)
	expect "what the process that counts may do" "$counting" "$(sed -nE 's/^(Uid|Gid|Groups|Cap...|NoNewPrivs):[ \t]*/\1 /p' "/proc/$counter/status" | tr -s '\t ' ' ' | sed 's/ $//')"
	"$tracewire" stream -v -F -e sched -i tw0 --events-per-frame $frames -- bash -c "for _ in {1..600}; do
			grep -q '^attached to' '$scratch/attach.err' && break
			kill -0 $attach 2>/dev/null || break
			sleep 0.05
		done
		for _ in {1..40}; do sleep 0.02; done" 2>"$scratch/stream.err" || fail "stream: $(cat "$scratch/stream.err")"
	sleep 0.2
	interrupt $capture
	interrupt $attach
	if ! says "$scratch/attach.err" '^attached to tw0'; then
		echo "this kernel has no XDP on a wire: $(cat "$scratch/attach.err")"
		break
	fi
	eval "$(summary "$scratch/stream.err")"
	written=$(sed -nE 's/^file +([0-9]+) events .*/\1/p' "$scratch/capture.err")
	rejected=$(ledger z classifier)
	nothing_lost z
	expect "summary of report" "$written events, 0 lost, $rejected rejected by filters" "$("$tracewire" report "$scratch/z.pcapng" 2>&1 >/dev/null)"
	expect "events in the file and those that XDP took" "$sent" $((written + rejected))
	[ "$rejected" -gt 50 ] || fail "XDP took $rejected events"
	expect "received, dropped, delivered" "$sent 0 0 $written" "$(statistics "$scratch/z.pcapng")"
done

# If the process that reads the counters has ended, the counters are unknown.
in_background gone "$tracewire" capture -j -i tw0 -w "$scratch/gone.pcapng"
capture=$pid
wait_for says "$scratch/gone.err" '^\{"begin"'
kill -KILL "$(pgrep -P $capture -x tracewire-count)"
interrupt $capture
says "$scratch/gone.err" '^\{"end".*"classifiers_unread":true' || fail "counters that nobody reads: $(cat "$scratch/gone.err")"

# If the process that reads the counters is stopped, the counters are unknown too. The capture still ends, and the stopped process ends
# after it. That process runs as the user of the capture, because otherwise the kernel would not let the capture kill it.
stop_counter() { # WHO WORD...: the process that reads the counters runs as WHO
	local who=$1
	shift
	in_background stopped "$tracewire" capture -j -i tw0 -w "$scratch/stopped.pcapng" "$@"
	capture=$pid
	wait_for says "$scratch/stopped.err" '^\{"begin"'
	counter=$(pgrep -P $capture -x tracewire-count)
	expect "$*: user of the process that counts" "$(id -u "$who")" "$(awk '/^Uid:/ { print $2 }' "/proc/$counter/status")"
	kill -STOP "$counter"
	wait_for is_stopped "$counter"
}
ends_beside_stopped() { # WORD...: options of the capture
	wait_for has_ended $capture || kill -KILL "$capture" "$counter"
	wait $capture
	expect "$*: status of a capture beside a stopped process" 0 $?
	wait_for has_ended "$counter" || kill -KILL "$counter"
	says "$scratch/stopped.err" '^\{"end".*"classifiers_unread":true' || fail "$*: counters of a stopped process: $(cat "$scratch/stopped.err")"
}
for users in "daemon daemon" "root nobody"; do
	read -r user who <<<"$users"
	stop_counter "$who" --user "$user"
	kill -INT $capture
	ends_beside_stopped --user "$user"
done
stop_counter daemon --user daemon -c 1
python3 "$here/reject.py" send "$scratch/x.pcap" tw0-tx || fail "frames cannot be sent"
ends_beside_stopped -c 1
exit $failed
