#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tshark.sh CAPTURES FORMATS.tar.xz [POOLS [SEED]] -- tshark -Y shows the packets that the evaluator matches. CAPTURES is the program that
# makes the captures.
. "$(dirname "$0")/../../dissector/common.sh"

captures=$1 formats=$2
shift 2
least=$((20000 * ${1:-5})) # minimum number of pairs
mkdir "$home/proof"
figures=$("$captures" "$formats" "$home/proof" "$@" 2>&1) || { echo "$figures"; exit 1; }
chmod -R a+rX "$home/proof"

# ask POOL-N: compares the packets that tshark shows for one expression with the expected ones
ask() {
	local pool=${1%-*} at=$home/proof/$1
	local text filter

	text=$(cat "$at.text")
	filter=$(cat "$at.filter")
	if ! shark -o trace.cache:FALSE -o "trace.formats:$home/proof/$pool.txt" -r "$home/proof/$pool.pcap" -Y "$filter" \
		-T fields -e frame.number > "$at.got" 2> "$at.err"; then
		printf 'FAILED: tshark refuses %s\n  of %s\n  %s\n' "$filter" "$text" "$(grep -v '^Running as' "$at.err")"
	elif ! cmp -s "$at.expected" "$at.got"; then
		printf 'FAILED: %s\n  display filter: %s\n  packets of %s.pcap, < evaluator, > tshark:\n%s\n' "$text" "$filter" \
			"$pool" "$(diff "$at.expected" "$at.got" | head -n 8)"
	fi
}

# As many expressions at a time as there are CPUs.
for filter in "$home"/proof/*.filter; do
	name=$(basename "$filter" .filter)
	ask "$name" > "$home/proof/$name.verdict" &
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
done
wait
cat "$home"/proof/*.verdict
echo "$figures"
pairs=$(echo "$figures" | sed -n 's/^\([0-9]*\) pairs.*/\1/p')
[ "$pairs" -ge $least ] || { echo "FAILED: only $pairs pairs"; failed=1; }
[ -z "$(cat "$home"/proof/*.verdict)" ] || {
	failed=1
	[ -z "${PROOF_KEEP:-}" ] || cp -r "$home/proof" "$PROOF_KEEP"
}
finish
