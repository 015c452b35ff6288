/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a check of `tracewire doctor`. */
#ifndef DOCTOR_FINDING_H
#define DOCTOR_FINDING_H

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* works with restrictions */
	DOCTOR_NO,
};

struct doctor_finding {
	enum doctor_status status;
	char text[256]; /* the fact found */
	char fix[384];  /* what to do; "" if the status is DOCTOR_OK, or if @text already says what to do */
};

#define DOCTOR_SUDO "run tracewire with sudo"

/** doctor__ok(), doctor__bad() - fill a finding */
__attribute__((format(printf, 2, 3))) void doctor__ok(struct doctor_finding *ret, const char *text, ...);
__attribute__((format(printf, 4, 5))) void doctor__bad(struct doctor_finding *ret, enum doctor_status status,
						       const char *fix, const char *text, ...);

#endif
