#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz-run.sh TARGET DIRECTORY MAX_LEN SEEDS...: runs one libFuzzer target with at most FUZZ_RUNS inputs, for at most FUZZ_SECONDS (0: no
# limit). Findings are kept in DIRECTORY, and tried again in the next run. The last line of the output has the figures.
set -euo pipefail
target=$1 folder=$2 max_len=$3
shift 3
mkdir -p "$folder/corpus"

# An input that needs 10 s or 1 GiB is a finding, too.
status=0
"$target" -runs="${FUZZ_RUNS:-200000}" -max_total_time="${FUZZ_SECONDS:-0}" -max_len="$max_len" -timeout=10 \
	-malloc_limit_mb=256 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$folder/" "$folder/corpus" "$@" \
	> "$folder/log" 2>&1 || status=$?

[ $status -eq 0 ] || { tail -n 60 "$folder/log"; echo "$(basename "$target"): found something; the input is in $folder"; }
awk -v name="$(basename "$target")" -v status=$status '
	/^#[0-9]/ { for (i = 1; i < NF; i++) { if ($i == "cov:") cov = $(i + 1); if ($i == "ft:") ft = $(i + 1) } }
	/^Done / { runs = $2; seconds = $5 }
	/^stat::average_exec_per_sec/ { rate = $2 }
	/^stat::peak_rss_mb/ { rss = $2 }
	END { printf "%-18s %9d runs %6d s %7d/s cov %5d ft %6d %4d MiB  %s\n", name, runs, seconds, rate, cov, ft, rss,
		status ? "FOUND SOMETHING" : "no finding" }' "$folder/log" | tee "$folder/figures"
exit $status
