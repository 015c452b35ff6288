# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests, with $tracewire set. Requires root. Enters a network namespace, and a mount namespace in which the built plugin
# replaces an installed one, so that tshark loads it without options. CTest sets PLUGIN and PLUGINDIR.
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "${BASH_SOURCE[0]}")/../shell/$part.sh" || exit 1
done

need tshark dumpcap capinfos
need_tracefs

chmod 755 "$scratch"
mkdir -m 777 "$scratch/home"
export HOME=$scratch/home TMPDIR=$scratch/home TZ=UTC LC_ALL=C WIRESHARK_ABORT_ON_DISSECTOR_BUG=1
unset XDG_CACHE_HOME XDG_CONFIG_HOME WIRESHARK_PLUGIN_DIR SUDO_UID SUDO_GID

install_plugin() {
	mkdir "$scratch/epan"
	cp "$PLUGIN" "$scratch/epan"
	chmod -R a+rX "$scratch/epan"
	mount --bind "$scratch/epan" "$PLUGINDIR/epan" || { echo "FAIL: no plugin folder $PLUGINDIR/epan"; exit 1; }
}
install_plugin

# start_dumpcap NAME INTERFACE OPTION...: starts dumpcap in the background, and returns when it captures
start_dumpcap() {
	local name=$1 interface=$2
	shift 2
	in_background "$name" dumpcap -q -i "$interface" -B 64 "$@"
	wait_for says "$scratch/$name.err" '^File: '
}

# has_packets FILE N: the file that dumpcap writes has at least N packets
has_packets() {
	[ "$(capinfos -Mc "$1" 2>/dev/null | awk '/^Number of packets:/ { print $NF }')" -ge "$2" ] 2>/dev/null
}

# end_dumpcap PROCESS FILE SUMMARY: waits until FILE has as many packets as SUMMARY, a stream's summary, has frames; then ends dumpcap. An
# interrupted dumpcap would lose the packets that it has not read.
end_dumpcap() {
	wait_for has_packets "$2" "$(sed -nE 's/^frames +([0-9]+),.*/\1/p' "$3")"
	interrupt "$1"
}

# nothing_left PROCESS INTERFACE...: there is no trace instance of PROCESS, and no interface except lo and the named ones
nothing_left() {
	local process=$1
	shift
	expect "instances left" "" "$(instances "$process")"
	expect "interfaces left" "" "$(interfaces | grep -vxF "$(printf '%s\n' lo "$@")")"
}

# summary FILE: prints the numbers of the summary in FILE as shell assignments: recorded= read= sent= ring= shed= tx= frames= shown=
# dropped= in_file= unnamed=
summary() {
	sed -nE -e 's/^events +([0-9]+) recorded, ([0-9]+) read, ([0-9]+) sent.*/recorded=\1 read=\2 sent=\3/p' \
		-e 's/^lost +([0-9]+) in the ring, ([0-9]+) by the producer, ([0-9]+) in .*/ring=\1 shed=\2 tx=\3/p' \
		-e 's/^frames +([0-9]+),.*/frames=\1/p' -e 's/^shown +([0-9]+) .* ([0-9]+) frames dropped.*/shown=\1 dropped=\2/p' \
		-e 's/^file +([0-9]+) .*/in_file=\1/p' -e 's/^unnamed +([0-9]+) .*/unnamed=\1/p' "$1"
}

# events FILE FIELD...: prints the fields of each event of a capture, separated by tabs
events() {
	local file=$1 fields=() field
	shift
	for field in "$@"; do fields+=(-e "$field"); done
	tshark -r "$file" -Y trace.event -T fields "${fields[@]}" 2>"$scratch/tshark.err" || fail "tshark: $(cat "$scratch/tshark.err")"
}

# statistics FILE: prints the last interface statistics block: isb_ifrecv, isb_ifdrop, isb_osdrop, isb_usrdeliv
statistics() {
	od -An -v -tu4 -w4 "$1" | awk '{ word[NR - 1] = $1 } END {
		for (at = 0; at < NR && word[at + 1]; at += word[at + 1] / 4)
			if (word[at] == 5) block = at
		for (at = block + 5; at < block + word[block + 1] / 4 - 1; at += 1 + int((length_of + 3) / 4)) {
			code = word[at] % 65536; length_of = int(word[at] / 65536)
			value[code] = word[at + 1] + 4294967296 * word[at + 2]
		}
		print value[4], value[5], value[7], value[8]
	}'
}

# ledger NAME PLACE: prints the number of events at PLACE in the last statistics block of NAME.pcapng; 0 if the block does not have the
# place
ledger() {
	local of
	of=$(strings -n 16 "$scratch/$1.pcapng" | grep -o 'ledger version=1 .*' | tail -n 1)
	[[ $of =~ \ $2=([0-9a-z]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0
}

# nothing_lost NAME: the ledger is closed, and has no losses
nothing_lost() {
	local place
	expect "$1: its ledger" closed "$(ledger "$1" state)"
	for place in ring shed tx wire receiver damaged disk difference; do
		expect "$1: lost, $place" 0 "$(ledger "$1" $place)"
	done
}

# same_clock: checks the lines of standard input, each of which has a packet time and an event time in seconds. The times never decrease,
# and the difference of the two times is the same in each line, to the ns.
same_clock() {
	awk -F'\t' '{
		split($1, packet, "."); split($2, event, ".")
		seconds = packet[1] - event[1]; ns = substr(packet[2] "000000000", 1, 9) - substr(event[2] "000000000", 1, 9)
		if (ns < 0) { ns += 1000000000; seconds-- }
		if (NR > 1 && (seconds != s0 || ns != n0)) { print "packet " NR ": packet time " $1 " is not event time " $2; exit 1 }
		if (NR > 1 && (packet[1] < p1 || packet[1] == p1 && packet[2] < p2)) { print "packet " NR ": time goes back"; exit 1 }
		s0 = seconds; n0 = ns; p1 = packet[1]; p2 = packet[2]
	} END { if (!NR) { print "no event"; exit 1 } }'
}
