/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of `tracewire doctor`, by subject. Each look_...() does one check. */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include <stdbool.h>

#include "cli/doctor/finding.h"

/* The kernel's tracing, and the privileges for it */

void look_kernel(struct doctor_finding *ret);
void look_privileges(struct doctor_finding *ret);
void look_tracefs(struct doctor_finding *ret);
void look_events(struct doctor_finding *ret);
void look_clocks(struct doctor_finding *ret);
void look_function_tracer(struct doctor_finding *ret);
void look_symbols(struct doctor_finding *ret);
void look_realtime(struct doctor_finding *ret);

/** look_each_socket_stage() - say what the @i-th stage of socket events is attached to. Return: false if there are no more */
bool look_each_socket_stage(unsigned int i, struct doctor_finding *ret);

/* A feature of the kernel, which is present if a new trace instance has the file @file. */
struct instance_file {
	const char *file;
	const char *has, *has_not; /* texts of the finding */
	const char *fix;
};

void look_instance_file(struct doctor_finding *ret, const struct instance_file *feature);

/* Virtual interfaces */

/** look_in_namespace() - make a veth pair in a new network namespace, and call @look there */
void look_in_namespace(struct doctor_finding *ret, void (*look)(struct doctor_finding *ret));

/* These need look_in_namespace(). */
void look_veth(struct doctor_finding *ret);
void look_xdp(struct doctor_finding *ret);
void look_multi_buffer(struct doctor_finding *ret);

void look_memlock(struct doctor_finding *ret);

/* Wireshark */

/* A program of Wireshark. */
struct program {
	const char *command; /* prints the program's version */
	enum doctor_status without;
	const char *fix;
};

void look_program(struct doctor_finding *ret, const struct program *program);
void look_plugin(struct doctor_finding *ret);

/** look_order() - report a limit that exists on every machine */
void look_order(struct doctor_finding *ret);

/* Time: what clocks of this machine rest on */

void look_clock_source(struct doctor_finding *ret);
void look_time_source(struct doctor_finding *ret);
void look_tai_offset(struct doctor_finding *ret);

/** look_each_phc(), look_each_interface() - look at the @i-th PTP hardware clock or network card. Return: false if there are no more */
bool look_each_phc(unsigned int i, struct doctor_finding *ret);
bool look_each_interface(unsigned int i, struct doctor_finding *ret);

#endif
