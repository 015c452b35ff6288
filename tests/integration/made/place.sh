#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stream makes room for another one in the midst of frames that came together: what came before that of the first one is still its own.
# Usage: place.sh TRACEWIRE REMOTE_PLACE; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"

start_capture place -u 18101 --streams-per-source 1 -w "$scratch/place.pcapng"
capture=$pid
send 18101
end_capture place "$capture"
check check_place.py "$scratch/place.err"
exit $failed
