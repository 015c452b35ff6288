#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The standard descriptors are closed, or standard output is on a full disk. No opened file gets the number of a standard descriptor. A
# failed write prints one sentence and gives status 1.
# Usage: standard-descriptors.sh TRACEWIRE DATA
tracewire=$1 data=$2
[ "$(id -u)" = 0 ] && . "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

# fails_with TEXT: the last command failed, and printed only TEXT
fails_with() {
	expect "status of '$what'" 1 "$status"
	expect "what '$what' says" "$1" "$(cat "$scratch/err")"
}

# to_closed WORD..., to_full WORD...: run tracewire with standard output closed, or on a full disk
to_closed() {
	what="$* >&-"
	timeout 100 "$tracewire" "$@" >&- 2>"$scratch/err"
	status=$?
}
to_full() {
	what="$* >/dev/full"
	timeout 100 "$tracewire" "$@" >/dev/full 2>"$scratch/err"
	status=$?
}

closed_output="writing standard output: it is closed or open for reading only; redirect it, or name a file to write"
capture=$data/sample.pcapng

# Each of these commands prints something on any machine.
printing=(--help "help record" --version doctor "info $capture" "info -j $capture"
	"filter compile --to pcap --from $capture cpu==1" "filter explain --from $capture cpu==1")
for words in "${printing[@]}"; do
	# shellcheck disable=SC2086
	to_closed $words
	fails_with "tracewire: cannot write to standard output: Bad file descriptor"
	# shellcheck disable=SC2086
	to_full $words
	fails_with "tracewire: cannot write to standard output: No space left on device"
done
for words in "report $capture" "report --json $capture"; do
	# shellcheck disable=SC2086
	to_closed $words
	fails_with "tracewire report: printing $capture failed: Bad file descriptor"
	# shellcheck disable=SC2086
	to_full $words
	fails_with "tracewire report: printing $capture failed: No space left on device"
done

# An output file does not become standard output, and a closed standard output is not used as a file.
run 0 "$tracewire" convert -q "$data/debian-6.1.dat" "$scratch/wanted.pcapng"
"$tracewire" convert "$data/debian-6.1.dat" "$scratch/closed.pcapng" <&- >&- 2>&-
expect "status of convert with nothing open" 0 $?
cmp "$scratch/wanted.pcapng" "$scratch/closed.pcapng" || fail "convert with nothing open writes another file"
to_closed convert "$data/debian-6.1.dat" -
fails_with "tracewire convert: $closed_output"
timeout 100 "$tracewire" report - <&- >"$scratch/out" 2>"$scratch/err"
status=$? what="report - <&-"
fails_with "tracewire report: reading standard input failed: Bad file descriptor"

if [ "$(id -u)" = 0 ]; then
	need_tracefs
	to_closed list
	fails_with "tracewire: cannot write to standard output: Bad file descriptor"
	to_full list
	fails_with "tracewire: cannot write to standard output: No space left on device"
	live_explain=(filter explain -e sched:sched_switch --live 1 "prev_pid == 0")
	to_closed "${live_explain[@]}"
	expect "status of '$what'" 1 "$status"
	expect "what '$what' says last" "tracewire: cannot write to standard output: Bad file descriptor" "$(tail -n 1 "$scratch/err")"
	to_full "${live_explain[@]}"
	expect "status of '$what'" 1 "$status"
	expect "what '$what' says last" "tracewire: cannot write to standard output: No space left on device" "$(tail -n 1 "$scratch/err")"

	what="filter attach >&-"
	attach_to_closed() {
		exec "$tracewire" filter attach -i lo --from "$capture" "cpu == 1" --action pass >&-
	}
	ip link set lo up
	in_background attach attach_to_closed
	wait_for says "$scratch/attach.err" "^attached to "
	interrupt "$pid"
	expect "status of '$what'" 1 $?
	expect "what '$what' says last" "tracewire: cannot write to standard output: Bad file descriptor" "$(tail -n 1 "$scratch/attach.err")"

	to_closed record -q -e sched:sched_switch -w - -- true
	fails_with "tracewire record: $closed_output"
	to_closed capture -q -u 127.0.0.1:18101 -w -
	fails_with "tracewire capture: $closed_output"

	# the standard descriptors of the tracer and of the command are /dev/null
	ls_of_command="readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 >$scratch/command; readlink /proc/\$PPID/fd/[012] >$scratch/tracer"
	"$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" -- sh -c "$ls_of_command" <&- >&- 2>&-
	expect "status of record with nothing open" 0 $?
	expect "the tracer's standard descriptors" "/dev/null /dev/null /dev/null" "$(tr '\n' ' ' <"$scratch/tracer" | sed 's/ $//')"
	run 0 "$tracewire" info "$scratch/x.pcapng"
	says "$scratch/out" ' 0  closed$' || fail "the ledger of a recording with nothing open: $(cat "$scratch/out")"
fi
exit $failed
