/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room. What the two formats of captures have in common, and the numbers that tell them apart. */
#ifndef TW_CAPTURE_FORMAT_H
#define TW_CAPTURE_FORMAT_H

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/input.h"

#define NS_PER_S 1000000000u

/* How the times of an interface count: ns = (ticks * mult) >> shift, or ticks / divisor where mult is 0. */
struct tw_resolution {
	uint64_t mult, divisor;
	uint8_t shift;
	int64_t offset; /* s, added */
};

/** tw_resolution__of() - what an if_tsresol says */
struct tw_resolution tw_resolution__of(uint8_t tsresol);

/** tw_resolution__ns() - a time in ns since 1970 */
uint64_t tw_resolution__ns(const struct tw_resolution *r, uint64_t ticks);

struct tw_capture_interface {
	uint32_t linktype, snaplen;
	struct tw_resolution resolution;
};

struct tw_capture_file {
	struct tw_input in;
	const char *name;
	int (*next)(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error);
	bool big_endian;
	bool failed;
	bool is_pcapng, is_recording;
	struct tw_capture_interface *interfaces; /* of the section; one for pcap */
	uint32_t n_interfaces, size_interfaces;
	tw_capture_watch *watch; /* NULL = nobody */
	void *ctx;               /* for watch */
};

/** tw_capture__show() - to whoever watches */
static inline void tw_capture__show(const struct tw_capture_file *file, const struct tw_capture_block *block)
{
	if (file->watch)
		file->watch(file->ctx, block);
}

/** tw_capture__damaged() - "FILE: what at byte N ..." Return: -EBADMSG, or the failure of read() instead */
__attribute__((format(printf, 4, 5))) int tw_capture__damaged(struct tw_capture_file *file, uint64_t offset,
							      struct tw_error *error, const char *fmt, ...);

/** tw_pcapng_file__open() - and tw_pcap_file__open(): is it this format? Return: 1, 0 if not, or -errno */
int tw_pcapng_file__open(struct tw_capture_file *file, struct tw_error *error);
int tw_pcap_file__open(struct tw_capture_file *file, struct tw_error *error);

#endif
