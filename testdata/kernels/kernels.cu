// SPDX-License-Identifier: Apache-2.0
// A kernel for each resource that a cubin records.
struct S {
  int x[40];
};

__device__ __noinline__ int recurse(int *p, int n)
{
  volatile int a[10];
  a[n % 10] = n;
  return n <= 0 ? p[0] : recurse(p, n - 1) + recurse(p, n - 2) + a[p[n] % 10];
}

__device__ __noinline__ int callee(int *p, int n)
{
  volatile int a[40];
  for (int i = 0; i < 40; i++)
    a[i] = p[i];
  return a[n % 40];
}

__global__ void plain(int *p) { p[threadIdx.x] += 1; }

static __global__ void local_entry(int *p) { p[threadIdx.x] = 1; }

__global__ void shared_static(int *p)
{
  __shared__ int s[300];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[299 - threadIdx.x];
}

__global__ void shared_dynamic(int *p)
{
  extern __shared__ int d[];
  d[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = d[31 - threadIdx.x];
}

__global__ void calls(int *p)
{
  int b[20];
  for (int i = 0; i < 20; i++)
    b[i] = p[i];
  p[0] = callee(p, p[1]) + b[p[3] % 20];
}

__global__ void recursive(int *p) { p[0] = recurse(p, p[1]); }

__global__ void parameters(S s, int *p) { p[threadIdx.x] = s.x[threadIdx.x]; }

__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 4; }

__global__ void __launch_bounds__(512, 4) spilled(double *p, int n)
{
  double a[20];
  for (int i = 0; i < 20; i++)
    a[i] = p[i];
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 20; i++)
      a[i] = a[i] * a[(i + 1) % 20] + p[k];
  for (int i = 0; i < 20; i++)
    p[i] = a[i];
}

// Keeps the kernel that no other file can see.
void host(int *p) { local_entry<<<1, 1>>>(p); }
