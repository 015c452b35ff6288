/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifiers on the way of the frames: rules (filter/rules.h) loaded into the kernel and attached to an interface, in XDP, in
 * tc as a BPF program, or in tc as keys of u32. One of each kind may be on an interface.
 *
 * Two kinds of life. A held classifier ends with its process, whatever ends that: XDP by a bpf_link, tc and u32 by a second
 * small process that waits for the end of the first. One that is to stay is left attached. Of both a file below /run/tracewire
 * tells what they are, so that others can show them and take them away.
 *
 * Nobody else's programs, qdiscs and filters are replaced or removed. All functions act in the calling thread's network
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
 * tw_classifier__new() - check the rules and claim the place; nothing is attached yet
 *
 * Unless it is to stay, this forks: the process that sees to it that nothing is left.
 *
 * Return: 0; -EINVAL for what cannot be meant; -EBUSY if a classifier of ours is there; -ENODEV, -EPERM, another -errno.
 */
int tw_classifier__new(const struct tw_classifier_options *options, struct tw_classifier **ret, struct tw_error *error);

/* What the rules are bound to. */
struct tw_classifier_schema {
	const struct tw_schema *schema; /* borrowed for the call */
	uint64_t id;
	bool big_endian;
};

/**
 * tw_classifier__bind() - make the rules for a schema and attach them, or put them in the place of those attached
 *
 * The kernel changes from one to the other without a frame in between that sees neither; the counters go on. After an error
 * what was attached stays attached.
 *
 * Return: 0; -EINVAL where an expression cannot mean anything in that schema; -EOPNOTSUPP where the hook, this kernel or the
 * NIC cannot do it; -EEXIST if a stranger is there; another -errno.
 */
int tw_classifier__bind(struct tw_classifier *classifier, const struct tw_classifier_schema *schema,
			struct tw_error *error);

/** tw_classifier__free() - take it away, unless it is to stay and is attached; NULL is fine */
void tw_classifier__free(struct tw_classifier *classifier);

/* How it really is attached, as the kernel states it. */
enum tw_mode {
	TW_MODE_NONE,       /* not attached: waits for a schema, or somebody else took it away */
	TW_MODE_NATIVE,     /* XDP, by the driver */
	TW_MODE_GENERIC,    /* XDP, after the driver */
	TW_MODE_DISPATCHER, /* XDP, by the driver, one of several programs of libxdp's dispatcher */
	TW_MODE_GENERIC_DISPATCHER,
	TW_MODE_SOFTWARE, /* tc */
	TW_MODE_HARDWARE, /* XDP offloaded; tc in_hw */
};

/** tw_mode__text() - "native XDP", ... */
const char *tw_mode__text(uint8_t mode);

/* A classifier as it is on an interface: this process's or another's. */
struct tw_attached {
	char ifname[IFNAMSIZ];
	int ifindex;
	uint8_t place;
	bool offload, persist;
	uint8_t mode;       /* enum tw_mode */
	pid_t pid;          /* of the process that holds it; 0 = it stays without one */
	uint64_t schema_id; /* 0 = waits for one */
	uint32_t program;   /* its id in the kernel; 0 = u32 */
	struct tw_classifier_rule rules[TW_RULES_MAX];
	unsigned int n;
	uint8_t default_action;
	uint32_t default_arg;
	const struct tw_state *state; /* of xdp/ */
};

/**
 * tw_attached__each() - look at all classifiers of ours in this network namespace
 * @each: called for one after the other; what it points to is borrowed. A return other than 0 ends it
 *
 * Return: 0, what @each returned, or -errno with @error.
 */
int tw_attached__each(int (*each)(const struct tw_attached *attached, void *ctx, struct tw_error *error), void *ctx,
		      struct tw_error *error);

/* The counters of one stream's channel, or of all that had no room of their own. */
struct tw_counted {
	uint64_t stream_id;
	uint16_t channel;
	bool overflow; /* of streams and channels beyond TW_COUNTED_MAX */
	bool total;    /* of all together: u32, and NICs, know no more */
	bool has_events;
};
#define TW_COUNTED_MAX 4096
#define TW_ROWS_MAX    (TW_RULES_MAX + 1 + TW_COUNT_MORE)
#define TW_NOT_COUNTED UINT64_MAX /* a row, or half of one, that is not counted there */

/**
 * tw_attached__count() - its counters as they are now
 * @each: called for every stream and channel, with tw_rules__rows() rows as filter/rules.h says
 *
 * Return: 0 or -errno with @error.
 */
int tw_attached__count(const struct tw_attached *attached,
		       void (*each)(const struct tw_counted *what, const struct tw_counter *rows, void *ctx), void *ctx,
		       struct tw_error *error);

/**
 * tw_classifier__attached() - look at this process's own
 * @each: called once, as tw_attached__each() does
 *
 * Return: what @each returned.
 */
int tw_classifier__attached(const struct tw_classifier *classifier,
			    int (*each)(const struct tw_attached *attached, void *ctx, struct tw_error *error),
			    void *ctx, struct tw_error *error);

/**
 * tw_attached__detach() - take away a classifier that stays, or one that a living process holds
 * Return: 0; -ENOENT if it is no longer there; another -errno.
 */
int tw_attached__detach(const struct tw_attached *attached, struct tw_error *error);

/* What is left: the classifier, or the file alone of one that was to stay, after the classifier or its interface has gone. */
#define TW_CLASSIFIER "classifier"
#define TW_RECORD     "record of classifier"

/**
 * tw_classifier__cleanup() - what is left of classifiers whose process was killed, with the one that watched it
 * @tell: called for each with what it is, one of the two above, and its name
 * Return: 0 or -errno with @error.
 */
int tw_classifier__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			   struct tw_error *error);

#endif
