/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifiers: rules (filter/rules.h) loaded into the kernel and attached to an interface, in XDP, in tc as a BPF program, or in tc as
 * u32 filters. An interface may have one of each kind.
 *
 * A held classifier is removed when its process ends for any reason: in XDP by a bpf_link, in tc and u32 by the cleanup helper. A
 * permanent classifier stays. A file below /run/tracewire describes each classifier, so that other processes can show and remove it.
 *
 * Programs, qdiscs and filters of other programs are never replaced or removed. All functions act in the calling thread's network
 * namespace.
 */
#ifndef TW_CLASSIFIER_H
#define TW_CLASSIFIER_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "filter/rules.h"

enum tw_place {
	TW_PLACE_XDP,
	TW_PLACE_TC,
	TW_PLACE_U32,
	TW_PLACES,
};

/** tw_place__name() - "xdp", "tc", "u32" */
const char *tw_place__name(uint8_t place);

/* A rule before it is bound to a schema. */
struct tw_classifier_rule {
	const char *expression; /* borrowed for the call */
	uint8_t action;         /* enum tw_action */
	uint32_t arg;
};

struct tw_classifier_options {
	const char *ifname;
	uint8_t place;     /* enum tw_place */
	bool offload;      /* by the NIC, or not at all */
	bool persist;      /* stays after the process */
	uint16_t udp_port; /* of frames in UDP; 0 = not looked for */
	const struct tw_classifier_rule *rules;
	unsigned int n; /* TW_RULES_MAX at most */
	uint8_t default_action;
	uint32_t default_arg;
};

struct tw_classifier;

/**
 * tw_classifier__new() - check the rules and reserve the hook; nothing is attached yet
 *
 * Unless the classifier is permanent, this forks the cleanup helper.
 *
 * Return: 0; -EINVAL for invalid rules; -EBUSY if the hook has a classifier of Tracewire; -ENODEV, -EPERM, another -errno.
 */
int tw_classifier__new(const struct tw_classifier_options *options, struct tw_classifier **ret, struct tw_error *error);

/* The schema that the rules are bound to. */
struct tw_classifier_schema {
	const struct tw_schema *schema; /* borrowed for the call */
	uint64_t id;
	bool big_endian;
};

/**
 * tw_classifier__bind() - compile the rules for a schema and attach them, or replace the attached ones
 *
 * Each frame meets either the old or the new rules; the counters continue. After an error, the old rules stay attached.
 *
 * Return: 0; -EINVAL if an expression is invalid for that schema; -EOPNOTSUPP if the hook, this kernel or the NIC does not support it;
 * -EEXIST if another program occupies the hook; another -errno.
 */
int tw_classifier__bind(struct tw_classifier *classifier, const struct tw_classifier_schema *schema,
			struct tw_error *error);

/** tw_classifier__free() - remove the classifier, unless it is permanent and attached; NULL is fine */
void tw_classifier__free(struct tw_classifier *classifier);

/* How it is attached, as the kernel reports. */
enum tw_mode {
	TW_MODE_NONE,       /* not attached: waits for a schema, or another process removed it */
	TW_MODE_NATIVE,     /* XDP, by the driver */
	TW_MODE_GENERIC,    /* XDP, after the driver */
	TW_MODE_DISPATCHER, /* XDP, by the driver, one of several programs of libxdp's dispatcher */
	TW_MODE_GENERIC_DISPATCHER,
	TW_MODE_SOFTWARE, /* tc */
	TW_MODE_HARDWARE, /* XDP offloaded; tc in_hw */
};

/** tw_mode__text() - "native XDP", ... */
const char *tw_mode__text(uint8_t mode);

/* An attached classifier, of this or another process. */
struct tw_attached {
	char ifname[IFNAMSIZ];
	int ifindex;
	uint8_t place;
	bool offload, persist;
	uint8_t mode;       /* enum tw_mode */
	pid_t pid;          /* the process that holds it; 0 = permanent */
	uint64_t schema_id; /* 0 = waits for one */
	uint32_t program;   /* its id in the kernel; 0 = u32 */
	struct tw_classifier_rule rules[TW_RULES_MAX];
	unsigned int n;
	uint8_t default_action;
	uint32_t default_arg;
	const struct tw_state *state; /* of xdp/ */
};

/**
 * tw_attached__each() - visit all classifiers of Tracewire in this network namespace
 * @each: called for each; its argument is borrowed. A return value other than 0 ends the visit
 *
 * Return: 0, the value of @each, or -errno with @error filled.
 */
int tw_attached__each(int (*each)(const struct tw_attached *attached, void *ctx, struct tw_error *error), void *ctx,
		      struct tw_error *error);

/* The counters of a channel of a stream, or of all channels without an entry. */
struct tw_counted {
	uint64_t stream_id;
	uint16_t channel;
	bool overflow; /* of streams and channels beyond TW_COUNTED_MAX */
	bool total;    /* of all channels: u32 and NICs count only these */
	bool has_events;
};
#define TW_COUNTED_MAX 4096
#define TW_ROWS_MAX    (TW_RULES_MAX + 1 + TW_COUNT_MORE)
#define TW_NOT_COUNTED UINT64_MAX /* a row, or half of one, that is not counted there */

/**
 * tw_attached__count() - read the counters
 * @each: called for each stream and channel, with tw_rules__rows() rows, see filter/rules.h
 *
 * Return: 0 or -errno with @error filled.
 */
int tw_attached__count(const struct tw_attached *attached,
		       void (*each)(const struct tw_counted *what, const struct tw_counter *rows, void *ctx), void *ctx,
		       struct tw_error *error);

/**
 * tw_classifier__attached() - visit the classifier of this process
 * @each: called once, as by tw_attached__each()
 *
 * Return: the value of @each.
 */
int tw_classifier__attached(const struct tw_classifier *classifier,
			    int (*each)(const struct tw_attached *attached, void *ctx, struct tw_error *error),
			    void *ctx, struct tw_error *error);

/**
 * tw_attached__detach() - remove a permanent classifier, or one that a running process holds
 * Return: 0; -ENOENT if it no longer exists; another -errno.
 */
int tw_attached__detach(const struct tw_attached *attached, struct tw_error *error);

/* Kinds of stale objects: a classifier; or only the file of a permanent one, after the classifier or its interface was removed. */
#define TW_CLASSIFIER "classifier"
#define TW_RECORD     "record of classifier"

/**
 * tw_classifier__cleanup() - remove stale classifiers, whose process was killed together with its cleanup helper
 * @tell: called for each with its kind, one of the two above, and its name
 * Return: 0 or -errno with @error filled.
 */
int tw_classifier__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			   struct tw_error *error);

#endif
