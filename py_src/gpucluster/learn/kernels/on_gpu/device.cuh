// What kernels of this package use beyond C++: copies that go on meanwhile, and multiplications by tensor cores.
//
// Tensor cores take 11 bits of a float. "3xTF32" (H. Ootomo and R. Yokota, "Recovering Single Precision Accuracy from Tensor
// Cores While Surpassing the FP32 Theoretical Peak Performance", IJHPCA 36, 2022) makes two such numbers of each and adds
// up three of the four products. As tensor cores round their sums towards zero, these begin at zero after a few rows, and
// what they have found is added up as usual.
//
// Tests without a GPU have functions of the same names (tests/fakes/gpu_kernels).
#ifdef __CUDA_ARCH__

// Begins a copy of 4, 8 or 16 bytes from global to shared memory. It needs no registers, and many can be under way.
template <int BYTES>
__device__ inline void copy_begins(void* to, const void* from) {
    const unsigned int place = (unsigned int)__cvta_generic_to_shared(to);
    if constexpr (BYTES == 16)  // past the cache of the multiprocessor
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(BYTES) : "memory");
}

// Puts this thread's copies that have begun since the last time together.
__device__ inline void copies_begun() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits for this thread's copies but those of the last LEFT groups.
template <int LEFT>
__device__ inline void copies_end() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// Adds left x right to sums: 16 x 8 by 8 x 8 numbers of 11 bits, the rest of each is ignored; each of the 32 threads of a
// warp has some of them. Threads are numbered 4 g + t. left: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4). right: (t, g),
// (t + 4, g). sums: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1). (PTX ISA, "Matrix Fragments for mma.m16n8k8")
__device__ inline void multiply(float* sums, const float* left, const float* right) {
    const unsigned int *const a = (const unsigned int*)left, *const b = (const unsigned int*)right;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The same with 8 x 4 by 4 x 8 numbers of any bits. left: (g, t). right: (t, g). sums: (g, 2 t), (g, 2 t + 1).
// (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64 floating point type")
__device__ inline void multiply(double* sums, const double* left, const double* right) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(left[0]), "d"(right[0]));
}

// What another thread of the warp, by its number, has as "value"; all of its 32 threads ask at once.
template <class T>
__device__ inline T of_thread(T value, int thread) {
    return __shfl_sync(0xffffffff, value, thread);
}

// Waits until all threads of the warp are here, and see what the others have written.
__device__ inline void warp_is_here() { __syncwarp(); }

#endif

// Returns the nearest number of 11 bits. What is left of the value has at most 12, of which a tensor core takes 11.
__device__ inline float rounded(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000) & 0xffffe000);
}
