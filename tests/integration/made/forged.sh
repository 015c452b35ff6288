#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Forged frames do not harm an honest stream: all its events are in the file, its ledger is closed and its clock is right. Forged frames are
# counted, and the memory of the capture is bounded, also in a build with sanitizers.
# Usage: forged.sh TRACEWIRE REMOTE_FORGED; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
suppressions=$here/../../cli/lsan-suppressions.txt
export LSAN_OPTIONS=suppressions=$suppressions:print_suppressions=0 ASAN_OPTIONS=quarantine_size_mb=1

start_capture forged -u 18101 -w "$scratch/forged.pcapng"
capture=$pid
send 18101 "${FORGED_ROUNDS:-40}" >"$scratch/sent"
wait_for taken 18101
memory=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$capture/status")
end_capture forged "$capture"
says "$scratch/forged.err" 'ERROR: |runtime error' && fail "$(grep -E -A 20 'ERROR: |runtime error' "$scratch/forged.err")"
read -r events strange silence <"$scratch/sent"
echo "$strange frames of strangers beside $events honest events: $memory KiB"
check check_forged.py "$scratch/forged" "$events" "$memory" "$silence"
exit $failed
