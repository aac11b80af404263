/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/text.h"

static void check(void (*append)(struct text *, const char *), const char *given, const char *wanted)
{
  struct text t = {0};
  append(&t, given);
  assert_false(t.failed);
  assert_string_equal(text_get(&t), wanted);
  text_free(&t);
}

static void plain_names_stay(void **state)
{
  (void)state;
  check(text_escape, "", "");
  check(text_escape, "torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda.so");
  check(text_escape, "a\\b", "a\\b");
  check(text_escape, "größe/模型.so", "größe/模型.so");
  check(text_escape, "\xf0\x9f\x9a\x80.so", "\xf0\x9f\x9a\x80.so");
}

static void controls_are_escaped(void **state)
{
  (void)state;
  check(text_escape, "a\033[31mb", "a\\x1b[31mb");
  check(text_escape, "a\nb\tc\rd\x7f", "a\\x0ab\\x09c\\x0dd\\x7f");
  check(text_escape,
        "\xc2\x9b"
        "31m",
        "\\xc2\\x9b31m"); /* CSI as one C1 character */
}

static void reordering_is_escaped(void **state)
{
  (void)state;
  check(text_escape, "lib\xe2\x80\xaeos.bil", "lib\\xe2\\x80\\xaeos.bil");
  check(text_escape, "a\xe2\x81\xa6z", "a\\xe2\\x81\\xa6z");
  check(text_escape, "a\xe2\x80\x8bz", "a\\xe2\\x80\\x8bz");
  check(text_escape, "\xef\xbb\xbfz", "\\xef\\xbb\\xbfz");
  check(text_escape, "a\xe2\x80\xa8z", "a\\xe2\\x80\\xa8z");
}

static void invalid_utf8_is_escaped(void **state)
{
  (void)state;
  check(text_escape, "\xff", "\\xff");
  check(text_escape, "\xc0\xaf", "\\xc0\\xaf");                   /* overlong slash */
  check(text_escape, "\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
  check(text_escape, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
  check(text_escape, "a\xe2\x82", "a\\xe2\\x82");                 /* ends early */
  check(text_escape, "\xe2\x82z", "\\xe2\\x82z");
  check(text_escape, "\x80", "\\x80");
}

static void utf8_keeps_what_is_valid(void **state)
{
  (void)state;
  check(text_utf8, "a\033\xe2\x80\xae", "a\033\xe2\x80\xae");
  check(text_utf8,
        "a\xff"
        "b",
        "a\\xffb");
}

static void markdown_means_nothing(void **state)
{
  (void)state;
  check(text_markdown, "12.8, (a) 7 of 8; 50%=x/y", "12.8, (a) 7 of 8; 50%=x/y");
  check(text_markdown, "a|b*c_d`e", "a&#124;b&#42;c&#95;d&#96;e");
  check(text_markdown, "<img src=x>&amp;", "&#60;img src=x&#62;&#38;amp;");
  check(text_markdown, "[a](b)", "&#91;a&#93;(b)");
  check(text_markdown, "- a-b", "&#45; a-b");
  check(text_markdown, "@all #1", "@<!-- -->all #<!-- -->1");
  check(text_markdown, "http://x www.y", "http&#58;//x www&#46;y");
  check(text_markdown, "a\\b\n\033", "a&#92;b&#92;x0a&#92;x1b");
  check(text_markdown, "\xc3\xa9", "\xc3\xa9");
  check(text_markdown, "", "");
}

static void csv_quotes_and_defuses(void **state)
{
  (void)state;
  check(text_csv, "plain", "plain");
  check(text_csv, "a,b", "\"a,b\"");
  check(text_csv, "say \"x\"", "\"say \"\"x\"\"\"");
  check(text_csv, "=1+2", "'=1+2");
  check(text_csv, "+x", "'+x");
  check(text_csv, "-O1  ", "'-O1  ");
  check(text_csv, "@x", "'@x");
  check(text_csv, "  =x", "'  =x");
  check(text_csv, "=a,b", "\"'=a,b\"");
  check(text_csv, "\t=x", "\\x09=x");
  check(text_csv, "\r=x\n", "\\x0d=x\\x0a");
  check(text_csv, "a=b", "a=b");
  check(text_csv, " ", " ");
  check(text_csv, "", "");
}

static void width_counts_columns(void **state)
{
  (void)state;
  assert_int_equal(text_width(""), 0);
  assert_int_equal(text_width("sm_90a"), 6);
  assert_int_equal(text_width("größe"), 5);
  assert_int_equal(text_width("模型"), 4);
  assert_int_equal(text_width("e\xcc\x81"), 1); /* e and a combining accent */
}

static void text_grows(void **state)
{
  (void)state;
  struct text t = {0};
  for (int i = 0; i < 1000; i++)
    text_printf(&t, "%d,", i % 10);
  assert_int_equal(t.length, 2000);
  assert_int_equal(text_get(&t)[1998], '9');
  text_clear(&t);
  assert_string_equal(text_get(&t), "");
  text_free(&t);
  assert_string_equal(text_get(&t), "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_names_stay),
      cmocka_unit_test(controls_are_escaped),
      cmocka_unit_test(reordering_is_escaped),
      cmocka_unit_test(invalid_utf8_is_escaped),
      cmocka_unit_test(utf8_keeps_what_is_valid),
      cmocka_unit_test(csv_quotes_and_defuses),
      cmocka_unit_test(markdown_means_nothing),
      cmocka_unit_test(width_counts_columns),
      cmocka_unit_test(text_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
