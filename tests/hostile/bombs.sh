#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures that exceed limits: tshark shows them in bounded time and memory, and an expert item says what was refused. If HOSTILE_FRAMES is
# set, tshark shows them in more ways. CTest sets MAKE_BOMBS, in addition to the variables of tests/dissector/common.sh.
. "$(dirname "$0")/../dissector/common.sh"

seconds_max=30 # on an idle machine, no capture takes more than 5
mib_max=450    # tshark alone uses 150, and keeps some bytes for each frame

mkdir "$home/bombs" && "$MAKE_BOMBS" "$home/bombs" || { echo "FAILED: the captures cannot be made"; exit 1; }
cp "$(dirname "$0")/measure.py" "$home"
chmod -R a+rX "$home"

# bomb OPTION...: prints status, seconds, MiB
bomb() {
	as_user env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$home" TZ=UTC LC_ALL=C \
		WIRESHARK_PLUGIN_DIR="$PLUGINS" WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 \
		"$home/measure.py" "$seconds_max" tshark "$@" 3>&1 > "$home/out" 2> "$home/err"
}

ways=("-2 -V") # the output of the last way is checked: the second pass must report what the first pass refused
[ -z "${HOSTILE_FRAMES:-}" ] || ways=("" "-Y trace.pid==7" -V "-2 -V")

# The expected text of an expert item.
declare -A says=(
	[fields-100000]='fields, the limit is 1024'
	[fields-1000]='more items than are shown'
	[ids]='more format texts than the limit'
	[tasks]='more task names than the limit'
	[names]='more task names than the limit'
	[pieces]='too many pieces, or too many records are incomplete'
	[pieces-backwards]='too many pieces, or too many records are incomplete'
	[pieces-again]='too many pieces, or too many records are incomplete'
	[wholes]='too many pieces, or too many records are incomplete'
	[zstd]='exceed the limit for decompression'
	[zstd-longer]='exceed the limit for decompression'
	[zstd-shorter]='cannot be decompressed'
	[open-parentheses]='print fmt, column [0-9]*: the expression nests deeper'
	[parentheses]='print fmt, column [0-9]*: the expression nests deeper'
	[ternaries]='print fmt, column [0-9]*: the expression nests deeper'
	[unary]='print fmt, column [0-9]*: the expression nests deeper'
	[symbolic]='print fmt, column [0-9]*: the print fmt is too large'
	[flags]='print fmt, column [0-9]*: the print fmt is too large'
	[widths]='print fmt, column [0-9]*: the print fmt is too large'
	[strings]='print fmt, column [0-9]*: the print fmt is too large'
	[sum]='print fmt, column [0-9]*: the print fmt is too large'
	[programs]="texts of the frame's events takes too long"
	[wide]='more text than is shown'
)

for file in "$home"/bombs/*.pcap; do
	name=$(basename "$file" .pcap)
	for args in "${ways[@]}"; do
		# shellcheck disable=SC2086 # words
		read -r status seconds mib < <(bomb -r "$file" $args)
		expect "$name.pcap $args: status, too much memory ($seconds s, $mib MiB)" "0 0" "$status $((mib > mib_max))"
	done
	[ -z "${says[$name]:-}" ] || expect "$name.pcap: an expert item says why" yes \
		"$(grep -q "Expert Info.*${says[$name]}" "$home/out" && echo yes)"
	forget
done
finish
