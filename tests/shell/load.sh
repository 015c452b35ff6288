# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# To be sourced after processes.sh, with $load set: a process that makes system calls at a given rate, and begins on request.

# prepare_load CALLS SECONDS: starts the process $load_process. After begin_load, it calls getppid() CALLS times a second, for SECONDS.
# $loaded is the tracefs filter of raw_syscalls that passes only these calls.
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

# run_load: begins the load, and waits for its end
run_load() {
	begin_load
	wait "$load_process"
}
