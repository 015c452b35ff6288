/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load for the kernel to trace: a little of everything, in a separate process. */
#ifndef LOAD_H
#define LOAD_H

#include <sys/types.h>

/** load__start() - start a process that works until it is killed or its parent ends. Return: its pid, or -1 with errno set */
pid_t load__start(void);

/** load__stop() - kill the process, and wait for its end */
void load__stop(pid_t pid);

#endif
