/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/capture/reference_option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cli/messages.h"

#define LOOKS    10 /* requests to ptp4l at the start, for the bound of a PHC and its distance from UTC */
#define PAUSE_MS 20

int reference_option__parse(const char *text, struct reference_option *ret, struct tw_error *error)
{
	static const char *const names[] = {
		[TW_REFERENCE_HOST] = "host",
		[TW_REFERENCE_REALTIME] = "realtime",
		[TW_REFERENCE_TAI] = "tai",
	};
	static const char phc[] = "phc:";
	const char *name = text + strlen(phc);

	if (!strncmp(text, phc, strlen(phc))) {
		if (!tw_phc__is_name(name))
			return tw_error__set(
				error, -EINVAL,
				"--reference '%s': give an interface or a clock after phc:, such as phc:eth0 or phc:ptp0",
				text);
		*ret = (struct reference_option){ true, TW_REFERENCE_PHC, name };
		return 0;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]))
			continue;
		*ret = (struct reference_option){ true, (enum tw_reference_kind)i, NULL };
		return 0;
	}
	return tw_error__set(error, -EINVAL, "--reference '%s' is unknown: choose host, realtime, tai or phc:NAME",
			     text);
}

/* Gets the state of this host's clocks. For a PHC, waits up to 0.2 s for complete answers of ptp4l. */
static void look(const struct reference_option *option, struct tw_sync *sync, struct tw_sync_state *ret)
{
	tw_sync__look(sync, ret);
	for (int i = 1; option->kind == TW_REFERENCE_PHC && i < LOOKS && !ret->phc.any; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * (long)TW_NS_PER_MS }, NULL);
		tw_sync__look(sync, ret);
	}
}

void reference_option__open(const struct reference_option *option, struct tw_sync *sync,
			    const struct tw_capture_clock *clock, struct tw_reference *ret,
			    struct tw_sync_state *ret_sync, char *ret_text, size_t size)
{
	struct tw_error error = { 0 };
	unsigned int unused;
	char what[256];
	int err;

	look(option, sync, ret_sync);
	err = tw_reference__open(ret, option->kind, option->phc, ret_sync, clock, &error);
	if (err)
		note__say("the reference is this host's clock, not the PTP hardware clock %s%s: %s",
			  tw_phc__index_of(option->phc, &unused) ? "" : "of ", option->phc, error.text);
	*ret_text = '\0';
	if (!option->given)
		return;
	tw_reference__describe(ret, what, sizeof(what));
	snprintf(ret_text, size, "reference: %s%s%s", what, err ? "; not the chosen one, because " : "", error.text);
}
