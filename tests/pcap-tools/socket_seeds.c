/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_seeds DIR: seeds of fuzz_sockets: the events of sent and of received messages, whose sequence numbers wrap. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "pcap-tools/sockets/event.h"

static void put_u32(FILE *out, uint32_t value)
{
	for (unsigned int shift = 0; shift < 32; shift += 8)
		putc((int)(value >> shift & 0xff), out);
}

/* Writes a message of 100 bytes: its steps from @from to @to. */
static void put_message(FILE *out, enum tw_socket_kind kind, uint32_t seq, int from, int to)
{
	for (int type = from; type <= to; type++) {
		putc((int)kind, out);
		putc(type, out);
		putc(80, out);
		putc(1, out);
		put_u32(out, seq);
		put_u32(out, 100);
	}
}

static void put_file(const char *folder, const char *name, enum tw_socket_kind kind, int last)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	if (!out)
		exit(1);
	/* One by one, and then several together. */
	for (uint32_t i = 0; i < 5; i++)
		put_message(out, kind, 100 * i - 201, 1, last);
	for (int type = 1; type <= last; type++)
		for (uint32_t i = 5; i < 9; i++)
			put_message(out, kind, 100 * i - 201, type, type);
	if (fclose(out))
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	put_file(argv[1], "sent", TW_SOCKET_EGRESS, TW_SOCKTS_EGRESS_ACK);
	put_file(argv[1], "received", TW_SOCKET_INGRESS, TW_SOCKTS_INGRESS_READ);
	return 0;
}
