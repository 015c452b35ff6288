#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording of trace-cmd, converted and printed, is what trace-cmd prints, byte for byte.
# Usage: exact.sh TRACEWIRE DIFFERENCES FILE
tracewire=$1
differences=$2
set -u
export LC_ALL=C TZ=UTC

for program in trace-cmd awk; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
[ -r "$3" ] || { echo "skipped: $3 is not there: recordings of arm64 boards by others, which are not ours to distribute"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/integration/same-text.sh
. "$(dirname "$0")/same-text.sh"
same_text "$3"
