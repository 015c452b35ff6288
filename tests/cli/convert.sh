#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `convert` on the command line: messages about wrong and damaged files; no incomplete file is left.
# Usage: convert.sh TRACEWIRE DIRECTORY_OF_RECORDINGS
tracewire=$1
good=$2/debian-6.12-function.dat
large=$2/debian-6.1.dat
. "$(dirname "$0")/common.sh"
cd "$scratch" || exit 1

nothing_at() { # FILE
	[ -z "$(find . -name "*$1*")" ] || fail "left behind: $(find . -name "*$1*")"
}

events() { # FILE: prints the number of events in the summary
	sed -nE 's/^file +([0-9]+) events? of.*/\1/p' err
}

# convert works with -q and with a pipe. A second conversion gives the same result.
run 0 "$tracewire" convert -v "$good" x.pcapng
[ "$(events)" = 4394 ] || fail "not 4394 events: $(cat err)"
says err '^file +4394 events of [0-9]+ buffers? in x.pcapng, [0-9]+ bytes$' || fail "the line of the file: $(grep '^file' err)"
run 0 "$tracewire" convert -q "$good" y.pcapng
[ -s err ] && fail "--quiet is not: $(cat err)"
cmp x.pcapng y.pcapng || fail "the same file is converted in two ways"
run 0 "$tracewire" convert -q "$good" -
cmp x.pcapng out || fail "standard output gets something else"
[ "$(stat -c %a x.pcapng)" = "$(printf '%o' $((0666 & ~$(umask))))" ] || fail "mode of the file: $(stat -c %a x.pcapng)"

# An existing file is replaced. A symbolic link to it stays a link.
ln -s y.pcapng link
echo old >y.pcapng
run 0 "$tracewire" convert -q "$good" link
cmp x.pcapng y.pcapng && [ -L link ] || fail "a link is not followed"

# A capture that has one event per packet stays unchanged.
run 0 "$tracewire" convert -q x.pcapng z.pcapng
"$tracewire" report -q x.pcapng >x.txt && "$tracewire" report -q z.pcapng | cmp - x.txt || fail "a recording has changed"
rm z.pcapng x.txt

# The number of packets that are not Tracewire's is reported: here, broadcasts of an unassigned EtherType.
foreign() { # NUMBER: prints a capture of that many packets
	printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0'
	for _ in $(seq "$1"); do
		printf '\0\0\0\0\0\0\0\0\16\0\0\0\16\0\0\0\xff\xff\xff\xff\xff\xff\2\0\0\0\0\1\x60\7'
	done
}
foreign 1 >one.pcap
foreign 2 >two.pcap
run 0 "$tracewire" convert one.pcap z.pcapng
tells "^1 packet of one.pcap was not converted: it is not Tracewire's$"
run 0 "$tracewire" convert two.pcap z.pcapng
tells "^2 packets of two.pcap were not converted: they are not Tracewire's$"
run 0 "$tracewire" convert -q two.pcap z.pcapng
[ -s err ] && fail "--quiet tells of packets: $(cat err)"
run 0 "$tracewire" convert x.pcapng z.pcapng
grep 'not converted' err && fail "all packets are Tracewire's"
rm z.pcapng

# Input that cannot be converted.
run 2 "$tracewire" convert "$good"
tells 'needs two files'
run 2 "$tracewire" convert nowhere.dat z.pcapng
tells 'nowhere.dat cannot be read: No such file'
: >empty
run 2 "$tracewire" convert empty z.pcapng
tells 'empty'
echo 'just text, and more than ten bytes of it' >text
run 2 "$tracewire" convert text z.pcapng
tells 'not a trace.dat'
run 2 "$tracewire" convert . z.pcapng
tells 'not a regular file'
run 2 "$tracewire" convert <(cat "$good") z.pcapng
tells 'not a regular file.*save'
cp "$good" copy.dat
run 2 "$tracewire" convert copy.dat copy.dat
tells 'is the input file'
cmp "$good" copy.dat || fail "the input was changed"
run 1 "$tracewire" convert "$good" no/folder/z.pcapng
tells 'no/folder/z.pcapng cannot be created: No such file or directory; create the directory first'
printf '9' | dd of=copy.dat bs=1 seek=10 conv=notrunc status=none
run 2 "$tracewire" convert copy.dat z.pcapng
tells 'version 9; only 6 and 7 are supported'
nothing_at z.pcapng

# Damaged input: everything before the damage is converted, and the position of the damage is reported.
size=$(stat -c %s "$good")
head -c $((size / 2)) "$good" >half.dat
run 1 "$tracewire" convert half.dat z.pcapng
tells 'damaged at byte [0-9]+'
nothing_at z.pcapng
cp "$good" hole.dat
printf 'XXXXXXXXXXXXXXXX' | dd of=hole.dat bs=1 seek=1470000 conv=notrunc status=none
run 1 "$tracewire" convert -v hole.dat z.pcapng
tells 'damaged at byte [0-9]+: .*; everything readable is in z.pcapng'
n=$(events)
[ "${n:-0}" -gt 1000 ] && [ "$n" -lt 4394 ] || fail "around the damage: ${n:-no} events of 4394"
"$tracewire" report z.pcapng >z.txt 2>err || fail "what was delivered cannot be read: $(cat err)"
"$tracewire" report x.pcapng >x.txt 2>err
[ "$(wc -l <z.txt)" -ge "$n" ] || fail "$n events were delivered, $(wc -l <z.txt) lines are printed"
grep -vxFf x.txt z.txt && fail "events that the undamaged file does not have"
rm z.pcapng

# Damage in a sub-buffer loses only the rest of that sub-buffer: the last event is in the output.
tail -n 1 x.txt | cmp - <(tail -n 1 z.txt) || fail "the events after the damage are missing"

# A full disk, and a reader that closes the pipe.
run 1 "$tracewire" convert "$good" /dev/full
tells 'no space'
(ulimit -f 100 && trap '' XFSZ && exec "$tracewire" convert -q "$good" z.pcapng) 2>err && fail "a file larger than allowed"
tells 'maximum size'
nothing_at z.pcapng
"$tracewire" convert -q "$good" - 2>err | head -c 100 >/dev/null
tells 'closed it'

# convert ends at the maximum file size, before the kernel would kill it.
(ulimit -c 0 -f 100 && exec "$tracewire" convert -q "$large" k.pcapng) 2>err
expect "status at the maximum size" 1 $?
tells 'maximum size'
nothing_at k.pcapng

# If convert is killed, there is no file, or a complete one.
"$tracewire" convert -q "$large" whole || fail "cannot convert $large"
killed=0
for delay in 0 0.005 0.01 0.015 0.02 0.03 0.04; do
	"$tracewire" convert -q "$large" k.pcapng &
	sleep $delay
	kill -KILL $! 2>err
	wait $! 2>err
	[ $? = 137 ] && killed=$((killed + 1))
	for left in $(find . -name '*k.pcapng*'); do
		cmp whole "$left" || fail "left behind: $left"
		rm "$left"
	done
done
[ $killed -gt 0 ] || fail "no conversion was killed in time"

# The slow reader of the pipe makes the conversion last longer than a second: a line shows the progress.
"$tracewire" convert "$large" - 2>err | (head -c 1 && sleep 1.2 && cat) >piped
grep -qE '^converting .*debian-6.1.dat: [0-9]+ %, [0-9]+ MB/s, [0-9]+ s left$' err || fail "no progress: $(cat err)"
cmp whole piped || fail "a slow pipe gets something else"
"$tracewire" convert -q "$large" - 2>err | (head -c 1 && sleep 1.2 && cat) >/dev/null
[ -s err ] && fail "--quiet tells of progress: $(cat err)"

exit $failed
