/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `tracewire doctor` looks at: tables of checks, one for each part of the machine. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* works, but not as it could */
	DOCTOR_NO,
};

struct doctor_finding {
	enum doctor_status status;
	char text[256]; /* what is the case */
	char fix[384];  /* what to do about it; "" if OK */
};

struct doctor_check {
	const char *name; /* NULL ends a table */
	bool needed;      /* `live` cannot work when this says no */
	void (*look)(struct doctor_finding *ret);
};

extern const struct doctor_check doctor_kernel_checks[];
extern const struct doctor_check doctor_network_checks[];
extern const struct doctor_check doctor_program_checks[];

/* Fill a finding. */
__attribute__((format(printf, 2, 3))) void doctor__ok(struct doctor_finding *ret, const char *text, ...);
__attribute__((format(printf, 4, 5))) void doctor__bad(struct doctor_finding *ret, enum doctor_status status,
						       const char *fix, const char *text, ...);

#endif
