/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/print/calls.h"

static const char *const memory_errors[] = { "Corrected", "Uncorrected", "Deferred", "Fatal", NULL, "Info" };
static const char *const severities[] = { "recoverable", "fatal", "corrected", "info", NULL, "unknown" };
static const char *const memory_error_types[] = {
	"unknown",
	"no error",
	"single-bit ECC",
	"multi-bit ECC",
	"single-symbol chipkill ECC",
	"multi-symbol chipkill ECC",
	"master abort",
	"target abort",
	"parity error",
	"watchdog timeout",
	"invalid address",
	"mirror Broken",
	"memory sparing",
	"scrub corrected error",
	"scrub uncorrected error",
	"physical memory map-out event",
	NULL,
	"unknown",
};

static const struct tw_helper_call calls[] = {
	{ "__get_str", TW_HELPER_STR, 0, false, NULL },
	{ "__get_rel_str", TW_HELPER_STR, 0, false, NULL },
	{ "__get_dynamic_array", TW_HELPER_ARRAY_OF, 0, false, NULL },
	{ "__get_rel_dynamic_array", TW_HELPER_ARRAY_OF, 0, false, NULL },
	{ "__get_dynamic_array_len", TW_HELPER_LEN_OF, 0, false, NULL },
	{ "__get_rel_dynamic_array_len", TW_HELPER_LEN_OF, 0, false, NULL },
	{ "__get_bitmask", TW_HELPER_BITMASK, 0, false, NULL },
	{ "__get_rel_bitmask", TW_HELPER_BITMASK, 0, false, NULL },
	{ "__get_cpumask", TW_HELPER_CPUMASK, 0, false, NULL },
	{ "__get_rel_cpumask", TW_HELPER_CPUMASK, 0, false, NULL },
	{ "__get_sockaddr", TW_HELPER_SOCKADDR, 0, false, NULL },
	{ "__get_rel_sockaddr", TW_HELPER_SOCKADDR, 0, false, NULL },
	{ "__print_dynamic_array", TW_HELPER_DYNAMIC_ARRAY, 1, false, NULL },
	{ "__print_symbolic", TW_HELPER_SYMBOLIC, 1, false, NULL },
	{ "__print_symbolic_u64", TW_HELPER_SYMBOLIC, 1, true, NULL },
	{ "__print_flags", TW_HELPER_FLAGS, 2, false, NULL },
	{ "__print_flags_u64", TW_HELPER_FLAGS, 2, true, NULL },
	{ "__print_hex", TW_HELPER_HEX, 2, false, NULL },
	{ "__print_hex_str", TW_HELPER_HEX_STR, 2, false, NULL },
	{ "__print_array", TW_HELPER_ARRAY, 3, false, NULL },
	{ "__print_hex_dump", TW_HELPER_HEX_DUMP, 7, false, NULL },
	{ "__print_ns_to_secs", TW_HELPER_SECS, 1, false, NULL },
	{ "__print_ns_without_secs", TW_HELPER_SECS_REST, 1, false, NULL },
	{ "__builtin_expect", TW_HELPER_FIRST, 2, false, NULL },
	{ "__builtin_choose_expr", TW_HELPER_CHOOSE, 3, false, NULL },
	{ "native_make_pgd", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_p4d", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_pud", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_pmd", TW_HELPER_FIRST, 1, false, NULL },
	{ "native_make_pte", TW_HELPER_FIRST, 1, false, NULL },
	{ "pgd_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "p4d_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "pud_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "pmd_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "pte_val", TW_HELPER_FIRST, 1, false, NULL },
	{ "mc_event_error_type", TW_HELPER_WORDS, 1, false, memory_errors },
	{ "cper_severity_str", TW_HELPER_WORDS, 1, false, severities },
	{ "cper_mem_err_type_str", TW_HELPER_WORDS, 1, false, memory_error_types },
};

/* Enumerators that kernels leave by name in print fmts; these have had one value ever since. */
static const struct {
	const char *name;
	uint64_t value;
} constants[] = {
	{ "NULL", 0 },
	{ "false", 0 },
	{ "true", 1 },
	{ "HI_SOFTIRQ", 0 },
	{ "TIMER_SOFTIRQ", 1 },
	{ "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 },
	{ "IRQ_POLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 },
	{ "RCU_SOFTIRQ", 9 },
	{ "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 },
	{ "TCP_ESTABLISHED", 1 },
	{ "TCP_SYN_SENT", 2 },
	{ "TCP_SYN_RECV", 3 },
	{ "TCP_FIN_WAIT1", 4 },
	{ "TCP_FIN_WAIT2", 5 },
	{ "TCP_TIME_WAIT", 6 },
	{ "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 },
	{ "TCP_LAST_ACK", 9 },
	{ "TCP_LISTEN", 10 },
	{ "TCP_CLOSING", 11 },
	{ "TCP_NEW_SYN_RECV", 12 },
	{ "XEN_MC_XE_OK", 0 },
	{ "XEN_MC_XE_BAD_OP", 1 },
	{ "XEN_MC_XE_NO_SPACE", 2 },
	{ "XEN_MC_FL_NONE", 0 },
	{ "XEN_MC_FL_BATCH", 1 },
	{ "XEN_MC_FL_ARGS", 2 },
	{ "XEN_MC_FL_CALLBACK", 3 },
	{ "PARAVIRT_LAZY_NONE", 0 },
	{ "PARAVIRT_LAZY_MMU", 1 },
	{ "PARAVIRT_LAZY_CPU", 2 },
	{ "VMSCAN_THROTTLE_WRITEBACK", 0 },
	{ "VMSCAN_THROTTLE_ISOLATED", 1 },
	{ "VMSCAN_THROTTLE_NOPROGRESS", 2 },
	{ "VMSCAN_THROTTLE_CONGESTED", 3 },
	{ "vmemmap_base", 0 }, /* each boot's own; what is counted from it is shown as if from 0 */
};

const struct tw_helper_call *tw_helper__find(struct tw_text name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (tw_text__equals(name, calls[i].name))
			return &calls[i];
	return NULL;
}

bool tw_helper__constant(struct tw_text name, uint64_t *ret)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		if (!tw_text__equals(name, constants[i].name))
			continue;
		*ret = constants[i].value;
		return true;
	}
	return false;
}
