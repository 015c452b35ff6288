#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test_readers.sh SAMPLE: other programs read a recording: tshark, capinfos, editcap and mergecap are the reference.
set -eu
sample=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for tool in tshark capinfos editcap mergecap; do
	command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# expect WHAT EXPECTED ACTUAL
expect() {
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

cd "$dir"
"$sample" x.pcapng 20000 2>stats || fail "sample: $(cat stats)"
expect "the recorder's ledger" "packets=40002 events=40000 bytes=$(stat -c %s x.pcapng) ring=33 shed=5 wire=0 late=0 gaps=0" "$(cat stats)"

capinfos -M x.pcapng >info || fail "capinfos refuses the file"
field() {
	sed -n "s/^ *$1[:=] *//p; s/^ *$1 = //p" info | head -n 1
}
expect packets 40002 "$(field 'Number of packets')"
expect "time order" True "$(field 'Strict time order')"
expect "time precision" "nanoseconds (9)" "$(field 'File timestamp precision')"
expect application "tracewire" "$(field 'Capture application' | cut -d' ' -f1)"
expect system Testix "$(field 'Capture oper-sys')"
expect hardware "a machine" "$(field 'Capture hardware')"
expect comment "made by a test" "$(field 'Capture comment')"
expect interface box:tracewire-1 "$(field Name)"
expect description "kernel trace events: sched:*; clock mono; kernel 6.1.0-test" "$(field Description)"
expect "statistics" 1 "$(field 'Number of stat entries')"

# The time of each event is exact to the nanosecond, and the events of both threads are interleaved. The two control frames are first.
tshark -r x.pcapng -T fields -e frame.time_epoch -e frame.interface_name 2>errors >times || fail "tshark: $(cat errors)"
expect "packets in tshark" 40002 "$(wc -l <times)"
awk 'NR > 2 {
	n = NR - 3; i = int(n / 2); c = n % 2
	ns = 123456000 + 100 * i + 10 * c + 1
	want = sprintf("1700000005.%09d\tbox:tracewire-1", ns)
	if ($0 != want) { print "packet " NR ": expected " want ", got " $0; exit 1 }
}' times >wrong || fail "$(cat wrong)"

editcap -r x.pcapng part.pcapng 3-12 || fail "editcap refuses the file"
expect "packets editcap kept" 10 "$(tshark -r part.pcapng 2>/dev/null | wc -l)"
mergecap -w both.pcapng x.pcapng part.pcapng || fail "mergecap refuses the file"
expect "packets merged" 40012 "$(tshark -r both.pcapng 2>/dev/null | wc -l)"

# Standard output and an empty file work like any file.
"$sample" - 1000 2>stats | tshark -r - 2>/dev/null >printed
expect "packets through a pipe" 2002 "$(wc -l <printed)"
"$sample" empty.pcapng 0 2>stats || fail "an empty recording: $(cat stats)"
expect "packets of an empty recording" 2 "$(tshark -r empty.pcapng 2>/dev/null | wc -l)"
