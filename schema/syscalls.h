/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of system calls. The number of a system call depends on the architecture, and no format text has the names, so syscalls.c has a
 * table for each architecture. A 32-bit task on a 64-bit kernel uses other numbers. The events of the task do not show that it is a 32-bit
 * task, so a call of this task gets a wrong name: the name of the 64-bit call with the same number.
 */
#ifndef TW_SYSCALLS_H
#define TW_SYSCALLS_H

#include "schema/print.h"

/* The traced host's architecture, if its system calls have a table. */
enum tw_machine {
	TW_MACHINE_UNKNOWN,
	TW_MACHINE_X86_64,
	TW_MACHINE_AARCH64,
};

/** tw_machine__of() - find the architecture of a name from uname(2); @name: @len bytes, need not be NUL-terminated */
enum tw_machine tw_machine__of(const char *name, size_t len);

/** tw_syscalls__names() - the numbers and names of all system calls, in order of number. Return: an empty list if the machine is unknown */
const struct tw_print_names *tw_syscalls__names(enum tw_machine machine);

/** tw_syscalls__name() - the name of a system call. Return: NULL if the number or the machine is unknown */
const char *tw_syscalls__name(enum tw_machine machine, uint64_t number);

/** tw_syscalls__is_number() - whether a field is the number of a system call, in events of the systems `raw_syscalls` and `syscalls` */
bool tw_syscalls__is_number(const struct tw_format *format, const struct tw_field *field);

#endif
