# SPDX-License-Identifier: GPL-2.0-or-later
# What every target of the project has in common: one interface target, linked by tracewire_library() and its like.

add_library(tracewire_common INTERFACE)
target_compile_features(tracewire_common INTERFACE c_std_17)
target_compile_options(tracewire_common INTERFACE -Wall -Wextra -Wshadow -Wconversion)
target_compile_definitions(tracewire_common INTERFACE _GNU_SOURCE TRACEWIRE_VERSION="${PROJECT_VERSION}")
target_include_directories(tracewire_common INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
if(TRACEWIRE_SANITIZE)
	target_compile_options(tracewire_common INTERFACE -fsanitize=${TRACEWIRE_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all)
	target_link_options(tracewire_common INTERFACE -fsanitize=${TRACEWIRE_SANITIZE})
endif()
if(TRACEWIRE_FUZZ)
	# The libraries tell the fuzzer what they covered, not only the target itself.
	target_compile_options(tracewire_common INTERFACE -fsanitize=fuzzer-no-link)
endif()

# tracewire_library(NAME SOURCES ... [PUBLIC libs ...] [PRIVATE libs ...]): one room, a static library that a plugin may link.
function(tracewire_library name)
	cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
	add_library(${name} STATIC ${ARG_SOURCES})
	set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
	target_link_libraries(${name} PUBLIC tracewire_common ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# tracewire_unit_test(NAME SOURCES ... LIBS ...): a cmocka program, run by CTest under the label `unit`.
function(tracewire_unit_test name)
	cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
	find_package(PkgConfig REQUIRED)
	pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET GLOBAL cmocka)
	add_executable(${name} ${ARG_SOURCES})
	target_link_libraries(${name} PRIVATE tracewire_common ${ARG_LIBS} PkgConfig::CMOCKA)
	target_compile_definitions(${name} PRIVATE TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
	add_test(NAME ${name} COMMAND ${name})
	set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# tracewire_fuzzer(NAME SOURCES ... LIBS ... SEEDS dir): a libFuzzer target; without TRACEWIRE_FUZZ the same code replays its
# seeds as a unit test, whatever the compiler.
function(tracewire_fuzzer name)
	cmake_parse_arguments(ARG "" "SEEDS" "SOURCES;LIBS" ${ARGN})
	if(TRACEWIRE_FUZZ)
		add_executable(${name} ${ARG_SOURCES})
		target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
		target_link_options(${name} PRIVATE -fsanitize=fuzzer)
	else()
		add_executable(${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz_replay.c)
	endif()
	target_link_libraries(${name} PRIVATE tracewire_common ${ARG_LIBS})
	if(TRACEWIRE_FUZZ)
		set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}.corpus)
		file(MAKE_DIRECTORY ${found})
		add_test(NAME ${name} COMMAND ${name} -max_total_time=60 -artifact_prefix=${found}- ${found} ${ARG_SEEDS})
	else()
		add_test(NAME ${name} COMMAND ${name} ${ARG_SEEDS})
	endif()
	set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()
