#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `tracewire report` of a capture of an interface prints each event that was sent, in time order, from a file and from a pipe. For
# recordings by trace-cmd with several buffers and with losses, it prints the same text as trace-cmd.
# Usage: report.sh TRACEWIRE SHIM
tracewire=$1
shim=$2
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/../shell/trace-cmd.sh"
need trace-cmd
cd "$scratch" || exit 1

# times FILE: prints the time of each line with an event, in seconds
times() {
	sed -nE 's/^.{16,70} \[[0-9]{3}\] +([0-9]+\.[0-9]{9}): .*/\1/p' "$1"
}

# all_sent NAME: the output of report -t in NAME has all events of the stream whose summary is in NAME.err
all_sent() {
	eval "$(summary "$1.err")"
	expect "$1: events" "$sent" "$(times "$1" | wc -l)"
	[ "$sent" -gt 50 ] || fail "$1: only $sent events were sent"
	times "$1" | sort -c -s -n 2>bad || fail "$1: times go back: $(cat bad)"
	! grep -m 1 '\[unknown event' "$1" || fail "$1: $(grep -c '\[unknown event' "$1") events without a format"
	grep -qE 'sched_switch: +prev_comm=.* ==> next_comm=sleep ' "$1" || fail "$1 has no switch to sleep"
}

# stream NAME OPTION...: streams onto the veth pair, while a dumpcap writes to NAME.pcapng
stream() {
	local name=$1 capture
	shift
	start_dumpcap "dumpcap-$name" tw0 -w "$name.pcapng"
	capture=$pid
	"$tracewire" stream -v -e sched -i tw0 "$@" -- sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done' 2>"$name.err" ||
		fail "stream: $(cat "$name.err")"
	end_dumpcap $capture "$name.pcapng" "$name.err"
}

"$tracewire" vnet up tw0 2>up || fail "vnet up: $(cat up)"
for frame in 0 1; do
	stream "wire$frame" --events-per-frame $frame
	"$tracewire" report -t "wire$frame.pcapng" >"wire$frame" 2>err || fail "report: $(cat err)"
	all_sent "wire$frame"
	"$tracewire" report -q -t - <"wire$frame.pcapng" | cmp - "wire$frame" || fail "standard input prints something else"
done

# late.pcapng, like a capture that joined late, begins in the middle of the stream; report still prints its events in time order.
# holes.pcapng lacks some frames; report counts their events as lost.
n=$(capinfos -Mc wire1.pcapng | awk '/Number of packets/ { print $NF }')
editcap -r wire1.pcapng late.pcapng "$((n / 3))-$n"
"$tracewire" report -v -t late.pcapng >late 2>err || fail "report: $(cat err)"
times late | sort -c -s -n 2>bad || fail "late: times go back: $(cat bad)"
grep -q 'missing:' err && fail "a late joiner misses nothing: $(cat err)"
editcap wire1.pcapng holes.pcapng "$((n / 2))-$((n / 2 + 9))"
"$tracewire" report -v holes.pcapng >/dev/null 2>err || fail "report: $(cat err)"
[ "$(sed -nE 's/^ledger .* ([0-9]+) wire[,;].*/\1/p' err)" -ge 1 ] || fail "frames cut out are not missed: $(cat err)"

# report reads a pipe while dumpcap writes to it
mkfifo pipe
"$tracewire" report -q -t - <pipe >piped 2>piped.report &
report=$!
started+=("$report")
dumpcap -q -i tw0 -B 64 -w - 2>dumpcap.err > >(tee seen.pcapng >pipe) &
capture=$!
started+=("$capture")
wait_for says dumpcap.err '^File: '
"$tracewire" stream -v -e sched -i tw0 -- sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done' 2>piped.err || fail "stream: $(cat piped.err)"
end_dumpcap $capture seen.pcapng piped.err
wait $report || fail "report of a pipe: $(cat piped.report)"
all_sent piped

# same NAME OURS THEIRS: the outputs of report, with options OURS, and of trace-cmd report, with options THEIRS, are equal. After a loss,
# trace-cmd omits the name of the buffer on the next line, or the blanks in its place; `same` removes them from both outputs.
same() {
	# shellcheck disable=SC2086
	"$tracewire" report -q $2 "$1.pcapng" >ours 2>err || fail "report $2 of $1: $(cat err)"
	# shellcheck disable=SC2086
	trace_cmd_report -N $3 "$1.dat" >theirs
	[ "$(wc -l <theirs)" -gt 100 ] || fail "$1 has $(wc -l <theirs) lines"
	sed -E "/EVENTS DROPPED\]$/{n;s/^ *([a-z]+: )? *//}" ours | as_trace_cmd >ours.forgets
	sed -E "/EVENTS DROPPED\]$/{n;s/^ *([a-z]+: )? *//}" theirs | diff ours.forgets - >differ ||
		fail "$1, report $2: $(head -n 4 differ)"
}

# Recordings by trace-cmd: several buffers, and a ring that is too small.
busy='for _ in 1 2 3 4 5 6 7 8; do ls /usr >/dev/null; done; sleep 0.01'
trace_cmd_record two -B long -e sched -B b -e raw_syscalls -- sh -c "$busy"
trace_cmd_record top -e sched -B other -e raw_syscalls -- sh -c "$busy"
# The readers of trace-cmd stop while the ring of 4 KiB overflows, so that it loses events on any machine.
cat >overflow <<'EOF'
readers=$(pgrep -P $PPID -x trace-cmd)
kill -STOP $readers
eval "$1"
kill -CONT $readers
EOF
trace_cmd_record lost -b 4 -e sched -e raw_syscalls -e kmem:kmalloc -- sh overflow "$busy"
for name in two top lost; do
	"$tracewire" convert -q $name.dat $name.pcapng || fail "convert of $name.dat"
	same $name "" ""
	same $name "-l --delta -t" "-l --ts-diff -t"
done
same lost "--cpu 1" "--cpu 1" # with --cpu, trace-cmd shows no events of instances
"$tracewire" report -q lost.pcapng >ours
grep -q '^CPU:[0-9]* \[[0-9]* *EVENTS DROPPED\]$' ours || fail "a ring of 4 KiB lost nothing"
"$tracewire" report -q --json lost.pcapng | python3 -c 'import json, sys
print(sum("lost" in e for e in map(json.loads, sys.stdin)))' >lost.json
expect "losses in JSON" "$(grep -c 'EVENTS DROPPED\]$' ours)" "$(cat lost.json)"
exit $failed
