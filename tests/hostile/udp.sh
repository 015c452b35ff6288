#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture over UDP and the producer that streams to it, both built with sanitizers, get untrusted datagrams: HOSTILE_FRAMES for each form
# of capture (default 1500). No sanitizer reports anything, and both end properly. The file can be read, even damaged, and also by the
# plugin with sanitizers. Every event of the producer is in the file or at a place of the ledger.
# Usage: udp.sh TRACEWIRE. CTest sets PLUGIN and PLUGINDIR, as for tests/integration, and MAKE_FRAMES, FORMATS, GOLDEN and RECORDING.
tracewire=$1
here=$(dirname "$0")
. "$here/../integration/common.sh"
need python3 zstd
frames=${HOSTILE_FRAMES:-1500}
limit=120 # seconds for a program to end, or to read a file; when this was written, the longest took 12 with 100,000 frames
file_error_max=3 # tshark's status for a file that it cannot read, or not to its end
export ASAN_OPTIONS=quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1 PYTHONDONTWRITEBYTECODE=1
export LSAN_OPTIONS=suppressions=$here/../cli/lsan-suppressions.txt:print_suppressions=0
sanitizers=$(ldd "$PLUGIN" | awk '/lib(a|ub)san/ { print $3 }' | paste -sd:)
ip link set lo up mtu 1500 # longer datagrams are fragmented

no_report() { # NAME: checks that the sanitizers have reported nothing
	grep -qE 'ERROR: |runtime error|Dissector bug' "$scratch/$1.err" && fail "$1: $(grep -E -A 30 -m 1 'ERROR: |runtime error|Dissector bug' "$scratch/$1.err")"
}

ends() { # PROCESS: checks that it ends within the limit
	for _ in $(seq $((limit * 20))); do
		has_ended "$1" && return
		sleep 0.05
	done
	fail "process $1 does not end: $(cat "/proc/$1/stack" "/proc/$1/wchan" 2>/dev/null)"
	kill -ABRT "$1"
}

# Events are system calls of a shell and its children, which run while the file "go" exists.
start_producer() {
	touch "$scratch/go"
	in_background producer "$tracewire" stream -v -u 127.0.0.1 -e raw_syscalls,sched_process_exec -F -- sh -c 'while [ -e "$1" ]; do sleep 0.05; done' sh "$scratch/go"
	producer=$pid
	wait_for says "$scratch/producer.err" '^streaming to'
}

# status_has PATTERN: the last status of the capture
status_has() {
	grep '^{"status"' "$scratch/capture.err" | tail -n 1 | sed 's/{"name":/\n&/g' | grep -qE "$1"
}

reads() { # FILE COMMAND...: COMMAND reads FILE without an error, and the sanitizers report nothing
	local file=$1 status=0
	shift
	timeout "$limit" "$@" >"$scratch/reader.out" 2>"$scratch/reader.err" || status=$?
	[ $status = 0 ] || fail "$form: $* exits with $status: $(tail -n 5 "$scratch/reader.err")"
	no_report reader
	grep -qE 'cut short|appears to' "$scratch/reader.err" && fail "$form: $file: $(cat "$scratch/reader.err")"
}

# shown FILE: tshark shows FILE with the plugin
shown() {
	reads "$1" env ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$sanitizers" tshark -r "$1"
}

# Files of Tracewire also have records that are never sent: out-of-band metadata and ledgers. If these are damaged, a reader may report an
# error, but nothing worse happens. The files are damaged in turn in three ways.
damaged() { # FILE
	local rates=(0.001b 0.00001 cut) rate

	[ "${1##*.}" = zst ] && return
	rate=${rates[n_damaged++ % 3]}
	"$here/damage.py" "$seed" "$rate" "$1" "$scratch/damaged.pcapng"
	timeout "$limit" env ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$sanitizers" tshark -2 -V -r "$scratch/damaged.pcapng" \
		>"$scratch/reader.out" 2>"$scratch/reader.err"
	[ $? -le $file_error_max ] || fail "$form: tshark of $1 damaged by $rate: $(tail -n 5 "$scratch/reader.err")"
	no_report reader
}
n_damaged=0

readable() { # FILE
	shown "$1"
	[ -s "$scratch/reader.out" ] || fail "$form: tshark shows nothing of $1"
	reads "$1" capinfos -M "$1"
	reads "$1" "$tracewire" info -j "$1"
	reads "$1" "$tracewire" report --json "$1"
	damaged "$1"
}

# under_flood FORM FILE OPTION...: captures producer and flood into FILE, into a pipe, or into files whose names begin like FILE
under_flood() {
	local file=$scratch/captures/$2 form=$1 capture producer flooded
	shift 2
	in_background capture "$tracewire" capture -j --status 0.1 -Z root -u 18101 -w "$file" "$@"
	capture=$pid
	wait_for says "$scratch/capture.err" '^\{"begin"'
	start_producer
	wait_for status_has '"delivered": [1-9]'
	timeout 600 "$here/flood.py" 18101 "$seed" "$frames" "${pool[@]}" >"$scratch/flood" || fail "$form, seed $seed: no flood"
	flooded=$(sed -nE 's/^\{"stream": "([0-9a-f]+)".*/\1/p' "$scratch/flood")
	rm "$scratch/go"
	ends "$producer"
	wait "$producer"
	expect "$form: status of stream" 0 $?
	no_report producer
	wait_for status_has "\"stream\":\"$flooded\",\"ledger\":.*\"state\": \"closed\""
	kill -INT "$capture"
	ends "$capture"
	wait "$capture"
	expect "$form: status of capture" 0 $?
	no_report capture
	for file in "$scratch"/captures/*; do
		[ -p "$file" ] || readable "$file"
	done
	python3 "$here/check_udp.py" "$form" "$scratch/flood" "$scratch/capture.err" "$scratch/producer.err" || failed=1
	[ $failed = 0 ] || { echo "the seed of $form was $seed"; exit 1; }
	rm -f "$scratch"/captures/*
	seed=$((seed + 1))
}

seed=${SEED:-1}
mkdir "$scratch/captures"
"$MAKE_FRAMES" "$FORMATS" "$scratch" made.pcap 300 || fail "no frames are made"
pool=("$scratch/made.pcap" "$RECORDING" "$GOLDEN"/*.hex)

under_flood plain plain.pcapng
under_flood packed packed.pcapng --packed
under_flood filter filter.pcapng -f 'event == sys_enter or prev_pid in {0..99} or comm ~ "s*"'
under_flood ring ring.pcapng -b filesize:400 -b files:4
under_flood zstd zstd.pcapng.zst
mkfifo "$scratch/captures/pipe"
in_background reader sh -c 'tee "$2" <"$3" | "$1" report -' sh "$tracewire" "$scratch/piped.pcapng" "$scratch/captures/pipe"
reader=$pid
under_flood pipe pipe
ends "$reader"
no_report reader
form=pipe readable "$scratch/piped.pcapng"
exit $failed
