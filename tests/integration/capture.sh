#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `capture` of a stream on a veth pair writes the sent events in time order, also if it joins late. With a filter, it writes exactly the
# events that report's filter shows. The test also checks how capture ends, and that its ledger balances.
# Usage: capture.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
expression='comm == "sleep" and event != "sched_waking" or sched_process_fork.child_comm ~ "s*" or (next_pid == 0 and cpu == 1)'
busy='for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; done'

# start_capture NAME OPTION...: starts a capture into NAME.pcapng in the background, and returns when it receives
start_capture() {
	local name=$1
	shift
	in_background "$name" "$tracewire" capture -v -i tw0 -w "$scratch/$name.pcapng" "$@"
	wait_for says "$scratch/$name.err" '^capturing on tw0 to '
}

end_capture() { # PROCESS NAME
	interrupt "$1"
	expect "status of capture $2 after Ctrl-C" 0 $?
}

number() { # NAME PATTERN: prints the number that matches the parentheses of PATTERN in the summary of a capture
	sed -nE "s/$2/\1/p" "$scratch/$1.err"
}

text_of() { # NAME OPTION...: prints the text of report
	local name=$1
	shift
	"$tracewire" report -q -t "$@" "$scratch/$name.pcapng" || fail "report of $name"
}

# Only the command is traced (-F), so that all events are found: a capture of all events of a busy machine may lose some.
"$tracewire" vnet up tw0 2>"$scratch/up" || fail "vnet up: $(cat "$scratch/up")"

# First packed frames, then frames with one event each.
for frames in 0 1; do
	start_capture all
	all=$pid
	start_capture some -f "$expression"
	some=$pid
	"$tracewire" stream -v -F -e sched -i tw0 --events-per-frame $frames -- sh -c "$busy" 2>"$scratch/stream.err" || fail "stream"
	sleep 0.2
	end_capture $all all
	end_capture $some some
	eval "$(summary "$scratch/stream.err")"
	for name in all some; do
		expect "$name: events recorded" "$sent" "$(ledger $name recorded)"
		nothing_lost $name
	done
	expect "all: events in the file" "$sent" "$(number all '^file +([0-9]+) events .*')"
	written=$(number some '^file +([0-9]+) events .*')
	rejected=$(number some '^rejected ([0-9]+) events .*')
	expect "written and rejected" "$sent" $((written + rejected))
	grep -aqE "stream [0-9a-f]{16}; producer tracewire [^;]*; boot [0-9a-f-]{36}; [1-9][0-9]* CPUs; pointers (raw|hashed)" \
		"$scratch/all.pcapng" || fail "no comment on the interface"
	expect "events without formats" "" "$(number some '^ +([0-9]+) of these without.*')"
	[ "$written" -gt 20 ] || fail "only $written events match"
	expect "some: received, dropped, delivered" "$sent 0 0 $written" "$(statistics "$scratch/some.pcapng")"
	text_of all -f "$expression" >"$scratch/expected"
	text_of some >"$scratch/text"
	diff "$scratch/expected" "$scratch/text" >"$scratch/bad" || fail "frames of $frames: $(head -n 4 "$scratch/bad")"
done

# capture writes its packets and its interface description like record.
events "$scratch/some.pcapng" frame.time_epoch trace.time trace.events trace.comm >"$scratch/events"
same_clock <"$scratch/events" >"$scratch/bad" || fail "$(cat "$scratch/bad")"
expect "events of one packet" 1 "$(cut -f3 "$scratch/events" | sort -u)"
capinfos -M "$scratch/some.pcapng" >"$scratch/info"
for line in 'Strict time order: *True' " Name = $(uname -n):tracewire-[0-9]+" 'Filter string = comm == "sleep" and' \
	'Capture application: tracewire capture'; do
	says "$scratch/info" "$line" || fail "capinfos does not say '$line': $(cat "$scratch/info")"
done

# The stream began long ago and does not end.
in_background sleeper sh -c 'while :; do sleep 0.01; done'
start_tracewire stream stream -v -e sched -i tw0
stream=$pid
sleep 0.3
start_capture late -f 'sched_switch.next_comm == "sleep"' -c 10
wait "$pid"
expect "status at the end of the count" 0 $?
expect "events counted" 10 "$(number late '^file +([0-9]+) events .*')"
expect "those that came without formats" "" "$(number late '^ +([0-9]+) of these without.*')"
expect "all match" 10 "$(text_of late | grep -c ' next_comm=sleep ')"
start_capture timed -a duration:3 -f 'sched_switch.next_comn == "sleep"'
wait "$pid"
expect "status at the end of the time" 0 $?
expect "events of a name mistyped" 0 "$(number timed '^file +([0-9]+) events .*')"
says "$scratch/timed.err" "^--filter has a comparison that applies to no event of the capture: column 14: sched_switch has no field 'next_comn'; did you mean 'next_comm'" ||
	fail "a name mistyped: $(cat "$scratch/timed.err")"
start_capture busy
sleep 0.2
end_capture "$pid" busy

# capture writes to a pipe that is read at once.
"$tracewire" capture -q -i tw0 -w - -c 20 -f 'event == "sched_switch"' 2>"$scratch/pipe.err" | "$tracewire" report -q - |
	grep -c ' sched_switch: ' >"$scratch/piped"
expect "events through a pipe" 20 "$(cat "$scratch/piped")"
expect "what a quiet capture says" "" "$(cat "$scratch/pipe.err")"
interrupt $stream

# An XDP classifier drops frames before captures see them: missing events count as filtered, not as lost. The classifier is attached when
# the stream has sent its formats; earlier events pass.
in_background classifier "$tracewire" filter attach -i tw0 'sched_switch.prev_comm == "sleep"' --action drop
classifier=$pid
wait_for says "$scratch/classifier.err" '^waiting on tw0'
start_capture dropped
dropped=$pid
"$tracewire" stream -v -F -e sched:sched_switch -i tw0 --events-per-frame 1 -- \
	bash -c "for _ in {1..600}; do grep -q '^attached to' '$scratch/classifier.err' && break; sleep 0.05; done; $busy" \
	2>"$scratch/stream.err" || fail "stream"
end_capture $dropped dropped
interrupt $classifier
eval "$(summary "$scratch/stream.err")"
filtered=$(ledger dropped classifier)
[ "${filtered:-0}" -gt 5 ] || fail "only ${filtered:-0} events were filtered on the way"
expect "events in the file, and filtered" "$sent" $(($(number dropped '^file +([0-9]+) events .*') + filtered))
nothing_lost dropped

# Truncated packets are events of known formats, because metadata is not truncated. Here the packets end in the middle of the fields:
# prev_pid ends with byte 98, prev_prio with byte 102.
start_capture cut -s 100
cut=$pid
"$tracewire" stream -v -F -e sched:sched_switch -i tw0 -- sh -c "$busy" 2>"$scratch/stream.err" || fail "stream"
sleep 0.2
end_capture $cut cut
"$tracewire" info "$scratch/cut.pcapng" >"$scratch/info" 2>"$scratch/err" || fail "info: $(cat "$scratch/err")"
says "$scratch/info" '^snapped ' || fail "nothing was cut: $(cat "$scratch/info")"
says "$scratch/info" '^  kernel ' || fail "metadata were cut: $(cat "$scratch/info")"
! says "$scratch/info" '^(damaged|open:|frames that could not)' || fail "cut packets are no damage: $(cat "$scratch/info")"
nothing_lost cut
eval "$(summary "$scratch/stream.err")"
[ "$sent" -gt 20 ] || fail "only $sent events to be cut"
packets() { # DISPLAY-FILTER: prints the number of truncated packets that match
	tshark -r "$scratch/cut.pcapng" -Y "$1" -T fields -e frame.number 2>>"$scratch/tshark.err" | wc -l
}
expect "cut events" "$sent" "$(packets 'trace.event == "sched_switch" && trace.pid && trace.time && _ws.short && trace.expert.cut')"
expect "fields before the cut" "$sent" "$(packets 'trace.sched.sched_switch.prev_pid')"
expect "fields at and after it" 0 "$(packets 'trace.sched.sched_switch.prev_prio || trace.sched.sched_switch.next_pid')"
expect "malformed packets" 0 "$(packets '_ws.malformed || _ws.expert.severity == error')"
expect "events without a line of their own" 0 "$(tshark -r "$scratch/cut.pcapng" -Y trace.event -T fields -e _ws.col.Info 2>/dev/null |
	grep -cvE '^.+-[0-9]+ \[[0-9]{3}\] sched_switch: prev_comm=.* prev_pid=[0-9]+\[Packet size limited during capture\]$')"
"$tracewire" report -v "$scratch/cut.pcapng" >"$scratch/text" 2>"$scratch/err" || fail "report: $(cat "$scratch/err")"
says "$scratch/err" "^events +$sent printed of $sent " || fail "report of cut packets: $(cat "$scratch/err")"
says "$scratch/err" "^$sent truncated frames, read up to the cut" || fail "report does not say that packets are cut: $(cat "$scratch/err")"
says "$scratch/err" "^$sent events, 0 lost$" || fail "cut packets are no damage: $(cat "$scratch/err")"
expect "lines of cut events" "$sent" "$(grep -cE ' sched_switch: +prev_comm=.* prev_pid=[0-9]+ \[cut by the capture\]$' "$scratch/text")"

# Invalid options and unusable interfaces: capture prints one error with the right status, and leaves no file.
refused() { # STATUS TEXT OPTION...
	local status=$1 text=$2
	shift 2
	"$tracewire" capture "$@" -w "$scratch/none" >"$scratch/out" 2>"$scratch/err"
	expect "status of capture $*" "$status" $?
	expect "capture $*" "tracewire capture: $text" "$(cat "$scratch/err")"
	[ ! -e "$scratch/none" ] || fail "capture $* leaves a file"
}
refused 1 "cannot receive on tw9: there is no such interface; \`ip -br link\` lists all interfaces" -i tw9
refused 1 "cannot receive on tw9 through AF_XDP: there is no such interface; \`ip -br link\` lists all interfaces" --xdp -i tw9
ip link add vb type veth peer name vb-far
for way in '' --xdp; do # the interface needs no carrier, it only has to be up
	ip link set vb down
	# shellcheck disable=SC2086 # none or one
	refused 1 "cannot receive on vb: the interface is down; bring it up with \`ip link set vb up\`" $way -i vb
	ip link set vb up
	# shellcheck disable=SC2086
	"$tracewire" capture -q $way -i vb -a duration:0.1 -w "$scratch/none" 2>"$scratch/err"
	expect "status of capture $way on an interface that is up again: $(cat "$scratch/err")" 0 $?
	rm -f "$scratch/none"
done
ip link del vb
refused 2 "--udp 'badport' is neither a port, such as 18101, nor an address with a port, such as 127.0.0.1:18101" -u badport
refused 2 "'70000': '70000' is not a port; a port is a number from 1 to 65535" -u 70000
refused 2 "column 6: 'cpu' is compared with numbers, and 'foo' is not a number" -i tw0 -f 'cpu==foo'
refused 2 "column 6: a value is expected here" -i tw0 -f 'cpu=='
refused 2 "--packed keeps frames as received, and --snapshot-length truncates them: omit one of the two; \`tracewire convert\` can unpack the frames later, and \`editcap -s\` can truncate the packets" \
	-i tw0 --packed -s 64
refused 2 "--status '0': give a number of seconds above 0, such as 1 or 0.5s" -i tw0 --status 0
refused 2 "--autostop 'duration:x': 'x': give a number of seconds above 0, such as 60 or 0.5" -i tw0 -a duration:x

for ring in '' '-b files:2 -b filesize:100'; do # a folder that does not exist is an error for one file and for a ring of files
	# shellcheck disable=SC2086
	"$tracewire" capture -i tw0 $ring -w "$scratch/nowhere/x" 2>"$scratch/err"
	expect "status of capture into a folder that is not there $ring" 1 $?
	says "$scratch/err" "^tracewire capture: creating $scratch/nowhere/x.*: No such file or directory; create the directory first\$" || fail "said: $(cat "$scratch/err")"
done

# A capture is killed, and the next capture repairs the last file of the first. The test has a separate /run, because each run that starts
# on this machine repairs the captures noted in /run/tracewire.
mount -t tmpfs tmpfs /run || exit 1
chmod 711 "$scratch"
install -d -o nobody "$scratch/ring"
start_ring() {
	in_background ring "$tracewire" capture -v -u 127.0.0.1:18199 -Z nobody -b filesize:1000 -w "$scratch/ring/x.pcapng.zst"
	wait_for says "$scratch/ring.err" '^capturing on '
}
has_begun() {
	find "$scratch/ring" -size +0 | grep -q .
}
start_ring
wait_for has_begun
sleep 0.3
kill_at_once "$pid"
killed=$(echo "$scratch"/ring/x_00001_*)
zstd -tq "$killed" 2>/dev/null && fail "a compressed file of a capture that was killed has an end"
sleep 1 # the names of the files contain the time in seconds
start_ring
wait_for says "$scratch/ring.err" "^repaired capture $killed of a killed run" || # a capture that receives prints this
	fail "the ring of a capture that was killed: $(cat "$scratch/ring.err")"
zstd -tq "$killed" || fail "a repaired file has no end"
interrupt "$pid"
expect "files of both runs" 2 "$(find "$scratch/ring" -type f | wc -l)"
umount /run

# An existing file is not truncated if the command cannot be executed.
echo precious >"$scratch/precious"
"$tracewire" capture -i tw0 -w "$scratch/precious" -Z nobody-of-this-name 2>"$scratch/err"
expect "status of capture for an unknown user" 2 $?
expect "what was said" "tracewire capture: there is no user nobody-of-this-name on this machine" "$(cat "$scratch/err")"
expect "the file" precious "$(cat "$scratch/precious")"

# The interface is removed: all received events are in the file.
start_capture gone
"$tracewire" vnet down tw0 2>/dev/null
wait "$pid"
expect "status without the interface" 1 $?
capinfos "$scratch/gone.pcapng" >/dev/null || fail "no file after the interface went"
exit $failed
