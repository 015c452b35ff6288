/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that a test defines: uprobes on a function of the test, in the system "twtestPID". */
#ifndef PROBE_H
#define PROBE_H

/** probe__target() - the function with the uprobes; PROBE_NUMBER is the place of @number for a uprobe */
void probe__target(long number);

#if defined(__x86_64__)
#define PROBE_NUMBER "%di:s64"
#elif defined(__aarch64__)
#define PROBE_NUMBER "%x0:s64"
#endif

/**
 * probe__define() - make the dynamic event @name; if @name begins with '-', remove the event
 * @arguments: "number=" PROBE_NUMBER, in the syntax of uprobe_events
 *
 * Return: 0 or -errno: some kernels have no uprobes.
 */
int probe__define(const char *name, const char *arguments);

#endif
