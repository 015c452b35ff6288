/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches a classifier in one of the places of enum tw_attach_place:
 * - in XDP, as a program. A bpf_link holds the program, libxdp attaches it permanently, or the NIC runs it.
 * - in tc, as a program (cls_bpf with direct action)
 * - in tc, as u32 filters
 * In tc, classifiers are attached to the ingress of the interface. Used inside xdp/ only.
 */
#ifndef TW_ATTACH_H
#define TW_ATTACH_H

#include "filter/u32.h"
#include "xdp/load.h"
#include "xdp/state.h"

/**
 * tw_xdp__plan() - check, before a program is attached, that no other program occupies the hook
 * Return: 0; -EEXIST if a program occupies the hook, with the program's name in @error; another -errno.
 */
int tw_xdp__plan(const struct tw_state *state, struct tw_error *error);

/**
 * tw_xdp__hold() - attach a loaded program with a new bpf_link, or replace the program of an existing link
 * @link: descriptor of the link, owned by the caller; -1 = make a new link, and set @link to it
 * Return: 0 or -errno.
 */
int tw_xdp__hold(const struct tw_state *state, int program, int *link, struct tw_error *error);

/** tw_xdp__offload() - attach a loaded program in the NIC. @old: descriptor of the program to replace, or -1. Return: 0 or -errno */
int tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error);

/**
 * tw_xdp__leave() - attach a program permanently with libxdp: together with other programs if libxdp's dispatcher works, otherwise alone
 * @opened: from tw_loaded__open(), not loaded; libxdp loads it
 * @ret_id: the kernel's id of the program
 * Return: 0 or -errno.
 */
int tw_xdp__leave(const struct tw_state *state, struct tw_loaded *opened, uint32_t *ret_id, struct tw_error *error);

/**
 * tw_tc__plan() - check the tc priorities before the first filter is attached, and set state->prio
 *
 * Tracewire uses one tc priority for programs in tc, and two for u32 filters. The check fails if the interface already has an ingress
 * filter with a priority that Tracewire uses for this place of attachment.
 *
 * The function sets made_clsact if Tracewire will have to create the clsact qdisc, or created it for another classifier of the interface.
 * It changes nothing in the kernel. The caller must write the state to its file before it attaches the first filter, so that cleanup can
 * remove the filters and the qdisc if the process is killed.
 *
 * Return: 0; -EEXIST if there is such a filter; another -errno.
 */
int tw_tc__plan(struct tw_state *state, struct tw_error *error);

/**
 * tw_tc__attach() - attach a program, or replace the attached one
 * Return: 0; -EOPNOTSUPP, with the filter removed, if the program should run in the NIC but does not; another -errno.
 */
int tw_tc__attach(struct tw_state *state, int program, struct tw_error *error);

/**
 * tw_u32__attach() - attach filters for rules, or replace the attached ones
 * @state: planned by tw_tc__plan(); its rows and priority are set to those of the new filters
 * @rules: their schema_id must not be 0
 * @any: TW_U32_ANY_EVENT, bound to the schema of @rules
 *
 * Old and new filters exist together for a moment. A filter for events matches only frames of the schema for which it was
 * compiled.
 *
 * Return: 0; -EOPNOTSUPP if u32, this kernel or the requested NIC does not support the rules; another -errno. After an error, the new
 * filters are removed, and the old ones stay.
 */
int tw_u32__attach(struct tw_state *state, const struct tw_rules *rules, const struct tw_bound *any,
		   struct tw_error *error);

/**
 * tw_u32__count() - read the frame counter of each row
 * @rows: array of TW_ROWS_MAX. The member `frames` is TW_NOT_COUNTED if the row has no filter and its earlier filters counted no frames,
 * or if this kernel does not count. The member `events` is not set.
 * Return: 0; -ENOENT if the filters were removed; another -errno.
 */
int tw_u32__count(const struct tw_state *state, struct tw_counter *rows, struct tw_error *error);

/**
 * tw_xdp__detach(), tw_tc__detach(), tw_u32__detach() - detach the classifier, unless a bpf_link holds it
 *
 * In tc, the clsact qdisc is removed too if Tracewire made it and it has no other filter.
 *
 * Return: 0, also if the classifier is not attached; -errno.
 */
int tw_xdp__detach(const struct tw_state *state, struct tw_error *error);
int tw_tc__detach(const struct tw_state *state, struct tw_error *error);
int tw_u32__detach(const struct tw_state *state, struct tw_error *error);

/** tw_xdp__mode(), tw_tc__mode(), tw_u32__mode() - ask the kernel how the classifier is attached. Return: enum tw_mode, or -errno */
int tw_xdp__mode(const struct tw_state *state, struct tw_error *error);
int tw_tc__mode(const struct tw_state *state, struct tw_error *error);
int tw_u32__mode(const struct tw_state *state, struct tw_error *error);

#endif
