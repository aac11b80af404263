/* SPDX-License-Identifier: Apache-2.0 */
/* Whole inputs: environments, folders, wheels in wheels, files that are not read; the same whatever the threads. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "carriers.h"
#include "cuwheel/inspect.h"

static char root[] = "/tmp/cuwheel-inspect-XXXXXX";

static char *below(const char *path)
{
  static char texts[4][4096];
  static unsigned next;
  char *text = texts[next++ % 4];
  snprintf(text, sizeof texts[0], "%s/%s", root, path);
  return text;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
  (void)st;
  (void)flag;
  (void)f;
  return remove(path);
}

static int make_root(void **state)
{
  (void)state;
  strcpy(root + strlen(root) - 6, "XXXXXX");
  return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
  (void)state;
  return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file with the folders that lead to it. */
static void put(const char *path, struct view bytes)
{
  char *full = below(path);
  for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(full, 0755);
    *slash = '/';
  }
  FILE *f = fopen(full, "wb");
  if (f == NULL)
    fail_msg("cannot write %s", full);
  if (bytes.size > 0)
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, f), bytes.size);
  fclose(f);
}

static void put_text(const char *path, const char *text)
{
  put(path, (struct view){(const uint8_t *)text, strlen(text)});
}

static void put_corpus(const char *path, const char *name)
{
  struct view v = testdata_load(name);
  put(path, v);
  testdata_free(v);
}

/* A member of a zip: a corpus file where bytes.data is NULL. */
struct member {
  const char *name, *corpus;
  struct view bytes;
  bool stored;
};

static struct view text(const char *t)
{
  return (struct view){(const uint8_t *)t, strlen(t)};
}

static void make_zip(const char *path, const struct member *members, size_t count)
{
  put(path, (struct view){NULL, 0});
  zip_t *z = zip_open(below(path), ZIP_CREATE | ZIP_TRUNCATE, NULL);
  assert_non_null(z);
  struct view loaded[16];
  assert_true(count <= 16);
  for (size_t i = 0; i < count; i++) {
    loaded[i] = members[i].corpus ? testdata_load(members[i].corpus) : testdata_copy(members[i].bytes);
    zip_source_t *s = zip_source_buffer(z, loaded[i].data, loaded[i].size, 0);
    zip_int64_t index = zip_file_add(z, members[i].name, s, ZIP_FL_ENC_UTF_8);
    assert_true(index >= 0);
    zip_set_file_compression(z, (zip_uint64_t)index, members[i].stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
  }
  assert_int_equal(zip_close(z), 0);
  for (size_t i = 0; i < count; i++)
    testdata_free(loaded[i]);
}

static struct view load_path(const char *path)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  size_t size = (size_t)ftell(f);
  rewind(f);
  uint8_t *data = malloc(size + 1);
  assert_int_equal(fread(data, 1, size, f), size);
  fclose(f);
  return (struct view){data, size};
}

static size_t open_descriptors(void)
{
  size_t count = 0;
  DIR *d = opendir("/proc/self/fd");
  while (readdir(d) != NULL)
    count++;
  closedir(d);
  return count;
}

static void assert_same_input(const struct cuw_input *a, const struct cuw_input *b)
{
  assert_int_equal(a->kind, b->kind);
  assert_true(a->member_count == b->member_count);
  assert_int_equal(a->distribution_count, b->distribution_count);
  assert_int_equal(a->problem_count, b->problem_count);
  for (size_t i = 0; i < a->problem_count; i++)
    assert_same_problem(&a->problems[i], &b->problems[i]);
  for (size_t i = 0; i < a->distribution_count; i++) {
    const struct cuw_distribution *x = &a->distributions[i], *y = &b->distributions[i];
    assert_string_equal(text_of(x->name), text_of(y->name));
    assert_string_equal(text_of(x->version), text_of(y->version));
    assert_string_equal(text_of(x->location), text_of(y->location));
    assert_string_equal(text_of(x->cuda), text_of(y->cuda));
    assert_int_equal(x->library_count, y->library_count);
    for (size_t k = 0; k < x->library_count; k++)
      assert_same_library(x->libraries[k], y->libraries[k]);
  }
}

/* With one thread and with eight; no descriptor stays open. */
static struct cuw_input *inspect(const char *path)
{
  struct cuw_inspect_options one = {.jobs = 1}, eight = {.jobs = 8};
  size_t before = open_descriptors();
  struct cuw_input *a = cuw_inspect(path, &one), *b = cuw_inspect(path, &eight);
  assert_non_null(a);
  assert_non_null(b);
  assert_same_input(a, b);
  assert_int_equal(open_descriptors(), before);
  cuw_input_free(b);
  return a;
}

static const struct cuw_distribution *named(const struct cuw_input *input, const char *name)
{
  for (size_t i = 0; i < input->distribution_count; i++)
    if (strcmp(text_of(input->distributions[i].name), text_of(name)) == 0)
      return &input->distributions[i];
  fail_msg("no distribution %s", text_of(name));
  return NULL;
}

/* Paths of its libraries, with a blank before each. */
static void assert_libraries(const struct cuw_input *input, const char *name, const char *expected)
{
  const struct cuw_distribution *d = named(input, name);
  char list[4096] = "";
  for (size_t i = 0; i < d->library_count; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), " %s", d->libraries[i]->path);
  assert_string_equal(list, expected);
}

static bool ends_with(const char *whole, const char *end)
{
  size_t n = strlen(whole), k = strlen(end);
  return n >= k && strcmp(whole + n - k, end) == 0;
}

/* Codes of all problems with the ends of their paths and members, sorted as they are. */
static void assert_problem(const struct cuw_input *input, size_t index, enum cuw_severity severity, const char *code,
                           const char *path, const char *member)
{
  assert_true(index < input->problem_count);
  const struct cuw_problem *p = &input->problems[index];
  assert_string_equal(p->code, code);
  assert_int_equal(p->severity, severity);
  if (!ends_with(p->path, path))
    fail_msg("%s at %s, not %s", code, p->path, path);
  assert_string_equal(text_of(p->member), text_of(member));
}

#define METADATA(name) "Metadata-Version: 2.1\nName: " name "\nVersion: 1.2\n\n"

#define DEMO "lib/python3.11/site-packages/demo/lib/"

static void virtual_environment(void **state)
{
  (void)state;
  const char *site = "venv/lib/python3.11/site-packages";
  char path[256];
  put_text("venv/bin/python3.11", "");
  put_text("venv/pyvenv.cfg", "home = /usr/bin\n");
  snprintf(path, sizeof path, "%s/demo-1.2.dist-info/METADATA", site);
  put_text(path, METADATA("Demo"));
  snprintf(path, sizeof path, "%s/demo-1.2.dist-info/RECORD", site);
  put_text(
      path,
      "demo/__init__.py,,\ndemo/lib/a.so,sha256=x,12\ndemo/lib/z.a,,\n\"demo/odd,name.so\",,\n../../../bin/tool,,\n"
      "demo,,\n.,,\n/etc/passwd,,\n../../../../outside.so,,\ndemo/lib,,\n");
  snprintf(path, sizeof path, "%s/other-2.dist-info/METADATA", site);
  put_text(path, METADATA("other"));
  snprintf(path, sizeof path, "%s/demo/lib/a.so", site);
  put_corpus(path, "n130_multi.so");
  snprintf(path, sizeof path, "%s/demo/odd,name.so", site);
  put_corpus(path, "elf_none.so");
  struct view archive = testdata_load("n130_lib.a");
  snprintf(path, sizeof path, "%s/demo/lib/z.a", site);
  put(path, archive);
  snprintf(path, sizeof path, "%s/demo/lib/z.a!", site);
  put(path, archive);
  testdata_free(archive);
  snprintf(path, sizeof path, "%s/demo/lib/stray.so", site);
  put_corpus(path, "elf_none.so");
  put_corpus("venv/bin/tool", "n130_stripped.so");
  put_corpus("outside.so", "elf_none.so");

  struct cuw_input *input = inspect(below("venv"));
  assert_int_equal(input->kind, CUW_INPUT_ENVIRONMENT);
  assert_int_equal(input->distribution_count, 3);
  assert_int_equal(input->problem_count, 0);
  assert_libraries(input, "Demo",
                   " bin/tool " DEMO "a.so " DEMO "z.a(k2pic.o) " DEMO "z.a(k3.o) " DEMO "z.a(k4.o)"
                   " lib/python3.11/site-packages/demo/odd,name.so");
  assert_libraries(input, "other", "");
  assert_libraries(input, NULL, " " DEMO "stray.so " DEMO "z.a!(k2pic.o) " DEMO "z.a!(k3.o) " DEMO "z.a!(k4.o)");
  assert_null(input->distributions[2].name);
  const struct cuw_distribution *d = named(input, "Demo");
  assert_string_equal(d->version, "1.2");
  assert_true(ends_with(d->location, "venv/lib/python3.11/site-packages"));
  assert_non_null(d->interpreter);
  assert_true(ends_with(d->interpreter, "venv/bin/python3.11"));
  cuw_input_free(input);

  input = inspect(below("venv/lib/python3.11/site-packages"));
  assert_int_equal(input->kind, CUW_INPUT_ENVIRONMENT);
  assert_libraries(input, "Demo",
                   " demo/lib/a.so demo/lib/z.a(k2pic.o) demo/lib/z.a(k3.o) demo/lib/z.a(k4.o)"
                   " demo/odd,name.so");
  assert_true(ends_with(text_of(named(input, "Demo")->interpreter), "venv/bin/python3.11"));
  cuw_input_free(input);
}

static void windows_portable(void **state)
{
  (void)state;
  put_text("portable/python_embeded/python.exe", "MZ");
  put_text("portable/python_embeded/Lib/site-packages/bits-1.dist-info/METADATA", METADATA("bits"));
  put_text("portable/python_embeded/Lib/site-packages/bits-1.dist-info/RECORD",
           "bits\\lib.dll,,\nbits/__init__.py,,\n");
  put_corpus("portable/python_embeded/Lib/site-packages/bits/lib.dll", "pe_min.dll");
  put_corpus("portable/extra/free.dll", "pe_min.dll");
  struct cuw_input *input = inspect(below("portable"));
  assert_int_equal(input->kind, CUW_INPUT_ENVIRONMENT);
  assert_libraries(input, "bits", " python_embeded/Lib/site-packages/bits/lib.dll");
  assert_libraries(input, NULL, " extra/free.dll");
  assert_true(ends_with(text_of(named(input, "bits")->interpreter), "python_embeded/python.exe"));
  cuw_input_free(input);
}

static void conda_prefix(void **state)
{
  (void)state;
  put_text("conda/conda-meta/history", "");
  put_text("conda/conda-meta/libgpu-2.0-0.json",
           "{\"name\": \"libgpu\", \"version\": \"2.0\", \"files\": [\"lib/libgpu.so\", \"../escape.so\"]}");
  put_text("conda/conda-meta/my_pkg-1.2-py_0.json",
           "{\"name\": \"my_pkg\", \"version\": \"1.2\", \"files\": [\"lib/libmy.so\","
           " \"lib/python3.12/site-packages/my/m.so\"]}");
  put_text("conda/conda-meta/broken.json", "{\"name\": ");
  put_text("conda/lib/python3.12/site-packages/my_pkg-1.2.dist-info/METADATA", METADATA("My.Pkg"));
  put_text("conda/lib/python3.12/site-packages/my_pkg-1.2.dist-info/RECORD", "my/m.so,,\n");
  put_corpus("conda/lib/python3.12/site-packages/my/m.so", "n130_multi.so");
  put_corpus("conda/lib/libgpu.so", "n130_multi.so");
  put_corpus("conda/lib/libmy.so", "n130_multi.so");
  /* Another prefix below: its packages are its own, of equal name or not. */
  put_text("conda/envs/e/conda-meta/my_pkg-9-py_0.json",
           "{\"name\": \"my_pkg\", \"version\": \"9\", \"files\": [\"lib/libmy.so\"]}");
  put_corpus("conda/envs/e/lib/libmy.so", "n130_multi.so");
  struct cuw_input *input = inspect(below("conda"));
  assert_int_equal(input->kind, CUW_INPUT_ENVIRONMENT);
  assert_int_equal(input->distribution_count, 3);
  assert_libraries(input, "libgpu", " lib/libgpu.so");
  assert_libraries(input, "My.Pkg", " lib/libmy.so lib/python3.12/site-packages/my/m.so");
  assert_libraries(input, "my_pkg", " envs/e/lib/libmy.so");
  assert_string_equal(named(input, "my_pkg")->version, "9");
  cuw_input_free(input);
}

static void plain_wheel(void **state)
{
  (void)state;
  struct member m[] = {
      {"pkg/a.so", "n130_linked.so", {0}, false},
      {"pkg/b.so", "x_zstdcubin.so", {0}, true},
      {"pkg/k.cubin", "p130_sm90.cubin", {0}, false},
      {"pkg/libz.a", "n130_lib.a", {0}, false},
      {"pkg/bad.fatbin", "m05_cut_payload.fatbin", {0}, false},
      {"pkg/__init__.py", NULL, text("import os\n"), false},
      {"pkg-1.2+cu128.dist-info/METADATA", NULL, text(METADATA("pkg")), false},
      {"vendored/in-3.dist-info/METADATA", NULL, text(METADATA("in")), false},
  };
  make_zip("pkg-1.2+cu128-py3-none-any.whl", m, 8);
  struct cuw_input *input = inspect(below("pkg-1.2+cu128-py3-none-any.whl"));
  assert_int_equal(input->kind, CUW_INPUT_WHEEL);
  assert_true(input->member_count == 8);
  assert_int_equal(input->distribution_count, 1);
  assert_string_equal(input->distributions[0].name, "pkg");
  const struct cuw_distribution *d = &input->distributions[0];
  assert_true(d->library_count > 5);
  assert_string_equal(d->libraries[0]->path, "pkg/a.so");
  assert_int_equal(input->problem_count, 2);
  assert_problem(input, 0, CUW_ERROR, "container-truncated", "pkg-1.2+cu128-py3-none-any.whl", "pkg/bad.fatbin");
  assert_true(cuw_input_is_damaged(input));
  for (size_t i = 0; i < 2; i++) {
    struct view v = testdata_load(m[i].corpus);
    struct job_result r;
    read_plain(v, m[i].name, &r);
    assert_int_equal(r.libraries[0]->image_count, d->libraries[i]->image_count);
    for (size_t k = 0; k < r.libraries[0]->image_count; k++)
      assert_same_image(&r.libraries[0]->images[k], &d->libraries[i]->images[k]);
    job_result_free(&r);
    testdata_free(v);
  }
  cuw_input_free(input);
}

/* outer.whl holds inner wheels, one of which holds another: that is said, not opened. */
static void nested_wheels(void **state)
{
  (void)state;
  struct member deepest[] = {{"d/x.so", "n130_multi.so", {0}, false}};
  make_zip("deepest.whl", deepest, 1);
  struct view third = load_path(below("deepest.whl"));
  struct member inner[] = {{"i/y.so", "n130_multi.so", {0}, false},
                           {"i/z.so", "m47_so_size.so", {0}, true},
                           {"inner-1.2.dist-info/METADATA", NULL, text(METADATA("inner")), false},
                           {"i/deepest.whl", NULL, third, true}};
  make_zip("inner.whl", inner, 4);
  struct view second = load_path(below("inner.whl"));
  struct member outer[] = {{"o/stored.whl", NULL, second, true},
                           {"o/deflated.whl", NULL, second, false},
                           {"o/no.zip", NULL, second, false},
                           {"o/w.so", "n130_multi.so", {0}, false},
                           {"outer-1.2.dist-info/METADATA", NULL, text(METADATA("outer")), false},
                           {"o/cut.whl", NULL, {second.data, second.size / 2}, true}};
  make_zip("sub/outer.whl", outer, 6);
  struct cuw_input *input = inspect(below("sub/outer.whl"));
  assert_int_equal(input->distribution_count, 3);
  assert_libraries(input, "outer", " o/w.so");
  size_t stored = 0;
  for (size_t i = 0; i < input->distribution_count; i++) {
    const struct cuw_distribution *d = &input->distributions[i];
    if (strcmp(d->name, "inner") != 0)
      continue;
    assert_int_equal(d->library_count, 2);
    stored += strcmp(d->libraries[0]->path, "outer.whl!o/stored.whl!i/y.so") == 0;
    assert_true(ends_with(d->libraries[1]->path, ".whl!i/z.so"));
  }
  assert_int_equal(stored, 1);
  assert_int_equal(input->problem_count, 5);
  assert_problem(input, 0, CUW_ERROR, "archive-damaged", "sub/outer.whl", "o/cut.whl");
  assert_problem(input, 1, CUW_NOTE, "nested-not-read", "sub/outer.whl", "o/deflated.whl!i/deepest.whl");
  assert_problem(input, 2, CUW_ERROR, "container-truncated", "sub/outer.whl", "o/deflated.whl!i/z.so");
  assert_problem(input, 3, CUW_NOTE, "nested-not-read", "sub/outer.whl", "o/stored.whl!i/deepest.whl");
  cuw_input_free(input);

  input = inspect(below("sub"));
  assert_int_equal(input->kind, CUW_INPUT_FOLDER);
  assert_libraries(input, "outer", " outer.whl!o/w.so");
  assert_libraries(input, "inner", " outer.whl!o/deflated.whl!i/y.so outer.whl!o/deflated.whl!i/z.so");
  assert_int_equal(input->problem_count, 5);
  cuw_input_free(input);
  testdata_free(second);
  testdata_free(third);
}

static void not_read(void **state)
{
  (void)state;
  put("odd/pkg-1.0.tar.gz", text("\x1F\x8B\x08 and so on, long enough"));
  put("odd/pkg.7z", text("7z\xBC\xAF\x27\x1C and so on, long enough"));
  put_text("odd/readme.txt", "words\n");
  put_text("odd/empty.so", "");
  put_corpus("odd/lib.so", "n130_multi.so");
  struct member conda[] = {{"metadata.json", NULL, text("{\"conda_pkg_format_version\": 2}"), true},
                           {"pkg-x.tar.zst", NULL, text("zstd"), true}};
  make_zip("odd/x-1-0.conda", conda, 2);
  struct cuw_input *input = inspect(below("odd"));
  assert_int_equal(input->kind, CUW_INPUT_FOLDER);
  assert_int_equal(input->problem_count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(input->problems[i].code, "not-read");
    assert_int_equal(input->problems[i].severity, CUW_NOTE);
  }
  assert_false(cuw_input_is_damaged(input));
  assert_libraries(input, NULL, " lib.so");
  cuw_input_free(input);

  static const struct {
    const char *path, *code;
  } files[] = {{"odd/pkg-1.0.tar.gz", "not-read"}, {"odd/pkg.7z", "not-read"},     {"odd/x-1-0.conda", "not-read"},
               {"odd/readme.txt", "no-carrier"},   {"odd/empty.so", "empty-file"}, {"odd/absent.so", "not-found"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    input = inspect(below(files[i].path));
    assert_int_equal(input->problem_count, 1);
    assert_problem(input, 0, CUW_ERROR, files[i].code, files[i].path, NULL);
    assert_true(cuw_input_is_damaged(input));
    cuw_input_free(input);
  }
}

/* A wheel by its name alone was not looked into: that is said wherever it is met. */
static void false_wheels(void **state)
{
  (void)state;
  put_text("mirror/page.whl", "<html>404</html>");
  put_text("mirror/stub.whl", "");
  put_text("mirror/page.html", "<html></html>");
  struct member m[] = {{"w/page.whl", NULL, text("<html>404</html>"), false},
                       {"w/lib.so", "n130_multi.so", {0}, false}};
  make_zip("mirror/outer.whl", m, 2);
  struct cuw_input *input = inspect(below("mirror"));
  assert_libraries(input, NULL, " outer.whl!w/lib.so");
  assert_int_equal(input->problem_count, 3);
  assert_problem(input, 0, CUW_ERROR, "no-carrier", "mirror/outer.whl", "w/page.whl");
  assert_problem(input, 1, CUW_ERROR, "no-carrier", "mirror/page.whl", NULL);
  assert_problem(input, 2, CUW_ERROR, "empty-file", "mirror/stub.whl", NULL);
  assert_true(cuw_input_is_damaged(input));
  cuw_input_free(input);
}

/* Links, pipes and names that are no text. */
static void odd_entries(void **state)
{
  (void)state;
  put_corpus("tree/real.so", "n130_multi.so");
  put_corpus("elsewhere/linked.so", "n130_multi.so");
  put_corpus("tree/new\nline.so", "m47_so_size.so");
  put_corpus("tree/bad\xff\xfe.so", "n130_multi.so");
  assert_int_equal(symlink(".", below("tree/loop")), 0);
  assert_int_equal(symlink("self", below("tree/self")), 0);
  assert_int_equal(symlink("real.so", below("tree/again.so")), 0);
  assert_int_equal(symlink("../elsewhere/linked.so", below("tree/out.so")), 0);
  assert_int_equal(symlink("../elsewhere", below("tree/package")), 0);
  assert_int_equal(symlink("nowhere", below("tree/dangling.so")), 0);
  assert_int_equal(mkfifo(below("tree/pipe.so"), 0600), 0);
  struct cuw_input *input = inspect(below("tree"));
  assert_libraries(input, NULL, " bad\xff\xfe.so new\nline.so out.so real.so");
  assert_int_equal(input->problem_count, 2);
  assert_problem(input, 0, CUW_ERROR, "container-truncated", "tree/new\nline.so", NULL);
  assert_problem(input, 1, CUW_NOTE, "link-not-followed", "tree/package", NULL);
  cuw_input_free(input);

  input = inspect(below("tree/pipe.so"));
  assert_problem(input, 0, CUW_ERROR, "not-regular", "tree/pipe.so", NULL);
  cuw_input_free(input);
  input = inspect(below("tree/self"));
  assert_int_equal(input->problem_count, 1);
  cuw_input_free(input);

  /* A slash behind the folder's name changes nothing but the name. */
  input = inspect(below("tree/"));
  assert_problem(input, 0, CUW_ERROR, "container-truncated", "tree/new\nline.so", NULL);
  assert_null(strstr(input->problems[0].path, "//new"));
  cuw_input_free(input);
}

static void unreadable(void **state)
{
  (void)state;
  put_corpus("locked/a.so", "n130_multi.so");
  put_corpus("locked/b.so", "n130_multi.so");
  put_corpus("locked/in/c.so", "n130_multi.so");
  chmod(below("locked/a.so"), 0);
  chmod(below("locked/in"), 0);
  /* Root reads everything: there, look as nobody. */
  bool is_root = geteuid() == 0;
  assert_int_equal(chmod(root, 0755), 0);
  assert_int_equal(is_root ? seteuid(65534) : 0, 0);
  struct cuw_input *input = inspect(below("locked"));
  assert_int_equal(is_root ? seteuid(0) : 0, 0);
  chmod(below("locked/in"), 0700);
  assert_libraries(input, NULL, " b.so");
  assert_int_equal(input->problem_count, 2);
  assert_problem(input, 0, CUW_ERROR, "unreadable", "locked/a.so", NULL);
  assert_problem(input, 1, CUW_ERROR, "unreadable", "locked/in/", NULL);
  cuw_input_free(input);
}

/* Damage in one member leaves the others alone. */
static void damaged_wheel(void **state)
{
  (void)state;
  struct member m[16];
  static char names[16][32];
  for (unsigned i = 0; i < 16; i++) {
    snprintf(names[i], sizeof names[i], "lib%02u.so", i);
    m[i] = (struct member){names[i], "n130_linked.so", {0}, i % 3 == 0};
  }
  make_zip("many.whl", m, 16);
  struct view whole = load_path(below("many.whl"));
  uint64_t seed = 31;
  for (unsigned round = 0; round < 60; round++) {
    struct view v = testdata_copy(whole);
    uint8_t *bytes = (uint8_t *)(uintptr_t)v.data;
    for (unsigned k = 0; k < 3; k++)
      bytes[testdata_random(&seed) % v.size] ^= (uint8_t)(1u << testdata_random(&seed) % 8);
    put("damaged.whl", v);
    struct cuw_input *input = inspect(below("damaged.whl"));
    size_t complete = 0;
    for (size_t i = 0; i < input->distribution_count; i++)
      for (size_t k = 0; k < input->distributions[i].library_count; k++)
        complete += input->distributions[i].libraries[k]->complete;
    bool directory = input->problem_count > 0 && strcmp(input->problems[0].code, "archive-damaged") == 0;
    assert_true(complete >= 13 || directory);
    cuw_input_free(input);
    testdata_free(v);
  }
  for (size_t size = 0; size < whole.size; size += whole.size / 23) {
    put("damaged.whl", (struct view){whole.data, size});
    struct cuw_input *input = inspect(below("damaged.whl"));
    assert_true(cuw_input_is_damaged(input));
    cuw_input_free(input);
  }
  testdata_free(whole);
}

/* Changes a field, at `field`, of what the directory of a zip says of `name`. */
static void claim(const char *path, const char *name, size_t field, uint32_t value)
{
  struct view v = load_path(below(path));
  uint8_t *bytes = (uint8_t *)(uintptr_t)v.data, *at = NULL;
  for (size_t i = 0; i + 46 + strlen(name) <= v.size; i++)
    if (memcmp(bytes + i, "PK\1\2", 4) == 0 && memcmp(bytes + i + 46, name, strlen(name)) == 0)
      at = bytes + i;
  assert_non_null(at);
  memcpy(at + field, &value, sizeof value);
  put(path, v);
  testdata_free(v);
}

#define CLAIM_CRC 16u
#define CLAIM_SIZE 24u

/* Members that are read whole for what they say, and members that claim to be empty, are checked as others are. */
static void untrue_members(void **state)
{
  (void)state;
  static char filler[20000];
  snprintf(filler, sizeof filler, "%s", METADATA("pkg"));
  memset(filler + strlen(filler), 'x', sizeof filler - 1 - strlen(filler));
  struct member inner[] = {{"i/x.so", "n130_multi.so", {0}, false}};
  make_zip("inner.whl", inner, 1);
  struct view nested = load_path(below("inner.whl"));
  static const struct {
    const char *name;
    size_t field;
    uint32_t value;
    const char *code;
    size_t libraries;
  } cases[] = {{"pkg-1.2.dist-info/METADATA", CLAIM_CRC, 1, "crc-mismatch", 3},
               {"pkg-1.2.dist-info/METADATA", CLAIM_SIZE, 30000, "size-mismatch", 3},
               {"pkg-1.2.dist-info/METADATA", CLAIM_SIZE, 70, "size-mismatch", 3},
               {"pkg/version.py", CLAIM_CRC, 1, "crc-mismatch", 3},
               {"pkg/in.whl", CLAIM_CRC, 1, "crc-mismatch", 3},
               {"pkg/a.so", CLAIM_SIZE, 0, "size-mismatch", 2},
               {"pkg/b.so", CLAIM_SIZE, 0, "size-mismatch", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct member m[] = {{"pkg/a.so", "n130_multi.so", {0}, false},
                         {"pkg/b.so", "n130_multi.so", {0}, true},
                         {"pkg/empty", NULL, text(""), false},
                         {"pkg/in.whl", NULL, nested, false},
                         {"pkg/version.py", NULL, text("cuda = '12.8'\n"), false},
                         {"pkg-1.2.dist-info/METADATA", NULL, text(filler), false}};
    make_zip("untrue.whl", m, sizeof m / sizeof *m);
    claim("untrue.whl", cases[i].name, cases[i].field, cases[i].value);
    struct cuw_input *input = inspect(below("untrue.whl"));
    assert_int_equal(input->problem_count, 1);
    assert_problem(input, 0, CUW_ERROR, cases[i].code, "untrue.whl", cases[i].name);
    size_t libraries = 0;
    for (size_t d = 0; d < input->distribution_count; d++)
      libraries += input->distributions[d].library_count;
    assert_int_equal(libraries, cases[i].libraries);
    cuw_input_free(input);
  }
  testdata_free(nested);
}

/* Two inner wheels of one distribution stand in the order of their paths, whichever comes first in the archive. */
static void inner_order(void **state)
{
  (void)state;
  struct member inner[] = {{"i/x.so", "n130_multi.so", {0}, false},
                           {"in-1.2.dist-info/METADATA", NULL, text(METADATA("in")), false}};
  make_zip("inner.whl", inner, 2);
  struct view nested = load_path(below("inner.whl"));
  struct member outer[] = {{"b.whl", NULL, nested, true}, {"a.whl", NULL, nested, true}};
  make_zip("order.whl", outer, 2);
  struct cuw_input *input = inspect(below("order.whl"));
  assert_int_equal(input->distribution_count, 2);
  assert_string_equal(input->distributions[0].libraries[0]->path, "order.whl!a.whl!i/x.so");
  assert_string_equal(input->distributions[1].libraries[0]->path, "order.whl!b.whl!i/x.so");
  cuw_input_free(input);
  testdata_free(nested);
}

/* A RECORD of a million short rows, and as many that share a beginning with every library. */
static void long_record(void **state)
{
  (void)state;
  const size_t rows = 200000;
  char *record = malloc(rows * 8 + 64), *at = record;
  for (size_t i = 0; i < rows; i++)
    at += sprintf(at, "%s,,\n", i % 3 == 0 ? "." : i % 3 == 1 ? "p" : "p/l");
  strcpy(at, "p/lib7.so,,\n");
  put_text("big/site-packages/p-1.dist-info/METADATA", METADATA("p"));
  put("big/site-packages/p-1.dist-info/RECORD", (struct view){(const uint8_t *)record, strlen(record)});
  Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN};
  for (unsigned i = 0; i < 2000; i++) {
    char path[64];
    snprintf(path, sizeof path, "big/site-packages/p/lib%u.so", i);
    put(path, (struct view){(const uint8_t *)&h, sizeof h});
  }
  struct cuw_input *input = inspect(below("big"));
  assert_libraries(input, "p", " site-packages/p/lib7.so");
  assert_int_equal(named(input, NULL)->library_count, 1999);
  cuw_input_free(input);
  free(record);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(virtual_environment, make_root, remove_root),
      cmocka_unit_test_setup_teardown(windows_portable, make_root, remove_root),
      cmocka_unit_test_setup_teardown(conda_prefix, make_root, remove_root),
      cmocka_unit_test_setup_teardown(plain_wheel, make_root, remove_root),
      cmocka_unit_test_setup_teardown(nested_wheels, make_root, remove_root),
      cmocka_unit_test_setup_teardown(not_read, make_root, remove_root),
      cmocka_unit_test_setup_teardown(false_wheels, make_root, remove_root),
      cmocka_unit_test_setup_teardown(odd_entries, make_root, remove_root),
      cmocka_unit_test_setup_teardown(unreadable, make_root, remove_root),
      cmocka_unit_test_setup_teardown(damaged_wheel, make_root, remove_root),
      cmocka_unit_test_setup_teardown(untrue_members, make_root, remove_root),
      cmocka_unit_test_setup_teardown(inner_order, make_root, remove_root),
      cmocka_unit_test_setup_teardown(long_record, make_root, remove_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
