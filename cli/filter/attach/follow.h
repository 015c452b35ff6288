/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeping an attached classifier bound to the schema of the stream that passes: what streams tell of themselves is watched on
 * the interface. A classifier is for one schema. It follows one stream, and another when that has been silent.
 */
#ifndef CLI_FILTER_FOLLOW_H
#define CLI_FILTER_FOLLOW_H

#include "xdp/classifier.h"

struct follow;

/** follow__open() - watch an interface; @classifier is borrowed. Return: 0 or -errno */
int follow__open(const char *ifname, struct tw_classifier *classifier, struct follow **ret, struct tw_error *error);

/** follow__close() - NULL is fine */
void follow__close(struct follow *follow);

/**
 * follow__wait() - look at what comes for a while, or until somebody asks to stop
 *
 * What happens to the classifier is told on standard error. Where the rules cannot be bound to the very first schema that is an
 * error; to a later one, then they stay as they are.
 *
 * Return: 0; -ENODEV when the interface has vanished; what tw_classifier__bind() returned.
 */
int follow__wait(struct follow *follow, unsigned int ms, struct tw_error *error);

/** follow__is_bound() - whether a schema was found */
bool follow__is_bound(const struct follow *follow);

#endif
