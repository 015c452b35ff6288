# SPDX-License-Identifier: GPL-2.0-or-later
"""check_place.py FILE: checks the summary of capture -j in FILE, about the two streams of place.c."""
import sys
from packets import end, end_counts, end_report, expect

said = end_report(sys.argv[1])
expect("streams", {"first": 1, "second": 1}, {name: len(streams) for name, streams in said.items()})
expect("streams that made room", 1, end_counts(sys.argv[1], "refused")["gave_way"])
expect("frames refused", 0, end_counts(sys.argv[1], "frames")["refused"])
end()
