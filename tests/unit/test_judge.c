/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on hand-made libraries, one rule after the other. Notation: records.h. */
#include "records.h"

struct row {
  const char *path;
  const char *images;
  unsigned number;
  const char *driver;
  const char *expected; /* "result native/jit/gated/specialised/none/empty self total/native/jit" */
};

#define LIB "pkg/lib.so"

static const struct row rows[] = {
    {LIB, "R c80 | R c80 p80", 80, NULL, "native 2/0/0/0/0/0 self 0/0/0"},
    {LIB, "R c80 | R c80 p80", 90, NULL, "partial 0/1/0/0/1/0 self 0/0/0"},
    {LIB, "R c80 p80 | R p75", 90, NULL, "jit 0/2/0/0/0/0 self 0/0/0"},
    {LIB, "R c80 | R c86", 75, NULL, "none 0/0/0/0/2/0 self 0/0/0"},
    {LIB, "R c80 p80 | R c90a", 80, NULL, "native 1/0/1/0/0/0 self 0/0/0"},
    {LIB, "R c90a | R c90a p90a", 100, NULL, "gated 0/0/2/0/0/0 self 0/0/0"},
    {LIB, "R c90a | R c80", 120, NULL, "none 0/0/1/0/1/0 self 0/0/0"},
    /* Empty: no kernel in any image; not judged, whatever fits. */
    {LIB, "R c52=- | R c80", 80, NULL, "native 1/0/0/0/0/1 self 0/0/0"},
    {LIB, "R c52=- p52=- | R c80", 120, NULL, "none 0/0/0/0/1/1 self 0/0/0"},
    {LIB, "R c52=-", 120, NULL, "no-gpu-code 0/0/0/0/0/1 self 0/0/0"},
    {LIB, "R c52=- c60=k", 120, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c90a=-", 120, NULL, "no-gpu-code 0/0/0/0/0/1 self 0/0/0"},
    {LIB, "R l90", 90, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "R l90 c52=-", 90, NULL, "no-gpu-code 0/0/0/0/0/1 self 0/0/0"},
    {LIB, "R l90a", 80, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "R i0", 80, NULL, "no-gpu-code 0/0/0/0/0/1 self 0/0/0"},
    /* What cannot be read makes a fatbin judged and its library incomplete. */
    {LIB, "R c80=?", 80, NULL, "unknown 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "R c80=?", 90, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c80=? c86=k", 80, NULL, "native 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "R c80=? c86=-", 86, NULL, "unknown 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "R x80", 80, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "R x80 c80=-", 80, NULL, "unknown 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "R x80 c80", 80, NULL, "native 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "R c90a=?", 80, NULL, "unknown 0/0/1/0/0/0 self 0/0/0"},
    /* Linked, and the JIT link from the relocatable ones. */
    {LIB, "B c80 p80 | L c80", 80, NULL, "native 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "B c80 p80 | L c80", 120, NULL, "jit 0/1/0/0/0/0 self 0/0/0"},
    {LIB, "B c80 p80 | B c80 | L c80", 120, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "B p80=- | B c80 p80 | L c80", 120, NULL, "jit 0/1/0/0/0/0 self 0/0/0"},
    {LIB, "B c80 l80 | L c80", 90, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "L c80", 120, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "B c80 | L c80 p80", 120, NULL, "jit 0/1/0/0/0/0 self 0/0/0"},
    {LIB, "B c80 c90 | L c80", 90, NULL, "jit 0/1/0/0/0/0 self 0/0/0"},
    {LIB, "B c80 p80 | L c52=-", 120, NULL, "no-gpu-code 0/0/0/0/0/1 self 0/0/0"},
    {LIB, "B c80 p80 | R c80", 120, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "B c80 p80", 80, NULL, "no-gpu-code 0/0/0/0/0/0 self 0/0/0"},
    {LIB, "B p80@8.7 | L c80", 90, "550.54.14", "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "B p80@8.4 | L c80", 90, "550.54.14", "jit 0/1/0/0/0/0 self 0/0/0"},
    {LIB, "B c90a p90a | L c90a", 100, NULL, "gated 0/0/1/0/0/0 self 0/0/0"},
    {LIB, "B p90a@8.7 | L c80 c86a", 90, "550.54.14", "none 0/0/0/0/1/0 self 0/0/0"},
    /* Self-loaded: counted apart; they decide only where nothing is judged. */
    {LIB, "S c80", 80, NULL, "native 0/0/0/0/0/0 self 1/1/0"},
    {LIB, "S c80 p80 | s p75", 90, NULL, "jit 0/0/0/0/0/0 self 2/0/2"},
    {LIB, "S c80 | s c90 | s p120", 90, NULL, "native 0/0/0/0/0/0 self 3/1/0"},
    {LIB, "S c80 | S l80", 90, NULL, "none 0/0/0/0/0/0 self 2/0/0"},
    {LIB, "S c90a", 120, NULL, "none 0/0/0/0/0/0 self 1/0/0"},
    {LIB, "S c80 | R c52=-", 80, NULL, "native 0/0/0/0/0/1 self 1/1/0"},
    {LIB, "S c90 | R c80", 80, NULL, "native 1/0/0/0/0/0 self 1/0/0"},
    {LIB, "S c80 | R c90", 80, NULL, "none 0/0/0/0/1/0 self 1/1/0"},
    {LIB, "S c80 | R c90a", 80, NULL, "gated 0/0/1/0/0/0 self 1/1/0"},
    {LIB, "s c80 c86 p86", 86, NULL, "native 0/0/0/0/0/0 self 3/2/1"},
    {LIB, "S p80@8.7", 90, "550.54.14", "none 0/0/0/0/0/0 self 1/0/0"},
    /* Link-time: listed, not judged. */
    {"libx.a(a.o)", "A c80 p80", 80, NULL, "no-gpu-code 0/0/0/0/0/0 self 0/0/0"},
    {LIB, "", 80, NULL, "no-gpu-code 0/0/0/0/0/0 self 0/0/0"},
    /* Specialised (a): variants of a function that the device has. */
    {LIB, "R c75=_Z1fIiEvT_ | R c80=_Z1fIfEvT_ c86 c90", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=_Z1gIiEvT_ | R c80=_Z1fIfEvT_ c86 c90", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=_Z1fIiEvT_,g | R c80=_Z1fIfEvT_ c86 c90", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=f,g | R c80=f c86 c90 | R c80=g", 80, NULL, "native 2/0/0/1/0/0 self 0/0/0"},
    /* ... in the chosen image, not in another one of the fatbin. */
    {LIB, "R c75=f | R c80=g c86=f c90", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=f | R c80=g c86=f c90", 86, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    /* ... only of fatbins that fit. */
    {LIB, "R c75=f | R c80=g c86 c90 | R c70=f c60 c50", 80, NULL, "partial 1/0/0/0/2/0 self 0/0/0"},
    /* ... only by fatbins with fewer than half of the widest's architectures. */
    {LIB, "R c75=f | R c80=f c86", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=f c70 | R c80=f c86 c90 c100", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=f c70 | R c80=f c86 c90 c100 c120", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=f p75 c75a | R c80=f c86 c90", 70, NULL, "none 0/0/0/0/2/0 self 0/0/0"},
    {LIB, "R c75=f c75a l75 | R c80=f c86 c90", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=f | R c80=f l90 l100", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=f | R c80=f c101 c110", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=f | R c80=f | R c90=f c100 c120", 80, NULL, "partial 1/0/0/0/2/0 self 0/0/0"},
    /* Specialised (b): the architecture is in the name. */
    {LIB, "R c75=sm75_gemm | R c80=f c86 c90", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=turing_gemm,cutlass_75_x | R c80=f c86 c90", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=turing_gemm,f | R c80=f c86 c90", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=turing_gemm,h | R c80=f c86 c90", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75=x_CUB_2_SM_750_y | R c80=f c86 c90", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    /* The kernels are those of the largest image that has any; the first of equals. */
    {LIB, "R c75:10=g c70:20=f | R c80=f c86 c90 c100 c120", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75:20=g c70:10=f | R c80=f c86 c90 c100 c120", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c75:10=f c70:10=g | R c80=f c86 c90 c100 c120", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75:30=- c70:10=f | R c80=f c86 c90 c100 c120", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75:30=? c70:10=f | R c80=f c86 c90 c100 c120", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {LIB, "R c75=? | R c80=f c86 c90", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    /* What a JIT link gives the device are the kernels of the linked fatbin's largest image. */
    {LIB, "R c75=f | B p60 | L c80:10=g c86:20=f c89:5", 90, NULL, "jit 0/1/0/1/0/0 self 0/0/0"},
    /* Gated goes first. */
    {LIB, "R c90a=f | R c80=f c86 c89", 80, NULL, "native 1/0/1/0/0/0 self 0/0/0"},
    /* Specialised (2): NVIDIA's own libraries, if a cubin fits somewhere. */
    {"nvidia/cublas/lib/libcublasLt.so.12", "R c75=g c70 | R c80=f", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {"x.libs/libcudnn-1f2e.so.9", "R c75=g | R c80=f", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {"bin/CUBLAS64_12.DLL", "R c75=g | R c80=f", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {"npp/libnppc.so", "R c75=g | R c80=f", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {"x/libnccl.so.2", "R c75=g | R p80=f", 80, NULL, "partial 0/1/0/0/1/0 self 0/0/0"},
    {"x/libnccl.so.2", "R c75=g | R c70=f", 80, NULL, "none 0/0/0/0/2/0 self 0/0/0"},
    {"x/libmycublas.so", "R c75=g | R c80=f", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {"cublas/libfoo.so", "R c75=g | R c80=f", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    {"o.whl!i.whl!libcufft.so", "R c75=g | R c80=f", 80, NULL, "native 1/0/0/1/0/0 self 0/0/0"},
    {"x/libcublas.so", "R l80 | R c80=f", 80, NULL, "partial 1/0/0/0/1/0 self 0/0/0"},
    /* Refused by the driver: neither gated nor specialised. */
    {"x/libcublas.so", "R p80@8.7=g | R c90=f", 90, "550.54.14", "partial 1/0/0/0/1/0 self 0/0/0"},
    /* Tegra. */
    {LIB, "R c80 c86", 87, NULL, "none 0/0/0/0/1/0 self 0/0/0"},
    {LIB, "R c80 p80", 87, NULL, "jit 0/1/0/0/0/0 self 0/0/0"},
    {LIB, "R c87", 87, NULL, "native 1/0/0/0/0/0 self 0/0/0"},
    {LIB, "R c101", 110, NULL, "native 1/0/0/0/0/0 self 0/0/0"},
};

static void describe(const struct cuw_library_verdict *v, char out[128])
{
  const struct cuw_counts *c = &v->counts;
  snprintf(out, 128, "%s %zu/%zu/%zu/%zu/%zu/%zu self %zu/%zu/%zu", cuw_result_name(v->result), c->native, c->jit,
           c->gated, c->specialised, c->none, c->empty, c->self_total, c->self_native, c->self_jit);
}

static void test_rows(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct record r;
    struct cuw_library_verdict v;
    char text[128];
    record_make(&r, rows[i].path, rows[i].images);
    record_judge(&r, rows[i].number, rows[i].driver, &v);
    describe(&v, text);
    if (strcmp(text, rows[i].expected) != 0)
      fail_msg("%s \"%s\" on %u:\n  %s, not\n  %s", rows[i].path, rows[i].images, rows[i].number, text,
               rows[i].expected);
    cuw_library_verdict_free(&v);
  }
}

/* The wants are no more than a verdict needs. */
static void test_little_is_opened(void **state)
{
  struct record r;
  struct cuw_library_verdict v;
  (void)state;
  /* The smallest image of each fatbin, up to the first kernel. */
  record_make(&r, LIB, "R c80:30 c86:10=- c90:20 p90:40 | R c80:10 c90:5");
  record_judge(&r, 90, NULL, &v);
  assert_int_equal(r.opened, 3);
  assert_int_equal(r.named, 0);
  cuw_library_verdict_free(&v);
  /* Nothing runs: no names are asked for. */
  record_make(&r, LIB, "R c75=f | R c80=f c86 c90");
  record_judge(&r, 120, NULL, &v);
  assert_int_equal(r.named, 0);
  cuw_library_verdict_free(&v);
  /* All names carry an architecture: the device's functions are not needed. */
  record_make(&r, LIB, "R c75=sm75_x | R c80=f c86 c90 | R c80=g c86 c90");
  record_judge(&r, 80, NULL, &v);
  assert_int_equal(r.named, 1);
  cuw_library_verdict_free(&v);
  /* The chosen images, not all. */
  record_make(&r, LIB, "R c75=f | R c80=f c86 c90 | R c80=g c86 c90");
  record_judge(&r, 80, NULL, &v);
  assert_int_equal(r.named, 3);
  cuw_library_verdict_free(&v);
  /* Self-loaded and link-time images are never opened. */
  record_make(&r, LIB, "S c80 p80 | s c90 | A c80 | B c80");
  record_judge(&r, 80, NULL, &v);
  assert_int_equal(r.opened, 0);
  cuw_library_verdict_free(&v);
}

static void add_evidence(struct record *r, const char *source, const char *value)
{
  r->evidence[r->library.evidence_count++] = (struct cuw_evidence){source, value, NULL};
}

static void test_driver_floor(void **state)
{
  struct record r;
  struct cuw_library_verdict v;
  char text[128];
  (void)state;
  record_make(&r, LIB, "R c80 | R c90a | R c52=- | S c80");
  add_evidence(&r, "toolkit", "13.0");
  add_evidence(&r, "needed", "12");
  record_judge(&r, 80, "520.61.05", &v);
  describe(&v, text);
  assert_string_equal(text, "none 0/0/0/0/2/1 self 1/0/0");
  assert_int_equal(v.cause, CUW_CAUSE_DRIVER_TOO_OLD);
  assert_string_equal(cuw_cause_name(v.cause), "driver-too-old");
  assert_string_equal(v.min_driver, "525.60.13");
  assert_string_equal(v.reason, "driver 520.61.05 is older than 525.60.13, the first that runs CUDA 12");
  cuw_library_verdict_free(&v);
  /* The linked major decides, not the newer toolkit. */
  record_judge(&r, 80, "525.60", &v);
  assert_int_equal(v.result, CUW_RESULT_NATIVE);
  cuw_library_verdict_free(&v);
  record_judge(&r, 80, "cuda 11.8", &v);
  assert_int_equal(v.result, CUW_RESULT_NONE);
  cuw_library_verdict_free(&v);
  /* A newer driver alone does not help where nothing is for the GPU. */
  record_judge(&r, 61, "520.61.05", &v);
  assert_int_equal(v.cause, CUW_CAUSE_DRIVER_TOO_OLD);
  assert_string_equal(v.min_driver, "525.60.13");
  assert_string_equal(v.reason,
                      "driver 520.61.05 is older than 525.60.13, the first that runs CUDA 12; nor is anything "
                      "in it for this GPU: no PTX, and cubins for sm_80, sm_90a only");
  assert_string_equal(v.requires, "sm_60 or sm_61 cubins, or PTX compute_61 or lower without suffix; CUDA 8.0 to 12.9 "
                                  "makes them");
  cuw_library_verdict_free(&v);
  /* Without a link, the newest toolkit. */
  record_make(&r, LIB, "R c80");
  add_evidence(&r, "toolkit", "12.4");
  add_evidence(&r, "toolkit", "13.0");
  record_judge(&r, 80, "575.51.03", &v);
  assert_int_equal(v.cause, CUW_CAUSE_DRIVER_TOO_OLD);
  assert_string_equal(v.min_driver, "580");
  cuw_library_verdict_free(&v);
  /* Windows numbers for a DLL. */
  record_make(&r, "x.dll", "R c80");
  r.library.format = CUW_PE;
  add_evidence(&r, "needed", "12");
  record_judge(&r, 80, "527.41", &v);
  assert_int_equal(v.result, CUW_RESULT_NONE);
  assert_string_equal(v.min_driver, "528.33");
  cuw_library_verdict_free(&v);
  /* A library without GPU code is not failed by a driver. */
  record_make(&r, LIB, "R c52=-");
  add_evidence(&r, "needed", "12");
  record_judge(&r, 80, "390.1", &v);
  assert_int_equal(v.result, CUW_RESULT_NO_GPU_CODE);
  cuw_library_verdict_free(&v);
}

struct words_row {
  const char *images;
  unsigned number;
  const char *driver;
  const char *reason, *requires, *ptx_isa, *min_driver;
};

static void assert_text(const char *text, const char *expected)
{
  if (!expected)
    assert_null(text);
  else if (!text || strcmp(text, expected) != 0)
    fail_msg("\"%s\", not \"%s\"", text ? text : "(null)", expected);
}

static void test_words(void **state)
{
  static const char b120[] = "sm_120 cubins, or PTX compute_120 or lower without suffix; CUDA 12.8 or newer makes them";
  static const struct words_row wanted[] = {
      {"R c80 p90a | R c52=-", 120, NULL,
       "1 of 1 judged fatbins (1 empty): newest PTX is compute_90a, which compiles for 9.0 only", b120, NULL, NULL},
      {"R c80", 120, NULL, "1 of 1 judged fatbin: no PTX, and cubins for sm_80 only", b120, NULL, NULL},
      {"R c80 c86 | R c90 c90a", 121, NULL,
       "2 of 2 judged fatbins: no PTX, and cubins for sm_80, sm_86, sm_90, sm_90a only",
       "sm_120 or sm_121 cubins, or PTX compute_121 or lower without suffix; CUDA 12.8 or newer makes them", NULL,
       NULL},
      {"R c80 p90", 75, NULL, "1 of 1 judged fatbin: oldest PTX is compute_90, which compiles for 9.0 and newer only",
       "sm_70 or sm_75 cubins, or PTX compute_75 or lower without suffix; CUDA 9.0 or newer makes them", NULL, NULL},
      {"R c80 p100f | R c80", 110, NULL,
       "2 of 2 judged fatbins: no PTX in 1 of them, and in the others the newest PTX is compute_100f, which compiles "
       "for "
       "10.0 and newer of its family only",
       "sm_110 cubins, or PTX compute_110 or lower without suffix; CUDA 13.0 or newer makes them, or sm_101 cubins of "
       "CUDA 12.8 and 12.9",
       NULL, NULL},
      {"R c75", 61, NULL, "1 of 1 judged fatbin: no PTX, and cubins for sm_75 only",
       "sm_60 or sm_61 cubins, or PTX compute_61 or lower without suffix; CUDA 8.0 to 12.9 makes them", NULL, NULL},
      {"R c80", 87, NULL,
       "1 of 1 judged fatbin: no PTX, and cubins for sm_80 only; a Tegra chip loads cubins of its own number only",
       "sm_87 cubins, or PTX compute_87 or lower without suffix; CUDA 11.4 or newer makes them", NULL, NULL},
      {"R l90", 90, NULL, "1 of 1 judged fatbin: LTO-IR or Tile IR only, which the driver does not load",
       "sm_90 cubins, or PTX compute_90 or lower without suffix; CUDA 11.8 or newer makes them", NULL, NULL},
      {"R c80 p80@8.7", 90, NULL, "1 of 1 judged fatbin runs only through PTX (ISA 8.7)", NULL, "8.7", "570.26"},
      {"R p80@8.0 | R p80@9.2", 90, NULL, "2 of 2 judged fatbins run only through PTX (ISA 9.2)", NULL, "9.2",
       "a driver for CUDA 13.2"},
      {"R p80@8.7 | R c90", 90, "550.54.14",
       "1 of 2 judged fatbins: PTX ISA 8.7 is newer than CUDA 12.4, the newest of driver 550.54.14",
       "driver 570.26 or newer", "8.7", "570.26"},
      {"R p80@8.7 | R c75 | R c120", 120, "525.60",
       "1 of 3 judged fatbins: no PTX, and cubins for sm_75 only; 1 of 3 judged fatbins: PTX ISA 8.7 is newer than "
       "CUDA 12.0, the newest of driver 525.60",
       "sm_120 cubins, or PTX compute_120 or lower without suffix; CUDA 12.8 or newer makes them; and driver 570.26 or "
       "newer",
       "8.7", "570.26"},
      {"R p80@9.2", 90, "cuda 12.4",
       "1 of 1 judged fatbin: PTX ISA 9.2 is newer than CUDA 12.4, the newest of a driver for CUDA 12.4",
       "a driver for CUDA 13.2 or newer", "9.2", "a driver for CUDA 13.2"},
      {"R p80@8.7 p80@8.4", 90, "530.30",
       "1 of 1 judged fatbin: PTX ISA 8.4 is newer than CUDA 12.1, the newest of driver 530.30",
       "driver 550.54.14 or newer", "8.4", "550.54.14"},
      {"R c90a | R c100a", 120, NULL, "2 of 2 judged fatbins are for other chips only (sm_90a, sm_100a)", NULL, NULL,
       NULL},
      {"B p80@8.0 | L c80", 90, NULL, "1 of 1 judged fatbin runs only by a JIT link of the relocatable ones (ISA 8.0)",
       NULL, "8.0", "525.60.13"},
      {"S c80 | S c90", 120, NULL, "none of 2 self-loaded images fits: no PTX, and cubins for sm_80, sm_90 only", b120,
       NULL, NULL},
      {"S p80@8.7", 90, NULL, "1 of 1 self-loaded images runs, through PTX only", NULL, "8.7", "570.26"},
      {"R c80", 80, NULL, NULL, NULL, NULL, NULL},
      {"R c80=?", 80, NULL, "not everything could be read; what could be is native", NULL, NULL, NULL},
      {"R c101", 110, NULL, "sm_101 counts as sm_110: one chip, renamed by CUDA 13", NULL, NULL, NULL},
      {"R c110", 101, NULL, "sm_101 counts as sm_110: one chip, renamed by CUDA 13", NULL, NULL, NULL},
      {"S c101", 110, NULL, "sm_101 counts as sm_110: one chip, renamed by CUDA 13", NULL, NULL, NULL},
      {"R c110", 110, NULL, NULL, NULL, NULL, NULL},
      {"R c101", 101, NULL, NULL, NULL, NULL, NULL},
      {"R c52=-", 80, NULL, NULL, NULL, NULL, NULL},
      {"R c30 c32 c35 c37 c50 c52 c53 c60 c61 c62", 120, NULL,
       "1 of 1 judged fatbin: no PTX, and cubins for ..., sm_35, sm_37, sm_50, sm_52, sm_53, sm_60, sm_61, sm_62 only",
       b120, NULL, NULL},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    struct record r;
    struct cuw_library_verdict v;
    record_make(&r, LIB, wanted[i].images);
    r.library.machine = "aarch64";
    record_judge(&r, wanted[i].number, wanted[i].driver, &v);
    assert_text(v.reason, wanted[i].reason);
    assert_text(v.requires, wanted[i].requires);
    assert_text(v.ptx_isa, wanted[i].ptx_isa);
    assert_text(v.min_driver, wanted[i].min_driver);
    cuw_library_verdict_free(&v);
  }
}

static void test_functions_that_fail(void **state)
{
  struct record r;
  struct cuw_library_verdict v;
  (void)state;
  record_make(&r, LIB, "R c75=_Z4gemmIiEvT_,_Z4gemmIfEvT_,solve | R c80 | R c70=solve,other");
  record_judge(&r, 80, NULL, &v);
  assert_int_equal(v.result, CUW_RESULT_PARTIAL);
  assert_int_equal(v.function_count, 3);
  assert_string_equal(v.functions[0], "gemm");
  assert_string_equal(v.functions[1], "solve");
  assert_string_equal(v.functions[2], "other");
  assert_false(v.functions_cut);
  cuw_library_verdict_free(&v);
}

static void test_machines(void **state)
{
  struct record r;
  struct cuw_library_verdict v;
  (void)state;
  record_make(&r, LIB, "R c87");
  record_judge(&r, 87, NULL, &v);
  assert_true(v.machine_mismatch);
  assert_int_equal(v.result, CUW_RESULT_NATIVE);
  assert_string_equal(v.reason, "built for x86_64, while this GPU sits in ARM hosts only");
  cuw_library_verdict_free(&v);
  record_judge(&r, 90, NULL, &v);
  assert_false(v.machine_mismatch);
  cuw_library_verdict_free(&v);
  r.library.machine = "aarch64";
  record_judge(&r, 110, NULL, &v);
  assert_false(v.machine_mismatch);
  cuw_library_verdict_free(&v);
}

struct complete_row {
  const char *images;
  bool complete;
};

static void test_unreadable_images(void **state)
{
  static const struct complete_row wanted[] = {
      {"R c80=?", false},          {"R c80=? c86=k", true},    {"R c80:9=? c86:5=k", true},
      {"R c80=? c86=-", false},    {"R c75=? | R c80", false}, {"R x80", false},
      {"R x80 c80", true},         {"R i0 c80=-", true},       {"S c80=? | R c80", true},
      {"B c80=? | L c80=k", true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    struct record r;
    struct cuw_library_verdict v;
    record_make(&r, LIB, wanted[i].images);
    record_judge(&r, 80, NULL, &v);
    if (v.complete != wanted[i].complete)
      fail_msg("%s: complete is %d", wanted[i].images, v.complete);
    cuw_library_verdict_free(&v);
  }
}

static void test_incomplete_library(void **state)
{
  static const char *const expected[][2] = {{"R c80", "unknown"},        {"R p80", "unknown"}, {"R c90a", "unknown"},
                                            {"R c52=-", "unknown"},      {"", "unknown"},      {"R c90", "none"},
                                            {"R c80 | R c90", "partial"}};
  (void)state;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    struct record r;
    struct cuw_library_verdict v;
    record_make(&r, LIB, expected[i][0]);
    r.library.complete = false;
    record_judge(&r, 80, NULL, &v);
    assert_string_equal(cuw_result_name(v.result), expected[i][1]);
    assert_false(v.complete);
    cuw_library_verdict_free(&v);
  }
}

static void test_loose_images_are_one_library(void **state)
{
  struct record r[4];
  const struct cuw_library *all[4];
  static const char *const images[] = {"s c80", "s c90a", "S c100 p90@8.7", "s p75@8.0"};
  static const struct {
    unsigned number;
    const char *driver, *expected;
  } cases[] = {
      {80, NULL, "native 0/0/0/0/0/0 self 4/1/1"},      {90, NULL, "native 0/0/0/0/0/0 self 4/1/2"},
      {120, NULL, "jit 0/0/0/0/0/0 self 4/0/2"},        {70, NULL, "none 0/0/0/0/0/0 self 4/0/0"},
      {120, "525.60.13", "jit 0/0/0/0/0/0 self 4/0/1"}, {120, "520.61.05", "none 0/0/0/0/0/0 self 4/0/0"},
  };
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    record_make(&r[i], "x.cubin", images[i]);
    r[i].library.format = i < 2 ? CUW_CUBIN : i == 2 ? CUW_FATBIN : CUW_PTX;
    r[i].library.machine = NULL;
    assert_true(library_is_loose(&r[i].library));
    all[i] = &r[i].library;
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cuw_library_verdict v;
    char text[128];
    struct cuw_gpu gpu = {NULL, (uint16_t)cases[i].number, false};
    struct cuw_driver driver = record_driver(cases[i].driver);
    assert_true(judge_loose(all, 4, &gpu, &driver, &v));
    describe(&v, text);
    assert_string_equal(text, cases[i].expected);
    assert_string_equal(v.path, "(loose images)");
    assert_null(v.library);
    assert_int_equal(v.reason != NULL, v.result != CUW_RESULT_NATIVE);
    cuw_library_verdict_free(&v);
  }
}

static void test_bytes(void **state)
{
  struct record r;
  struct cuw_bytes b;
  struct cuw_driver driver = {{0}, 0, 0};
  struct cuw_gpu gpu = {NULL, 86, false};
  (void)state;
  record_make(&r, LIB, "R c80:100 c86:20 c90:3 p80:1000 l80:7 | S c80:10000 | s c90:20000 | A c80:300 | B p80:5000");
  struct judge_request request = {&r.library, NULL, &gpu, &driver};
  assert_true(judge_bytes(&request, &b));
  assert_int_equal(b.used, 20 + 10000);
  assert_int_equal(b.spare, 100 + 1000 + 5000);
  assert_int_equal(b.never, 3 + 20000);
  assert_int_equal(b.other, 7 + 300);
  /* The relocatable ones serve where they are linked again. */
  record_make(&r, LIB, "B p80:5000 | L c75:10");
  assert_true(judge_bytes(&request, &b));
  assert_int_equal(b.used, 5000);
  assert_int_equal(b.never, 10);
  /* A part of a concatenation has its share of the stored bytes. */
  record_make(&r, LIB, "R c86");
  r.images[0].stored_size = CUW_NONE;
  r.images[0].part_offset = 64;
  r.images[0].payload_size = 400;
  r.images[0].size = 500;
  r.images[0].parent_size = 2000;
  assert_true(judge_bytes(&request, &b));
  assert_int_equal(b.used, 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_little_is_opened),
      cmocka_unit_test(test_driver_floor),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_functions_that_fail),
      cmocka_unit_test(test_machines),
      cmocka_unit_test(test_unreadable_images),
      cmocka_unit_test(test_incomplete_library),
      cmocka_unit_test(test_loose_images_are_one_library),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
