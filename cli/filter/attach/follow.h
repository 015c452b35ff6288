/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps an attached classifier bound to the schema of the current stream, by reading the streams' metadata on the interface. A
 * classifier has one schema. It follows one stream, and another one after that was silent.
 */
#ifndef CLI_FILTER_FOLLOW_H
#define CLI_FILTER_FOLLOW_H

#include "xdp/classifier.h"

struct follow;

/** follow__open() - begin to read an interface; @classifier is borrowed. Return: 0 or -errno */
int follow__open(const char *ifname, struct tw_classifier *classifier, struct follow **ret, struct tw_error *error);

/** follow__close() - NULL is fine */
void follow__close(struct follow *follow);

/**
 * follow__wait() - read frames for a while, or until a request to stop
 *
 * Changes of the classifier are reported on standard error. If the rules cannot be bound to the first schema, that is an error; for a
 * later schema they stay unchanged.
 *
 * Return: 0; -ENODEV if the interface is gone; errors of tw_classifier__bind().
 */
int follow__wait(struct follow *follow, unsigned int ms, struct tw_error *error);

/** follow__is_bound() - whether the rules are bound to a schema */
bool follow__is_bound(const struct follow *follow);

#endif
