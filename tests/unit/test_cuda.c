/* SPDX-License-Identifier: Apache-2.0 */
#include "model/builder.h"
#include "model/cuda.h"
#include "testdata.h"

struct row {
  const char *text;
  const char *version; /* "" none */
};

static void check_rows(const struct row *rows, size_t count, bool (*read)(const char *, char *))
{
  for (size_t i = 0; i < count; i++) {
    char out[CUDA_VERSION_MAX] = "?";
    bool found = read(rows[i].text, out);
    if (strcmp(out, rows[i].version) != 0 || found != (rows[i].version[0] != 0))
      fail_msg("%s: \"%s\", expected \"%s\"", rows[i].text, out, rows[i].version);
  }
}

#define CHECK_ROWS(rows, read) check_rows(rows, sizeof(rows) / sizeof((rows)[0]), read)

static void needed(void **state)
{
  (void)state;
  static const struct row rows[] = {
      {"libcudart.so.12", "12"},
      {"libcudart.so.13", "13"},
      {"libcudart.so.11.0", "11"},
      {"libcudart.so.10.2", "10"},
      {"libcudart.so", ""},
      {"libcudart-5a077122.so.12.0.107", "12.0"},
      {"libcudart-d0da41ae.so.11.8.89", "11.8"},
      {"libcudart-d0da41ae.so.11.0", "11"},
      {"libnvrtc-672ee683.so.11.2", "11"},
      {"libcudart.8dd2b5e6.so.12", "12"},
      {"libnvjpeg.8dd2b5e6.so.12", "12"},
      {"libcudart.static.so.12", ""},
      {"libcublas-37d11411.so.11.11.3.6", "11"},
      {"/opt/x/libcudart.so.12", "12"},
      {"libcublas.so.12", "12"},
      {"libcublasLt.so.13", "13"},
      {"libnvrtc.so.13", "13"},
      {"libnvrtc-builtins.so.12.8", "12"},
      {"libnvJitLink.so.12", "12"},
      {"libnppial.so.12", "12"},
      {"libnvjpeg.so.13", "13"},
      {"libcupti.so.12", "12"},
      {"libcupti.so.2024.1.0", ""},
      {"libcufft.so.10", "11"},
      {"libcufft.so.11", "12"},
      {"libcufft.so.12", "13"},
      {"libcufft.so.9", ""},
      {"libcusparse.so.11", "11"},
      {"libcusparse.so.12", ""},
      {"libcusolver.so.11", ""},
      {"libcusolver.so.12", "13"},
      {"libcurand.so.10", ""},
      {"libcudnn.so.9", ""},
      {"libcudnn-74a4c495.so.9.1.0", ""},
      {"libnccl.so.2", ""},
      {"libnvshmem_host.so.3", ""},
      {"libcutensor.so.2", ""},
      {"libcuda.so.1", ""},
      {"libc.so.6", ""},
      {"libcudart.so.x", ""},
      {"cudart.so.12", ""},
      {"libtorch_cuda.so", ""},
      {"libcudart.so.120000000000000000000000", ""},
      {"cudart64_12.dll", "12"},
      {"cudart64_13.dll", "13"},
      {"cudart64_110.dll", "11"},
      {"cudart64_102.dll", "10"},
      {"cudart64_90.dll", "9"},
      {"CUDART64_12.DLL", "12"},
      {"cudart64_12-c9f5e3bd8c5d9c7a9e3ad7d9c5e0d1f2.dll", "12"},
      {"cublas64_12.dll", "12"},
      {"cublasLt64_11.dll", "11"},
      {"nvrtc64_120_0.dll", "12"},
      {"nvrtc64_112_0.dll", "11"},
      {"nvJitLink_120_0.dll", "12"},
      {"cufft64_11.dll", "12"},
      {"cusparse64_12.dll", ""},
      {"cusolver64_11.dll", ""},
      {"curand64_10.dll", ""},
      {"cudnn64_9.dll", ""},
      {"nppc64_12.dll", "12"},
      {"nvcuda.dll", ""},
      {"KERNEL32.dll", ""},
      {"MSVCP140.dll", ""},
      {"api-ms-win-crt-math-l1-1-0.dll", ""},
      {"_.dll", ""},
      {".dll", ""},
      {"", ""},
  };
  CHECK_ROWS(rows, cuda_from_needed);
}

static void local_versions(void **state)
{
  (void)state;
  static const struct row rows[] = {
      {"2.15.0+cu128", "12.8"},
      {"2.15.0+cu132", "13.2"},
      {"2.4.1+cu118", "11.8"},
      {"1.13.1+cu117.with.pypi.cudnn", "11.7"},
      {"1.0+cu92", "9.2"},
      {"1.0+cu12", "12"},
      {"0.4.25+cuda12.cudnn89", "12"},
      {"0.3.25+cuda11.cudnn805", "11"},
      {"2.1.2+pt21cu118", "11.8"},
      {"2.5.6+cu122torch2.3cxx11abifalse", "12.2"},
      {"1.0+CU126", "12.6"},
      {"1.0+cuda12.4", "12.4"},
      {"2.0+cpu", ""},
      {"2.0+rocm6.1", ""},
      {"2.15.0", ""},
      {"1.0+cu", ""},
      {"1.0+cu1", ""},
      {"1.0+cu20240101", ""},
      {"1.0+acu128", ""},
      {"cu128", ""},
      {"", ""},
  };
  CHECK_ROWS(rows, cuda_from_local_version);
}

static void names(void **state)
{
  (void)state;
  static const struct row rows[] = {
      {"cupy-cuda12x", "12"},
      {"cupy-cuda102", "10.2"},
      {"spconv-cu120", "12.0"},
      {"faiss-gpu-cu12", "12"},
      {"nvidia-cublas-cu12", "12"},
      {"jax-cuda12-plugin", "12"},
      {"jax_cuda13_plugin", "13"},
      {"libbitsandbytes_cuda121.so", "12.1"},
      {"libbitsandbytes_cuda118.dll", "11.8"},
      {"libfoo.cu118.so", "11.8"},
      {"mxnet-cu92", "9.2"},
      {"thing-cuda12.4", "12.4"},
      {"onnxruntime-gpu", ""},
      {"libtorch_cuda.so", ""},
      {"libcuda.so.1", ""},
      {"libcudart.so.12", ""},
      {"cudart64_110.dll", ""},
      {"cuda-python", ""},
      {"cupy", ""},
      {"focus12", ""},
      {"cuda1", ""},
      {"cu1234", ""},
      {"cuda12abc", ""},
      {"cu55", ""},
      {"", ""},
  };
  CHECK_ROWS(rows, cuda_from_name);
}

static bool requires_any(const char *text, char *out)
{
  bool optional;
  return cuda_from_requires(text, out, &optional);
}

static void requirements(void **state)
{
  (void)state;
  static const struct row rows[] = {
      {"nvidia-cuda-runtime-cu12==12.8.90; platform_system == \"Linux\"", "12.8"},
      {"nvidia-cuda-runtime-cu12>=12.1.105", "12"},
      {"nvidia-cuda-runtime-cu12", "12"},
      {"nvidia-cuda-nvrtc-cu12 (==12.4.127)", "12.4"},
      {"nvidia-cublas-cu12==12.1.3.1", "12"},
      {"nvidia_cublas_cu13", "13"},
      {"NVIDIA.cuDNN--cu13==9.26.0.51 ; x", "13"},
      {"nvidia-nccl-cu12; platform_system == 'Linux'", "12"},
      {"nvidia-cuda-runtime==13.*", "13"},
      {"nvidia-cuda-runtime~=13.0", "13"},
      {"nvidia-cuda-runtime~=12.8.0", "12.8"},
      {"nvidia-cuda-runtime>=13", ""},
      {"nvidia-cuda-runtime", ""},
      {"nvidia-cublas==13.1.0.3", "13"},
      {"nvidia-cublas<14,>=13.0", "13"},
      {"nvidia-cufft==12.*", "13"},
      {"nvidia-cusparse==12.6.3.3", ""},
      {"nvidia-curand==10.4.*", ""},
      {"cuda-toolkit[cublas,cudart]==13.2.2; platform_system == \"Linux\"", "13.2"},
      {"cuda-toolkit[cublas,cudart] == 12.*; extra == 'ctk'", "12"},
      {"cuda-toolkit==12.8.*", "12.8"},
      {"cuda-toolkit>=12.2,<13", "12"},
      {"cuda-toolkit>=12.2,<14", ""},
      {"cuda-toolkit", ""},
      {"cuda-toolkit!=12.1", ""},
      {"jax-cuda12-plugin[with-cuda]<=0.5,>=0.5; extra == 'cuda12'", "12"},
      {"nvidia-cudnn-frontend>=1.31.0", ""},
      {"nvidia-ml-py==12.535.77", ""},
      {"torch==2.7.0", ""},
      {"numpy>=1.20; extra == 'cu12'", ""},
      {"", ""},
      {"==;==", ""},
  };
  CHECK_ROWS(rows, requires_any);
  char out[CUDA_VERSION_MAX];
  bool optional;
  assert_true(cuda_from_requires("nvidia-cublas-cu12; extra == \"cuda\"", out, &optional));
  assert_true(optional);
  assert_true(cuda_from_requires("nvidia-cublas-cu12; platform_system == 'Linux'", out, &optional));
  assert_false(optional);
}

static bool version_file(const char *text, char *out)
{
  struct view v = testdata_text(text);
  bool found = cuda_from_version_file(v, out);
  testdata_free(v);
  return found;
}

static void version_files(void **state)
{
  (void)state;
  static const struct row rows[] = {
      {"__all__ = ['__version__', 'debug', 'cuda', 'hip']\n__version__ = '2.15.0+cu132'\ndebug = False\n"
       "cuda: Optional[str] = '13.2'\nhip: Optional[str] = None\n",
       "13.2"},
      {"cuda = '12.8'\n", "12.8"},
      {"cuda = \"11.7.1\"", "11.7"},
      {"cuda: Optional[str] = None\n__version__ = '2.0+cpu'\n", ""},
      {"__version__ = '0.23.0+cu128'\nif _check() > 0:\n    cuda = _check_cuda_version()\n", "12.8"},
      {"__version__ = version = '0.33.0+cu129'\n", "12.9"},
      {"__version__ = \"0.0.30\"\n", ""},
      {"full_version    = '2.6.1'\ncuda_version    = '11.8'\ncudnn_version   = '8.6.0'\n", "11.8"},
      {"cuda_version    = 'False'\n    # cuda: '10.2'\ndef cuda():\n    return cuda_version\n", ""},
      {"build_info = OrderedDict([('cuda_version', '12.5.1'), ('cudnn_version', '9')])\n", "12.5"},
      {"build_info = OrderedDict([('cuda_version', '64_112'), ('cudnn_version', '64_8')])\n", "11.2"},
      {"build_info = {'cuda_version': '64_101', 'cudnn_version': '64_7'}\n", "10.1"},
      {"{\"version\": {\"cuda\": 1206, \"hip\": null, \"torch\": \"2.7.0+cu126\"}}", "12.6"},
      {"{\"version\": {\"cuda\": null}}", ""},
      {"cuda == '12.8'\n", ""},
      {"cuda = '12.8", ""},
      {"cuda = ", ""},
      {"cuda", ""},
      {"cuda = 'a string that is far too long to be a version of anything at all, really'", ""},
      {"", ""},
  };
  CHECK_ROWS(rows, version_file);
}

static void ptx_isa(void **state)
{
  (void)state;
  static const struct {
    unsigned major, minor;
    const char *version;
  } rows[] = {{6, 5, "10.2"}, {7, 0, "11.0"}, {7, 8, "11.8"}, {8, 0, "12.0"},    {8, 5, "12.5"},
              {8, 6, "12.7"}, {8, 7, "12.8"}, {8, 8, "12.9"}, {9, 0, "13.0"},    {9, 5, "13.5"},
              {9, 6, ""},     {6, 4, ""},     {0, 0, ""},     {65535, 65535, ""}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char out[CUDA_VERSION_MAX];
    assert_int_equal(cuda_from_ptx_isa(rows[i].major, rows[i].minor, out), rows[i].version[0] != 0);
    assert_string_equal(out, rows[i].version);
  }
}

/* One library as a line: sonames, toolkits and ISAs between blanks. A toolkit with + is that of an embedded cubin. */
struct library_row {
  const char *path, *needed, *toolkits, *isas;
  const char *cuda; /* "" unknown */
  bool conflict;
};

static void each_word(struct cuw_library *l, const char *words, void (*add)(struct cuw_library *, const char *))
{
  char copy[256], *save = NULL;
  snprintf(copy, sizeof(copy), "%s", words);
  for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
    add(l, word);
}

static void add_needed(struct cuw_library *l, const char *word)
{
  library_add_needed(l, word, strlen(word));
}

static void add_cubin(struct cuw_library *l, const char *word)
{
  struct cuw_image *image = library_add_image(l);
  image->kind = CUW_KIND_CUBIN;
  bool embedded = word[0] == '+';
  image->role = embedded ? CUW_ROLE_SELF_LOADED : CUW_ROLE_REGISTERED;
  image->fatbin = embedded ? CUW_NO_FATBIN : 0;
  image->toolkit = strcmp(word, "-") ? arena_string(library_arena(l), word + embedded) : NULL;
}

static void add_ptx(struct cuw_library *l, const char *word)
{
  struct cuw_image *image = library_add_image(l);
  unsigned major = 0, minor = 0;
  assert_int_equal(sscanf(word, "%u.%u", &major, &minor), 2);
  image->kind = CUW_KIND_PTX;
  image->isa_major = (uint16_t)major;
  image->isa_minor = (uint16_t)minor;
}

static struct cuw_library *library_make(const struct library_row *row, enum cuw_format format)
{
  struct cuw_library *l = library_new(row->path, format, 1000);
  assert_non_null(l);
  each_word(l, row->needed, add_needed);
  each_word(l, row->toolkits, add_cubin);
  each_word(l, row->isas, add_ptx);
  library_decide_cuda(l);
  return l;
}

static void libraries(void **state)
{
  (void)state;
  static const struct library_row rows[] = {
      {"p/lib.so", "libcudart.so.12 libc.so.6", "12.8", "", "12.8", false},
      {"p/lib.so", "libcudart.so.12", "", "", "12", false},
      {"p/lib.so", "libcudart.so.13 libcusparse.so.12", "13.2 13.2 13.4", "9.2", "13.2", false},
      {"p/lib.so", "libcudart.so.13", "13.2 13.4", "", "13.4", false},
      {"p/lib.so", "libcudart.so.12", "11.8", "", "11.8", true},
      {"p/lib.so", "libcudart.so.12 libcublas.so.11", "", "", "12", true},
      {"p/lib.so", "libcudart-5a077122.so.12.0.107", "", "", "12.0", false},
      {"p/lib.so", "libcudart-5a077122.so.12.0.107", "12.1", "", "12.1", false},
      {"p/lib.so", "", "", "8.7", "12.8", false},
      {"p/lib.so", "", "", "7.0 8.7", "12.8", false},
      {"p/lib.so", "", "", "8.5", "12", false},
      {"p/lib.so", "", "", "9.9", "", false},
      {"p/lib.so", "libcudart.so.12", "", "8.7", "12.8", false},
      {"p/lib.so", "libcudart.so.12", "", "7.8", "12", false},
      {"p/lib.so", "libcudart.so.12", "", "9.0", "12", true},
      {"p/lib.so", "", "12.4", "9.0", "12.4", true},
      {"p/lib.so", "libcudnn.so.9 libcurand.so.10", "", "", "", false},
      {"p/lib.so", "", "- -", "", "", false},
      {"p/lib.so", "libcudart.so.12", "12.2 +11.1 +11.8 +11.8 +12.3", "8.2", "12.2", false},
      {"p/lib.so", "libcudart.so.12", "+11.8", "", "12", false},
      {"p/lib.so", "libcudart.so.12", "12.8", "8.8", "12.9", false},
      {"p/lib.so", "libcudart.so.12", "12.8", "8.2", "12.8", false},
      {"p/lib.so", "", "+9.0 +13.1 +12.3", "", "13.1", false},
      {"p/lib_cuda121.so", "libcudart.so.12", "", "", "12.1", false},
      {"p/lib_cuda118.so", "libcudart.so.12", "", "", "11.8", true},
      {"cu118/lib.so", "libcudart.so.12", "", "", "12", false},
      {"p/libx_cu12.a(a/b.o)", "", "", "", "12", false},
      {"", "", "", "", "", false},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    struct cuw_library *l = library_make(&rows[i], CUW_ELF);
    if (strcmp(l->cuda ? l->cuda : "", rows[i].cuda) != 0 || l->cuda_conflict != rows[i].conflict)
      fail_msg("row %zu: %s %d, expected %s %d", i, l->cuda ? l->cuda : "-", l->cuda_conflict, rows[i].cuda,
               rows[i].conflict);
    cuw_library_free(l);
  }
}

static void library_lists_its_evidence_once(void **state)
{
  (void)state;
  struct library_row row = {"lib_cuda128.so", "libcudart.so.12 libcublas.so.12", "12.8 12.8 12.9", "8.7", "", false};
  struct cuw_library *l = library_new(row.path, CUW_ELF, 1);
  l->static_runtime = true;
  each_word(l, row.needed, add_needed);
  each_word(l, row.toolkits, add_cubin);
  each_word(l, row.isas, add_ptx);
  library_decide_cuda(l);
  static const struct row expected[] = {{"needed", "12"},    {"static-runtime", ""}, {"toolkit", "12.8"},
                                        {"toolkit", "12.9"}, {"ptx", "12.8"},        {"name", "12.8"}};
  assert_int_equal(l->evidence_count, 6);
  for (size_t i = 0; i < 6; i++) {
    assert_string_equal(l->evidence[i].source, expected[i].text);
    assert_string_equal(l->evidence[i].value, expected[i].version);
    assert_string_equal(l->evidence[i].library, "lib_cuda128.so");
  }
  cuw_library_free(l);
}

#define ROW_LISTS 4

struct distribution_row {
  const char *name, *version, *local;
  const char *requires[ROW_LISTS], *files[ROW_LISTS];
  struct library_row libraries[ROW_LISTS];
  enum cuw_format format;
  const char *cuda;
  bool conflict;
};

static size_t length_of(const char *const list[ROW_LISTS])
{
  size_t count = 0;
  while (count < ROW_LISTS && list[count])
    count++;
  return count;
}

static void check_distribution(const struct distribution_row *row)
{
  struct arena *a = arena_new();
  struct cuw_library *libraries[ROW_LISTS];
  struct cuw_distribution d = {.name = row->name, .version = row->version, .libraries = libraries};
  for (; d.library_count < ROW_LISTS && row->libraries[d.library_count].path; d.library_count++)
    libraries[d.library_count] = library_make(&row->libraries[d.library_count], row->format);
  distribution_evidence(a, &d, (const char **)(uintptr_t)row->requires, length_of(row->requires), row->local,
                        (const char **)(uintptr_t)row->files, length_of(row->files));
  if (strcmp(d.cuda ? d.cuda : "", row->cuda) != 0 || d.cuda_conflict != row->conflict)
    fail_msg("%s: %s %d, expected %s %d", row->name, d.cuda ? d.cuda : "-", d.cuda_conflict, row->cuda, row->conflict);
  for (size_t i = 0; i < d.library_count; i++)
    cuw_library_free(libraries[i]);
  arena_free(a);
}

static void distributions(void **state)
{
  (void)state;
  static const struct distribution_row rows[] = {
      {"torch",
       "2.15.0",
       NULL,
       {"cuda-toolkit[cudart]==13.2.2; platform_system == \"Linux\"", "nvidia-nccl-cu13==2.30.7"},
       {"13.2"},
       {{"torch/lib/libtorch_cuda.so", "libcudart.so.13", "13.2 13.4", "", "", false}},
       CUW_ELF,
       "13.2",
       false},
      {"local over toolkit",
       "1.0+cu128",
       NULL,
       {NULL},
       {NULL},
       {{"a.so", "libcudart.so.12", "12.9", "", "", false}},
       CUW_ELF,
       "12.8",
       false},
      {"local from the file name", "1.0", "1.0+cu126", {NULL}, {NULL}, {{.path = NULL}}, CUW_ELF, "12.6", false},
      {"local major gives way",
       "1.0+cu12",
       NULL,
       {NULL},
       {NULL},
       {{"a.so", "libcudart.so.12", "12.9", "", "", false}},
       CUW_ELF,
       "12.9",
       false},
      {"local against needed",
       "1.0+cu118",
       NULL,
       {NULL},
       {NULL},
       {{"a.so", "libcudart.so.12", "", "", "", false}},
       CUW_ELF,
       "11.8",
       true},
      {"file against local", "1.0+cu126", NULL, {NULL}, {"12.8"}, {{.path = NULL}}, CUW_ELF, "12.8", true},
      {"requires alone", "1.0", NULL, {"nvidia-cublas-cu12"}, {NULL}, {{.path = NULL}}, CUW_ELF, "12", false},
      {"requires against needed",
       "1.0",
       NULL,
       {"nvidia-cublas-cu13"},
       {NULL},
       {{"a.so", "libcudart.so.12", "", "", "", false}},
       CUW_ELF,
       "13",
       true},
      {"extras that disagree",
       "1.0",
       NULL,
       {"nvidia-cublas-cu12; extra == 'cuda12'", "nvidia-cublas-cu13; extra == 'cuda13'"},
       {NULL},
       {{.path = NULL}},
       CUW_ELF,
       "",
       false},
      {"extras that agree",
       "1.0",
       NULL,
       {"cuda-toolkit[all]==12.*; extra == 'ctk'"},
       {NULL},
       {{.path = NULL}},
       CUW_ELF,
       "12",
       false},
      {"extras give way",
       "1.0",
       NULL,
       {"nvidia-cublas-cu12", "nvidia-cublas-cu13; extra == 'new'"},
       {NULL},
       {{.path = NULL}},
       CUW_ELF,
       "12",
       false},
      {"spconv-cu120",
       "2.3.6",
       NULL,
       {NULL},
       {NULL},
       {{"a.so", "libcudart-5a077122.so.12.0.107", "", "", "", false}},
       CUW_ELF,
       "12.0",
       false},
      {"faiss-gpu-cu12", "1.13.2", NULL, {NULL}, {NULL}, {{"a.so", "", "", "", "", false}}, CUW_ELF, "12", false},
      {"most libraries decide",
       "1.0",
       NULL,
       {NULL},
       {NULL},
       {{"a.so", "", "12.4", "", "", false}, {"b.so", "", "12.4", "", "", false}, {"c.so", "", "12.6", "", "", false}},
       CUW_ELF,
       "12.4",
       false},
      {"libraries that disagree",
       "1.0",
       NULL,
       {NULL},
       {NULL},
       {{"a.so", "libcudart.so.12", "", "", "", false}, {"b.so", "libcudart.so.11.0", "", "", "", false}},
       CUW_ELF,
       "12",
       true},
      {"bitsandbytes",
       "0.46.1",
       NULL,
       {NULL},
       {NULL},
       {{"libbitsandbytes_cuda118.dll", "cudart64_110.dll", "11.8", "", "", false},
        {"libbitsandbytes_cuda121.dll", "cudart64_12.dll", "12.1", "", "", false}},
       CUW_PE,
       "",
       false},
      {"variants of one major",
       "1.0",
       NULL,
       {NULL},
       {NULL},
       {{"x_cuda121.so", "libcudart.so.12", "12.1", "", "", false},
        {"x_cuda124.so", "libcudart.so.12", "12.4", "", "", false}},
       CUW_ELF,
       "12",
       false},
      {"variants beside a library",
       "1.0",
       NULL,
       {NULL},
       {NULL},
       {{"x_cuda118.so", "libcudart.so.11.0", "11.8", "", "", false},
        {"x_cuda124.so", "libcudart.so.12", "12.4", "", "", false},
        {"y.so", "libcudart.so.12", "12.6", "", "", false}},
       CUW_ELF,
       "12.6",
       false},
      {"loose cubins",
       "1.0",
       NULL,
       {NULL},
       {NULL},
       {{"a.cubin", "", "12.8", "", "", false},
        {"b.cubin", "", "13.0", "", "", false},
        {"c.cubin", "", "12.8", "", "", false}},
       CUW_CUBIN,
       "12.8",
       false},
      {"nothing", "1.0", NULL, {NULL}, {NULL}, {{.path = NULL}}, CUW_ELF, "", false},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
    check_distribution(&rows[i]);
}

static void distribution_without_a_name(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  struct library_row row = {"a.so", "libcudart.so.12", "12.8", "", "", false};
  struct library_row loose[2] = {{"a.cubin", "", "12.8", "", "", false}, {"b.cubin", "", "12.8", "", "", false}};
  struct cuw_library *libraries[3] = {library_make(&row, CUW_ELF), library_make(&loose[0], CUW_CUBIN),
                                      library_make(&loose[1], CUW_CUBIN)};
  struct cuw_distribution d = {.libraries = libraries, .library_count = 3};
  distribution_evidence(a, &d, NULL, 0, NULL, NULL, 0);
  assert_string_equal(d.cuda, "12.8");
  assert_int_equal(d.evidence_count, 2); /* the toolkit of loose images adds nothing new */
  assert_string_equal(d.evidence[0].source, "needed");
  assert_string_equal(d.evidence[0].library, "a.so");
  assert_string_equal(d.evidence[1].source, "toolkit");
  for (size_t i = 0; i < 3; i++)
    cuw_library_free(libraries[i]);
  arena_free(a);
}

/* An archive has an object for each source: they do not outvote the library that is loaded, but stand in for it. */
static void archives_beside_a_library(void **state)
{
  (void)state;
  struct arena *a = arena_new();
  struct library_row objects[2] = {{"x.a(1.o)", "", "12.0 12.0", "8.0", "", false},
                                   {"x.a(2.o)", "", "12.0 12.0", "8.0", "", false}};
  struct library_row host = {"x.so", "", "12.9", "8.8", "", false};
  struct cuw_library *libraries[3] = {library_make(&objects[0], CUW_AR), library_make(&objects[1], CUW_AR),
                                      library_make(&host, CUW_ELF)};
  struct cuw_distribution both = {.libraries = libraries, .library_count = 3};
  struct cuw_distribution archive = {.libraries = libraries, .library_count = 2};
  distribution_evidence(a, &both, NULL, 0, NULL, NULL, 0);
  assert_string_equal(both.cuda, "12.9");
  distribution_evidence(a, &archive, NULL, 0, NULL, NULL, 0);
  assert_string_equal(archive.cuda, "12.0");
  for (size_t i = 0; i < 3; i++)
    cuw_library_free(libraries[i]);
  arena_free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(needed),
      cmocka_unit_test(local_versions),
      cmocka_unit_test(names),
      cmocka_unit_test(requirements),
      cmocka_unit_test(version_files),
      cmocka_unit_test(ptx_isa),
      cmocka_unit_test(libraries),
      cmocka_unit_test(library_lists_its_evidence_once),
      cmocka_unit_test(distributions),
      cmocka_unit_test(distribution_without_a_name),
      cmocka_unit_test(archives_beside_a_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
