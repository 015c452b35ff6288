#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `tracewire info` compared with capinfos: recordings, files changed by editcap, compressed and truncated files, several files, JSON.
# Usage: info.sh TRACEWIRE DATA
tracewire=$1
data=$2
. "$(dirname "$0")/common.sh"
export LC_ALL=C TZ=UTC

need capinfos editcap mergecap zstd python3
cd "$scratch" || exit 1
cp "$data/sample.pcapng" sample.pcapng
"$tracewire" convert -q "$data/debian-6.1.dat" x.pcapng || { fail "debian-6.1.dat cannot be converted"; exit 1; }

# value FILE KEY: prints a value of the JSON, as python does
cat >value.py <<'END'
import json, sys

for line in sys.stdin.buffer:
	of = json.loads(line.decode("utf-8"))
	for key in sys.argv[1].split("/"):
		of = of[int(key)] if key.isdigit() else of[key]
	print(of)
END
value() {
	"$tracewire" info -j "$1" 2>/dev/null | python3 value.py "$2"
}

# capinfos_says FILE OPTION: prints the first word of the value that capinfos prints with OPTION
capinfos_says() {
	capinfos -M -S "$2" "$1" 2>/dev/null | awk -F': +' 'NR > 1 { split($2, word, " "); print word[1] }'
}

# same_as_capinfos FILE: packets, bytes, size and times are equal
same_as_capinfos() {
	expect "packets of $1" "$(capinfos_says "$1" -c)" "$(value "$1" packets)"
	expect "bytes of $1" "$(capinfos_says "$1" -d)" "$(value "$1" bytes)"
	expect "size of $1" "$(capinfos_says "$1" -s)" "$(value "$1" size)"
	expect "first of $1" "$(capinfos_says "$1" -a)" "$(value "$1" first)"
	expect "last of $1" "$(capinfos_says "$1" -e)" "$(value "$1" last)"
	expect "duration of $1" "$(capinfos_says "$1" -u)" "$(value "$1" duration)"
}

editcap x.pcapng some.pcapng 2000-2100 30000-30009
editcap -F nsecpcap x.pcapng x.pcap
mergecap -w both.pcapng sample.pcapng x.pcapng
for file in sample.pcapng x.pcapng some.pcapng x.pcap both.pcapng; do
	same_as_capinfos "$file"
done

# The number of events equals the number of events that report prints
for file in sample.pcapng x.pcapng some.pcapng x.pcap; do
	events=$("$tracewire" report -q -j "$file" | grep -vc '"lost":')
	expect "events of $file" "$events" "$(value "$file" streams/0/events)"
done
expect "streams of both" 2 "$("$tracewire" info -j both.pcapng | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["streams"]))')"
expect "missing by numbers in some" "$("$tracewire" report -v some.pcapng 2>&1 >/dev/null | sed -nE 's/^ledger .* ([0-9]+) wire;.*/\1/p')" \
	"$(value some.pcapng streams/0/counted/places/wire)"

# Numbers of events by name: those of the events that report prints
for file in sample.pcapng x.pcapng x.pcap; do
	"$tracewire" report -q -j "$file" | python3 -c 'import collections, json, sys
for name, n in sorted(collections.Counter(e["system"] + ":" + e["event"] for e in map(json.loads, sys.stdin) if "lost" not in e).items()): print(name, n)' >reported
	"$tracewire" info -j --events "$file" | python3 -c 'import json, sys
info = json.load(sys.stdin)
for c in sorted(info["event_counts"], key=lambda c: c["event"]):
	print(c["event"], c["count"])
print(json.dumps(info["event_counts"]), file=sys.stderr)' >counted 2>table
	"$tracewire" report -q -j --summary "$file" | python3 -c 'import json, sys
summary = json.load(sys.stdin)
table = json.load(open("table"))
assert summary["event_counts"] == table, table
for c in table:
	assert abs(c["rate"] - c["count"] * 1e9 / summary["duration_ns"]) < 1e-3, c' || fail "rates of $file are not those of report --summary"
	[ -s reported ] && cmp -s reported counted || fail "info --events of $file: $(diff reported counted | head -n 4)"
done
"$tracewire" info --events sample.pcapng | grep -qE '^ +215 +65\.2% +1090\.0  sched:sched_switch$' || fail "--events as text"
"$tracewire" info -j sample.pcapng | grep -q event_counts && fail "counts of events without --events"

# A file that convert wrote has a ledger too
expect "ledger of what was converted" "True open 0" "$(value x.pcapng streams/0/stored) $(value x.pcapng streams/0/ledger/state) $(value x.pcapng streams/0/missing)"

# The ledger as text, of a file with one stream
"$tracewire" info sample.pcapng >out || fail "info ended with $?"
for line in 'file     sample.pcapng, 58636 bytes' 'format   pcapng, written by tracewire record ' 'stream   debian:tracewire-126 .4b8833669f94846b' \
	'  kernel    6.1.0-56-amd64 x86_64' 'recorded  delivered  difference  state' 'open: the end'; do
	says out "$line" || fail "info does not say '$line': $(cat out)"
done

# A compressed file: everything but the size is equal
zstd -q x.pcapng
expect "compressed" True "$(value x.pcapng.zst compressed)"
expect "packets of the compressed file" "$(value x.pcapng packets)" "$(value x.pcapng.zst packets)"
"$tracewire" report -q x.pcapng.zst | cmp -s - <("$tracewire" report -q x.pcapng) || fail "report of a compressed capture differs"
head -c $(($(stat -c %s x.pcapng.zst) / 2)) x.pcapng.zst >half.zst
run 1 "$tracewire" info half.zst
says out 'cut      half.zst is damaged' || fail "of half a compressed file: $(cat out)"
[ "$(value half.zst packets)" -gt 10000 ] || fail "of half a compressed file $(value half.zst packets) packets"

# Several files, a pipe, and a truncated file
"$tracewire" info sample.pcapng x.pcapng >out || fail "two files: status $?"
expect "files" 2 "$(grep -c '^file ' out)"
expect "objects" 2 "$("$tracewire" info -j sample.pcapng x.pcapng | python3 value.py packets | wc -l)"
"$tracewire" info - <sample.pcapng >out || fail "standard input: status $?"
says out 'file     standard input' || fail "standard input: $(cat out)"
head -c 30000 sample.pcapng >cut.pcapng
run 1 "$tracewire" info cut.pcapng x.pcapng
says out 'cut      cut.pcapng is damaged at byte 29860' || fail "a cut file: $(cat out)"
expect "files, one of them cut" 2 "$(grep -c '^file ' out)"

# The ledger has more events than the file
cat >ledger.py <<'END'
import struct, sys

data = open("sample.pcapng", "rb").read()
comment = sys.argv[1].encode()
option = struct.pack("<HH", 1, len(comment)) + comment + b"\0" * (-len(comment) % 4) + b"\0\0\0\0"
size = 24 + len(option)
data += struct.pack("<IIIII", 5, size, 0, 0, 0) + option + struct.pack("<I", size)
open("ledger.pcapng", "wb").write(data)
END
python3 ledger.py "ledger version=1 state=closed recorded=400 delivered=350 wire=40 ring=10 late=3"
"$tracewire" info ledger.pcapng >out || fail "with a ledger: status $?"
for line in '330 events are in the file, but its ledger has 350' 'events that follow newer events: 3'; do
	says out "$line" || fail "info does not say '$line': $(cat out)"
done
grep -qE '^debian:tracewire-126 +400 +350 +10 +40 +0  closed$' out || fail "the ledger: $(cat out)"

refuses 2 "tracewire info: info needs a capture: files, or - for standard input" info
refuses 2 "tracewire info: cannot open missing: No such file or directory" info missing
echo "this is some text, and no capture at all" >text
refuses 2 "tracewire info: text is neither a pcapng nor a pcap file, according to its first bytes" info text
# A file name has no effect on the terminal, also at the end of its line
cp sample.pcapng $'a\e\n'
expect "line of the file name" 'file a\x1b\x0a' "$("$tracewire" info $'a\e\n' | sed -nE '1s/^(file) +([^,]*),.*/\1 \2/p')"

exit $failed
