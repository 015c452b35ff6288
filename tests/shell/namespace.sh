# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# To be sourced before all else: runs the test again, as root, in a network and a mount namespace of its own, which go with it.

if [ "$(id -u)" != 0 ]; then
	echo "skipped: needs root"
	exit 77
fi
[ -n "${TRACEWIRE_TEST_NAMESPACE-}" ] || TRACEWIRE_TEST_NAMESPACE=yes exec unshare --net --mount "$0" "$@"
