#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The error bounds of packet times hold: two network namespaces have the same clock, so the true time of each event is known. With and
# without stamps of packets.
# Usage: truth.sh TIME BUILD
namespaces=--mount # bench/time makes those of the network
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/../shell/check.sh"
need python3 perl tshark
rows='unstamped stamped'

ROWS=$rows SECONDS_PER_ROW=4 run 0 "$1" "$2" namespaces
expect "rows" 2 "$(grep -c '^| namespaces |' "$scratch/out")"
expect "rows whose bounds hold" "" "$(grep '^| namespaces |' "$scratch/out" | grep -v '| 100 % |$')"
few=$(sed -nE 's/^([0-9]+) samples, ([0-9]+) with a bound.*/\1 \2/p' "$scratch/err" | awk '$1 < 100 || $2 < $1 / 2')
expect "rows with too few samples" "" "$few"
[ $failed = 0 ] || cat "$scratch/out" "$scratch/err"
exit $failed
