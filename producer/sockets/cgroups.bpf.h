/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets; included by sockets.bpf.h. Whether a socket is in a selected cgroup, or below one. The cgroup of a socket is that of
 * the task that created it; accepted sockets are in the cgroup of the socket that listens.
 */
#ifndef TW_SOCKETS_CGROUPS_BPF_H
#define TW_SOCKETS_CGROUPS_BPF_H

#define STATE_OF_TIME_WAIT   6
#define STATE_OF_NEW_REQUEST 12

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node___selected {
	uint64_t id;
};

struct cgroup___selected {
	struct kernfs_node___selected *kn;
	int level;
	struct cgroup___selected *ancestors[1]; /* one for each level from 0 to its own */
};

struct sock___selected {
	struct {
		struct cgroup___selected *cgroup;
	} sk_cgrp_data;
};

#pragma clang attribute pop

/* The cgroup of a socket; NULL = unknown, because the kernel has only a part of a socket here */
static __always_inline const struct cgroup___selected *sockets__cgroup_of(const struct sock *sk)
{
	const struct sock___selected *of = (const void *)sk;
	uint8_t state;

	if (!sk)
		return NULL;
	state = BPF_CORE_READ(sk, __sk_common.skc_state);
	if (state == STATE_OF_TIME_WAIT || state == STATE_OF_NEW_REQUEST)
		return NULL;
	return BPF_CORE_READ(of, sk_cgrp_data.cgroup);
}

/* Whether events of a socket are selected; without a selection of cgroups, those of all sockets are, also if there is none (NULL) */
static __always_inline bool sockets__selects_cgroup(const struct sock *sk)
{
	const struct cgroup___selected *cgroup, *ancestor;
	uint32_t level;

	if (!settings.n_cgroups)
		return true;
	cgroup = sockets__cgroup_of(sk);
	if (!cgroup)
		return false;
	level = (uint32_t)BPF_CORE_READ(cgroup, level);
	for (uint32_t i = 0; i < TW_SOCKTS_CGROUPS_MAX && i < settings.n_cgroups; i++) {
		const uint32_t wanted = settings.cgroups[i].level;

		if (wanted > level ||
		    bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
					  (const char *)cgroup +
						  bpf_core_field_offset(struct cgroup___selected, ancestors) +
						  wanted * sizeof(ancestor)))
			continue;
		if (BPF_CORE_READ(ancestor, kn, id) == settings.cgroups[i].id)
			return true;
	}
	return false;
}

#endif
