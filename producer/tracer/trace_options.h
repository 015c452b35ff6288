/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace options of an instance, by name. */
#ifndef TW_TRACE_OPTIONS_H
#define TW_TRACE_OPTIONS_H

#include "producer/instance.h"
#include "producer/tracer/tracer.h"

struct tw_changed_option {
	char *file; /* "options/NAME" */
	bool on;    /* what we made of it */
};

/*
 * What was changed, to be put back if it is still so: the options of a tracer are shared by all instances on most kernels. Those
 * that are, a clean-up puts back too if we are killed.
 */
struct tw_trace_options {
	struct tw_changed_option *changed;
	size_t n;
};

/**
 * tw_trace_options__set() - set options
 * @words: "NAME", "noNAME", "NAME=1" or "NAME=0"
 *
 * Return: 0; -ENOENT for one that is not there; -EINVAL for one that the kernel refuses; what was set until then is in @ret.
 */
int tw_trace_options__set(const struct tw_instance *instance, const struct tw_words *words,
			  struct tw_trace_options *ret, struct tw_error *err);

/** tw_trace_options__undo() - turn back what was changed and nobody has changed since, and forget it */
void tw_trace_options__undo(const struct tw_instance *instance, struct tw_trace_options *options);

#endif
