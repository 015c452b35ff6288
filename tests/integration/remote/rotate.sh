#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams of three producers are captured into sequences of files: by size (also compressed and packed), by time, and in a ring. Each file
# can be read alone, each event has its format, and the ledgers of the files sum up to the recorded events.
# Usage: rotate.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
need python3

hosts host p1 p2 p3

# ledgers.py reads the output of `info -j` for the files in their order. It prints the number of ledgers that do not balance. For each host
# it prints the events delivered in all files, and two numbers of the last ledger: events recorded, and events delivered in any file.
cat >"$scratch/ledgers.py" <<'PYTHON'
import json, sys
bad, delivered, last = 0, {}, {}
for line in sys.stdin:
    for stream in json.loads(line)["streams"]:
        name, ledger = stream["host"], stream["ledger"]
        bad += ledger["difference"] != 0
        delivered[name] = delivered.get(name, 0) + ledger["places"]["delivered"]
        last[name] = ledger
print("bad", bad)
for name, ledger in sorted(last.items()):
    print(name, delivered[name], ledger["recorded"], ledger["places"]["delivered"] + ledger["places"]["elsewhere"])
PYTHON

# rotate NAME OPTION...: captures a sequence of files, which are in $files; $scratch/ledgers has the output of ledgers.py for them
rotate() {
	local name=$1 host of streams=()
	shift
	rm -rf "$scratch/files"
	mkdir "$scratch/files"
	prepare_load 5000 1.2
	start_capture "$name" -u 18101 -w "$scratch/files/$name" "$@"
	capture=$pid
	for host in p1 p2 p3; do
		start_stream $host -u $capture_host -e raw_syscalls --event-filter "$loaded"
		streams+=("$pid")
	done
	begin_load
	wait "$load_process"
	for of in "${streams[@]}"; do interrupt "$of"; done
	sleep 0.2
	end_capture "$capture" "$name"
	balanced "$name" p
	files=("$scratch/files"/*)
	"$tracewire" info -j "${files[@]}" >"$scratch/info" 2>"$scratch/info.err" || fail "$name: info: $(cat "$scratch/info.err")"
	python3 "$scratch/ledgers.py" <"$scratch/info" >"$scratch/ledgers"
	expect "$name: files whose ledger does not balance" "bad 0" "$(head -n 1 "$scratch/ledgers")"
	echo "$name: ${#files[@]} files"
}

# unpack: converts each file of packed frames to one event per packet, in place, without reading the other files
unpack() {
	local file
	for file in "${files[@]}"; do
		"$tracewire" convert -q "$file" "$file.unpacked.pcapng" 2>"$scratch/convert.err" || fail "convert: $(cat "$scratch/convert.err")"
		mv "$file.unpacked.pcapng" "$file"
	done
}

# complete NAME: all recorded events are in the files
complete() {
	local host
	[ "${#files[@]}" -gt 2 ] || fail "$1: only ${#files[@]} files"
	for host in p1 p2 p3; do
		eval "$(summary "$scratch/$host.err")"
		expect "$1, $host: delivered in all files; recorded, delivered or elsewhere by the last" "$recorded $recorded $recorded" \
			"$(sed -n "s/^$host //p" "$scratch/ledgers")"
	done
	expect "$1: events in the files" "$(in_ledger "$1" p recorded)" "$(in_files "${files[@]}")"
}

rotate by_size.pcapng -b filesize:900
complete by_size.pcapng
rotate by_size.pcapng.zst -b filesize:60
complete by_size.pcapng.zst
rotate by_time.pcapng -b duration:0.4 --align host
complete by_time.pcapng

rotate packed.pcapng --packed -b filesize:400
unpack
complete packed.pcapng

rotate ring.pcapng -b filesize:600 -b files:3
expect "files of a ring" 3 "${#files[@]}"
expect "ring: delivered, as the files say, and events in them" "$(awk 'NR > 1 { n += $2 } END { print n }' "$scratch/ledgers")" \
	"$(in_files "${files[@]}")"
exit $failed
