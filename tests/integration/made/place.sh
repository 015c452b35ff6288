#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stream replaces another one within frames that arrived together: the frames before the change still belong to the first stream.
# Usage: place.sh TRACEWIRE REMOTE_PLACE; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"

start_capture place -u 18101 --streams-per-source 1 -w "$scratch/place.pcapng"
capture=$pid
send 18101
end_capture place "$capture"
check check_place.py "$scratch/place.err"
exit $failed
