#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `tracewire report`, `info`, `time` and `filter --from` read damaged and truncated captures, and `tracewire convert` reads damaged and truncated
# trace.dat files. They are built with sanitizers. The status must be 0 or 1, or 2 if the file is not recognised any more. No sanitizer
# report, no leak, no hang, valid JSON. HOSTILE_FILES files of each kind (default 3). CTest sets TRACEWIRE, MAKE_FRAMES, FORMATS, RECORDING
# and DAT.
set -u

files=${HOSTILE_FILES:-3}
limit=60 # seconds for each run; when this was written, the longest run took 2
here=$(dirname "$0")
home=$(mktemp -d "${TMPDIR:-/tmp}/tracewire-hostile.XXXXXX")
trap 'rm -rf "$home"' EXIT
failed=0 runs=0
declare -A statuses=()

# run WORD...: runs tracewire; the status must be one of those for a damaged file
run() {
	local status=0

	timeout "$limit" "$TRACEWIRE" "$@" > "$home/out" 2> "$home/err" || status=$?
	runs=$((runs + 1))
	statuses[$1-$status]=$((${statuses[$1-$status]:-0} + 1))
	if [ "$status" -gt 2 ] || grep -q 'runtime error\|ERROR: [A-Z][a-z]*Sanitizer' "$home/err"; then
		echo "FAILED: tracewire $*, seed $seed: status $status"
		tail -n 30 "$home/err"
		failed=1
	fi
}

# prints_json WHAT: checks that the last command printed one JSON object per line
prints_json() {
	python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin.buffer]' < "$home/out" && return
	echo "FAILED: tracewire $1, seed $seed, does not print JSON"
	failed=1
}

report() {
	run report "$1"
	run report -f 'comm ~ "*a*" && not cpu == 1 or prev_pid in {0..99} or vec == TIMER' "$1"
	run report --json "$1"
	prints_json 'report --json'
	run info "$1"
	run info --json "$1"
	prints_json 'info --json'
	run time --svg "$home/out.svg" "$1"
	run time --before sched_switch --after sched_waking --key next_pid=pid "$1"
	run time --json "$1"
	prints_json 'time --json'
}

"$MAKE_FRAMES" "$FORMATS" "$home" made.pcap 2000 && mergecap -a -w "$home/whole.pcapng" "$home/made.pcap" "$RECORDING" ||
	{ echo "FAILED: the capture cannot be made"; exit 1; }

for ((seed = 1; seed <= files; seed++)); do
	editcap -E 0.02 --seed $seed "$home/whole.pcapng" "$home/damaged.pcapng" && report "$home/damaged.pcapng"
	editcap -E 0.001 --seed $seed "$home/whole.pcapng" "$home/damaged.pcapng" && report "$home/damaged.pcapng"
	for rate in 0.0001 cut; do
		"$here/damage.py" $seed $rate "$home/whole.pcapng" "$home/damaged.pcapng" && report "$home/damaged.pcapng"
	done
	for rate in 0.001 0.0001 cut; do # this file has one schema, so that `filter` reaches its formats
		"$here/damage.py" $seed $rate "$RECORDING" "$home/damaged.pcapng" || continue
		run filter compile --to tree --from "$home/damaged.pcapng" 'cpu == 0 or prev_comm ~ "k*"'
		run filter explain --json --from "$home/damaged.pcapng" 'cpu == 0 or time > 1'
	done
	for rate in 0.001 0.0001 0.00001 cut; do
		rm -f "$home/converted.pcapng"
		"$here/damage.py" $seed $rate "$DAT" "$home/damaged.dat" && run convert "$home/damaged.dat" "$home/converted.pcapng"
		[ ! -s "$home/converted.pcapng" ] || run report "$home/converted.pcapng"
	done
done

for kind in "${!statuses[@]}"; do
	echo "${kind%-*} with status ${kind#*-}: ${statuses[$kind]}"
done
[ "$runs" -ge $((files * 24)) ] || { echo "FAILED: only $runs runs"; failed=1; }
[ $failed = 0 ] && echo "ok: $runs runs"
exit $failed
