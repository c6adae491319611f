// CUDA as far as this package's kernels use it, on a CPU: the threads of a block are threads, blocks come one by one.
// Names that kernels use are CUDA's, or those of learn/kernels/on_gpu/device.cuh.
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

// What is wrong with a kernel, of which the result may be right nevertheless; the first one is told.
static const char* fault;
static void check(bool is_right, const char* otherwise) {
    if (!is_right && !__atomic_load_n(&fault, __ATOMIC_SEQ_CST)) __atomic_store_n(&fault, otherwise, __ATOMIC_SEQ_CST);
}

// Arrays that a kernel may read or write.
struct Range {
    const char* begin;
    std::size_t n_bytes;
};
static std::vector<Range> arrays;
static bool is_within(const void* place, std::size_t n_bytes) {
    for (const Range& range : arrays)
        if (place >= range.begin && (const char*)place + n_bytes <= range.begin + range.n_bytes) return true;
    return false;
}

// Some copies happen at once and others as late as they may: who does not wait for them finds what was there before, who
// begins them too early overwrites what others read.
struct Copy {
    void* to;
    const void* from;
    int n_bytes;
};
static thread_local std::vector<Copy> begun;
static thread_local std::deque<std::vector<Copy>> groups;
static thread_local unsigned int n_copies;
template <int BYTES>
static void copy_begins(void* to, const void* from) {
    check((std::size_t)to % BYTES == 0 && (std::size_t)from % BYTES == 0, "a copy that is not aligned");
    if (!is_within(from, BYTES)) return check(false, "a copy from beyond the array");
    if ((++n_copies + threadIdx.x) * 2654435761u >> 31)
        memcpy(to, from, BYTES);
    else
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
enum What { NOTHING, WAITS, ASKS, MULTIPLIES };
struct Warp {
    pthread_barrier_t together;
    What does[32];
    double left[16][8], right[8][8];
    double told[32];
};
static Warp warps[32];
static void meet(What what) {
    Warp& warp = warps[threadIdx.x / 32];
    warp.does[threadIdx.x % 32] = what;
    pthread_barrier_wait(&warp.together);
    check(warp.does[0] == what, "threads of a warp that do different things together");
}
static void leave() { pthread_barrier_wait(&warps[threadIdx.x / 32].together); }
static void warp_is_here() {
    meet(WAITS);
    leave();
}
template <class T>
static T of_thread(T value, int thread) {  // int, float or double
    Warp& warp = warps[threadIdx.x / 32];
    warp.told[threadIdx.x % 32] = value;
    meet(ASKS);
    const T found = (T)warp.told[thread];
    leave();
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
    meet(MULTIPLIES);
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
    leave();
}
static void multiply(double* sums, const double* left, const double* right) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    Warp& warp = exchanged<8, 4>(left, right);
    for (int i = 0; i < 2; ++i) sums[i] += product(warp, g, 2 * t + i, 4);
    leave();
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

// Returns what is wrong with the kernel, or null.
template <class... Parameters>
static const char* launch_all(
    void (*kernel)(Parameters...), int n_blocks, int n_threads, std::size_t n_bytes, void** arguments) {
    fault = nullptr;
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
            check(memory[i] == 0xff, "it has written beyond the shared memory that it asked for");
    }
    for (Warp& warp : warps) pthread_barrier_destroy(&warp.together);
    pthread_barrier_destroy(&together);
    return fault;
}
