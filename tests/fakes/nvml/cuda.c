/* A stand-in for the CUDA driver, libcuda.so.1: only what a probe asks.
 *
 * FAKE_CUDA_INIT is the code that cuInit returns (0: fine), FAKE_CUDA_COUNT the number of devices; FAKE_CUDA_SLEEP makes
 * cuInit hang for so many seconds.
 */
#include <stdlib.h>
#include <unistd.h>

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}
int cuInit(unsigned flags) {
    (void)flags;
    sleep((unsigned)number("FAKE_CUDA_SLEEP", 0));
    return number("FAKE_CUDA_INIT", 0);
}
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = number("FAKE_CUDA_COUNT", 4); return 0; }
