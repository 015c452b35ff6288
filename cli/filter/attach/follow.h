/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps an attached classifier bound to the schema of a stream. The schema is read from metadata on the interface. A classifier has one
 * schema, so it follows one stream. It changes to a stream with another schema only if the followed stream is silent.
 */
#ifndef CLI_FILTER_FOLLOW_H
#define CLI_FILTER_FOLLOW_H

#include "xdp/classifier.h"

struct follow;

/** follow__open() - begin to read an interface; @classifier is borrowed. Return: 0 or -errno with @error filled */
int follow__open(const char *ifname, struct tw_classifier *classifier, struct follow **ret, struct tw_error *error);

/** follow__close() - stop reading, and free @follow, which may be NULL */
void follow__close(struct follow *follow);

/**
 * follow__wait() - read frames for @ms, or until a request to stop, and bind the rules to the schemas found
 *
 * Changes of the classifier are reported on standard error. It is an error if the rules cannot be bound to the first schema. If the rules
 * cannot be bound to a later schema, they stay bound to the earlier one.
 *
 * Return: 0; or -errno with @error filled: -ENODEV if the interface was removed, or an error of tw_classifier__bind().
 */
int follow__wait(struct follow *follow, unsigned int ms, struct tw_error *error);

/** follow__is_bound() - whether the rules are bound to a schema */
bool follow__is_bound(const struct follow *follow);

#endif
