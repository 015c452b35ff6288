# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests, with their arguments. Requires root. Makes namespaces with a separate /run and bpffs, a veth pair v0 -> v1 for
# sending, and a second pair w0 -> w1 for redirection.
# Usage: TEST TRACEWIRE SENDER CAPTURE [FOREIGN]
for part in namespace check processes network; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh"
done
tracewire=$1
sender=$2
capture=$3

need tcpdump tc ip ethtool python3 setpriv
mount -t tmpfs run /run
mount -t sysfs sys /sys
mount -t bpf bpf /sys/fs/bpf 2>/dev/null

# add_wire LETTER: makes a veth pair on which the kernel sends no frames of its own
add_wire() {
	local end
	ip link add "${1}0" type veth peer name "${1}1"
	for end in 0 1; do
		echo 1 >"/proc/sys/net/ipv6/conf/$1$end/disable_ipv6" 2>/dev/null
		ip link set "$1$end" mtu 9216 up
	done
	wait_for is_up "${1}0"
	wait_for is_up "${1}1"
}

add_wire v
add_wire w

# attach NAME WORD...: attaches a classifier to v1, in the background; waits until it is attached for the schema of the capture
attach() {
	local name=$1
	shift
	in_background "$name" "$tracewire" filter attach -i v1 "$@"
	wait_for says "$scratch/$name.err" '^waiting on v1' || cat "$scratch/$name.err"
	introduce
	wait_for says "$scratch/$name.err" '^attached to v1' || cat "$scratch/$name.err"
}

# refused STATUS PATTERN WORD...: attaching to v1 fails with STATUS, and the reason matches PATTERN
refused() {
	run "$1" "$tracewire" filter attach -i v1 "${@:3}"
	says "$scratch/err" "$2" || fail "'${*:3}' says: $(cat "$scratch/err")"
}

# finish PROCESS: sends SIGINT, as Ctrl-C does
finish() {
	interrupt "$1" || fail "Ctrl-C does not end it with 0"
}

# send [SCHEMA [STREAM]]: sends the capture's frames on v0
send() {
	"$sender" v0 "$capture" "$@" >"$scratch/sent" 2>"$scratch/send.err" || fail "send: $(cat "$scratch/send.err")"
}

has_frames() { # PCAP N: it has N frames or more
	[ "$(tcpdump --count -r "$1" 2>/dev/null | sed -n 's/ packets*$//p')" -ge "$2" ] 2>/dev/null
}

# send_watched NAME INTERFACE FRAMES [WORD...]: sends while `tcpdump WORD...` on INTERFACE writes NAME.pcap, and waits for FRAMES frames
send_watched() {
	local name=$1 interface=$2 frames=$3 pid
	shift 3
	in_background tcpdump tcpdump -i "$interface" -Z root -U -w "$scratch/$name.pcap" "$@"
	wait_for says "$scratch/tcpdump.err" 'listening on'
	send
	wait_for has_frames "$scratch/$name.pcap" "$frames"
	sleep 1.5 # unexpected frames would arrive, too: tcpdump gets each block of its ring within a second
	interrupt "$pid"
}

# introduce [SCHEMA [STREAM]]: sends only the capture's control frames, after which events can be counted
introduce() {
	"$sender" -c v0 "$capture" "$@" >"$scratch/sent" 2>"$scratch/send.err" || fail "send: $(cat "$scratch/send.err")"
	expect "control frames of the capture" $control "$(cat "$scratch/sent")"
}

# counted EXPRESSION: prints a Python expression of the output of `filter show`; c is the only classifier
counted() {
	"$tracewire" filter show --json >"$scratch/show.json" 2>"$scratch/show.err" || fail "show: $(cat "$scratch/show.err")"
	python3 -c "import json, sys; c = json.load(open(sys.argv[1]))[0]; print($1)" "$scratch/show.json"
}

is_counted() { # WANTED EXPRESSION
	[ "$(counted "$2")" = "$1" ]
}

# comes_to WHAT WANTED EXPRESSION: waits until EXPRESSION is WANTED, because frames are on their way for a moment
comes_to() {
	for _ in $(seq 100); do
		is_counted "$2" "$3" && return
		sleep 0.1
	done
	expect "$1" "$2" "$(counted "$3")"
}

# nothing_left INTERFACE: no program, no qdisc and no state file is left
nothing_left() {
	expect "XDP program left" "" "$(ip -d link show "$1" | grep -o 'prog/xdp.*')"
	expect "qdisc left" "" "$(tc qdisc show dev "$1" | grep -E 'clsact|ingress')"
	expect "files left" "" "$(ls /run/tracewire 2>/dev/null | grep ^classifier-)"
}

has_nothing_left() { # INTERFACE
	! ls /run/tracewire/classifier-* >/dev/null 2>&1 && ! ip -d link show "$1" | grep -q prog/xdp && ! tc qdisc show dev "$1" | grep -qE 'clsact|ingress'
}

# Numbers of the capture: control frames, and events of each kind.
control=3
switches=215
wakeups=111
events=330
