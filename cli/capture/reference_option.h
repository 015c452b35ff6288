/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option --reference of `tracewire capture`: the clock to which error bounds refer and to which --align host converts times. */
#ifndef CLI_REFERENCE_OPTION_H
#define CLI_REFERENCE_OPTION_H

#include "clocks/reference.h"

struct reference_option {
	bool given;
	enum tw_reference_kind kind;
	const char *phc; /* name of a PHC; borrowed from the command line */
};

/** reference_option__parse() - parse host, realtime, tai or phc:NAME. Return: 0, or -EINVAL with @error filled */
int reference_option__parse(const char *text, struct reference_option *ret, struct tw_error *error);

/**
 * reference_option__open() - begin to use the reference; if this fails, print a note, and use HOST
 * @sync: is asked for the state of this host's clocks
 * @clock: has begun
 * @ret_text: a description for the file, at most @size bytes; "" if the option is not given
 */
void reference_option__open(const struct reference_option *option, struct tw_sync *sync,
			    const struct tw_capture_clock *clock, struct tw_reference *ret,
			    struct tw_sync_state *ret_sync, char *ret_text, size_t size);

#endif
