/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-made library records in one line of text, for the tests of the verdict.
 *
 *   "R c80 c90a p90@8.7 | L p75 | B l90 | S c100f"
 *
 * Fatbins are separated by '|' and start with their role: R registered, L linked, B relocatable, S self-loaded,
 * s a bare self-loaded image, A of an archive (link-time). An image is its kind (c cubin, d kind 0x10, p PTX, l LTO-IR,
 * t Tile IR, x unknown kind, i index), number and suffix; then, in any order: @8.7 PTX ISA, ! flag bit 24, :120 header
 * size, =name,name kernels, =- no kernel, =? cannot be read. Without '=' the image has the kernel "k". */
#ifndef TESTS_RECORDS_H
#define TESTS_RECORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge.h"

#define RECORD_IMAGES 64

struct record {
  struct cuw_library library;
  struct cuw_image images[RECORD_IMAGES];
  char kernels[RECORD_IMAGES][256];
  struct cuw_evidence evidence[4];
  size_t opened; /* images opened while judging */
  size_t named;  /* of which for names */
};

static enum cuw_role record_role(char letter)
{
  switch (letter) {
  case 'R':
    return CUW_ROLE_REGISTERED;
  case 'L':
    return CUW_ROLE_LINKED;
  case 'B':
    return CUW_ROLE_RELOCATABLE;
  case 'A':
    return CUW_ROLE_LINK_TIME;
  case 'S':
  case 's':
    return CUW_ROLE_SELF_LOADED;
  default:
    fail_msg("no role %c", letter);
    abort();
  }
}

static void record_kind(struct cuw_image *image, char letter)
{
  static const char letters[] = "cdpltxi";
  static const uint8_t kinds[] = {CUW_KIND_CUBIN,  CUW_KIND_CUBIN, CUW_KIND_PTX,  CUW_KIND_LTOIR,
                                  CUW_KIND_TILEIR, CUW_KIND_OTHER, CUW_KIND_OTHER};
  static const uint32_t types[] = {2, 0x10, 1, 8, 0x80, 99, 0x20};
  const char *at = strchr(letters, letter);
  assert_non_null(at);
  image->kind = kinds[at - letters];
  image->type = types[at - letters];
  image->has_arch = letter != 'i';
  image->arch.is_virtual = letter == 'p';
}

static void record_image(struct record *r, char *token)
{
  size_t index = r->library.image_count++;
  assert_true(index < RECORD_IMAGES);
  struct cuw_image *image = &r->images[index];
  record_kind(image, token[0]);
  image->offset = index * 4096;
  image->payload_size = image->size = image->stored_size = 1000;
  image->part_offset = CUW_NONE;
  image->has_entry = true;
  image->isa_major = 7;
  strcpy(r->kernels[index], "k");
  char *at = token + 1;
  image->arch.number = (uint32_t)strtoul(at, &at, 10);
  if (*at == 'a' || *at == 'f')
    image->arch.suffix = *at++;
  while (*at) {
    char mark = *at++;
    if (mark == '!') {
      image->flags |= 0x1000000;
    } else if (mark == ':') {
      image->payload_size = image->size = image->stored_size = strtoul(at, &at, 10);
    } else if (mark == '@') {
      image->isa_major = (uint16_t)strtoul(at, &at, 10);
      image->isa_minor = (uint16_t)strtoul(at + 1, &at, 10);
    } else {
      assert_int_equal(mark, '=');
      snprintf(r->kernels[index], sizeof r->kernels[index], "%s", at);
      break;
    }
  }
}

static void record_make(struct record *r, const char *path, const char *text)
{
  memset(r, 0, sizeof *r);
  r->library = (struct cuw_library){.path = path,
                                    .machine = "x86_64",
                                    .format = CUW_ELF,
                                    .complete = true,
                                    .has_sections = true,
                                    .evidence = r->evidence,
                                    .images = r->images};
  char *copy = strdup(text), *bars = NULL;
  for (char *part = strtok_r(copy, "|", &bars); part; part = strtok_r(NULL, "|", &bars)) {
    char *spaces = NULL, *token = strtok_r(part, " ", &spaces);
    bool bare = token[0] == 's';
    enum cuw_role role = record_role(token[0]);
    while ((token = strtok_r(NULL, " ", &spaces))) {
      struct cuw_image *image = &r->images[r->library.image_count];
      record_image(r, token);
      image->role = (uint8_t)role;
      image->fatbin = bare ? CUW_NO_FATBIN : r->library.fatbins;
    }
    r->library.fatbins += !bare;
  }
  free(copy);
}

/* Opens one image as the engine would. */
static void record_open(struct record *r, const struct want *want, struct facts *facts)
{
  char *names = strdup(r->kernels[want->image]), *save = NULL;
  r->opened++;
  r->named += want->what == WANT_NAMES;
  if (strcmp(names, "?") == 0) {
    facts_unreadable(facts, want->image);
  } else if (want->what == WANT_COUNT) {
    facts_counted(facts, want->image, strcmp(names, "-") != 0);
  } else {
    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
      if (strcmp(name, "-") != 0)
        assert_true(facts_add_kernel(facts, want->image, name, strlen(name)));
    }
    facts_named(facts, want->image);
  }
  free(names);
}

static inline void record_judge_gpu(struct record *r, const struct cuw_gpu *gpu, const struct cuw_driver *driver,
                                    struct cuw_library_verdict *out)
{
  struct facts *facts = facts_new(&r->library);
  struct want_list wants = {0};
  struct judge_request request = {&r->library, facts, gpu, driver};
  enum judge_status status;
  size_t rounds = 0;
  while ((status = judge_library(&request, &wants, out)) == JUDGE_WANTS) {
    assert_true(wants.count > 0);
    assert_true(rounds++ < 200);
    for (size_t i = 0; i < wants.count; i++)
      record_open(r, &wants.items[i], facts);
  }
  assert_int_equal(status, JUDGE_DONE);
  assert_int_equal(wants.count, 0);
  want_list_free(&wants);
  facts_free(facts);
}

/* `driver`: NULL none, "cuda 12.8", or a driver version. */
static inline struct cuw_driver record_driver(const char *text)
{
  struct cuw_driver driver = {{0}, 0, 0};
  if (text && strncmp(text, "cuda ", 5) == 0)
    assert_true(cuw_cuda_parse(text + 5, &driver.cuda));
  else if (text)
    assert_true(cuw_driver_parse(text, &driver));
  return driver;
}

static inline void record_judge(struct record *r, unsigned number, const char *driver, struct cuw_library_verdict *out)
{
  struct cuw_gpu gpu = {NULL, (uint16_t)(number == 101 ? 110 : number), number == 101};
  struct cuw_driver d = record_driver(driver);
  record_judge_gpu(r, &gpu, &d, out);
}

#endif
