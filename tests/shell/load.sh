# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# To be sourced after processes.sh, with $load set: system calls at a rate, in a process that begins on request.

# prepare_load CALLS SECONDS: getppid(), CALLS in a second, in $load_process; $loaded is the tracefs filter of raw_syscalls that passes only
# its calls
prepare_load() {
	rm -f "$scratch/begin"
	mkfifo "$scratch/begin"
	in_background load sh -c 'read -r _ <"$1"; exec "$2" "$3" "$4"' sh "$scratch/begin" "$load" "$2" "$1"
	load_process=$pid
	loaded="id == 110 && common_pid == $pid" # x86-64's number of getppid
}

begin_load() {
	echo >"$scratch/begin"
}

# to its end
run_load() {
	begin_load
	wait "$load_process"
}
