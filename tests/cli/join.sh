#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `convert --join` puts packets and events into one file, in the order in which mergecap puts them, with the ledger of the recording and
# the names, comments and statistics of the capture, whatever its format and byte order.
# Usage: join.sh TRACEWIRE DIRECTORY_OF_RECORDINGS
tracewire=$1
events=$2/sample.pcapng
. "$(dirname "$0")/common.sh"
need tshark mergecap editcap capinfos
export HOME=$scratch
cd "$scratch" || exit 1

# Captures of 40 packets in the time of the recording, in both byte orders and in us: pcapng with all options that have numbers, and pcap.
cat >make.py <<'PYTHON'
import struct, sys
first, last = float(sys.argv[1]), float(sys.argv[2])
times = [int((first + (last - first) * (i + 0.5) / 40) * 1e6) for i in range(40)]
packet = lambda i: bytes.fromhex("ffffffffffff" "020000000001" "6007") + b"p" * i
for name, e in ("little", "<"), ("big", ">"):
    opt = lambda code, value: struct.pack(e + "HH", code, len(value)) + value + bytes(-len(value) % 4)
    end = opt(0, b"")
    def block(kind, body):
        size = struct.pack(e + "I", len(body) + 12)
        return struct.pack(e + "I", kind) + size + body + size
    high_low = lambda t: struct.pack(e + "II", t >> 32, t & 0xffffffff)
    u64 = lambda n: struct.pack(e + "Q", n)
    f = open(name + ".pcapng", "wb")
    f.write(block(0x0a0d0d0a, struct.pack(e + "IHHq", 0x1a2b3c4d, 1, 0, -1)))
    for i in range(2):
        names = opt(2, b"eth%d" % i) + opt(3, b"card %d" % i)
        f.write(block(1, struct.pack(e + "HHI", 1, 0, 100) + names + opt(8, u64(10**9)) + end))
    for i, t in enumerate(times):
        data = packet(i)
        options = opt(1, b"note %d" % i) + opt(2, struct.pack(e + "I", 1 + i % 2)) + end if i % 3 == 0 else b""
        head = struct.pack(e + "I", i % 2) + high_low(t) + struct.pack(e + "II", len(data), 1000 + i)
        f.write(block(6, head + data + bytes(-len(data) % 4) + options))
    for i in range(2):
        span = opt(2, high_low(times[0])) + opt(3, high_low(times[-1]))
        f.write(block(5, struct.pack(e + "I", i) + high_low(times[-1]) + span + opt(4, u64(27 + i)) + opt(5, u64(7)) + end))
    f.close()
    f = open(name + ".pcap", "wb")
    f.write(struct.pack(e + "IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 100, 1))
    for i, t in enumerate(times):
        f.write(struct.pack(e + "IIII", t // 10**6, t % 10**6, len(packet(i)), 1000 + i) + packet(i))
    f.close()
PYTHON
python3 make.py $(capinfos -Tr -ae -S "$events" | cut -f 2,3 | tr '\t' ' ') || fail "no captures"

# list FILE: prints what a reader sees of the packets
list() {
	tshark -r "$1" -T fields -e frame.time_epoch -e frame.len -e frame.cap_len -e frame.interface_name -e frame.comment \
		-e frame.packet_flags -e eth.dst -e eth.type 2>/dev/null
}

for name in little.pcapng big.pcapng little.pcap big.pcap; do
	run 0 "$tracewire" convert --join $name "$events" both.pcapng
	tells "^both.pcapng has [0-9]+ events of $events and 40 packets of $name\$"
	# mergecap does not know the options of pcapng in the other byte order, so it gets the same packets in this one
	mergecap -w merged.pcapng "$events" "${name/big/little}" || fail "mergecap"
	list both.pcapng >got
	list merged.pcapng >wanted
	expect "$name: packets" "$(capinfos -Mcr "$events" | awk '/^Number of packets/ { print $NF + 40 }')" "$(wc -l <got)"
	[ "${name##*.}" = pcapng ] || for list in got wanted; do cut -f 1-3,7- $list >cut && mv cut $list; done # pcap has no names
	cmp got wanted || fail "$name: other packets than those of mergecap: $(diff got wanted | head -n 6)"
	"$tracewire" report both.pcapng 2>&1 >/dev/null | grep -qE '^[0-9]+ packets? beside the events, not shown$' ||
		fail "$name: $("$tracewire" report both.pcapng 2>&1 >/dev/null)"
	"$tracewire" report -q both.pcapng 2>/dev/null | cmp - <("$tracewire" report -q "$events" 2>/dev/null) || fail "$name: other events"
	"$tracewire" info -j both.pcapng >both.json 2>/dev/null
	"$tracewire" info -j "$events" >events.json 2>/dev/null
	python3 - <<'PYTHON' || fail "$name: another ledger"
import json
one, other = (json.load(open(n))["streams"] for n in ("both.json", "events.json"))
assert one == other and one, (one, other)
PYTHON
	[ "${name##*.}" = pcap ] && continue
	"$tracewire" info both.pcapng >info
	says info '^captured 20 packets on eth0; 7 dropped by the capture program$' || fail "$name: statistics: $(grep captured info)"
done
# Names and secrets are kept, in the byte order of this machine; other blocks and the comments of the section of packets are counted.
cat >more.py <<'PYTHON'
import struct, sys
data = open("little.pcapng", "rb").read()
size = struct.unpack("<I", data[4:8])[0]
pad = lambda b: b + bytes(-len(b) % 4)
def block(kind, body):
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
comment = struct.pack("<HH", 1, 4) + b"lab1" + bytes(4)
section = block(0x0a0d0d0a, data[8:24] + comment)
names = block(4, struct.pack("<HH", 1, 10) + pad(b"\x0a\x00\x00\x01host\0\0") + bytes(4))
secrets = block(10, struct.pack("<II", 0x544c534b, 5) + pad(b"KEYS\n"))
# Wireshark does not read on after a block of names or secrets that is damaged
damaged = block(4, struct.pack("<HH", 1, 100) + bytes(8)) + block(4, b"") + block(10, struct.pack("<II", 0x544c534b, 99) + b"KEY\n")
open("more.pcapng", "wb").write(section + names + secrets + damaged + block(0x123, b"abcd") + data[size:])
PYTHON
python3 more.py
run 0 "$tracewire" convert --join more.pcapng "$events" both.pcapng
says err '^blocks of more.pcapng that were left out, because they cannot be copied: 4$' || fail "blocks: $(cat err)"
says err '^comments of sections of more.pcapng that were left out: 1$' || fail "comments: $(cat err)"
grep -q 'KEYS' both.pcapng || fail "the secrets are missing"
expect "names" host "$(tshark -r both.pcapng -q -z hosts 2>/dev/null | awk '$1 == "10.0.0.1" { print $2 }')"
says err 'do not overlap' && fail "captures of one time do not overlap"
# Captures of different times
editcap -t 86400 little.pcapng later.pcapng
run 0 "$tracewire" convert --join later.pcapng "$events" both.pcapng
tells "^the times of $events and later.pcapng do not overlap: join captures of the same time, made by the clock of one machine\$"

cmp <(list little.pcapng) <(list big.pcapng) || fail "the two byte orders are not the same capture"

# An input that is damaged is joined up to the damage.
head -c $(($(stat -c %s little.pcapng) / 2)) little.pcapng >damaged.pcapng
run 1 "$tracewire" convert --join damaged.pcapng "$events" both.pcapng
tells '^tracewire convert: damaged.pcapng is damaged at byte [0-9]+: '
expect "events beside a damaged capture" "$("$tracewire" report -q "$events" 2>/dev/null | wc -l)" \
	"$("$tracewire" report -q both.pcapng 2>/dev/null | wc -l)"
[ "$(tshark -r both.pcapng -Y 'eth.type == 0x6007' 2>/dev/null | wc -l)" -gt 10 ] || fail "packets before the damage are missing"

# Wrong files: one sentence, and no output.
rm both.pcapng
refuses 2 "tracewire convert: little.pcapng has no frames of Tracewire; the packets are the argument of --join" \
	convert --join "$events" little.pcapng both.pcapng
refuses 2 "tracewire convert: nosuch cannot be read: No such file or directory" convert --join nosuch "$events" both.pcapng
refuses 2 "tracewire convert: make.py is neither a pcapng nor a pcap file, according to its first bytes" \
	convert --join make.py "$events" both.pcapng
[ -e both.pcapng ] && fail "an output without input"
cp little.pcapng mine.pcapng
refuses 2 "tracewire convert: mine.pcapng is the file of packets: name another output file" convert --join mine.pcapng "$events" mine.pcapng
cmp little.pcapng mine.pcapng || fail "the packets were overwritten"
exit $failed
