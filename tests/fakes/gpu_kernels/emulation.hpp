// CUDA as far as this package's kernels use it, on a CPU: the threads of a block are threads, blocks come one by one.
#include <pthread.h>
#include <string.h>
#include <utility>

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
static void __syncthreads() { pthread_barrier_wait(&together); }

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
    pthread_barrier_destroy(&together);
    return 0;
}
