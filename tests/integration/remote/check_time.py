#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_time.py NAME JSON SVG: the result of `tracewire time` for a capture of two hosts with equal clocks."""
import json
import sys
import xml.dom.minidom

name, result, picture = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3]
wrong = []


def check(holds, *what):
    if not holds:
        wrong.append(" ".join(map(str, what)))


streams = {s["host"]: s for s in result["streams"]}
check(set(streams) == {"alpha", "beta"}, "streams:", list(streams))
for host, s in streams.items():
    check(s["clock"] == "mono" and s["offset_records"] > 0 and s["clock_records"] > 1, host, "records:", s)
    stretches = s["stretches"]
    # A host whose first answer is late has no bound at first.
    check([t["method"] for t in stretches if t["method"] != "none"][-1:] == ["exchange"], host, "stretches:", stretches)
    check(any(0 < (t["error_max_ns"] or 0) < 500_000_000 for t in stretches), host, "bounds:", stretches)
    check({"packet", "realtime", "boottime"} <= set(s["clocks"]), host, "clocks:", list(s["clocks"]))
    for points in (c["points"] for c in s["clocks"].values()):
        for p in points:
            low, high = p["low_ns"], p["high_ns"]
            check(low is None or int(low) <= int(p["offset_min_ns"]) <= int(p["offset_max_ns"]) <= int(high), host, p)
    check(s["changes"] == [], host, "changes:", s["changes"])
pairs = {p["pair"]: p for p in result["order"]}
check(set(pairs) == {"tcp-established", "tcp-fin", "tcp-fin-acknowledged"}, "pairs:", list(pairs))
for pair in pairs.values():
    known = pair["certain"] + pair["uncertain"]
    check(pair["contradictions"] == 0 and pair["shown"] == [], "contradiction:", pair)
    check(known + pair["no_bound"] >= 38 and known > 0, "pairs found:", pair)
svg = xml.dom.minidom.parse(picture).documentElement
titles = [t.firstChild.data for t in svg.getElementsByTagName("text") if t.getAttribute("font-weight") == "bold"]
check(svg.tagName == "svg" and sorted(t.split(":")[0] for t in titles) == ["alpha", "beta"], "panels:", titles)
for line in wrong:
    print(f"FAIL: {name}: {line}")
sys.exit(bool(wrong))
