# find_package(perm): perm::perm is the shared library; perm::headers the headers alone, whose implementation one of your
# files holds (#define PERM_IMPLEMENTATION).
get_filename_component(perm_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_path(perm_includes perm.h HINTS "${perm_libraries}/../include" "${perm_libraries}/../../include" NO_DEFAULT_PATH)
if(NOT TARGET perm::perm)
  add_library(perm::headers INTERFACE IMPORTED)
  set_target_properties(perm::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${perm_includes}" INTERFACE_LINK_LIBRARIES m)
  add_library(perm::perm SHARED IMPORTED)
  set_target_properties(perm::perm PROPERTIES
    IMPORTED_LOCATION "${perm_libraries}/libperm.so" INTERFACE_INCLUDE_DIRECTORIES "${perm_includes}")
endif()
# SPDX-License-Identifier: MIT
