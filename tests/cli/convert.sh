#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `convert` as somebody at a prompt meets it: what it says of wrong and damaged files, and that nothing half-written is left.
# Usage: convert.sh TRACEWIRE FOLDER_OF_RECORDINGS
set -u
tracewire=$1
good=$2/debian-6.12-function.dat
large=$2/debian-6.1.dat
failed=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail() {
	echo "FAIL: $*"
	failed=1
}

run() { # STATUS WORD...: run it, expect the exit status
	local expected=$1 status

	shift
	timeout 60 "$tracewire" convert "$@" >out 2>err
	status=$?
	[ "$status" = "$expected" ] || fail "'convert $*' exits with $status, not $expected: $(cat err)"
}

says() { # PATTERN: in the last line on standard error
	tail -n 1 err | grep -qE "$1" || fail "expected '$1': $(cat err)"
}

nothing_at() { # FILE
	[ -z "$(find . -name "*$1*")" ] || fail "left behind: $(find . -name "*$1*")"
}

events() { # FILE: how many the summary tells
	sed -nE 's/^file +([0-9]+) events? of.*/\1/p' err
}

# It works, quietly if asked, to a pipe too, twice the same.
run 0 "$good" x.pcapng
[ "$(events)" = 4394 ] || fail "not 4394 events: $(cat err)"
run 0 -q "$good" y.pcapng
[ -s err ] && fail "--quiet is not: $(cat err)"
cmp x.pcapng y.pcapng || fail "the same file is converted in two ways"
run 0 -q "$good" -
cmp x.pcapng out || fail "standard output gets something else"
[ "$(stat -c %a x.pcapng)" = "$(printf '%o' $((0666 & ~$(umask))))" ] || fail "mode of the file: $(stat -c %a x.pcapng)"

# A file of that name is replaced, and a link to it stays a link.
ln -s y.pcapng link
echo old >y.pcapng
run 0 -q "$good" link
cmp x.pcapng y.pcapng && [ -L link ] || fail "a link is not followed"

# What cannot be converted.
run 2 "$good"
says 'needs two files'
run 2 nowhere.dat z.pcapng
says 'nowhere.dat cannot be read: No such file'
run 2 x.pcapng z.pcapng
says 'not a trace.dat.*pcapng'
: >empty
run 2 empty z.pcapng
says 'empty'
echo 'just text, and more than ten bytes of it' >text
run 2 text z.pcapng
says 'not a trace.dat'
run 2 . z.pcapng
says 'no regular file'
run 2 <(cat "$good") z.pcapng
says 'no regular file.*save'
cp "$good" copy.dat
run 2 copy.dat copy.dat
says 'the file that is read'
cmp "$good" copy.dat || fail "the input was changed"
run 1 "$good" no/folder/z.pcapng
says 'cannot be created'
printf '9' | dd of=copy.dat bs=1 seek=10 conv=notrunc status=none
run 2 copy.dat z.pcapng
says 'version 9; known are 6 and 7'
nothing_at z.pcapng

# Damage: what is before it is delivered, and where it is, is told.
size=$(stat -c %s "$good")
head -c $((size / 2)) "$good" >half.dat
run 1 half.dat z.pcapng
says 'damaged at byte [0-9]+'
nothing_at z.pcapng
cp "$good" hole.dat
printf 'XXXXXXXXXXXXXXXX' | dd of=hole.dat bs=1 seek=1470000 conv=notrunc status=none
run 1 hole.dat z.pcapng
says 'damaged at byte [0-9]+: .*; all else is in z.pcapng'
n=$(events)
[ "${n:-0}" -gt 1000 ] && [ "$n" -lt 4394 ] || fail "around the damage: ${n:-no} events of 4394"
"$tracewire" report z.pcapng >z.txt 2>err || fail "what was delivered cannot be read: $(cat err)"
"$tracewire" report x.pcapng >x.txt 2>err
[ "$(wc -l <z.txt)" -ge "$n" ] || fail "$n events were delivered, $(wc -l <z.txt) lines are printed"
grep -vxFf x.txt z.txt && fail "events that the undamaged file does not have"
rm z.pcapng

# Damage within a ring takes the rest of that sub-buffer only: the last event is there.
tail -n 1 x.txt | cmp - <(tail -n 1 z.txt) || fail "what is behind the damage is missing"

# No room, and a reader that goes away.
run 1 "$good" /dev/full
says 'no room'
(ulimit -f 100 && trap '' XFSZ && exec "$tracewire" convert -q "$good" z.pcapng) 2>err && fail "a file larger than allowed"
says 'largest size allowed'
nothing_at z.pcapng
"$tracewire" convert -q "$good" - 2>err | head -c 100 >/dev/null
says 'has gone'

# Killed, by the kernel at a size and from outside at any time: no file, or the whole one.
(ulimit -c 0 -f 100 && exec "$tracewire" convert -q "$large" k.pcapng) 2>err
[ $? = 153 ] || fail "not killed at the largest size allowed: $(cat err)"
nothing_at k.pcapng
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

# More than a second, as what reads the pipe takes its time: a line says how far it is.
"$tracewire" convert "$large" - 2>err | (sleep 1.2 && cat >piped)
grep -qE '^converting .*debian-6.1.dat: [0-9]+ %$' err || fail "no progress: $(cat err)"
cmp whole piped || fail "a slow pipe gets something else"
"$tracewire" convert -q "$large" - 2>err | (sleep 1.2 && cat >/dev/null)
[ -s err ] && fail "--quiet tells of progress: $(cat err)"

exit $failed
