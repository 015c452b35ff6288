/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Format texts for the tests of the schema room. */
#ifndef TEXTS_H
#define TEXTS_H

#define COMMON_FIELDS                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define EVENT_TEXT(name, id, fields, print) \
	"name: " name "\nID: " #id "\nformat:\n" COMMON_FIELDS fields "\n" print "\n"

#define FIELD(decl, offset, size, sign) "\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

#endif
