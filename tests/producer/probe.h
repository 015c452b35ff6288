/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events made by a test: uprobes on a function of the test, in system "twtestPID". */
#ifndef PROBE_H
#define PROBE_H

/** probe__target() - the function; its argument is PROBE_NUMBER to a uprobe */
void probe__target(long number);

#if defined(__x86_64__)
#define PROBE_NUMBER "%di:s64"
#elif defined(__aarch64__)
#define PROBE_NUMBER "%x0:s64"
#endif

/**
 * probe__define() - make a dynamic event, or with a leading '-' remove it
 * @arguments: "number=" PROBE_NUMBER, in the syntax of uprobe_events
 *
 * Return: 0 or -errno: some kernels have no uprobes.
 */
int probe__define(const char *name, const char *arguments);

#endif
