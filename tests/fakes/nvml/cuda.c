/* A stand-in for the CUDA driver, libcuda.so.1: what a probe asks, and as much as cuda.core needs to make a context.
 *
 * FAKE_CUDA_INIT is the code that cuInit returns (0: fine), FAKE_CUDA_COUNT the number of devices, FAKE_CUDA_SLEEP lets
 * cuInit hang for so many seconds. Every process that calls cuInit, or makes a context, writes a line
 * ("init PID", "context PID CUDA_VISIBLE_DEVICES") to the file FAKE_CUDA_LOG: so a test can tell which do.
 * Any other function is there and answers that it is not supported.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 801 };
static int contexts[64];
static void *current;

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static void note(const char *what) {
    const char *path = getenv("FAKE_CUDA_LOG"), *visible = getenv("CUDA_VISIBLE_DEVICES");
    char line[1024];
    int length = snprintf(line, sizeof line, "%s %d %s\n", what, (int)getpid(), visible ? visible : "");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0) return;
    if (write(file, line, (size_t)length) < 0) abort();
    close(file);
}

int cuInit(unsigned flags) {
    (void)flags;
    note("init");
    sleep((unsigned)number("FAKE_CUDA_SLEEP", 0));
    return number("FAKE_CUDA_INIT", 0);
}
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = number("FAKE_CUDA_COUNT", 4); return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = &contexts[device & 63];
    note("context");
    return 0;
}
int cuCtxGetCurrent(void **context) { *context = current; return 0; }
int cuCtxSetCurrent(void *context) { current = context; return 0; }
int cuCtxGetDevice(int *device) { *device = current ? (int)((int *)current - contexts) : 0; return 0; }
static int not_supported(void) { return NOT_SUPPORTED; }

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    static const struct { const char *name; void *function; } known[] = {
        {"cuInit", cuInit},
        {"cuDriverGetVersion", cuDriverGetVersion},
        {"cuDeviceGetCount", cuDeviceGetCount},
        {"cuDeviceGet", cuDeviceGet},
        {"cuDeviceGetAttribute", cuDeviceGetAttribute},
        {"cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain},
        {"cuCtxGetCurrent", cuCtxGetCurrent},
        {"cuCtxSetCurrent", cuCtxSetCurrent},
        {"cuCtxGetDevice", cuCtxGetDevice},
        {"cuGetProcAddress", cuGetProcAddress_v2},
        {"cuGetProcAddress_v2", cuGetProcAddress_v2},
    };
    (void)version; (void)flags;
    *function = not_supported;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, symbol)) *function = known[i].function;
    if (status) *status = 0;
    return 0;
}
