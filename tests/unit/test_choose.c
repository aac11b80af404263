/* SPDX-License-Identifier: Apache-2.0 */
/* (image set, compute capability, driver) -> (the image that the driver takes, the result). Notation: records.h. */
#include "records.h"

struct row {
  const char *images; /* one registered fatbin */
  const char *driver; /* NULL: none known */
  const char *cases;  /* "CC choice result; ...": choice is the place in the set, '-' none */
};

static const struct row rows[] = {
    /* A plain cubin: same major, not older. */
    {"c80", NULL, "75 - none; 80 0 native; 86 0 native; 88 0 native; 89 0 native; 90 - none; 120 - none"},
    {"c86", NULL, "80 - none; 86 0 native; 88 0 native; 89 0 native; 90 - none"},
    {"c50", NULL, "37 - none; 50 0 native; 52 0 native; 53 - none; 60 - none"},
    {"c60", NULL, "60 0 native; 61 0 native; 62 - none; 70 - none"},
    {"c70", NULL, "70 0 native; 72 - none; 75 0 native; 80 - none"},
    {"c90", NULL, "89 - none; 90 0 native; 100 - none; 120 - none"},
    {"c100", NULL, "90 - none; 100 0 native; 103 0 native; 107 0 native; 110 - none; 120 - none"},
    {"c120", NULL, "100 - none; 110 - none; 120 0 native; 121 0 native"},
    {"c121", NULL, "120 - none; 121 0 native"},
    /* Suffixed cubins: without another image they are gated elsewhere. */
    {"c90a", NULL, "80 - gated; 90 0 native; 100 - gated; 120 - gated"},
    {"c100a", NULL, "90 - gated; 100 0 native; 103 - gated; 110 - gated"},
    {"c100f", NULL, "100 0 native; 103 0 native; 107 0 native; 110 - gated; 120 - gated"},
    {"c103f", NULL, "100 - gated; 103 0 native; 107 0 native"},
    {"c120f", NULL, "120 0 native; 121 0 native; 100 - gated"},
    {"c120a c121a", NULL, "120 0 native; 121 1 native; 110 - gated"},
    /* Tegra: its own number only, in both directions. */
    {"c80 c86", NULL, "87 - none; 86 1 native; 88 1 native; 89 1 native"},
    {"c87", NULL, "87 0 native; 86 - none; 88 - none; 89 - none"},
    {"c72", NULL, "72 0 native; 70 - none; 75 - none"},
    {"c53", NULL, "53 0 native; 52 - none"},
    {"c62", NULL, "62 0 native; 61 - none"},
    {"c80 c87", NULL, "80 0 native; 87 1 native; 89 0 native"},
    {"c80 p80", NULL, "80 0 native; 87 1 jit; 89 0 native; 90 1 jit"},
    {"c70 p70", NULL, "70 0 native; 72 1 jit; 75 0 native"},
    /* sm_101 and sm_110 are one chip. */
    {"c101", NULL, "101 0 native; 110 0 native; 100 - none; 103 - none; 120 - none"},
    {"c110", NULL, "101 0 native; 110 0 native; 120 - none"},
    {"c101a", NULL, "110 0 native; 100 - gated"},
    {"c101f c110f", NULL, "110 0 native; 120 - gated"},
    {"p101", NULL, "100 - none; 103 - none; 107 - none; 110 0 jit; 120 0 jit"},
    {"p110f", NULL, "101 0 jit; 110 0 jit; 120 - gated"},
    /* PTX. */
    {"p75", NULL, "70 - none; 72 - none; 75 0 jit; 80 0 jit; 87 0 jit; 90 0 jit; 110 0 jit; 121 0 jit"},
    {"p90a", NULL, "89 - gated; 90 0 jit; 100 - gated; 120 - gated"},
    {"p100f", NULL, "100 0 jit; 103 0 jit; 107 0 jit; 110 - gated; 120 - gated; 90 - gated"},
    {"p120f", NULL, "120 0 jit; 121 0 jit; 110 - gated"},
    {"p103", NULL, "100 - none; 103 0 jit; 110 0 jit; 120 0 jit"},
    {"c80 p90a", NULL, "80 0 native; 90 1 jit; 120 - none"},
    {"c90a p80", NULL, "80 1 jit; 90 0 native; 120 1 jit; 75 - none"},
    /* A cubin goes before PTX, however far; kind 0x10 stands between. */
    {"p86 c80", NULL, "80 1 native; 86 1 native; 89 1 native; 90 0 jit"},
    {"p90 c90", NULL, "90 1 native; 100 0 jit"},
    {"d80 c80", NULL, "80 1 native; 86 1 native"},
    {"c80 d80", NULL, "80 0 native; 86 0 native"},
    {"d86 c80", NULL, "86 1 native; 89 1 native"},
    {"d80 p80", NULL, "80 0 native; 90 1 jit"},
    {"p80 d80", NULL, "80 1 native; 90 0 jit"},
    {"d80 d86", NULL, "80 0 native; 86 1 native"},
    /* The nearest architecture. */
    {"c80 c86 c89", NULL, "80 0 native; 86 1 native; 88 1 native; 89 2 native; 90 - none"},
    {"c89 c86 c80", NULL, "80 2 native; 86 1 native; 88 1 native; 89 0 native"},
    {"p50 p70 p80", NULL, "60 0 jit; 70 1 jit; 75 1 jit; 86 2 jit; 120 2 jit"},
    {"p80 p70 p50", NULL, "60 2 jit; 75 1 jit; 86 0 jit"},
    {"c100 c103", NULL, "100 0 native; 103 1 native; 107 1 native"},
    {"c100f c103a", NULL, "100 0 native; 103 1 native; 107 0 native"},
    {"c50 c52 p52", NULL, "50 0 native; 52 1 native; 53 2 jit; 61 2 jit"},
    {"c110 p110 p101", NULL, "110 0 native; 120 2 jit"},
    /* Flag bit 24, then the first cubin and the last PTX. */
    {"c100 c100!", NULL, "100 1 native; 103 1 native"},
    {"c100! c100", NULL, "100 0 native"},
    {"c100! c103", NULL, "100 0 native; 103 1 native"},
    {"c90 c90", NULL, "90 0 native"},
    {"c90a c90", NULL, "90 0 native"},
    {"c90 c90a", NULL, "90 0 native"},
    {"c90 c90a!", NULL, "90 1 native"},
    {"p90 p90", NULL, "90 1 jit; 120 1 jit"},
    {"p90 p90a", NULL, "90 1 jit; 120 0 jit"},
    {"p90! p90", NULL, "90 0 jit"},
    {"p80 p90 p90", NULL, "89 0 jit; 90 2 jit"},
    {"c101 c110", NULL, "110 0 native"},
    /* The ISA against the driver: Linux numbers, ELF library. */
    {"p80@7.0", "450.51.05", "80 0 jit; 90 0 jit"},
    {"p80@7.1", "450.51.05", "80 - none"},
    {"p80@8.7", "570.26", "80 0 jit; 120 0 jit"},
    {"p80@8.7", "570", "120 0 jit"},
    {"p80@8.7", "565.57.01", "80 - none; 120 - none"},
    {"p80@8.7", "cuda 12.8", "120 0 jit"},
    {"p80@8.7", "cuda 12.7", "120 - none"},
    {"p80@8.8", "cuda 12.8", "120 - none"},
    {"p80@8.5", "560.35.03", "120 0 jit"},
    {"p80@8.6", "560.35.03", "120 - none"},
    {"p80@9.0", "580.65", "120 0 jit"},
    {"p80@9.2", "590.44.01", "120 - none"},
    {"p80@9.2", "595.58", "120 0 jit"},
    {"p80@9.4", "cuda 13.4", "120 0 jit"},
    {"p80@9.4", "cuda 13.3", "120 - none"},
    {"p80@9.9", "cuda 13.5", "120 - none"},
    {"p80@6.4", "450.80.02", "80 0 jit"},
    {"c80 p80@8.7", "535.54.03", "80 0 native; 86 0 native; 87 - none; 90 - none"},
    {"p90@8.7 p80@8.0", "525.60.13", "80 1 jit; 90 1 jit; 120 1 jit"},
    {"p90@8.0 p90@8.7", "525.60.13", "90 0 jit"},
    {"p90@8.0 p90@8.7", NULL, "90 1 jit"},
    /* Refused by the driver is not gated: the GPU is the one the code is for. */
    {"p90a@8.7", "550.54.14", "90 - none; 100 - gated"},
    {"p100f@8.8", "570.26", "100 - none; 103 - none; 120 - gated"},
    {"c90a p90a@8.7", "550.54.14", "90 0 native; 100 - gated"},
    /* Intermediate code is never loaded by itself, suffix or not. */
    {"l90", NULL, "90 - none; 100 - none"},
    {"l90a", NULL, "90 - none; 100 - none"},
    {"t100", NULL, "100 - none"},
    {"l80 c80", NULL, "80 1 native; 90 - none"},
    {"l90a c90a", NULL, "90 1 native; 100 - gated"},
    {"l90 c90a", NULL, "90 1 native; 100 - none"},
    /* Numbers that no toolkit wrote. */
    {"c0", NULL, "50 - none; 120 - none"},
    {"p0", NULL, "50 - none; 120 - none"},
    {"c4294967295", NULL, "50 - none; 120 - none"},
    {"p4294967295", NULL, "120 - none"},
    {"c0 c80", NULL, "80 1 native"},
    {"i0 c80", NULL, "80 1 native; 90 - none"},
    /* What wheels hold: torch, vllm, bitsandbytes, onnxruntime, spconv. */
    {"c75 c80 c86 c90 c100 c120", NULL,
     "70 - none; 75 0 native; 80 1 native; 86 2 native; 87 - none; 89 2 native; 90 3 native; 100 4 native; "
     "103 4 native; 110 - none; 120 5 native; 121 5 native"},
    {"c50 c60 c61 c70 c75 c80 c86 c89 c90 p90", NULL,
     "50 0 native; 53 - none; 60 1 native; 61 2 native; 62 - none; 72 - none; 75 4 native; 87 - none; 89 7 native; "
     "90 8 native; 100 9 jit; 110 9 jit; 120 9 jit"},
    {"c52 c60 c61 c70 c75 c80 c86 c89 c90a p90a", NULL, "50 - none; 90 8 native; 100 - none; 120 - none"},
    {"c35 c52 c60 c61 c70 p70", NULL, "35 0 native; 37 0 native; 50 - none; 52 1 native; 80 5 jit"},
};

static size_t cases_seen;

static void check_result(const struct row *row, const struct record *record, unsigned number, const char *result)
{
  struct record copy = *record;
  struct cuw_library_verdict verdict;
  copy.library.images = copy.images;
  copy.library.evidence = copy.evidence;
  record_judge(&copy, number, row->driver, &verdict);
  if (strcmp(cuw_result_name(verdict.result), result) != 0)
    fail_msg("\"%s\" on %u: %s, not %s", row->images, number, cuw_result_name(verdict.result), result);
  cuw_library_verdict_free(&verdict);
}

static void check_case(const struct row *row, const struct record *record, char *text)
{
  unsigned number;
  char choice[8], result[16];
  assert_int_equal(sscanf(text, "%u %7s %15s", &number, choice, result), 3);
  size_t order[RECORD_IMAGES], expected = choice[0] == '-' ? NO_IMAGE : (size_t)strtoul(choice, NULL, 10);
  for (size_t i = 0; i < RECORD_IMAGES; i++)
    order[i] = i;
  struct cuw_driver driver = record_driver(row->driver);
  struct target target = {arch_chip(number), CUW_OS_LINUX, &driver};
  size_t chosen = choose_image(record->images, order, record->library.image_count, &target);
  if (chosen != expected)
    fail_msg("\"%s\" on %u: image %zd, not %s", row->images, number, (ssize_t)chosen, choice);
  check_result(row, record, number, result);
  cases_seen++;
}

static void test_rows(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256], *cases = strdup(rows[i].cases), *save = NULL;
    struct record record;
    snprintf(text, sizeof text, "R %s", rows[i].images);
    record_make(&record, "x.so", text);
    for (char *at = strtok_r(cases, ";", &save); at; at = strtok_r(NULL, ";", &save))
      check_case(&rows[i], &record, at);
    free(cases);
  }
  assert_true(cases_seen >= 200);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
