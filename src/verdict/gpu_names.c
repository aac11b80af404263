/* SPDX-License-Identifier: Apache-2.0 */
/* Product names by compute capability. Each row carries its source; a name without one is left out.
 *   [C] NVIDIA, "CUDA GPU Compute Capability" (developer.nvidia.com/cuda-gpus)
 *   [L] NVIDIA, "Legacy CUDA GPU Compute Capability" (developer.nvidia.com/cuda-legacy-gpus), and the notebook and
 *       workstation tables that the page had before
 *   [R] what the CUDA runtime said of the device in published logs ("Device 0: NAME, compute capability N")
 *   [S] the cards named beside NVIDIA's in the GPU list of Ollama's manual
 * Names stand without NVIDIA and GeForce, which the search ignores. */
#include "cuwheel/gpu.h"

static const struct cuw_gpu_product products[] = {
    /* 3.0 to 3.7 [L] */
    {"Tesla K10", 30},
    {"Quadro K5000", 30},
    {"Quadro K4200", 30},
    {"Quadro K4000", 30},
    {"Quadro K2000", 30},
    {"Quadro K2000D", 30},
    {"Quadro K600", 30},
    {"Quadro K420", 30},
    {"Quadro K6000M", 30},
    {"Quadro K5200M", 30},
    {"Quadro K5100M", 30},
    {"Quadro K500M", 30},
    {"Quadro K4200M", 30},
    {"Quadro K4100M", 30},
    {"Quadro K3100M", 30},
    {"Quadro K2100M", 30},
    {"Quadro K1100M", 30},
    {"NVS 510", 30},
    {"GTX 770", 30},
    {"GTX 760", 30},
    {"GTX 690", 30},
    {"GTX 680", 30},
    {"GTX 670", 30},
    {"GTX 660 Ti", 30},
    {"GTX 660", 30},
    {"GTX 650 Ti BOOST", 30},
    {"GTX 650 Ti", 30},
    {"GTX 650", 30},
    {"GT 740", 30},
    {"GTX 880M", 30},
    {"GTX 870M", 30},
    {"GTX 860M", 30}, /* sold as Kepler and as Maxwell */
    {"GTX 780M", 30},
    {"GTX 770M", 30},
    {"GTX 765M", 30},
    {"GTX 760M", 30},
    {"GTX 680MX", 30},
    {"GTX 680M", 30},
    {"GTX 675MX", 30},
    {"GTX 670MX", 30},
    {"GTX 660M", 30},
    {"GT 755M", 30},
    {"GT 750M", 30},
    {"GT 650M", 30},
    {"GT 745M", 30},
    {"GT 645M", 30},
    {"GT 740M", 30},
    {"GT 640M", 30},
    {"GT 735M", 30},
    {"GT 730M", 30},
    {"Tegra K1", 32},
    {"Jetson TK1", 32},
    {"Tesla K40", 35},
    {"Tesla K20", 35},
    {"Quadro K6000", 35},
    {"Quadro K5200", 35},
    {"Quadro K610M", 35},
    {"Quadro K510M", 35},
    {"GTX TITAN Z", 35},
    {"GTX TITAN Black", 35},
    {"GTX TITAN", 35},
    {"GTX 780 Ti", 35},
    {"GTX 780", 35},
    {"GT 730", 35},
    {"GT 720", 35},
    {"GT 705", 35},
    {"920M", 35},
    {"Tesla K80", 37},

    /* 5.0 to 5.3 [L] */
    {"Quadro K2200", 50},
    {"Quadro K1200", 50},
    {"Quadro K620", 50},
    {"Quadro M1200", 50},
    {"Quadro M520", 50},
    {"Quadro M5000M", 50},
    {"Quadro M4000M", 50},
    {"Quadro M3000M", 50},
    {"Quadro M2000M", 50},
    {"Quadro M1000M", 50},
    {"Quadro K620M", 50},
    {"Quadro M600M", 50},
    {"Quadro M500M", 50},
    {"NVS 810", 50},
    {"GTX 750 Ti", 50},
    {"GTX 750", 50},
    {"GTX 960M", 50},
    {"GTX 950M", 50},
    {"940M", 50},
    {"930M", 50},
    {"GTX 860M", 50},
    {"GTX 850M", 50},
    {"840M", 50},
    {"830M", 50},
    {"Tesla M60", 52},
    {"Tesla M40", 52},
    {"Quadro M6000 24GB", 52},
    {"Quadro M6000", 52},
    {"Quadro M5000", 52},
    {"Quadro M4000", 52},
    {"Quadro M2000", 52},
    {"Quadro M5500M", 52},
    {"Quadro M2200", 52},
    {"Quadro M620", 52},
    {"GTX TITAN X", 52},
    {"GTX 980 Ti", 52},
    {"GTX 980", 52},
    {"GTX 970", 52},
    {"GTX 960", 52},
    {"GTX 950", 52},
    {"GTX 980M", 52},
    {"GTX 970M", 52},
    {"GTX 965M", 52},
    {"910M", 52},
    {"Jetson Nano", 53},
    {"Tegra X1", 53}, /* docs/format.md 9.2 (TX1) */
    {"Jetson TX1", 53},

    /* 6.0 to 6.2 [L] */
    {"Tesla P100", 60},
    {"Quadro GP100", 60},
    {"Tesla P40", 61},
    {"Tesla P4", 61},
    {"Quadro P6000", 61},
    {"Quadro P5200", 61},
    {"Quadro P5000", 61},
    {"Quadro P4200", 61},
    {"Quadro P4000", 61},
    {"Quadro P3200", 61},
    {"Quadro P3000", 61},
    {"Quadro P2200", 61},
    {"Quadro P2000", 61},
    {"Quadro P1000", 61},
    {"Quadro P620", 61},
    {"Quadro P600", 61},
    {"Quadro P500", 61},
    {"Quadro P400", 61},
    {"P620", 61},
    {"P520", 61},
    {"TITAN Xp", 61},
    {"TITAN X", 61},
    {"GTX 1080 Ti", 61},
    {"GTX 1080", 61},
    {"GTX 1070 Ti", 61},
    {"GTX 1070", 61},
    {"GTX 1060", 61},
    {"GTX 1050 Ti", 61}, /* [S] */
    {"GTX 1050", 61},
    {"GT 1030", 61}, /* [R] */
    {"Jetson TX2", 62},

    /* 7.0 to 7.5 [L], [C] */
    {"V100", 70},
    {"V100S", 70}, /* [R] */
    {"Quadro GV100", 70},
    {"TITAN V", 70},
    {"Jetson AGX Xavier", 72},
    {"Jetson Xavier NX", 72},
    {"Xavier", 72}, /* the kernel driver's name of both */
    {"T4", 75},
    {"Quadro RTX 8000", 75},
    {"Quadro RTX 6000", 75},
    {"Quadro RTX 5000", 75},
    {"Quadro RTX 4000", 75},
    {"Quadro RTX 3000", 75},
    {"Quadro T2000", 75},
    {"T1200", 75},
    {"T1000", 75},
    {"T600", 75},
    {"T500", 75},
    {"T400", 75},
    {"TITAN RTX", 75},
    {"RTX 2080 Ti", 75},
    {"RTX 2080 SUPER", 75}, /* [R] */
    {"RTX 2080", 75},
    {"RTX 2070 SUPER", 75}, /* [R] */
    {"RTX 2070", 75},
    {"RTX 2060 SUPER", 75}, /* [R] */
    {"RTX 2060", 75},
    {"GTX 1660 Ti", 75},    /* [R] */
    {"GTX 1660 SUPER", 75}, /* [R] */
    {"GTX 1660", 75},       /* [R] */
    {"GTX 1650 Ti", 75},
    {"GTX 1650", 75}, /* [R] */

    /* 8.0 to 8.9 [C] */
    {"A100", 80},
    {"A800", 80}, /* [R] */
    {"A30", 80},
    {"A40", 86},
    {"A16", 86},
    {"A10", 86},
    {"A10G", 86}, /* [R] */
    {"A2", 86},
    {"RTX A6000", 86},
    {"RTX A5000", 86},
    {"RTX A4500", 86}, /* [R] */
    {"RTX A4000", 86},
    {"RTX A3000", 86},
    {"RTX A2000", 86},
    {"RTX 3090 Ti", 86},
    {"RTX 3090", 86},
    {"RTX 3080 Ti", 86},
    {"RTX 3080", 86},
    {"RTX 3070 Ti", 86},
    {"RTX 3070", 86},
    {"RTX 3060 Ti", 86},
    {"RTX 3060", 86},
    {"RTX 3050 Ti", 86},
    {"RTX 3050", 86},
    {"Jetson AGX Orin", 87},
    {"Jetson Orin NX", 87},
    {"Jetson Orin Nano", 87},
    {"Orin", 87}, /* [R] */
    {"L4", 89},
    {"L20", 89}, /* [R] */
    {"L40", 89},
    {"L40S", 89},
    {"RTX 6000 Ada", 89},
    {"RTX 5000 Ada", 89},
    {"RTX 4500 Ada", 89},
    {"RTX 4000 Ada", 89},
    {"RTX 4000 SFF Ada", 89},
    {"RTX 3500 Ada", 89}, /* [R] */
    {"RTX 3000 Ada", 89}, /* [R] */
    {"RTX 2000 Ada", 89},
    {"RTX 4090", 89},
    {"RTX 4090 D", 89},     /* [R] */
    {"RTX 4080 SUPER", 89}, /* [S] */
    {"RTX 4080", 89},
    {"RTX 4070 Ti SUPER", 89}, /* [R] */
    {"RTX 4070 Ti", 89},
    {"RTX 4070 SUPER", 89}, /* [S] */
    {"RTX 4070", 89},
    {"RTX 4060 Ti", 89},
    {"RTX 4060", 89},
    {"RTX 4050", 89},

    /* 9.0 [C] */
    {"H100", 90},
    {"H200", 90},
    {"GH200", 90},
    {"H800", 90}, /* [R] */
    {"H20", 90},  /* [R] */

    /* 10.0 to 12.1 [C] */
    {"B200", 100},
    {"GB200", 100},
    {"B300", 103},
    {"GB300", 103},
    {"Jetson T5000", 110},
    {"Jetson T4000", 110},
    {"Thor", 110},            /* [R] */
    {"Jetson AGX Thor", 110}, /* docs/format.md 9.2 */
    {"RTX PRO 6000 Blackwell", 120},
    {"RTX PRO 5000 Blackwell", 120},
    {"RTX PRO 4500 Blackwell", 120},
    {"RTX PRO 4000 Blackwell", 120},
    {"RTX PRO 4000 SFF Blackwell", 120},
    {"RTX PRO 3000 Blackwell", 120}, /* [R] */
    {"RTX PRO 2000 Blackwell", 120},
    {"RTX 5090", 120},
    {"RTX 5080", 120},
    {"RTX 5070 Ti", 120},
    {"RTX 5070", 120},
    {"RTX 5060 Ti", 120},
    {"RTX 5060", 120},
    {"RTX 5050", 120},
    {"GB10", 121},
    {"DGX Spark", 121},
    {"GB10 DGX Spark", 121},
};

const struct cuw_gpu_product *cuw_gpu_products(size_t *count)
{
  *count = sizeof products / sizeof *products;
  return products;
}
