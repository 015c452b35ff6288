#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --filter gives the same lines wherever it is evaluated: by the kernel, by the producer, by the recorder, or later by report. For each
# expression, two simultaneous recordings of the same tasks are compared, one with the filter and one without. The test also checks the
# messages about filters.
# Usage: filter.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# The traced command stops itself at its start, and does its work when it gets SIGCONT.
cat >"$scratch/work" <<'END'
#!/bin/bash
kill -STOP $$
for _ in 1 2 3; do ls / >/dev/null; echo x | cat | wc -c >/dev/null; sleep 0.005; cd /nowhere 2>/dev/null; done
END
chmod +x "$scratch/work"

# Prints the lines of a recording without the parts that differ between two instances: the time, the state of a task that leaves its CPU,
# and the events of the recording processes.
lines() { # FILE OPTION...
	"$tracewire" report -q "$@" 2>"$scratch/report.err" | sed -E -e '/^cpus=/d' -e '/tracewire/d' -e 's/ [0-9]+\.[0-9]+: / /' \
		-e 's/prev_state=[^ ]*//' | sort
	[ -s "$scratch/report.err" ] && fail "report $*: $(cat "$scratch/report.err")"
}

# both EVENTS EXPRESSION: records the command twice at the same time: all.pcapng without a filter, some.pcapng with EXPRESSION
both() {
	local all some task
	"$scratch/work" &
	task=$!
	wait_for is_stopped "$task" # one recording begins before the other, so the task does nothing until both have begun
	start_tracewire all record -v -e "$1" -P $task -w "$scratch/all.pcapng"
	all=$pid
	start_tracewire some record -v -e "$1" -P $task -f "$2" -w "$scratch/some.pcapng"
	some=$pid
	kill -CONT $task
	wait $task
	kill -INT "$some" "$all"
	wait "$some" && wait "$all" || fail "$2: recording failed: $(cat "$scratch/some.err" "$scratch/all.err")"
}

# places FILE: prints three numbers of the messages in FILE: the event types for which the kernel, the producer and the recorder evaluate a
# part of the filter
places() {
	sed -nE 's/^filter +in the kernel for ([0-9]+) .* in the producer for ([0-9]+), in the recorder for ([0-9]+).*/\1 \2 \3/p' "$1"
}

# same PLACES EVENTS EXPRESSION: places() prints PLACES for the recording with EXPRESSION, and this recording has the same lines as the one
# without a filter when report evaluates EXPRESSION
same() {
	both "$2" "$3"
	[[ $(places "$scratch/some.err") =~ ^$1$ ]] || fail "$3: expected $1: $(grep '^filter ' "$scratch/some.err")"
	lines "$scratch/some.pcapng" >"$scratch/some.lines"
	lines -f "$3" "$scratch/all.pcapng" >"$scratch/found.lines"
	[ -s "$scratch/found.lines" ] || fail "$3: nothing matches"
	cmp -s "$scratch/some.lines" "$scratch/found.lines" ||
		fail "$3: record and report differ: $(diff "$scratch/some.lines" "$scratch/found.lines" | head -n 6)"
	[ "$(lines "$scratch/all.pcapng" | wc -l)" -gt "$(wc -l <"$scratch/found.lines")" ] || fail "$3: everything matches"
	eval "$(summary "$scratch/some.err")"
	odd_ledger "$scratch/some.err" && fail "$3: the ledger does not balance"
	echo "$3: $(wc -l <"$scratch/some.lines") of $(lines "$scratch/all.pcapng" | wc -l) lines"
}

same '2 0 0' sched,raw_syscalls 'raw_syscalls.sys_enter.id in {0, 1, 257} or next_comm ~ "l*"'
same '[1-9][0-9]* 0 0' sched,irq,raw_syscalls 'comm == "ls" and not raw_syscalls.sys_exit.ret < 0'
expect "notes about comm" 1 "$(grep -c '^filter: column 1: comm is the name of the task that was running; for the field of sched_[a-z_]*, write' \
	"$scratch/some.err")"
same '0 1 0' sched 'prev_comm matches "^(ls|cat)$"'
same '2 1 0' sched,raw_syscalls 'sys_exit.ret < 0 or prev_prio > 0 and (next_comm matches "s" or prev_comm == "cat")'
same '0 0 2' raw_syscalls 'comm matches "^c"'
same '2 0 2' raw_syscalls 'comm matches "^[lw]" and (sys_enter.id < 100 or sys_exit.ret == 0)'
same '[0-9]+ [0-9]+ 1' sched,raw_syscalls 'sys_enter.args == 1 and comm matches "s" or prev_comm == "ls"'

# The file has the complete filter of the stream.
long=$(printf 'prev_pid != %d and ' $(seq 1000 1030))'cpu >= 0'
"$tracewire" record -q -e sched -f "$long" -w "$scratch/x.pcapng" -- true || fail "a filter of ${#long} characters is refused"
expect "filter told" "$long" "$(tshark -r "$scratch/x.pcapng" -Y trace.host.filter -T fields -e trace.host.filter 2>/dev/null | head -n 1)"

# A stream refuses a filter that it cannot evaluate before it sends.
"$tracewire" stream -e sched -i tw0 -f 'cpu == 0 and comm matches "x"' -- true 2>"$scratch/err"
expect "exit status of a stream with what cannot be" 2 $?
says "$scratch/err" "^tracewire stream: column 14: 'comm matches \"x\"' cannot be decided" || fail "said: $(cat "$scratch/err")"
expect "lines said" 1 "$(wc -l <"$scratch/err")"
"$tracewire" stream -e sched -i tw0 -f 'cpu == 0 and comm ~ "x*"' -- true 2>"$scratch/err" || fail "comm ~: $(cat "$scratch/err")"

# A search in the producer that exceeds its limit is counted.
long=$scratch/$(printf 'a%.0s' {1..60})!
cp "$(type -P true)" "$long"
ip link set lo up
"$tracewire" stream -v -e sched:sched_process_exec -u 127.0.0.1:18151 -f 'filename matches "(a+)+$"' -- "$long" 2>"$scratch/err" ||
	fail "a search that takes too long: $(cat "$scratch/err")"
says "$scratch/err" '^given up [1-9][0-9]* events: in the producer, `matches`' || fail "nothing is given up: $(cat "$scratch/err")"

# live shows the matching events.
"$tracewire" live -v -e sched,raw_syscalls -F -f 'comm matches "^ls$" and sys_exit.ret == 0' -- ls / >"$scratch/out" 2>"$scratch/err" ||
	fail "live: $(cat "$scratch/err")"
grep -E 'sys_exit|sched' "$scratch/out" >"$scratch/shown"
[ -s "$scratch/shown" ] || fail "live shows nothing: $(cat "$scratch/err")"
grep -vE 'sys_exit: NR -?[0-9]+( [a-z0-9_]+)? = 0' "$scratch/shown" && fail "live shows others"

# No event can match.
"$tracewire" record -e sched:sched_switch -f 'event != sched_switch' -w "$scratch/none.pcapng" 2>"$scratch/err"
expect "exit status where nothing can match" 2 $?
says "$scratch/err" "none of the selected events can match" || fail "said: $(cat "$scratch/err")"
[ -e "$scratch/none.pcapng" ] && fail "a file is left"

# On a terminal, the position of the error is shown.
if command -v script >/dev/null; then
	script -qec "'$tracewire' record -e sched -w '$scratch/none.pcapng' -f 'prev_pid == 1 and prev_pidd == 3'" /dev/null | tr -d '\r' >"$scratch/out"
	expect "caret" "  prev_pid == 1 and prev_pidd == 3
                    ^" "$(head -n 2 "$scratch/out")"
fi
exit $failed
