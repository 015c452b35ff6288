# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# To be sourced first. Requires root. Runs the test again in new namespaces: those of $namespaces, which are options of unshare, or a
# network and a mount namespace.

if [ "$(id -u)" != 0 ]; then
	echo "skipped: needs root"
	exit 77
fi
if [ -z "${TRACEWIRE_TEST_NAMESPACE-}" ]; then
	# shellcheck disable=SC2086 # words
	TRACEWIRE_TEST_NAMESPACE=yes exec unshare ${namespaces:---net --mount} "$0" "$@"
fi
