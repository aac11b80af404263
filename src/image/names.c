/* SPDX-License-Identifier: Apache-2.0 */
/* The words for an image's fields in every output. */
#include "cuwheel/image.h"

const char *cuw_kind_name(enum cuw_kind kind)
{
  switch (kind) {
  case CUW_KIND_CUBIN:
    return "cubin";
  case CUW_KIND_PTX:
    return "ptx";
  case CUW_KIND_LTOIR:
    return "ltoir";
  case CUW_KIND_TILEIR:
    return "tileir";
  case CUW_KIND_OTHER:
    break;
  }
  return "other";
}

const char *cuw_compression_name(enum cuw_compression compression)
{
  switch (compression) {
  case CUW_STORED:
    return "none";
  case CUW_LZ4:
    return "lz4";
  case CUW_ZSTD:
    return "zstd";
  case CUW_COMPRESSION_UNKNOWN:
    break;
  }
  return "unknown";
}

const char *cuw_role_name(enum cuw_role role)
{
  switch (role) {
  case CUW_ROLE_REGISTERED:
    return "registered";
  case CUW_ROLE_LINKED:
    return "linked";
  case CUW_ROLE_RELOCATABLE:
    return "relocatable";
  case CUW_ROLE_SELF_LOADED:
    return "self-loaded";
  case CUW_ROLE_LINK_TIME:
    break;
  }
  return "link-time";
}

const char *cuw_host_name(enum cuw_host host)
{
  switch (host) {
  case CUW_HOST_NULL:
    return NULL;
  case CUW_HOST_LINUX:
    return "linux";
  case CUW_HOST_MAC:
    return "mac";
  case CUW_HOST_WINDOWS:
    return "windows";
  case CUW_HOST_UNKNOWN:
    break;
  }
  return "unknown";
}
