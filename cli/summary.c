/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/summary.h"

#include <inttypes.h>

void summary__print(const struct tw_books *books, FILE *out)
{
	fprintf(out, "events   %" PRIu64 " recorded, %" PRIu64 " read, %" PRIu64 " sent, in %.3f s\n", books->recorded,
		books->read, books->delivered, books->seconds);
	fprintf(out, "lost     %" PRIu64 " in the ring, %" PRIu64 " by the producer, %" PRIu64 " in transmission\n",
		books->lost_ring, books->shed, books->lost_tx);
	fprintf(out, "frames   %" PRIu64 ", %" PRIu64 " bytes\n", books->frames, books->bytes);
	if (books->unnamed)
		fprintf(out, "unnamed  %" PRIu64 " events of tasks whose name could not be learned\n", books->unnamed);
	if (!books->balanced)
		fputs("The books do not balance: recorded is not the sum of sent and lost.\n", out);
}
