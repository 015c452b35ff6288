/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifiers: rules (filter/rules.h) that are loaded into the kernel and attached to an interface, in one of three places: in XDP, in tc
 * as a BPF program, or in tc as u32 filters. An interface can have one classifier in each place.
 *
 * A classifier is removed when the process that attached it ends for any reason. In XDP, the kernel removes it together with the bpf_link;
 * in tc and in a NIC, the cleanup helper removes it. A permanent classifier stays. Each classifier has a state file in /run/tracewire, so
 * that other processes can show and remove the classifier.
 *
 * BPF programs, qdiscs and filters of other owners are never replaced or removed. All functions act in the calling thread's network
 * namespace.
 */
#ifndef TW_CLASSIFIER_H
#define TW_CLASSIFIER_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "filter/rules.h"

enum tw_attach_place {
	TW_ATTACH_XDP,
	TW_ATTACH_TC,
	TW_ATTACH_U32,
	TW_ATTACH_PLACES,
};

/** tw_attach_place__name() - Return: "xdp", "tc" or "u32" */
const char *tw_attach_place__name(uint8_t place);

/* A rule before it is bound to a schema. */
struct tw_classifier_rule {
	const char *expression;
	uint8_t action; /* enum tw_action */
	uint32_t arg;   /* MARK: the mark; REDIRECT: an interface index */
};

/* Parameters of tw_classifier__new(), which copies all texts. */
struct tw_classifier_options {
	const char *ifname;
	uint8_t place;     /* enum tw_attach_place */
	bool offload;      /* the NIC must evaluate the rules; if the NIC cannot, attaching fails */
	bool persist;      /* make a permanent classifier */
	uint16_t udp_port; /* destination port of frames in UDP; 0 = do not look for frames in UDP */
	const struct tw_classifier_rule *rules;
	unsigned int n;         /* number of rules, 1 to TW_RULES_MAX */
	uint8_t default_action; /* for events that match no rule; enum tw_action */
	uint32_t default_arg;
};

struct tw_classifier;

/**
 * tw_classifier__new() - check the rules and reserve the place, without attaching anything
 *
 * Unless the classifier is permanent, this function forks the cleanup helper. A stale classifier in the place is removed.
 *
 * Return: 0; -EINVAL for invalid rules; -EOPNOTSUPP for a redirect target that does not send redirected frames; -EBUSY if the place has a
 * classifier of Tracewire; -EEXIST if a program or filter of another owner occupies the place; -ENODEV, -EPERM, another -errno.
 */
int tw_classifier__new(const struct tw_classifier_options *options, struct tw_classifier **ret, struct tw_error *error);

/* The schema that the rules are bound to. */
struct tw_classifier_schema {
	const struct tw_schema *schema; /* must exist during tw_classifier__bind() only */
	uint64_t id;
	bool big_endian;
};

/**
 * tw_classifier__bind() - compile the rules for a schema and attach them, or replace the attached ones
 *
 * Each frame is evaluated by either the old or the new rules. The counters continue. After an error of the first call, nothing is attached.
 * After an error of a later call, the old rules stay attached, with two exceptions: if tc reports that the new program does not run in the
 * NIC, no rules are attached afterwards; if the error occurs after the new rules were attached (the state file cannot be written, or the
 * kernel cannot be asked), the new rules stay attached.
 *
 * Return: 0; -EINVAL if an expression is invalid for that schema; -EOPNOTSUPP if the place, this kernel or the NIC does not support the
 * rules; -EEXIST if another program occupies the place; another -errno.
 */
int tw_classifier__bind(struct tw_classifier *classifier, const struct tw_classifier_schema *schema,
			struct tw_error *error);

/**
 * tw_classifier__free() - remove the classifier, unless it is permanent and attached; @classifier may be NULL
 * Return: 0; -errno if it could not be removed; the memory is then free, too, and the cleanup helper tries to remove the classifier.
 */
int tw_classifier__free(struct tw_classifier *classifier, struct tw_error *error);

/* How a classifier is attached, as the kernel reports. */
enum tw_mode {
	TW_MODE_NONE,       /* not attached: it has no schema yet, or another process removed it */
	TW_MODE_NATIVE,     /* XDP, run by the driver */
	TW_MODE_GENERIC,    /* XDP, run by the kernel after the driver */
	TW_MODE_DISPATCHER, /* native XDP, as one of several programs of libxdp's dispatcher */
	TW_MODE_GENERIC_DISPATCHER,
	TW_MODE_SOFTWARE, /* tc, run by the kernel */
	TW_MODE_HARDWARE, /* run by the NIC: offloaded XDP, or tc with in_hw */
};

/** tw_mode__text() - Return: a mode as text for users, for example "native XDP" */
const char *tw_mode__text(uint8_t mode);

/* A classifier of this process or of another one, and how it is attached. */
struct tw_attached {
	char ifname[IFNAMSIZ];
	int ifindex;
	uint8_t place;
	bool offload, persist;
	uint8_t mode;       /* enum tw_mode */
	pid_t pid;          /* the process that holds the classifier; 0 = permanent and attached */
	uint64_t schema_id; /* schema that the rules are bound to; 0 = not bound yet */
	uint32_t program;   /* the kernel's id of the program; 0 for u32 */
	struct tw_classifier_rule rules[TW_RULES_MAX];
	unsigned int n;
	uint8_t default_action;
	uint32_t default_arg;
	const struct tw_state *state; /* used inside xdp/ only */
};

/* A callback for a classifier. @attached: valid during the call only. Return: 0; another value ends the visit. */
typedef int tw_attached_visitor(const struct tw_attached *attached, void *ctx, struct tw_error *error);

/**
 * tw_attached__each() - visit all classifiers of Tracewire in this network namespace
 * Return: 0; the return value of @each that ended the visit; -errno with @error filled.
 */
int tw_attached__each(tw_attached_visitor *each, void *ctx, struct tw_error *error);

/** tw_classifier__ask() - ask the kernel how @classifier is attached, as tw_classifier__bind() also does at its end. Return: 0 or -errno */
int tw_classifier__ask(struct tw_classifier *classifier, struct tw_error *error);

/** tw_classifier__attached() - Return: the last answer of the kernel, valid until the next call for @classifier */
const struct tw_attached *tw_classifier__attached(struct tw_classifier *classifier);

/* The frames that rows of counters belong to: those of one channel of a stream, unless overflow or total is set. */
struct tw_counted {
	uint64_t stream_id;
	uint16_t channel;
	bool overflow;   /* frames of all streams and channels beyond TW_COUNTED_MAX */
	bool total;      /* frames of all streams and channels; u32 filters and NICs have only these rows */
	bool has_events; /* events are counted; false for u32, where a rule has as many events as frames */
};
#define TW_COUNTED_MAX 4096 /* streams and channels with their own counters */
#define TW_ROWS_MAX    (TW_RULES_MAX + 1 + TW_COUNT_MORE)
#define TW_NOT_COUNTED UINT64_MAX /* value of `frames` or `events` if the place does not count them */

/* A callback for the counters of the frames that @what describes. @rows: array of tw_rules__rows() rows, see filter/rules.h */
typedef void tw_counted_visitor(const struct tw_counted *what, const struct tw_counter *rows, void *ctx);

/**
 * tw_attached__count() - read the counters, and call @each for the rows of each stream and channel, of the overflow, or of the total
 * Return: 0, without a call of @each if the classifier is not bound to a schema yet; -errno with @error filled.
 */
int tw_attached__count(const struct tw_attached *attached, tw_counted_visitor *each, void *ctx, struct tw_error *error);

/**
 * tw_attached__detach() - remove a classifier; if a process holds it, end this process, and wait until the classifier is removed
 * Return: 0; -ENOENT if the classifier no longer exists; -EBUSY if the process does not end within some seconds; another -errno.
 */
int tw_attached__detach(const struct tw_attached *attached, struct tw_error *error);

/* Kinds of stale objects: a classifier, or only the state file of a permanent classifier that is not attached any more. */
#define TW_CLASSIFIER "classifier"
#define TW_RECORD     "state file of classifier"

/**
 * tw_classifier__cleanup() - remove stale objects of this network namespace: classifiers whose process and cleanup helper were killed, and
 * stale state files
 * @dry_run: only report them
 * @tell: called for each stale object, except files without content; @what is TW_CLASSIFIER or TW_RECORD; @name is "PLACE of INTERFACE",
 * such as "tc of eth0"
 * Return: 0 or -errno with @error filled.
 */
int tw_classifier__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			   struct tw_error *error);

#endif
