// CUDA as far as this package's kernels use it, on a CPU: the threads of a block are threads, blocks come one by one.
// Names that kernels use are CUDA's, or those of learn/kernels/device.cuh.
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <deque>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))

struct Place {
    int x;
};
static thread_local Place threadIdx;
static Place blockIdx, gridDim;
alignas(16) unsigned char memory[1 << 18];
static pthread_barrier_t together;
static int atomicAdd(int* to, int value) { return __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST); }
static int min(int one, int other) { return one < other ? one : other; }
static void __syncthreads() { pthread_barrier_wait(&together); }
template <class To, class From>
static To bits_of(From value) {
    To bits;
    static_assert(sizeof bits == sizeof value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static unsigned int __float_as_uint(float value) { return bits_of<unsigned int>(value); }
static float __uint_as_float(unsigned int bits) { return bits_of<float>(bits); }

// Copies happen as late as they may: who does not wait for them finds what was there before.
struct Copy {
    void* to;
    const void* from;
    int n_bytes;
};
static thread_local std::vector<Copy> begun;
static thread_local std::deque<std::vector<Copy>> groups;
template <int BYTES>
static void copy_begins(void* to, const void* from) {
    begun.push_back({to, from, BYTES});
}
static void copies_begun() {
    groups.push_back(std::move(begun));
    begun.clear();
}
template <int LEFT>
static void copies_end() {
    for (; groups.size() > LEFT; groups.pop_front())
        for (const Copy& copy : groups.front()) memcpy(copy.to, copy.from, copy.n_bytes);
}

// What the 32 threads of a warp have of two matrices.
struct Warp {
    pthread_barrier_t together;
    double left[16][8], right[8][8];
    double told[32];
};
static Warp warps[32];
static void warp_is_here() { pthread_barrier_wait(&warps[threadIdx.x / 32].together); }
template <class T>
static T of_thread(T value, int thread) {  // int, float or double
    Warp& warp = warps[threadIdx.x / 32];
    warp.told[threadIdx.x % 32] = value;
    warp_is_here();
    const T found = (T)warp.told[thread];
    warp_is_here();
    return found;
}
template <int HEIGHT, int DEPTH>
static Warp& exchanged(const double* left, const double* right) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    Warp& warp = warps[threadIdx.x / 32];
    for (int r = 0; r < DEPTH / 4; ++r) {
        for (int h = 0; h < HEIGHT / 8; ++h) warp.left[g + 8 * h][t + 4 * r] = left[h + HEIGHT / 8 * r];
        warp.right[t + 4 * r][g] = right[r];
    }
    warp_is_here();
    return warp;
}
static double product(const Warp& warp, int row, int column, int depth) {
    double sum = 0;
    for (int k = 0; k < depth; ++k) sum += warp.left[row][k] * warp.right[k][column];
    return sum;
}
// Numbers of 11 bits: the rest is ignored. Sums are rounded towards zero.
static double of_11_bits(float value) { return __uint_as_float(__float_as_uint(value) & 0xffffe000); }
static float towards_zero(double value) {
    const float near = (float)value;
    const bool larger = near > value ? value > 0 : near < value && value < 0;
    return larger ? __uint_as_float(__float_as_uint(near) - 1) : near;
}
static void multiply(float* sums, const float* left, const float* right) {
    double a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = of_11_bits(left[i]);
    for (int i = 0; i < 2; ++i) b[i] = of_11_bits(right[i]);
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    Warp& warp = exchanged<16, 8>(a, b);
    for (int i = 0; i < 4; ++i)
        sums[i] = towards_zero((double)sums[i] + product(warp, g + i / 2 * 8, 2 * t + i % 2, 8));
    warp_is_here();
}
static void multiply(double* sums, const double* left, const double* right) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    Warp& warp = exchanged<8, 4>(left, right);
    for (int i = 0; i < 2; ++i) sums[i] += product(warp, g, 2 * t + i, 4);
    warp_is_here();
}

template <class... Parameters, std::size_t... Numbers>
static void call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<Numbers...>) {
    kernel(*(Parameters*)arguments[Numbers]...);
}

template <class... Parameters>
struct Thread {
    void (*kernel)(Parameters...);
    void** arguments;
    int number;
    pthread_t handle;
};

template <class... Parameters>
static void* run(void* given) {
    auto* const thread = (Thread<Parameters...>*)given;
    threadIdx.x = thread->number;
    call(thread->kernel, thread->arguments, std::index_sequence_for<Parameters...>{});
    return nullptr;
}

// Returns 1 if the kernel has written beyond the shared memory that it asked for.
template <class... Parameters>
static int launch_all(void (*kernel)(Parameters...), int n_blocks, int n_threads, std::size_t n_bytes, void** arguments) {
    gridDim.x = n_blocks;
    pthread_barrier_init(&together, nullptr, n_threads);
    for (Warp& warp : warps) pthread_barrier_init(&warp.together, nullptr, 32);
    for (blockIdx.x = 0; blockIdx.x < n_blocks; ++blockIdx.x) {
        memset(memory, 0xff, sizeof memory);  // what was there before is no number
        Thread<Parameters...> threads[1024];
        for (int number = 0; number < n_threads; ++number) {
            threads[number] = {kernel, arguments, number, {}};
            pthread_create(&threads[number].handle, nullptr, run<Parameters...>, &threads[number]);
        }
        for (int number = 0; number < n_threads; ++number) pthread_join(threads[number].handle, nullptr);
        for (std::size_t i = n_bytes; i < sizeof memory; ++i)
            if (memory[i] != 0xff) return 1;
    }
    for (Warp& warp : warps) pthread_barrier_destroy(&warp.together);
    pthread_barrier_destroy(&together);
    return 0;
}
