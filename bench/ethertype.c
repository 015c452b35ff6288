/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ethertype IN OUT TYPE -- copies an Ethernet capture as pcap, and sets the EtherType of every frame to TYPE.
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *head;
	const u_char *data;
	static u_char copy[262144];
	pcap_dumper_t *out;
	unsigned long type;
	pcap_t *in;

	if (argc != 4)
		return 2;
	type = strtoul(argv[3], NULL, 0);
	in = pcap_open_offline_with_tstamp_precision(argv[1], PCAP_TSTAMP_PRECISION_NANO, error);
	out = in ? pcap_dump_open(in, argv[2]) : NULL;
	if (!out) {
		fprintf(stderr, "ethertype: %s\n", in ? pcap_geterr(in) : error);
		return 1;
	}
	while (pcap_next_ex(in, &head, &data) == 1) {
		if (head->caplen > sizeof(copy) || head->caplen < 14)
			continue;
		memcpy(copy, data, head->caplen);
		copy[12] = (u_char)(type >> 8);
		copy[13] = (u_char)type;
		pcap_dump((u_char *)out, head, copy);
	}
	pcap_dump_close(out);
	pcap_close(in);
	return 0;
}
