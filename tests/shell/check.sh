# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034
# To be sourced: checks, and a temporary directory for the test, $scratch. A test ends with `exit $failed`.
set -u

failed=0
scratch=$(mktemp -d) || exit 1

# at_end COMMAND: run COMMAND when the test ends, for whatever reason; before the commands of earlier calls
at_end() {
	endings="$1${endings:+; $endings}"
	# shellcheck disable=SC2064 # $endings must be expanded now
	trap "$endings" EXIT
}
endings=
at_end 'rm -rf "$scratch"'

fail() { # WHY
	echo "FAIL: $*"
	failed=1
}

skip() { # WHY: skip the rest of the test; CTest recognises this by the status 77
	echo "skipped: $*"
	exit 77
}

# need PROGRAM...: skip if one of them is not installed
need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# expect WHAT WANTED GOT
expect() {
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# says FILE PATTERN: whether a line of FILE matches PATTERN
says() {
	grep -qsE -- "$2" "$1"
}

# run STATUS COMMAND...: runs COMMAND, which must end with STATUS within 100 s; its output is in $scratch/out and $scratch/err
run() {
	local wanted=$1 status
	shift
	timeout 100 "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ "$status" = "$wanted" ] || fail "'$*' exits with $status, not $wanted: $(cat "$scratch/err")"
}
