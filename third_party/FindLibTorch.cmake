# Finds LibTorch 2.11 and offers
#   LibTorch::headers  include directories only (modules compile against it)
#   LibTorch::cpu      torch_cpu and c10 with an rpath
#   LibTorch::cuda     torch, torch_cuda, torch_cpu, c10_cuda, c10 and the CUDA runtime with an rpath
# and sets LIBTORCH_CUDA_MISSING, the libraries that LibTorch::cuda would need and that are not there.
# Search order: LIBTORCH (variable or environment), CMAKE_PREFIX_PATH, the torch of the active Python, the copy that
# scripts/bootstrap.sh keeps under ${SCOREVI_DEPS} (default ~/.cache/scorevi).
# The wheel's own TorchConfig.cmake insists on a CUDA toolkit, hence this module.
function(_libtorch_version root result)
  set(version "")
  if(EXISTS "${root}/include/ATen/ATen.h" AND EXISTS "${root}/include/torch/headeronly/version.h")
    file(STRINGS "${root}/include/torch/headeronly/version.h" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    foreach(part IN ITEMS MAJOR MINOR PATCH)
      string(REGEX MATCH "TORCH_VERSION_${part} ([0-9]+)" _ "${lines}")
      list(APPEND version "${CMAKE_MATCH_1}")
    endforeach()
    list(JOIN version "." version)
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

function(_libtorch_candidates result)
  set(candidates "")
  foreach(root IN ITEMS "${LIBTORCH}" "$ENV{LIBTORCH}")
    if(root)
      list(APPEND candidates "${root}" "${root}/torch")
    endif()
  endforeach()
  if(NOT candidates)
    list(APPEND candidates ${CMAKE_PREFIX_PATH})
    find_program(python NAMES python3 python NO_CACHE)
    if(python)
      execute_process(COMMAND ${python} -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
        OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      list(APPEND candidates ${python_torch})
    endif()
    set(deps "$ENV{SCOREVI_DEPS}")
    if(NOT deps)
      set(deps "$ENV{HOME}/.cache/scorevi")
    endif()
    list(APPEND candidates "${deps}/torch-2.11.0/torch")
  endif()
  set(${result} "${candidates}" PARENT_SCOPE)
endfunction()

# The first candidate of the right version; an explicit LIBTORCH is the only candidate.
_libtorch_version("${LIBTORCH_ROOT}" LibTorch_VERSION)
if(NOT LibTorch_VERSION MATCHES "^2\\.11\\.")
  unset(LIBTORCH_ROOT CACHE)
  _libtorch_candidates(_candidates)
  foreach(_candidate IN LISTS _candidates)
    _libtorch_version("${_candidate}" LibTorch_VERSION)
    if(LibTorch_VERSION MATCHES "^2\\.11\\.")
      set(LIBTORCH_ROOT "${_candidate}" CACHE PATH "Folder with LibTorch's include and lib")
      break()
    elseif(LibTorch_VERSION)
      message(STATUS "LibTorch: passed over ${_candidate}, version ${LibTorch_VERSION}")
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LIBTORCH_ROOT VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "Run scripts/bootstrap.sh, or set LIBTORCH to the folder of an unpacked LibTorch 2.11.0.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::headers)
  get_filename_component(_site "${LIBTORCH_ROOT}" DIRECTORY)
  file(GLOB _nvidia_libs LIST_DIRECTORIES true "${_site}/nvidia/*/lib")
  set(LIBTORCH_LIBRARY_DIRS "${LIBTORCH_ROOT}/lib" ${_nvidia_libs})

  add_library(LibTorch::headers INTERFACE IMPORTED)
  # Searched after the system's folders: LibTorch brings headers of other libraries too (fmt, pybind11, oneDNN), and its
  # fmt would not fit the system's libfmt and libspdlog.
  foreach(_dir IN ITEMS "${LIBTORCH_ROOT}/include" "${LIBTORCH_ROOT}/include/torch/csrc/api/include")
    target_compile_options(LibTorch::headers INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-idirafter ${_dir}>")
  endforeach()

  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_link_libraries(LibTorch::cpu INTERFACE LibTorch::headers
    "${LIBTORCH_ROOT}/lib/libtorch_cpu.so" "${LIBTORCH_ROOT}/lib/libc10.so")

  # What libtorch_cuda.so loads; in the wheels these lie in folders of their own beside torch/.
  set(LIBTORCH_CUDA_MISSING "")
  set(_cudart "")
  foreach(_lib IN ITEMS cudart.so.13 cublas.so.13 cublasLt.so.13 cudnn.so.9 cufft.so.12 cufile.so.0 curand.so.10
      cusolver.so.12 cusparse.so.12 cusparseLt.so.0 nccl.so.2 nvJitLink.so.13 nvrtc.so.13 nvshmem_host.so.3)
    find_file(_file NAMES lib${_lib} PATHS ${LIBTORCH_LIBRARY_DIRS} NO_DEFAULT_PATH NO_CACHE)
    if(NOT _file)
      list(APPEND LIBTORCH_CUDA_MISSING lib${_lib})
    elseif(_lib STREQUAL "cudart.so.13")
      set(_cudart "${_file}")
    endif()
    unset(_file)
  endforeach()
  if(NOT EXISTS "${LIBTORCH_ROOT}/lib/libtorch_cuda.so")
    list(APPEND LIBTORCH_CUDA_MISSING libtorch_cuda.so)
  endif()
  add_library(LibTorch::cuda INTERFACE IMPORTED)
  target_link_libraries(LibTorch::cuda INTERFACE LibTorch::headers -Wl,--no-as-needed
    "${LIBTORCH_ROOT}/lib/libtorch.so" "${LIBTORCH_ROOT}/lib/libtorch_cuda.so" "${LIBTORCH_ROOT}/lib/libtorch_cpu.so"
    "${LIBTORCH_ROOT}/lib/libc10_cuda.so" "${LIBTORCH_ROOT}/lib/libc10.so" -Wl,--as-needed ${_cudart})

  foreach(_dir IN LISTS LIBTORCH_LIBRARY_DIRS)
    foreach(_target IN ITEMS cpu cuda)
      target_link_options(LibTorch::${_target} INTERFACE "-Wl,-rpath,${_dir}" "-Wl,-rpath-link,${_dir}")
    endforeach()
  endforeach()
endif()
mark_as_advanced(LIBTORCH_ROOT)
