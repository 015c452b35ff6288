#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `capture --reference`: each clock of this machine. The producer is on the same machine, so its wall clock is that of the reference: packet
# times and error bounds are checked against it. A PTP hardware clock that cannot be used: a note, a comment of the file, and the next best
# reference. The file says what the time of the stream rests on.
# Usage: reference.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need python3
ip link set lo up || skip "no loopback interface"
port=18200

closed() { # NAME: the file has the end of its stream
	"$tracewire" info -j "$scratch/$1.pcapng" 2>/dev/null | grep -qE '"state": ?"closed"'
}

# has_bound FILE: in the last status in FILE, the error of packet times is bounded
has_bound() {
	grep '^{"status"' "$1" | tail -n 1 | grep -q '"error_ns"'
}
export -f has_bound

# take NAME OPTION...: captures a short stream with these options into NAME.pcapng, with its messages as JSON in NAME.err. The stream ends
# when its error bound is known: on a busy machine, the first response may be late.
take() {
	local name=$1 capture
	shift
	port=$((port + 1))
	in_background "$name" "$tracewire" capture -j --status 0.1 -u 127.0.0.1:$port -w "$scratch/$name.pcapng" "$@"
	capture=$pid
	wait_for says "$scratch/$name.err" '"begin"'
	"$tracewire" stream -q -F -e sched -u 127.0.0.1:$port -- \
		bash -c 'for i in {1..300}; do sleep 0.1; [ $i -ge 8 ] && has_bound "$0" && break; done' "$scratch/$name.err" \
		2>"$scratch/stream.err" || fail "stream: $(cat "$scratch/stream.err")"
	wait_for closed "$name"
	interrupt "$capture" || fail "$name: status $?: $(cat "$scratch/$name.err")"
}

# of NAME EXPRESSION: the value of a Python expression: `begin`, `end` and `notes` of the messages, `i` the output of info, `s` its stream
of() {
	"$tracewire" info -j "$scratch/$1.pcapng" >"$scratch/info" || fail "info of $1"
	python3 - "$scratch/info" "$scratch/$1.err" "$2" <<'END'
import json, sys
i = json.load(open(sys.argv[1]))
s = i['streams'][0]
said = [json.loads(line) for line in open(sys.argv[2])]
begin = next(line['begin'] for line in said if 'begin' in line)
end = next(line['end'][0] for line in said if 'end' in line)
notes = [line['note'] for line in said if 'note' in line]
print(eval(sys.argv[3]))
END
}

# aligned NAME: the error bound of packet times is known. The producer's wall clock is the reference, so their difference is within its own
# error bound of 0.
aligned() {
	expect "$1: the bound" "True" "$(of "$1" "end['clock']['method'] in ('exchange', 'sync') and 0 < end['clock']['error_ns'] < 1e9")"
	expect "$1: ahead" "True" "$(of "$1" "abs(end['clock']['ahead_ns']) <= end['clock']['ahead_error_ns']")"
}

take default
expect "default: comment" None "$(of default "i['comment']")"
aligned default
# The source depends on this machine; info and the summary say the same.
expect "default: sync" "True" "$(of default "s['sync'] == end['sync']['to'] != '' and float(s['sync_since']) > 1e9")"

take host --reference host
expect "host: comment" "reference: the capture host's wall clock at the start, continued without steps" "$(of host "i['comment']")"
aligned host

take realtime --reference realtime --align host
expect "realtime: comment" "reference: the capture host's CLOCK_REALTIME, with its steps" "$(of realtime "i['comment']")"
expect "realtime: begin" "the capture host's CLOCK_REALTIME, with its steps" "$(of realtime "begin['reference']")"
aligned realtime

# CLOCK_TAI minus its offset is CLOCK_REALTIME, unless there was a leap second.
take tai --reference tai --align host
expect "tai: comment" True "$(of tai "i['comment'].startswith(\"reference: the capture host's CLOCK_TAI minus \")")"
aligned tai
expect "tai: packet times" True "$(of tai "abs(float(i['first']) - $(date +%s)) < 120")"

# Hardware clocks that do not exist. The run goes on, and times are aligned to this host's clock.
ip link add va type veth peer name vb || skip "no veth"
no() { # NAME PHC WHY [CLOCK]
	take "$1" --reference "phc:$2"
	expect "$1: note" "the reference is this host's clock, not the PTP hardware clock ${4-of $2}: $3" "$(of "$1" "[n for n in notes if 'reference' in n][0]")"
	expect "$1: comment" "reference: the capture host's wall clock at the start, continued without steps; not the chosen one, because $3" \
		"$(of "$1" "i['comment']")"
	aligned "$1"
}
no missing eth9 "there is no interface 'eth9'; \`ip link\` lists all"
no software va "the interface va has no PTP hardware clock; \`ethtool -T va\` shows what it has"
no number /dev/ptp6543 "there is no PTP hardware clock /dev/ptp6543; \`ls /dev/ptp*\` lists all" /dev/ptp6543
exit $failed
