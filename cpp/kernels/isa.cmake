# Which instruction sets are compiled, and the flags that keep float results the same in all of them.
set(FASTPD_KERNELS cpp/kernels/dispatch.cpp cpp/kernels/portable.cpp)
set(FASTPD_DEFINITIONS)

if(MSVC)
  set(FASTPD_EXACT_FLOATS /fp:precise)
  set(FASTPD_WARNINGS /W4)
  set(avx2_flags /arch:AVX2)
  set(avx512_flags /arch:AVX512)
else()
  # Fused multiply-adds round once where others round twice.
  set(FASTPD_EXACT_FLOATS -ffp-contract=off -O3)
  set(FASTPD_WARNINGS -Wall -Wextra -Wno-psabi)
  set(avx2_flags -mavx2)
  set(avx512_flags -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # false alarms inside the compiler's own header
    list(APPEND avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT CMAKE_OSX_ARCHITECTURES MATCHES "arm64")
  list(APPEND FASTPD_KERNELS cpp/kernels/avx2.cpp cpp/kernels/avx512.cpp)
  set_source_files_properties(cpp/kernels/avx2.cpp PROPERTIES COMPILE_OPTIONS "${avx2_flags}")
  set_source_files_properties(cpp/kernels/avx512.cpp PROPERTIES COMPILE_OPTIONS "${avx512_flags}")
  set(FASTPD_DEFINITIONS FASTPD_X86)
endif()
