#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Under sudo, the files of record, capture and convert belong to the user who called sudo. None of these commands writes to a terminal.
# Usage: output.sh TRACEWIRE DIRECTORY_OF_RECORDINGS
tracewire=$1
recording=$2/debian-6.12-function.dat
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs
need script
cd "$scratch" || exit 1
ip link set lo up
uid=65534
gid=$(id -g nobody)

# by_sudo WORD...: runs tracewire with the variables that sudo sets if nobody calls it
by_sudo() {
	SUDO_UID=$uid SUDO_GID=$gid "$tracewire" "$@" 2>err || fail "$*: $(cat err)"
}

owner() { # FILE
	stat -c %u:%g "$1"
}

mkdir mode
chmod 777 . mode
by_sudo record -e sched -w record.pcapng -- true
by_sudo convert -q "$recording" convert.pcapng
by_sudo capture -q -i lo -a duration:0.2 -w capture.pcapng
by_sudo capture -q -i lo -a duration:0.2 -b files:2 -b duration:60 -w mode/ring.pcapng
for file in record.pcapng convert.pcapng capture.pcapng mode/ring*.pcapng; do
	expect "owner of $file" $uid:"$gid" "$(owner "$file")"
done

# An existing file keeps its owner, also without sudo, and in a directory like /tmp.
chmod 1777 mode
: >mode/root.pcapng
by_sudo record -e sched -w mode/root.pcapng -- true
by_sudo convert -q "$recording" mode/root.pcapng
expect "owner of an older file" 0:0 "$(owner mode/root.pcapng)"
cp record.pcapng mode/nobody.pcapng
chown $uid:"$gid" mode/nobody.pcapng
for _ in 1 2; do
	by_sudo record -e sched -w mode/nobody.pcapng -- true
done
run 0 "$tracewire" convert -q "$recording" mode/nobody.pcapng
expect "owner of the same file" $uid:"$gid" "$(owner mode/nobody.pcapng)"
run 0 "$tracewire" record -e sched -w plain.pcapng -- true
expect "owner without sudo" 0:0 "$(owner plain.pcapng)"

# on_terminal WORD...: tracewire refuses to write to a terminal
on_terminal() {
	script -qec "$tracewire $* -" /dev/null >typescript </dev/null
	expect "status of '$*' on a terminal" 2 $?
	says typescript '^tracewire [a-z]*: writing standard output: it is a terminal, and a capture is not text; redirect it' ||
		fail "'$*' on a terminal: $(head -c 300 typescript)"
}
on_terminal record -e sched -w
on_terminal capture -i lo -w
on_terminal convert "$recording"
exit $failed
