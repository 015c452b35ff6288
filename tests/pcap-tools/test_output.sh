#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test_output.sh OUTPUT_TOOL: tshark and capinfos read sequences of files, a ring of files on a full disk, and the files of a killed writer.
# KILLS=N sets the number of kills for each kind of file.
# shellcheck disable=SC2034 # for namespace.sh
namespaces=--mount
tool=$1
. "$(dirname "$0")/../shell/namespace.sh"
set -euo pipefail
mount --make-rprivate /
mount -t tmpfs tmpfs /run
dir=$(mktemp -d)
trap 'umount "$dir/disk" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

expect() { # WHAT WANTED GOT
	[ "$2" = "$3" ] || fail "$1: '$3' instead of '$2'"
}

# packets FILE...: prints the number of packets; capinfos reports no fault
packets() {
	local n=0 file

	for file; do
		capinfos -cMT -r "$file" >count 2>errors || fail "capinfos $file: $(cat errors)"
		n=$((n + $(cut -f 2 <count)))
	done
	echo $n
}

# in_a_row FILE...: tshark reads all packets; their numbers have no gap. mergecap joins the files, so that only one tshark has to start.
in_a_row() {
	mergecap -a -w in-a-row "$@" 2>errors || fail "mergecap $*: $(cat errors)"
	tshark -r in-a-row -T fields -e frame.time_epoch >row-times 2>errors || fail "tshark $*: $(cat errors)"
	awk 'NR > 1 && sprintf("%.6f", $1 - before) != "0.000001" { print "not in a row: " before " " $1; exit 1 }
		{ before = $1 }' row-times || fail "packets are missing between files"
	rm in-a-row row-times
}

last_packet() { # FILE: prints the time of the last packet
	tshark -r "$1" -T fields -e frame.time_epoch 2>/dev/null | tail -n 1
}

stop() { # PROCESS: stops the process, and returns when it is stopped
	kill -STOP "$1"
	until grep -q '^State:.T' "/proc/$1/status"; do sleep 0.01; done
}

# Files by size, in the order of their names. The last file is shorter than the others.
for ending in pcapng pcapng.zst; do
	"$tool" write "a.b.$ending" 20000 file_bytes=300000 >said
	files=(a.b_000??_20????????????".$ending")
	expect "files of $ending" "files=${#files[@]}" "$(cut -d ' ' -f 2 said)"
	[ ${#files[@]} -gt 2 ] || fail "only ${#files[@]} files"
	expect "packets in $ending" 20000 "$(packets "${files[@]}")"
	in_a_row "${files[@]}"
	expect "bytes" "bytes=$(stat -c %s "${files[@]}" | awk '{ n += $1 } END { print n }')" "$(cut -d ' ' -f 1 said)"
	# a file may exceed its size by one packet, and by the padding to a disk block
	[ "$ending" = pcapng.zst ] || for file in "${files[@]:0:${#files[@]}-1}"; do
		size=$(stat -c %s "$file")
		if [ "$size" -lt 300000 ] || [ "$size" -ge 304300 ]; then fail "$file has $size bytes"; fi
	done
	[ "$ending" = pcapng ] || zstd -tq "${files[@]}" || fail "zstd does not like them"
	rm "${files[@]}"
done

# Files by number of packets, in a ring: the last three files stay, with the last packets.
"$tool" write ring.pcapng 1050 file_packets=100 files_max=3 >said
expect "a ring" "files=11 removed=8 early=0 unwritten=0" "$(cut -d ' ' -f 2- said)"
expect "its names" "ring_00009 ring_00010 ring_00011" "$(echo ring_* | sed 's/_20[0-9]*\.pcapng//g')"
expect "packets in the ring" 250 "$(packets ring_*)"
in_a_row ring_*
expect "the last packet" 0.001049000 "$(last_packet ring_00011_*)"

# Files by time: at most one for each fifth of a second that the writer took, and files that begin at whole seconds.
begin=$(date +%s%N)
"$tool" write time.pcapng 150 file_ns=200000000 pace=10000 >/dev/null
fifths=$((($(date +%s%N) - begin) / 200000000))
set -- time_*
if [ $# -lt 4 ] || [ $# -gt $((fifths + 1)) ]; then fail "by time: $# files in $fifths fifths of a second"; fi
in_a_row "$@"
"$tool" write clock.pcapng 150 interval_ns=1000000000 pace=10000 >/dev/null
set -- clock_*
[ $# -ge 2 ] || fail "by the clock: $# files"
in_a_row "$@"
rm -f ring_* time_* clock_*

# Standard output belongs to the caller: its existing content stays.
echo before >shared
"$tool" write - 5 >>shared
expect "what stood before" before "$(head -n 1 shared | tr -d '\0')"
expect "the content after it" "$(printf '\n\r\r\n' | od -An -tx1)" "$(tail -c +8 shared | head -c 4 | od -An -tx1)"

# An output that is not a regular file cannot be split. Two processes cannot write the same output.
"$tool" write - 10 file_packets=5 2>said >/dev/null && fail "several files of standard output"
grep -q 'standard output: it cannot be split into several files' said || fail "it says $(cat said)"
"$tool" write one.pcapng 100000 remember=1 pace=1000 >/dev/null &
pid=$!
while [ ! -s one.pcapng ]; do sleep 0.05; done
before=$(stat -c %s one.pcapng)
"$tool" write one.pcapng 10 remember=1 2>said && fail "two write one file"
grep -q 'one.pcapng' said || fail "it says $(cat said)"
[ "$(stat -c %s one.pcapng)" -ge "$before" ] || fail "the second has cut what the first writes"
"$tool" left >left
expect "of a process that lives" "" "$(cat left)"
kill -KILL $pid
wait $pid 2>/dev/null || true
"$tool" left >left
expect "notes" "" "$(ls /run/tracewire 2>/dev/null)"

# A full disk: a ring continues with fewer files. Without a ring, the file ends with its last whole block.
mkdir disk
mount -t tmpfs -o size=1m tmpfs disk
for ending in pcapng pcapng.zst; do
	"$tool" write "disk/x.$ending" 60000 file_bytes=200000 files_max=20 >said || fail "ring on a full disk: $(cat said)"
	grep -q 'unwritten=0$' said || fail "ring on a full disk: $(cat said)"
	early=$(sed -E 's/.*early=([0-9]+).*/\1/' said)
	[ "$early" -gt 0 ] || fail "nothing was removed early: $(cat said)"
	in_a_row disk/x_*
	expect "the last packet" 0.059999000 "$(last_packet "$(printf '%s\n' disk/x_* | tail -n 1)")"
	echo "ring on a full disk, $ending: $(cat said)"
	rm disk/x_*

	status=0
	"$tool" write "disk/full.$ending" 200000 >said 2>errors || status=$?
	expect "status on a full disk" 1 $status
	grep -q "full.$ending: no space left after $(stat -c %s "disk/full.$ending") bytes" errors || fail "full: $(cat errors)"
	grep -q "^bytes=$(stat -c %s "disk/full.$ending") " said || fail "full: $(cat said)"
	in_a_row "disk/full.$ending"
	[ "$ending" = pcapng ] || zstd -tq "disk/full.$ending" || fail "the frame has no end"
	echo "full disk, $ending: $(packets "disk/full.$ending") packets; $(cat said) $(cat errors)"
	rm "disk/full.$ending"
done
umount disk

# The writer is killed: tshark reads the file, at worst with a warning about its end, and after the repair without a warning. Less than 1
# MiB of committed packets is missing.
for ending in pcapng pcapng.zst; do
	remarks=0 cut=0 most=0
	for ((i = 0; i < ${KILLS:-3}; i++)); do
		"$tool" write "k.$ending" 1000000000 remember=1 progress=1 >/dev/null 2>&1 &
		pid=$!
		sleep "0.0$((RANDOM % 5))$((RANDOM % 10))" # something is written by then; tshark needs seconds for a large file
		kill -KILL $pid
		wait $pid 2>/dev/null || true
		[ -s "k.$ending" ] || { rm -rf /run/tracewire "k.$ending"; continue; }
		known=$((10#$(sed -n 's/^whole //p' /run/tracewire/output-*)))
		tshark -r "k.$ending" -T fields -e frame.number >out 2>errors || {
			grep -q 'cut short' errors || fail "killed: tshark says $(cat errors)"
			remarks=$((remarks + 1))
		}
		read=$(wc -l <out)
		size=$(stat -c %s "k.$ending")
		"$tool" left >left
		if [ -s left ]; then
			grep -q "^$dir/k.$ending cut=" left || fail "it repairs $(cat left)"
			cut=$((cut + $(sed 's/.*cut=\([0-9]*\).*/\1/' left)))
		fi
		expect "notes" "" "$(ls /run/tracewire 2>/dev/null)"
		left=$(packets "k.$ending")
		in_a_row "k.$ending"
		lost=$(($(od -An -tu8 "k.$ending.progress") - left)) # a packet has 132 bytes
		[ $((lost * 132)) -le 1048576 ] || fail "$lost packets are lost: more than 1 MiB"
		[ $lost -le $most ] || most=$lost
		[ "$left" -le "$read" ] || fail "more packets than before: $left of $read"
		[ $((read - left)) -le 8000 ] || fail "$((read - left)) packets cut off: more than a write has"
		[ "$(stat -c %s "k.$ending")" -ge "$known" ] || fail "what was known to be whole is cut off"
		# The file is empty if the writer was killed in its first write.
		[ "$ending" = pcapng ] || [ ! -s "k.$ending" ] || zstd -tq "k.$ending" || fail "no frame of zstd: $(cat left)"
		expect "a second repair" "$dir/k.$ending cut=0 closed=0" "$("$tool" repair "$dir/k.$ending")"
		rm "k.$ending"
	done
	echo "killed, $ending: ${KILLS:-3} times, tshark remarked on $remarks ends, $cut bytes cut off, $most packets lost at most"
done

# With several files, only the last one needs a repair, unless it is complete and the next one has not begun.
"$tool" write several.pcapng.zst 1000000000 file_packets=20000 files_max=5 remember=1 >/dev/null 2>&1 &
pid=$!
until [ "$(find . -name 'several_*' | wc -l)" -ge 4 ]; do sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null || true
last=$(printf '%s\n' several_* | tail -n 1)
ended=no
zstd -tq "$last" 2>errors && ended=yes
"$tool" left >left
grep -q "^$dir/$last cut=" left || [ $ended = yes ] || [ ! -s "$last" ] || fail "of several files it repairs $(cat left)"
[ -s "$last" ] || rm "$last" # the writer was killed before it had written a block
zstd -tq several_* || fail "files that were ended have no end"
in_a_row several_*
rm several_*

# If there is no note, the newest file is found by its name and repaired, unless another process writes it. Symbolic links are ignored.
for ending in pcapng pcapng.zst; do
	"$tool" write "n.$ending" 1000000000 file_packets=20000 >/dev/null 2>&1 &
	pid=$!
	until [ "$(find . -name 'n_*' -size +100k | wc -l)" -ge 4 ]; do sleep 0.05; done
	until stop $pid && last=$(printf '%s\n' n_* | tail -n 1) && [ -s "$last" ] && ! zstd -tq "$last" 2>/dev/null &&
		! flock -ns "$last" true; do
		kill -CONT $pid # the last file is empty, complete, or no longer being written: try again
		sleep 0.01
	done
	"$tool" newest "n.$ending" >left
	expect "a file that is being written" "" "$(cat left)"
	"$tool" write "$last" 1 2>errors && fail "a file that is being written is cut"
	grep -q 'another process is writing' errors || fail "a file that is being written: $(cat errors)"
	kill -KILL $pid
	wait $pid 2>/dev/null || true
	[ "$ending" = pcapng.zst ] || printf '\6\0\0' >>"$last" # an incomplete block
	cp "$last" other
	touch -d '1 hour' other "n_00001_20261121093000.$ending.other" "m_00001_20261121093000.$ending"
	ln -s other "n_99999_20261121093000.$ending"
	"$tool" newest "$dir/n.$ending" >left
	grep -q "^$dir/$last cut=[0-9]" left || fail "of several files it repairs '$(cat left)' and not $last"
	cmp -s "$last" other && fail "$last is as it was"
	"$tool" newest "n.$ending" >left
	expect "repaired once more" "" "$(cat left)"
	rm "n_99999_20261121093000.$ending" ./*.other
	[ -s "$last" ] || rm "$last"
	[ "$ending" = pcapng ] || zstd -tq n_* || fail "a file has no end"
	in_a_row n_*
	rm n_* m_* other
done
"$tool" newest no/where.pcapng >left
expect "no folder" "" "$(cat left)"
