# SPDX-License-Identifier: GPL-2.0-or-later
# The targets for users. They call CMake (CMakeLists.txt, CMakePresets.json) and the programs in scripts/.

handing_back = trap scripts/hand-back EXIT

all: ## build the release version, in build/release
	@scripts/setup
	@$(handing_back); scripts/build release

demo: ## show events of this kernel in tshark; without root or tracefs, a recorded sample
	@scripts/demo

test: ## build with gcc and clang, run the tests
	@$(handing_back); scripts/test

test-vm: ## test tracers, classifiers, clocks, socket events, packets and a producer on Debian's kernels 6.1, 6.12 and the newest, in QEMU; downloads them
	@scripts/setup
	@$(handing_back); scripts/build dev && ctest --preset dev -C vm -L vm -E _short

test-debian13: ## run the demo and all tests in a clean Debian 13, made by debootstrap in DEBIAN13_CACHE (/var/cache/tracewire)
	@scripts/setup debootstrap git
	@scripts/debian13 sh -c 'make demo && make test'

test-long: ## run the tests labelled long, which `make test` leaves out; SEED=N kills captures at the moments of an earlier run
	@scripts/setup
	@$(handing_back); scripts/build dev && ctest --preset dev -C long -L long

test-flaky: ## repeat tests in random order under load; options are in scripts/test-flaky
	@scripts/setup
	@$(handing_back); scripts/build dev && scripts/test-flaky

mutants: ## change N places of the product, one at a time, and print those that no test notices; options are in scripts/mutants
	@scripts/setup
	@$(handing_back); scripts/mutants

bench: all ## run the benchmarks, which compare Tracewire with other tools
	@$(handing_back); bench/run build/release

install: all ## install below DESTDIR and /usr
	@cmake --install build/release

fuzz: ## run each libFuzzer target 10 million times; FUZZ_RUNS and FUZZ_SECONDS shorten it
	@scripts/setup
	@$(handing_back); scripts/build fuzz && FUZZ_RUNS=$${FUZZ_RUNS:-10000000} ctest --preset fuzz -L fuzz -j 2 && \
		cat build/fuzz/fuzz/*/figures

hostile: ## read damaged files and forged frames with sanitizers, and captures that demand excessive resources
	@scripts/setup
	@$(handing_back); scripts/build dev && scripts/build asan-ubsan && export HOSTILE_FRAMES=$${HOSTILE_FRAMES:-200000} \
		HOSTILE_FILES=$${HOSTILE_FILES:-200} && \
		ctest --preset asan-ubsan -L hostile -V && ctest --preset dev -L hostile -V

threads: ## run the tests with several threads, with ThreadSanitizer
	@scripts/setup
	@$(handing_back); scripts/build tsan && ctest --preset tsan

format-check: ## check that clang-format would change no source file
	@git ls-files -z '*.[ch]' | xargs -0 clang-format --dry-run -Werror

tidy: ## run clang-tidy on the sources that the dev preset builds
	@scripts/build dev
	@git ls-files -z '*.c' ':!*.bpf.c' | xargs -0 clang-tidy -p build/dev --quiet

help: ## print this list
	@sed -n 's/^\([a-z0-9-]*\):.* ## /  make \1: /p' Makefile

.PHONY: all demo test test-vm test-debian13 test-long test-flaky mutants bench install fuzz hostile threads format-check tidy help
