/* A stand-in for libnvidia-ml.so.1, for machines without a GPU.
 *
 * It tells what the text file named by FAKE_NVML says, one item a line, and reads the file again whenever it changes,
 * so that a test can change the machine under a running program:
 *
 *   driver VERSION
 *   fail FUNCTION CODE                                  before the first device: on every device
 *   device UUID name=TEXT total=MIB used=MIB util=PERCENT mig=0|1 power=WATT limit=WATT temperature=CELSIUS
 *               reserved=MIB pcie_sent=BYTES pcie_received=BYTES nvlink_sent=KIB nvlink_received=KIB
 *   slice UUID total=MIB used=MIB                       a MIG slice of the device above
 *   xid NUMBER                                          an error of the device above, told once to who listens
 *   process PID used=MIB                                on the device or slice above; used=-1: not available
 *   fail FUNCTION CODE                                  on the device or slice above only
 *
 * An underscore in a name stands for a space. Counters and the limit are not supported unless they are written.
 * Without the file there is no device.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MIB (1024ULL * 1024ULL)
enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, TIMEOUT = 10 };

typedef struct { char function[64]; int code; } failure_t;
typedef struct { unsigned pid; long long used; } process_t;
typedef struct entry {
    char uuid[96], name[96];
    unsigned long long total, used, reserved;
    int util, mig, power, limit, temperature, index, is_slice;
    long long counters[4]; /* as in COUNTERS */
    struct entry *parent;
    int n_slices, n_processes, n_failures, n_xids;
    unsigned xids[16];
    struct entry *slices[8];
    process_t processes[32];
    failure_t failures[16];
} entry_t;

static const struct { const char *name; unsigned field; } COUNTERS[4] = {
    {"pcie_sent", 197}, {"pcie_received", 198}, {"nvlink_sent", 138}, {"nvlink_received", 139}};

/* Handles are pointers into these arrays and stay valid when the file is read again. */
static entry_t devices[16], slices[64];
static int told_xids[16]; /* of each device, by its index */
static int n_devices, n_slices, n_failures, initialised;
static failure_t failures[16];
static char driver[64] = "580.65.06";
static struct timespec read_at;
static off_t read_size = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void read_fields(entry_t *entry, char *rest) {
    for (char *save, *field = strtok_r(rest, " \t\n", &save); field; field = strtok_r(NULL, " \t\n", &save)) {
        char *value = strchr(field, '=');
        if (!value) continue;
        *value++ = 0;
        if (!strcmp(field, "name")) {
            snprintf(entry->name, sizeof entry->name, "%s", value);
            for (char *c = entry->name; *c; c++) if (*c == '_') *c = ' ';
        } else if (!strcmp(field, "total")) entry->total = strtoull(value, NULL, 10) * MIB;
        else if (!strcmp(field, "used")) entry->used = strtoull(value, NULL, 10) * MIB;
        else if (!strcmp(field, "reserved")) entry->reserved = strtoull(value, NULL, 10) * MIB;
        else if (!strcmp(field, "util")) entry->util = atoi(value);
        else if (!strcmp(field, "mig")) entry->mig = atoi(value);
        else if (!strcmp(field, "power")) entry->power = atoi(value);
        else if (!strcmp(field, "limit")) entry->limit = atoi(value);
        else if (!strcmp(field, "temperature")) entry->temperature = atoi(value);
        for (int i = 0; i < 4; i++)
            if (!strcmp(field, COUNTERS[i].name)) entry->counters[i] = atoll(value);
    }
}

static entry_t *new_entry(entry_t *entry, const char *uuid) {
    memset(entry, 0, sizeof *entry);
    snprintf(entry->uuid, sizeof entry->uuid, "%s", uuid);
    snprintf(entry->name, sizeof entry->name, "Fake GPU");
    entry->temperature = 30;
    entry->limit = -1;
    for (int i = 0; i < 4; i++) entry->counters[i] = -1;
    return entry;
}

static void refresh(void) {
    const char *path = getenv("FAKE_NVML");
    struct stat status;
    if (!path || stat(path, &status)) { n_devices = n_slices = n_failures = 0; read_size = -1; return; }
    if (status.st_size == read_size && !memcmp(&status.st_mtim, &read_at, sizeof read_at)) return;
    FILE *file = fopen(path, "r");
    if (!file) return;
    read_at = status.st_mtim;
    read_size = status.st_size;
    n_devices = n_slices = n_failures = 0;
    entry_t *device = NULL, *current = NULL;
    char line[512], word[96];
    while (fgets(line, sizeof line, file)) {
        int used = 0;
        long number = 0;
        if (sscanf(line, "driver %63s", driver) == 1) continue;
        if (sscanf(line, "device %95s%n", word, &used) == 1 && n_devices < 16) {
            device = current = new_entry(&devices[n_devices], word);
            device->index = n_devices++;
            read_fields(device, line + used);
        } else if (sscanf(line, "slice %95s%n", word, &used) == 1 && device && n_slices < 64 && device->n_slices < 8) {
            current = new_entry(&slices[n_slices++], word);
            current->is_slice = 1;
            current->parent = device;
            device->mig = 1;
            snprintf(current->name, sizeof current->name, "%.80s MIG", device->name);
            device->slices[device->n_slices++] = current;
            read_fields(current, line + used);
        } else if (sscanf(line, "process %ld%n", &number, &used) == 1 && current && current->n_processes < 32) {
            process_t *process = &current->processes[current->n_processes++];
            char *value = strstr(line + used, "used=");
            process->pid = (unsigned)number;
            process->used = value ? atoll(value + 5) : -1;
        } else if (sscanf(line, "xid %ld", &number) == 1 && device && device->n_xids < 16) {
            device->xids[device->n_xids++] = (unsigned)number;
        } else if (sscanf(line, "fail %63s %ld", word, &number) == 2) {
            int *count = current ? &current->n_failures : &n_failures;
            failure_t *failure = &(current ? current->failures : failures)[*count];
            if (*count < 16) {
                snprintf(failure->function, sizeof failure->function, "%.63s", word);
                failure->code = (int)number;
                ++*count;
            }
        }
    }
    fclose(file);
}

static int failing(const failure_t *list, int n, const char *function) {
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i].function, function) || !strcmp(list[i].function, "*")) return list[i].code;
    return SUCCESS;
}

/* What every call does first: read the file, be initialised, fail if told so. */
static int enter(const char *function, const entry_t *entry) {
    pthread_mutex_lock(&lock);
    refresh();
    int code = failing(failures, n_failures, function);
    if (!code && !initialised) code = UNINITIALIZED;
    if (!code && entry) code = failing(entry->failures, entry->n_failures, function);
    pthread_mutex_unlock(&lock);
    return code;
}
#define ENTER(entry) do { int code = enter(__func__, entry); if (code) return code; } while (0)

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    initialised++;
    int code = enter(__func__, NULL);
    if (code) initialised--;
    return code;
}
int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) {
    if (!initialised) return UNINITIALIZED;
    initialised--;
    return SUCCESS;
}
const char *nvmlErrorString(int code) {
    switch (code) {
        case 0: return "Success";
        case 3: return "Not Supported";
        case 4: return "Insufficient Permissions";
        case 9: return "Driver Not Loaded";
        case 15: return "GPU is lost";
        case 18: return "Driver/library version mismatch";
        default: return "Unknown Error";
    }
}
int nvmlSystemGetDriverVersion(char *text, unsigned size) { ENTER(NULL); snprintf(text, size, "%s", driver); return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { ENTER(NULL); *count = (unsigned)n_devices; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, entry_t **handle) {
    ENTER(index < (unsigned)n_devices ? &devices[index] : NULL);
    if (index >= (unsigned)n_devices) return INVALID_ARGUMENT;
    *handle = &devices[index];
    return SUCCESS;
}
int nvmlDeviceGetHandleByUUID(const char *uuid, entry_t **handle) {
    ENTER(NULL);
    for (int i = 0; i < n_devices + n_slices; i++) {
        entry_t *entry = i < n_devices ? &devices[i] : &slices[i - n_devices];
        if (!strcmp(entry->uuid, uuid)) { *handle = entry; return failing(entry->failures, entry->n_failures, __func__); }
    }
    return NOT_FOUND;
}
int nvmlDeviceGetIndex(entry_t *e, unsigned *index) {
    ENTER(e);
    *index = (unsigned)(e->is_slice ? e->parent->index : e->index);
    return SUCCESS;
}
int nvmlDeviceGetUUID(entry_t *e, char *text, unsigned size) { ENTER(e); snprintf(text, size, "%s", e->uuid); return 0; }
int nvmlDeviceGetName(entry_t *e, char *text, unsigned size) { ENTER(e); snprintf(text, size, "%s", e->name); return 0; }
int nvmlDeviceGetMemoryInfo(entry_t *e, unsigned long long *memory) {
    ENTER(e);
    /* The first version counts what the driver keeps for itself as used. */
    memory[0] = e->total; memory[1] = e->total - e->used - e->reserved; memory[2] = e->used + e->reserved;
    return SUCCESS;
}
int nvmlDeviceGetMemoryInfo_v2(entry_t *e, unsigned long long *memory) {
    int code = enter("nvmlDeviceGetMemoryInfo", e); /* what breaks the first version breaks this one */
    if (code) return code;
    ENTER(e);
    memory[1] = e->total; memory[2] = e->reserved; memory[3] = e->total - e->used - e->reserved; memory[4] = e->used;
    return SUCCESS;
}
int nvmlDeviceGetUtilizationRates(entry_t *e, unsigned *rates) {
    ENTER(e);
    if (e->is_slice || e->mig) return NOT_SUPPORTED;
    rates[0] = (unsigned)e->util; rates[1] = 0;
    return SUCCESS;
}
int nvmlDeviceGetPowerUsage(entry_t *e, unsigned *milliwatt) { ENTER(e); *milliwatt = 1000u * (unsigned)e->power; return 0; }
int nvmlDeviceGetEnforcedPowerLimit(entry_t *e, unsigned *milliwatt) {
    ENTER(e);
    if (e->limit < 0) return NOT_SUPPORTED;
    *milliwatt = 1000u * (unsigned)e->limit;
    return SUCCESS;
}
typedef struct {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type;
    int code;
    unsigned long long value;
} field_value_t;
int nvmlDeviceGetFieldValues(entry_t *e, int count, field_value_t *values) {
    ENTER(e);
    for (int i = 0; i < count; i++) {
        values[i].code = NOT_SUPPORTED;
        for (int j = 0; j < 4; j++)
            if (COUNTERS[j].field == values[i].field && e->counters[j] >= 0) {
                values[i].code = SUCCESS;
                values[i].type = 3; /* unsigned long long */
                values[i].value = (unsigned long long)e->counters[j];
            }
    }
    return SUCCESS;
}
int nvmlDeviceGetNvLinkVersion(entry_t *e, unsigned link, unsigned *version) {
    (void)link; (void)version; ENTER(e); return NOT_SUPPORTED;
}
int nvmlDeviceGetMaxPcieLinkGeneration(entry_t *e, unsigned *generation) { (void)generation; ENTER(e); return NOT_SUPPORTED; }
int nvmlDeviceGetTemperature(entry_t *e, int sensor, unsigned *celsius) {
    (void)sensor; ENTER(e); *celsius = (unsigned)e->temperature; return SUCCESS;
}
int nvmlDeviceGetMigMode(entry_t *e, unsigned *current, unsigned *pending) {
    ENTER(e);
    if (e->is_slice) return NOT_SUPPORTED;
    *current = *pending = (unsigned)e->mig;
    return SUCCESS;
}
int nvmlDeviceGetMaxMigDeviceCount(entry_t *e, unsigned *count) { ENTER(e); *count = e->mig ? 7 : 0; return SUCCESS; }
int nvmlDeviceGetMigDeviceHandleByIndex(entry_t *e, unsigned index, entry_t **slice) {
    ENTER(e);
    if (index >= (unsigned)e->n_slices) return NOT_FOUND;
    *slice = e->slices[index];
    return SUCCESS;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(entry_t *e, entry_t **device) {
    ENTER(e);
    if (!e->is_slice) return INVALID_ARGUMENT;
    *device = e->parent;
    return SUCCESS;
}
int nvmlDeviceIsMigDeviceHandle(entry_t *e, unsigned *is_mig) { ENTER(e); *is_mig = (unsigned)e->is_slice; return SUCCESS; }
int nvmlDeviceGetCpuAffinity(entry_t *e, unsigned size, unsigned long *set) {
    ENTER(e);
    for (unsigned i = 0; i < size; i++) set[i] = ~0UL;
    return SUCCESS;
}

typedef struct {
    entry_t *device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
} event_t;
int nvmlEventSetCreate(void **set) { ENTER(NULL); *set = told_xids; return SUCCESS; }
int nvmlEventSetFree(void *set) { (void)set; ENTER(NULL); return SUCCESS; }
int nvmlDeviceRegisterEvents(entry_t *e, unsigned long long types, void *set) {
    (void)types; (void)set; ENTER(e); told_xids[e->index] = e->n_xids; return SUCCESS;
}
int nvmlEventSetWait_v2(void *set, event_t *event, unsigned milliseconds) {
    (void)set; (void)milliseconds; ENTER(NULL);
    for (int i = 0; i < n_devices; i++)
        if (told_xids[i] < devices[i].n_xids) {
            *event = (event_t){&devices[i], 8, devices[i].xids[told_xids[i]++], ~0u, ~0u};
            return SUCCESS;
        }
    return TIMEOUT;
}

typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } process_info_t;
static int list_processes(const entry_t *e, unsigned *count, process_info_t *infos) {
    unsigned room = *count;
    *count = (unsigned)e->n_processes;
    if (!e->n_processes) return SUCCESS;
    if (!infos || room < (unsigned)e->n_processes) return INSUFFICIENT_SIZE;
    for (int i = 0; i < e->n_processes; i++) {
        const process_t *p = &e->processes[i];
        infos[i] = (process_info_t){p->pid, p->used < 0 ? ~0ULL : (unsigned long long)p->used * MIB, ~0u, ~0u};
    }
    return SUCCESS;
}
int nvmlDeviceGetComputeRunningProcesses_v3(entry_t *e, unsigned *count, process_info_t *infos) {
    ENTER(e);
    return list_processes(e, count, infos);
}
int nvmlDeviceGetComputeRunningProcesses_v2(entry_t *e, unsigned *count, process_info_t *infos) {
    ENTER(e);
    return list_processes(e, count, infos);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(entry_t *e, unsigned *count, process_info_t *infos) {
    (void)infos; ENTER(e); *count = 0; return SUCCESS;
}
