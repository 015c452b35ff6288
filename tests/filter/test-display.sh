#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tshark accepts every generated display filter. GOLDEN: the program that prints them.
. "$(dirname "$0")/../dissector/common.sh"

"$GOLDEN" --formats >"$home/formats.txt"
"$GOLDEN" --print >"$home/filters.txt"
chmod a+r "$home"/*.txt
taken=0
while IFS= read -r filter; do
	if shark -o "trace.formats:$home/formats.txt" -r "$SAMPLES/basic.pcap" -Y "$filter" >"$home/out" 2>"$home/err"; then
		taken=$((taken + 1))
	else
		expect "$filter" "taken" "$(grep -v '^Running as' "$home/err")"
	fi
done <"$home/filters.txt"
expect "filters that tshark takes" "$(wc -l <"$home/filters.txt")" "$taken"
finish
