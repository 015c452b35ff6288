/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates files from the command tables at build time. Each function, except generate__lister(), writes one file. */
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include <stdio.h>

#include "cli/command.h"

/** generate__man_page() - write a manual page of section 1; @path: the words that name the command, for example "tracewire vnet" */
void generate__man_page(const struct cli_command *command, const char *path, FILE *out);

/**
 * generate__document() - write a manual page of section 7 from a document in Markdown
 * @name: name of the page; the title of the document becomes the summary of the page
 * @also: the content of SEE ALSO, in troff
 */
void generate__document(const char *name, FILE *in, const char *also, FILE *out);

/**
 * generate__lister() - get the shell command that prints the words offered for an argument of @kind, one a line; NULL = none
 *
 * The command is valid in bash, zsh and fish, and has no single quotes.
 */
const char *generate__lister(enum cli_arg_kind kind);

/* Write the script that completes command lines of tracewire, for one shell each. */
void generate__bash(const struct cli_command *root, FILE *out);
void generate__zsh(const struct cli_command *root, FILE *out);
void generate__fish(const struct cli_command *root, FILE *out);

#endif
