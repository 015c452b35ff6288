# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced behind common.sh: what a capture that was killed with SIGKILL has written, against what came to it until then. The moments are
# random, those of SEED; notes of captures are the test's own.
need editcap
RANDOM=${SEED:=$$}
echo "SEED=$SEED"
mount -t tmpfs tmpfs /run || exit 1

readable=0 cut=0 most=0 longest=0 # packets read, files cut off behind the last whole block, bytes and ms that were missing at most

last_time() { # FILE: of its last packet, seconds
	capinfos -S -e -T -r "$1" 2>"$scratch/capinfos.err" | cut -f2
}

first_time() { # FILE: of its first
	capinfos -S -a -T -r "$1" 2>/dev/null | cut -f2
}

packets_of() { # FILE: how many
	capinfos -c -T -r "$1" 2>/dev/null | cut -f2
}

# bounded NAME BESIDE FROM KILLED: of what BESIDE has, no more lies between these times, of the last packet and of the kill, than may be lost
bounded() {
	local bytes=0 ms
	ms=$(awk -v a="$4" -v b="$3" 'BEGIN { printf "%d", (a - b) * 1000 }')
	if [ "$ms" -gt 0 ]; then
		editcap -A "$3" -B "$4" "$2" "$scratch/missing.pcapng" 2>"$scratch/editcap.err" ||
			fail "editcap: $(cat "$scratch/editcap.err")"
		bytes=$(capinfos -d -T -r "$scratch/missing.pcapng" 2>/dev/null | cut -f2)
	fi
	[ "${bytes:-0}" -le 1048576 ] || [ "$ms" -le 100 ] || fail "$1: a kill took $bytes bytes, $ms ms"
	[ "${bytes:-0}" -le $most ] || most=$bytes
	[ "$ms" -le $longest ] || longest=$ms
}

# repaired FILE CAPTURE LAST: the next run has mended the end of what that process wrote, and nothing that could be read is gone
repaired() {
	local name
	name=$(basename "$1")
	"$tracewire" cleanup >"$scratch/cleanup" 2>&1 || fail "cleanup: $(cat "$scratch/cleanup")"
	grep -q "$name" "$scratch/cleanup" && cut=$((cut + 1))
	last_time "$1" >"$scratch/last"
	[ ! -s "$scratch/capinfos.err" ] || fail "after cleanup: $(cat "$scratch/capinfos.err")"
	expect "last packet after cleanup" "$3" "$(cat "$scratch/last")"
	expect "notes left" "" "$(find /run/tracewire -name "*$name*" -o -name "*$2*" 2>/dev/null)"
}

tell_killed() { # HOW MANY
	echo "killed $1 captures, $cut were cut off behind the last whole block; at most $most bytes and $longest ms were missing;" \
		"$readable packets read"
}
