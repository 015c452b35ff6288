/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_sync [N [MS]]: prints N times, each time after a pause of MS ms, what this machine's clock is synchronised to. Each line has the
 * error bound in ns, the source as a text, and, if a network card has a clock, the reading of this clock in s.
 * show_sync ptp4l: prints data of ptp4l as pmc(8) does.
 * show_sync nobody N MS: as show_sync N MS, but gives up the privileges of root before the first line.
 * show_sync since N MS: as show_sync N MS, but each line has the source as a text, the time in s since which it is known, and the
 * grandmaster, separated by |.
 */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "clocks/phcs.h"
#include "clocks/ptp4l.h"
#include "clocks/sync.h"

/* Return: exit status; 1 if ptp4l does not answer within two seconds */
static int show_ptp4l(void)
{
	struct tw_ptp4l_status status;
	struct tw_ptp4l ptp;
	bool any = false;

	tw_ptp4l__open(&ptp);
	for (int i = 0; i < 20 && !any; i++) {
		any = tw_ptp4l__look(&ptp, &status);
		nanosleep(&(struct timespec){ .tv_nsec = 100 * 1000000L }, NULL);
	}
	tw_ptp4l__close(&ptp);
	if (any)
		printf("gmIdentity %02x%02x%02x.%02x%02x.%02x%02x%02x\n", status.grandmaster[0], status.grandmaster[1],
		       status.grandmaster[2], status.grandmaster[3], status.grandmaster[4], status.grandmaster[5],
		       status.grandmaster[6], status.grandmaster[7]);
	if (any)
		printf("currentUtcOffset %d\nptpTimescale %d\n", status.utc_offset, status.ptp_timescale);
	return !any;
}

/* Gives up the privileges of root. */
static int become_nobody(void)
{
	const struct passwd *nobody = getpwnam("nobody");

	return nobody && !setgroups(0, NULL) && !setgid(nobody->pw_gid) && !setuid(nobody->pw_uid) ? 0 : -1;
}

static void print_since(const struct tw_sync_state *state)
{
	printf("%s|%llu|%s\n", state->how, (unsigned long long)(state->since / TW_NS_PER_SECOND),
	       state->root.grandmaster);
}

static void print_bounds(struct tw_phcs *phcs, const struct tw_sync_state *state)
{
	struct tw_clock_view sample = { .valid = 1u << TW_CLOCK_TRACE };
	char phc[32] = "";

	tw_phcs__set_synced(phcs, state->phc.any ? state->phc.index : -1, state->phc.ns);
	tw_phcs__sample(phcs, CLOCK_MONOTONIC, &sample);
	if (sample.n_phcs)
		snprintf(phc, sizeof(phc), " %llu", (unsigned long long)(sample.phcs[0].phc / TW_NS_PER_SECOND));
	printf("%u %s%s\n", state->ns, state->how, phc);
}

int main(int argc, char **argv)
{
	const char *const word = argc > 1 ? argv[1] : "";
	const bool since = !strcmp(word, "since"), nobody = !strcmp(word, "nobody");
	const int skip = since || nobody;
	const int times = argc > 1 + skip ? atoi(argv[1 + skip]) : 1;
	const int ms = argc > 2 + skip ? atoi(argv[2 + skip]) : 100;
	struct tw_phcs phcs;
	struct tw_sync *sync;

	if (!strcmp(word, "ptp4l"))
		return show_ptp4l();
	sync = tw_sync__new();
	if (!sync || (nobody && become_nobody()))
		return 1;
	tw_phcs__init(&phcs, NULL, NULL);
	for (int i = 0; i < times; i++) {
		struct tw_sync_state state;

		nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
		tw_sync__look(sync, &state);
		if (since)
			print_since(&state);
		else
			print_bounds(&phcs, &state);
		fflush(stdout);
	}
	tw_phcs__fini(&phcs);
	tw_sync__free(sync);
	return 0;
}
