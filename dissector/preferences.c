/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/preferences.h"

struct tw_preferences tw_preferences = { .cache = TRUE, .any = TRUE, .formats = "" };

void tw_preferences__register(int proto)
{
	module_t *module = prefs_register_protocol(proto, NULL);

	prefs_register_filename_preference(
		module, "formats", "Format texts",
		"File or folder with format texts of events that filters shall know before a capture is opened: a copy of "
		"tracefs' events folder, or one file with all texts, each after a line \"system: NAME\"",
		&tw_preferences.formats, FALSE);
	prefs_register_bool_preference(module, "cache", "Remember schemas",
				       "Keep the format texts seen in captures in the user's cache folder",
				       &tw_preferences.cache);
	prefs_register_bool_preference(module, "any", "Fields of any event as trace.any.FIELD",
				       "Make fields findable by their own name, whatever event they belong to",
				       &tw_preferences.any);
}
