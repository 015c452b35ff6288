#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording of trace-cmd, converted and printed, equals trace-cmd's output byte for byte.
# Usage: exact.sh TRACEWIRE DIFFERENCES FILE
tracewire=$1
differences=$2
# shellcheck source=tests/shell/check.sh
. "$(dirname "$0")/../shell/check.sh"
export LC_ALL=C TZ=UTC

need trace-cmd awk
[ -r "$3" ] || skip "$3 is not there: recordings of arm64 boards by others, which are not ours to distribute"
# shellcheck source=tests/integration/same-text.sh
. "$(dirname "$0")/same-text.sh"
same_text "$3"
