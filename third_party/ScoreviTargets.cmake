# Compile settings and the functions that every module, test and program uses.
#
#   scorevi_add_module(<name> [TORCH none|tensor|full] SOURCES ... [DEPS module ...] [LIBS target ...])
#   scorevi_add_test(<name> [TORCH none|tensor|full] [GPU] SOURCES ... [DEPS module ...] [LIBS target ...])
#   scorevi_add_program(<name> SOURCES ... DEPS module ... [LIBS target ...])
#   scorevi_add_benchmark(<name> [TORCH none|tensor|full] SOURCES ... [DEPS module ...] [LIBS target ...])
#   scorevi_add_backend(<cpu|cuda> <kernels library>)
#
# Modules are static libraries `scorevi_<name>` (alias `scorevi::<name>`). They carry include paths, never the
# LibTorch link line: programs choose the CPU or the CUDA back end by linking scorevi::backend_cpu or scorevi::backend_cuda.
# In the CUDA configuration a program is linked twice from the same objects: <name> with CUDA, <name>-cpu without (the
# alias <name>::cpu names the one without in either configuration, which tests run); benchmarks are linked with CUDA; a test
# marked GPU likewise: test_<name> on the CPU and test_<name>_gpu (ctest label gpu, SCOREVI_TEST_DEVICE=cuda) on the device.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(SCOREVI_CCACHE ccache)
if(SCOREVI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # CCACHE_DEPEND: dependencies come from the compiler, without a preprocessor run beside every compilation.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${SCOREVI_CCACHE})
endif()

# Settings shared by all our targets, so that one precompiled header serves them all.
add_library(scorevi_settings INTERFACE)
target_compile_options(scorevi_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -fpch-preprocess>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SCOREVI_WERROR}>>:-Werror>)
if(SCOREVI_SANITIZE)
  target_compile_options(scorevi_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SCOREVI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(scorevi_settings INTERFACE -fsanitize=${SCOREVI_SANITIZE})
endif()

set(SCOREVI_TEST_OPTIONS -O1 -g0)

function(scorevi_configure_target target torch)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:scorevi_settings>)
  target_link_libraries(${target} PUBLIC fmt::fmt spdlog::spdlog)
  if(NOT torch STREQUAL "none")
    target_link_libraries(${target} PUBLIC LibTorch::headers)
  endif()
  if(torch STREQUAL "full")
    target_precompile_headers(${target} REUSE_FROM scorevi_pch)
  endif()
endfunction()

function(scorevi_add_module name)
  cmake_parse_arguments(ARG "" "TORCH" "SOURCES;DEPS;LIBS" ${ARGN})
  if(NOT ARG_TORCH)
    set(ARG_TORCH none)
  endif()
  add_library(scorevi_${name} STATIC ${ARG_SOURCES})
  add_library(scorevi::${name} ALIAS scorevi_${name})
  scorevi_configure_target(scorevi_${name} ${ARG_TORCH})
  target_include_directories(scorevi_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(scorevi_${name} PUBLIC scorevi_${dep})
  endforeach()
  target_link_libraries(scorevi_${name} PUBLIC ${ARG_LIBS})
endfunction()

function(scorevi_add_backend device kernels)
  add_library(scorevi_backend_${device} INTERFACE)
  add_library(scorevi::backend_${device} ALIAS scorevi_backend_${device})
  # scorevi_kernels and its back end call each other: one group, scanned until nothing is left open.
  if(TARGET scorevi_${kernels})
    if(NOT TARGET scorevi::${kernels})
      add_library(scorevi::${kernels} ALIAS scorevi_${kernels})
    endif()
    target_link_libraries(scorevi_backend_${device} INTERFACE
      $<LINK_GROUP:RESCAN,scorevi::kernels,scorevi::${kernels}>)
  endif()
  target_link_libraries(scorevi_backend_${device} INTERFACE LibTorch::${device} Threads::Threads)
  target_link_options(scorevi_backend_${device} INTERFACE -fopenmp)  # the threads behind at::parallel_for
endfunction()

function(scorevi_link_executable target objects backend)
  add_executable(${target})
  target_link_libraries(${target} PRIVATE ${objects} ${backend})
endfunction()

function(scorevi_add_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_library(${name}_objects OBJECT ${ARG_SOURCES})
  scorevi_configure_target(${name}_objects none)
  list(TRANSFORM ARG_DEPS PREPEND scorevi_)
  target_link_libraries(${name}_objects PUBLIC ${ARG_DEPS} ${ARG_LIBS})
  if(SCOREVI_CUDA_ENABLED)
    scorevi_link_executable(${name} ${name}_objects scorevi::backend_cuda)
    scorevi_link_executable(${name}-cpu ${name}_objects scorevi::backend_cpu)
    add_executable(${name}::cpu ALIAS ${name}-cpu)
  else()
    scorevi_link_executable(${name} ${name}_objects scorevi::backend_cpu)
    add_executable(${name}::cpu ALIAS ${name})
  endif()
endfunction()

function(scorevi_add_test name)
  cmake_parse_arguments(ARG "GPU" "TORCH" "SOURCES;DEPS;LIBS" ${ARGN})
  if(NOT ARG_TORCH)
    set(ARG_TORCH none)
  endif()
  add_library(test_${name}_objects OBJECT ${ARG_SOURCES})
  # Tests are compiled once and run once: their own precompiled headers, little optimisation, no debug information.
  if(ARG_TORCH STREQUAL "none")
    scorevi_configure_target(test_${name}_objects none)
  else()
    scorevi_configure_target(test_${name}_objects tensor)
    target_compile_options(test_${name}_objects PRIVATE ${SCOREVI_TEST_OPTIONS})
    target_precompile_headers(test_${name}_objects REUSE_FROM scorevi_pch_test_${ARG_TORCH})
  endif()
  target_include_directories(test_${name}_objects PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  list(TRANSFORM ARG_DEPS PREPEND scorevi_)
  target_link_libraries(test_${name}_objects PUBLIC ${ARG_DEPS} ${ARG_LIBS} GTest::gmock GTest::gtest_main)

  set(backend "")
  if(NOT ARG_TORCH STREQUAL "none")
    set(backend scorevi::backend_cpu)
  endif()
  scorevi_link_executable(test_${name} test_${name}_objects "${backend}")
  # One ctest entry per program: loading LibTorch costs half a second, too much for every test case.
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  if(ARG_GPU AND SCOREVI_CUDA_ENABLED)
    scorevi_link_executable(test_${name}_gpu test_${name}_objects scorevi::backend_cuda)
    add_test(NAME gpu.${name} COMMAND test_${name}_gpu --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(gpu.${name} PROPERTIES
      TIMEOUT 300 LABELS gpu ENVIRONMENT SCOREVI_TEST_DEVICE=cuda RESOURCE_LOCK gpu)
  endif()
endfunction()

function(scorevi_add_benchmark name)
  cmake_parse_arguments(ARG "" "TORCH" "SOURCES;DEPS;LIBS" ${ARGN})
  if(NOT ARG_TORCH)
    set(ARG_TORCH none)
  endif()
  add_library(bench_${name}_objects OBJECT ${ARG_SOURCES})
  scorevi_configure_target(bench_${name}_objects ${ARG_TORCH})
  target_include_directories(bench_${name}_objects PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  list(TRANSFORM ARG_DEPS PREPEND scorevi_)
  target_link_libraries(bench_${name}_objects PUBLIC ${ARG_DEPS} ${ARG_LIBS} benchmark::benchmark)
  set(device cpu)
  if(SCOREVI_CUDA_ENABLED)
    set(device cuda)
  endif()
  scorevi_link_executable(bench_${name} bench_${name}_objects scorevi::backend_${device})
endfunction()
