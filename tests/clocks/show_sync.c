/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_sync [N [MS]]: prints N times, each time after a pause of MS ms, what this machine's clock is synchronised to. Each line has the
 * error bound in ns, the source as a text, and, if a network card has a clock, the reading of this clock in s.
 * show_sync ptp4l: prints data of ptp4l as pmc(8) does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
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
		printf("currentUtcOffset %d\nptpTimescale %d\n", status.utc_offset, status.ptp_timescale);
	return !any;
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? atoi(argv[1]) : 1;
	const int ms = argc > 2 ? atoi(argv[2]) : 100;
	struct tw_sync *sync;

	if (argc > 1 && !strcmp(argv[1], "ptp4l"))
		return show_ptp4l();
	sync = tw_sync__new();
	if (!sync)
		return 1;
	for (int i = 0; i < times; i++) {
		struct tw_clock_view sample = { 0 };
		struct tw_sync_state state;
		char phc[32] = "";

		nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
		tw_sync__look(sync, &state);
		sample.reading[TW_CLOCK_REAL] = tw_time__now(CLOCK_REALTIME);
		tw_sync__complete(sync, &sample);
		if (sample.n_phcs)
			snprintf(phc, sizeof(phc), " %llu",
				 (unsigned long long)(sample.phcs[0].phc / TW_NS_PER_SECOND));
		printf("%u %s%s\n", sample.sync_ns, state.how, phc);
		fflush(stdout);
	}
	tw_sync__free(sync);
	return 0;
}
