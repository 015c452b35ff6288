#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each check of `doctor` has a result, the JSON is valid, the exit status is right, and nothing is left.
# Usage: doctor.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

check() { # WHO COMMAND...
	who=$1
	shift
	"$@" doctor >"$scratch/text" 2>"$scratch/errors"
	status=$?
	[ -s "$scratch/errors" ] && fail "$who: $(cat "$scratch/errors")"
	"$@" doctor --json >"$scratch/json"
	python3 - "$scratch/text" "$scratch/json" $status "$who" <<-'PYTHON' || failed=1
		import json, sys
		text = open(sys.argv[1]).read().splitlines()
		report = json.load(open(sys.argv[2]))
		who = sys.argv[4]
		needed = [c for c in report["checks"] if c["needed"]]
		assert len(report["checks"]) > 15, who
		assert len(text) == len(report["checks"]) + 1, who
		for c in report["checks"]:
		    assert c["status"] in ("ok", "limited", "no") and c["text"], (who, c)
		assert report["live"] == all(c["status"] != "no" for c in needed), who
		assert (int(sys.argv[3]) == 0) == report["live"], who
		if who == "nobody":
		    assert not report["live"] and "sudo" in str(report), who
	PYTHON
}

need python3
check root "$tracewire"
check nobody as_nobody
"$tracewire" list --instances 2>/dev/null | grep -q -e -doctor && fail "an instance is left"
interfaces | grep -q tw-doctor && fail "a wire is left"
exit $failed
