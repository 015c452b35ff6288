# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests, with $tracewire set. Makes hosts on one Ethernet: each host is a namespace of network and host name; the Ethernet is
# a bridge in the test's namespace. A host's interface is eth0; the bridge's port to host NAME is to-NAME. The capture host is named `host`.
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh" || exit 1
. "$(dirname "${BASH_SOURCE[0]}")/../../shell/load.sh" || exit 1
need ip ethtool

losses='ring shed tx wire receiver damaged disk' # places in a ledger
capture_host=10.2.0.1
declare -A init=() address=() # for each host name: a process on the host, and its address
ip link set lo up
ip link add ethernet type bridge
ip link set ethernet up

# on HOST COMMAND...: runs a command on the host
on() {
	local host=$1
	shift
	nsenter --net="/proc/${init[$host]}/ns/net" --uts="/proc/${init[$host]}/ns/uts" "$@"
}

# start_on HOST NAME PATTERN COMMAND...: starts a command in the background, and returns when it has printed PATTERN; its process is in $pid
start_on() {
	local host=$1 name=$2 pattern=$3
	shift 3
	in_background "$name" nsenter --net="/proc/${init[$host]}/ns/net" --uts="/proc/${init[$host]}/ns/uts" "$@"
	wait_for says "$scratch/$name.err" "$pattern"
}

# connect HOST: connects the host to the bridge. Its interface sends single frames with checksums (no offloads), like those on a real cable.
connect() {
	ip link add "to-$1" type veth peer name eth0 netns "${init[$1]}"
	ip link set "to-$1" master ethernet up
	on "$1" ethtool -K eth0 gso off tso off tx-udp-segmentation off tx off >/dev/null 2>&1
	on "$1" ip addr add "${address[$1]}/24" dev eth0
	on "$1" ip link set lo up
	on "$1" ip link set eth0 up
	wait_for is_up "to-$1"
	wait_for is_up eth0 on "$1"
}

has_name() { [ "$(on "$1" uname -n 2>/dev/null)" = "$1" ]; }

# hosts NAME...: makes the hosts; the first is the capture host
hosts() {
	local name
	for name; do
		in_background "init-$name" unshare --net --uts sh -c "hostname $name; exec sleep infinity"
		init[$name]=$pid
		address[$name]=10.2.0.${#init[@]}
		wait_for has_name "$name"
		connect "$name"
	done
}

# start_capture NAME OPTION...: starts a capture on the capture host, into NAME.pcapng unless the options name a file; returns when the
# capture receives
start_capture() {
	local name=$1
	shift
	[[ " $* " == *" -w "* ]] || set -- "$@" -w "$scratch/$name.pcapng"
	start_on host "$name" '^\{"begin"' "$tracewire" capture -j -Z root "$@"
}

# start_stream HOST OPTION...: starts a stream on the host, and returns when it streams
start_stream() {
	local host=$1
	shift
	start_on "$host" "$host" '^streaming ' "$tracewire" stream -v "$@"
}

# end_capture PROCESS NAME: ends the capture as Ctrl-C does
end_capture() {
	local status
	interrupt "$1"
	status=$?
	[ $status = 0 ] || fail "capture $2 exits with $status: $(cat "$scratch/$2.err")"
}

# ledgers CAPTURE STREAM [WHAT]: prints a line with name, id and ledger of each stream whose name begins with STREAM or whose id is STREAM.
# The ledgers are those at the end of the capture or, if WHAT is status, in its last status.
ledgers() {
	grep "^{\"${3:-end}\"" "$scratch/$1.err" | tail -n 1 | sed 's/{"name":/\n&/g' |
		sed -nE 's/^\{"name":"([^"]*)","stream":"([0-9a-f]*)","ledger":(.*)"clock":.*/\1 \2 \3/p' |
		awk -v of="$2" 'index($1, of) == 1 || $2 == of'
}

# in_ledger CAPTURE STREAM KEY [WHAT]: prints the sum of the numbers at KEY in these ledgers; if KEY has words (state), one line for each
in_ledger() {
	ledgers "$1" "$2" "${4:-end}" | grep -oE "\"$3\": [\"a-z0-9-]+" | cut -d' ' -f2 | tr -d '"' |
		awk '/[a-z]/ { print; next } { sum += $1; n++ } END { if (n) print sum }'
}

# has_delivered CAPTURE STREAM N: the last status of the capture says that it has delivered at least N events of these streams
has_delivered() {
	[ "$(in_ledger "$1" "$2" delivered status)" -ge "$3" ] 2>/dev/null
}

# has_all CAPTURE STREAM N: in the last status of the capture, the kernel has recorded N events, so the last counters of the stream arrived
has_all() {
	[ "$(in_ledger "$1" "$2" recorded status)" = "$3" ]
}

# has_bound CAPTURE HOST: in the last status of the capture, responses of the host's stream bound the error of its packet times
has_bound() {
	grep '^{"status"' "$scratch/$1.err" | tail -n 1 | sed 's/{"name":/\n&/g' |
		grep -qE "^\{\"name\":\"$2:.*\"clock\": ?\{\"method\": ?\"exchange\", ?\"error_ns\""
}

# events_read PROCESS: prints the number of events that this stream has read from the kernel's rings
events_read() {
	awk '/^read events:/ { n += $3 } END { print n + 0 }' "$tracing/instances/tracewire-$1"/per_cpu/cpu*/stats
}

has_read() { # PROCESS N: this stream has read at least N events
	[ "$(events_read "$1")" -ge "$2" ]
}

# balanced CAPTURE STREAM [PLACE...]: the difference in the ledgers is 0, and there are losses at no other places than these
balanced() {
	local name=$1 stream=$2 place
	shift 2
	expect "$name, $stream: difference" 0 "$(in_ledger "$name" "$stream" difference)"
	for place in $losses; do
		[[ " $* " == *" $place "* ]] || expect "$name, $stream: lost, $place" 0 "$(in_ledger "$name" "$stream" "$place")"
	done
}

# in_files FILE...: prints the number of the load's events that tshark finds in the files, each of which it reads alone, and any errors
in_files() {
	local file n=0 others wrong=
	for file; do
		events "$file" _ws.col.Info >"$scratch/read"
		grep -qE 'cut short|corrupt|damaged' "$scratch/tshark.err" && wrong+=" $file: $(cat "$scratch/tshark.err")"
		others=$(grep -v 'sys_\(enter\|exit\)' "$scratch/read" | head -n 1)
		[ -z "$others" ] || wrong+=" $file: an event shows as '$others'"
		n=$((n + $(wc -l <"$scratch/read")))
	done
	echo "$n$wrong"
}
