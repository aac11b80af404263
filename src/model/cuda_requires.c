/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA version in a requirement: "nvidia-cublas-cu12", "cuda-toolkit[cudart]==13.2.2". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/cuda.h"

#define NAME_SIZE 128u

/* Copies a project name in its normal form (PEP 503); returns what stands behind it. */
static const char *normal_name(const char *text, char out[NAME_SIZE])
{
  size_t length = 0;
  while (isspace((unsigned char)*text))
    text++;
  for (; isalnum((unsigned char)*text) || (*text && strchr("-_.", *text)); text++) {
    bool separator = !isalnum((unsigned char)*text);
    if (separator && length && out[length - 1] == '-')
      continue;
    if (length < NAME_SIZE - 1)
      out[length++] = separator ? '-' : (char)tolower((unsigned char)*text);
  }
  out[length] = 0;
  return text;
}

/* What a list of version clauses allows. */
struct allowed {
  unsigned major; /* 0: more than one */
  int minor;      /* -1: more than one */
};

struct clause {
  char op[4];
  unsigned major, minor;
  unsigned parts; /* numbers given; "13.2.*" has 2 */
  bool any;       /* ends in ".*" */
};

static const char *clause_read(const char *text, struct clause *out)
{
  size_t length = strspn(text, "=<>!~");
  memset(out, 0, sizeof(*out));
  memcpy(out->op, text, length < 3 ? length : 3);
  text += length;
  text += strspn(text, " \t");
  while (isdigit((unsigned char)*text)) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    unsigned kept = number > 9999 ? 9999 : (unsigned)number;
    if (out->parts == 0)
      out->major = kept;
    else if (out->parts == 1)
      out->minor = kept;
    out->parts++;
    text = *end == '.' ? end + 1 : end;
  }
  out->any = *text == '*';
  return text;
}

/* "==13.2.2", "==12.*", "~=12.8.0", ">=12.1,<13". */
static struct allowed allowed_read(const char *text)
{
  struct allowed result = {0, -1};
  unsigned from = 0, below = 0;
  const char *end = text + strcspn(text, ";");
  while ((text += strcspn(text, "=<>!~;")) < end) {
    struct clause c;
    text = clause_read(text, &c);
    bool same = !strcmp(c.op, "==") || !strcmp(c.op, "==="), compatible = !strcmp(c.op, "~=");
    if ((same && c.parts >= 1) || (compatible && c.parts >= 2)) {
      bool minor = c.parts >= (compatible ? 3u : 2u);
      return (struct allowed){c.major, minor ? (int)c.minor : -1};
    }
    if (!strcmp(c.op, ">=") && c.parts)
      from = c.major;
    if (!strcmp(c.op, "<") && c.parts)
      below = c.minor ? c.major + 1 : c.major;
  }
  if (from && below == from + 1)
    result.major = from;
  return result;
}

/* Packages whose version is that of the toolkit. */
static bool has_toolkit_version(const char *name)
{
  static const char *const names[] = {"cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-cuda-cupti",
                                      "nvidia-cuda-nvcc"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    size_t length = strlen(names[i]);
    if (!strncmp(name, names[i], length) && (!name[length] || !strncmp(name + length, "-cu", 3)))
      return true;
  }
  return false;
}

bool cuda_from_requires(const char *requirement, char out[CUDA_VERSION_MAX], bool *optional)
{
  char name[NAME_SIZE];
  const char *rest = normal_name(requirement, name);
  const char *marker = strchr(rest, ';');
  *optional = marker && strstr(marker, "extra") != NULL;
  out[0] = 0;
  size_t blanks = strspn(rest, " \t(");
  if (rest[blanks] == '[')
    rest += strcspn(rest, "]");
  struct allowed a = allowed_read(rest);
  if (has_toolkit_version(name)) {
    if (a.major && (a.minor < 0 || a.minor <= 99) && cuda_version_put(a.major, a.minor, out))
      return true;
    return cuda_from_name(name, out);
  }
  if (cuda_from_name(name, out))
    return true;
  if (strncmp(name, "nvidia-", 7) != 0 || !a.major)
    return false;
  unsigned cuda = cuda_component_major(name + 7, a.major);
  return cuda && cuda_version_put(cuda, -1, out);
}
