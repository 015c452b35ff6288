/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of every kind for a classifier, valid and invalid ones; each content is combined with each twist and each link. */
#ifndef TESTS_FILTER_BPF_FRAMES_H
#define TESTS_FILTER_BPF_FRAMES_H

#include "tests/filter/packets.h"

#define BPF_FRAMES_SCHEMA UINT64_C(0x0123456789abcdef)
#define BPF_FRAMES_NOW    UINT64_C(12000000000)

extern const struct tw_frame_info bpf_frames_info;

struct bpf_frame_part {
	const char *name;
	void (*apply)(struct packet *p);
};

/* Contents of frames, added between packet__begin() and packet__end(). */
extern const struct bpf_frame_part bpf_contents[];
extern const size_t bpf_n_contents;

/* Faults of the frame or the packet around it, made after packet__end(). */
extern const struct bpf_frame_part bpf_twists[];
extern const size_t bpf_n_twists;

#endif
