# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced by the tests, with $tracewire set. Tests that need root source tests/shell/namespace.sh first.
for part in check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh"
done

# as_nobody OPTION...: runs tracewire without privileges, from a path that is readable whatever the permissions of the build directory are
as_nobody() {
	chmod 755 "$scratch"
	cp "$tracewire" "$scratch/tracewire"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$scratch/tracewire" "$@"
}

# tells PATTERN: the last line that the last command wrote to standard error matches PATTERN
tells() {
	tail -n 1 "$scratch/err" | grep -qE -- "$1" || fail "expected '$1': $(cat "$scratch/err")"
}

# refuses STATUS TEXT WORD...: the command ends with STATUS; standard error has only TEXT, and standard output is empty
refuses() {
	local status=$1 text=$2
	shift 2
	run "$status" "$tracewire" "$@"
	expect "what '$*' says" "$text" "$(cat "$scratch/err")"
	expect "what '$*' prints" "" "$(cat "$scratch/out")"
}
