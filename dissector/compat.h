/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hides the differences between the supported series of Wireshark, 4.0 to 4.4. */
#ifndef TW_COMPAT_H
#define TW_COMPAT_H

#include <ws_version.h>

#include <epan/column-info.h>
#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/reassemble.h>
#include <wiretap/wtap.h>

#define TW_WIRESHARK_AT_LEAST(major, minor)   \
	(WIRESHARK_VERSION_MAJOR > (major) || \
	 (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* Since 4.4, Wireshark uses bool (one byte) in place of gboolean (an int). Return types and preferences must have the type in use. */
#if TW_WIRESHARK_AT_LEAST(4, 4)
typedef bool tw_ws_bool;
#else
typedef gboolean tw_ws_bool;
#endif

/* Marks that @frame must be kept if the dissected frame is exported. Since 4.2, Wireshark also keeps the dependencies of @frame. */
static inline void tw_depend_on_frame(packet_info *pinfo, uint32_t frame)
{
#if TW_WIRESHARK_AT_LEAST(4, 2)
	mark_frame_as_depended_upon(pinfo->fd, frame);
#else
	mark_frame_as_depended_upon(pinfo, frame);
#endif
}

/* Symbols by which Wireshark recognises a plugin; 4.2 also requires a description. */
#define TW_PLUGIN_SYMBOL extern __attribute__((visibility("default")))

#if TW_WIRESHARK_AT_LEAST(4, 2)
#include <wsutil/plugins.h>
#define TW_PLUGIN_DESCRIBE()                             \
	TW_PLUGIN_SYMBOL uint32_t plugin_describe(void); \
	uint32_t plugin_describe(void)                   \
	{                                                \
		return WS_PLUGIN_DESC_DISSECTOR;         \
	}
#else
#define TW_PLUGIN_DESCRIBE()
#endif

#endif
