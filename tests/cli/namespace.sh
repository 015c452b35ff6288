# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154
# To be sourced: needs root, and runs the script again in a network namespace of its own, which goes with it.

if [ "$(id -u)" != 0 ]; then
	echo "skipped: needs root"
	exit 77
fi
if [ -z "${TRACEWIRE_TEST_NAMESPACE-}" ]; then
	TRACEWIRE_TEST_NAMESPACE=yes exec unshare --net "$0" "$@"
fi

failed=0 # the exit status of the script that sources this
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAIL: $*"
	failed=1
}

# as_nobody OPTION...: our program without privileges, from where nobody can look whatever the build folder's rights are
as_nobody() {
	chmod 755 "$scratch"
	cp "$tracewire" "$scratch/tracewire"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$scratch/tracewire" "$@"
}

# Skip where tracefs is not to be had; where it is, a program that does not find it is at fault, not skipped.
need_tracefs() {
	"$tracewire" list >"$scratch/all" 2>"$scratch/why"
	tracing=$(grep -m1 -E '^[^ ]+ [^ ]+ tracefs ' /proc/mounts | cut -d' ' -f2)
	if [ -z "$tracing" ]; then
		echo "skipped: $(cat "$scratch/why")"
		exit 77
	fi
}
