# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced instead of common.sh, which it sources. Compares the file of a capture that was killed with SIGKILL with the packets that had
# arrived. The moments of the kills are random, from SEED. /run is a tmpfs: it has the notes of these captures only, and the captured files,
# so that writes of other processes to a disk do not slow the captures.
. "$(dirname "$0")/../../shell/namespace.sh" || exit 1 # the mount namespace of the test, before the mount
mount -t tmpfs tmpfs /run || exit 1
export TMPDIR=/run
. "$(dirname "$0")/common.sh"
need editcap
RANDOM=${SEED:=$$}
echo "SEED=$SEED"

readable=0 mended=0 most=0 longest=0 # packets read, files repaired, and the most bytes and ms that a file lacked

last_time() { # FILE: prints the time of the last packet, seconds
	capinfos -S -e -T -r "$1" 2>"$scratch/capinfos.err" | cut -f2
}

first_time() { # FILE: prints the time of the first packet, seconds
	capinfos -S -a -T -r "$1" 2>/dev/null | cut -f2
}

packets_of() { # FILE: prints the number of packets
	capinfos -c -T -r "$1" 2>/dev/null | cut -f2
}

# waited_for_cpu PROCESS: prints the ms for which a thread of the process was runnable without a CPU, for the thread that waited longest
waited_for_cpu() {
	cat "/proc/$1/task/"*/schedstat | awk '$2 > ns { ns = $2 } END { printf "%d", ns / 1e6 }'
}

# stolen_so_far: prints the time for which the hypervisor gave this machine's CPUs to other guests, ms, sum of all CPUs
stolen_so_far() {
	awk '/^cpu / { print 10 * $9 }' /proc/stat
}

# kill_capture PROCESS: kills a capture. $stolen has the value of stolen_so_far at its start. Sets $at to the time of the kill, $waited to
# the ms for which the capture waited for a CPU, and $children to its child processes.
kill_capture() {
	children=$(pgrep -P "$1")
	waited=$(($(waited_for_cpu "$1") + $(stolen_so_far) - stolen))
	at=$EPOCHREALTIME
	kill_at_once "$1"
}

# bounded NAME BESIDE FROM KILLED WAITED: a killed capture lacks no more packets than it may lose. FROM is the time of its last packet,
# KILLED the time of the kill; the file BESIDE has the packets between these times. They have at most 1 MiB, or the times are at most 100 ms
# apart, plus the WAITED ms for which the capture waited for a CPU.
bounded() {
	local bytes=0 ms
	ms=$(awk -v a="$4" -v b="$3" 'BEGIN { printf "%d", (a - b) * 1000 }')
	if [ "$ms" -gt 0 ]; then
		editcap -A "$3" -B "$4" "$2" "$scratch/missing.pcapng" 2>"$scratch/editcap.err" ||
			fail "editcap: $(cat "$scratch/editcap.err")"
		bytes=$(capinfos -d -T -r "$scratch/missing.pcapng" 2>/dev/null | cut -f2)
	fi
	[ "${bytes:-0}" -le 1048576 ] || [ "$ms" -le $((100 + $5)) ] || fail "$1: a kill took $bytes bytes, $ms ms, after $5 ms without a CPU"
	[ "${bytes:-0}" -le $most ] || most=$bytes
	[ "$ms" -le $longest ] || longest=$ms
}

by_cleanup() {
	"$tracewire" cleanup >"$scratch/mending" 2>&1 || fail "cleanup: $(cat "$scratch/mending")"
}

# by_restart: the next capture repairs the file at its start, before it receives anything
by_restart() {
	start_capture next -i eth0
	cp "$scratch/next.err" "$scratch/mending"
	end_capture "$pid" next
}

# repaired FILE CAPTURE LAST [HOW]: a run (HOW: by_cleanup or by_restart) repairs the end of the file, and says so if it changed the file.
# The last packet is still the one at time LAST, and no notes are left.
repaired() {
	local name how=${4:-by_cleanup} before said
	name=$(basename "$1")
	before=$(cksum <"$1")
	$how
	said=$(grep -cE "^(\{\"note\":\")?repaired capture $1" "$scratch/mending") # `capture -j` prints a note, `cleanup` prints a line
	expect "$how says that it mended what it changed" "$([ "$before" = "$(cksum <"$1")" ]; echo $?)" "$said"
	mended=$((mended + said))
	last_time "$1" >"$scratch/last"
	[ ! -s "$scratch/capinfos.err" ] || fail "after $how: $(cat "$scratch/capinfos.err")"
	expect "last packet after $how" "$3" "$(cat "$scratch/last")"
	expect "notes left" "" "$(find /run/tracewire -name "*$name*" -o -name "*$2*" 2>/dev/null)"
}

# balances NAME FILE: the ledger that info computes for the file balances
balances() {
	expect "$1: difference in the ledger that info makes" 0 \
		"$("$tracewire" info -j "$2" | grep -oE '"difference": ?[-0-9]+' | grep -oE '[-0-9]+$' | sort -u)"
}

tell_killed() { # N: prints the results of N kills
	echo "killed $1 captures, the ends of $mended were mended; at most $most bytes and $longest ms were missing;" \
		"$readable packets read"
}
