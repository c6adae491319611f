// CUDA as far as this package's kernels use it, on a CPU: the threads of a block are threads, blocks come one by one.
#include <algorithm>
#include <barrier>
#include <cstddef>
#include <memory>
#include <thread>
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
alignas(16) unsigned char memory[1 << 20];
static std::unique_ptr<std::barrier<>> together;
static void __syncthreads() { together->arrive_and_wait(); }

template <class... Parameters, std::size_t... Numbers>
static void call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<Numbers...>) {
    kernel(*(Parameters*)arguments[Numbers]...);
}

template <class... Parameters>
static void launch_all(void (*kernel)(Parameters...), int n_blocks, int n_threads, std::size_t n_bytes, void** arguments) {
    gridDim.x = n_blocks;
    together = std::make_unique<std::barrier<>>(n_threads);
    for (blockIdx.x = 0; blockIdx.x < n_blocks; ++blockIdx.x) {
        // What was there before is no number, and beyond what was asked for nothing may be written.
        std::fill(memory, memory + sizeof memory, 0xff);
        std::vector<std::thread> threads;
        for (int number = 0; number < n_threads; ++number)
            threads.emplace_back([=] {
                threadIdx.x = number;
                call(kernel, arguments, std::index_sequence_for<Parameters...>{});
            });
        for (auto& thread : threads) thread.join();
        for (std::size_t i = n_bytes; i < sizeof memory; ++i)
            if (memory[i] != 0xff) throw "The kernel wrote beyond the shared memory it asked for.";
    }
}
