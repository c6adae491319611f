/*
 * Generated from the models in gpucluster.protocol. Do not edit: run
 * `python .ci/protocol_types.py` instead.
 */

/** The version of the wire protocol that these types describe. */
export const PROTOCOL_VERSION = 1;

export type ClusterSpec = LocalSpec | CudaSpec | AutoSpec;
/**
 * Where a cluster is in its life.
 */
export type ClusterState = 'starting' | 'running' | 'scaling' | 'stopping' | 'stopped' | 'failed';
export type Event = ClusterChanged | ClusterRemoved | Telemetry | Hello;

/**
 * Everything that crosses the wire to the browser or back.
 */
export interface Protocol {
  spec: ClusterSpec;
  patch: ClusterPatch;
  cluster: ClusterModel;
  clusters: ClusterList;
  event: Event;
  devices: HostDevices;
  preset: Preset;
  log: LogLines;
  error: ErrorModel;
}
/**
 * CPU workers on this machine.
 */
export interface LocalSpec {
  /**
   * Name of the cluster: letters, digits, '.', '_' and '-'. Chosen for you when left out.
   */
  name: string | null;
  /**
   * Number of worker processes. Left out: one per GPU, or up to four on CPU.
   */
  n_workers: number | null;
  /**
   * Tasks that one worker runs at the same time.
   */
  threads_per_worker: number;
  /**
   * Host memory of one worker: a size ('2 GiB'), a share of this machine ('20%'), 'auto' for an equal share, or none for no limit.
   */
  memory_limit: (number | string) | null;
  /**
   * Seconds after which a cluster that nobody is connected to and that computes nothing stops itself; none: never.
   */
  idle_timeout_seconds: number | null;
  /**
   * Absolute path of a directory on local disk for spilled data. A private folder is made inside.
   */
  local_directory: string | null;
  /**
   * Name of the Jupyter kernel whose Python environment the workers use. Left out: the caller's own.
   */
  kernel_name: string | null;
  /**
   * CPU workers on this machine.
   */
  backend: 'local';
  /**
   * 'tls' encrypts and lets only you connect. 'tcp' is unencrypted: anyone on this machine can run code as you.
   */
  protocol: 'tls' | 'tcp';
}
/**
 * One worker per GPU on this machine (dask-cuda).
 */
export interface CudaSpec {
  /**
   * Name of the cluster: letters, digits, '.', '_' and '-'. Chosen for you when left out.
   */
  name: string | null;
  /**
   * Number of worker processes. Left out: one per GPU, or up to four on CPU.
   */
  n_workers: number | null;
  /**
   * Tasks that one worker runs at the same time.
   */
  threads_per_worker: number;
  /**
   * Host memory of one worker: a size ('2 GiB'), a share of this machine ('20%'), 'auto' for an equal share, or none for no limit.
   */
  memory_limit: (number | string) | null;
  /**
   * Seconds after which a cluster that nobody is connected to and that computes nothing stops itself; none: never.
   */
  idle_timeout_seconds: number | null;
  /**
   * Absolute path of a directory on local disk for spilled data. A private folder is made inside.
   */
  local_directory: string | null;
  /**
   * Name of the Jupyter kernel whose Python environment the workers use. Left out: the caller's own.
   */
  kernel_name: string | null;
  /**
   * One worker per GPU of this machine.
   */
  backend: 'cuda';
  /**
   * GPUs to use, by index or UUID ('GPU-…', 'MIG-…'). Left out: all visible ones, idle ones first.
   */
  devices: (number | string)[] | null;
  /**
   * GPU memory that a worker's stored results may use before they move to host memory: a size, a share of the GPU, 'auto' (80%), or none for no limit.
   */
  device_memory_limit: (number | string) | null;
  /**
   * GPU memory that each worker takes at the start as a pool, a size or a share of the GPU.
   */
  rmm_pool_size: (number | string) | null;
  /**
   * Size that the pool (or the asynchronous allocator) may grow to.
   */
  rmm_maximum_pool_size: (number | string) | null;
  /**
   * Use CUDA's stream-ordered allocator. It keeps its own pool, so leave 'rmm_pool_size' out.
   */
  rmm_async: boolean;
  /**
   * Let GPU memory page to host memory (slow, but does not run out). Not with 'rmm_async'.
   */
  rmm_managed_memory: boolean;
  /**
   * Unused memory above this is given back by the asynchronous allocator.
   */
  rmm_release_threshold: (number | string) | null;
  /**
   * Measure how much of the pool is used, for the gauges. Costs a little on each allocation.
   */
  rmm_track_allocations: boolean;
  /**
   * Libraries whose GPU memory comes from the same pool.
   */
  rmm_allocator_external_lib_list: ('cupy' | 'torch')[];
  /**
   * Absolute path of a directory where each worker logs its allocations.
   */
  rmm_log_directory: string | null;
  /**
   * Let cuDF move its own data frames to host memory when the GPU is full. Best for ETL.
   */
  enable_cudf_spill: boolean;
  /**
   * 0: none, 1: bytes and time, 2: also where each spill came from. Needs cuDF spilling.
   */
  cudf_spill_stats: number;
  /**
   * 'tls' encrypts and lets only you connect. 'ucx' (NVLink, InfiniBand) and 'tcp' are unencrypted: anyone who can reach the address can run code as you.
   */
  protocol: 'tls' | 'tcp' | 'ucx';
  /**
   * Interface that UCX listens on, such as 'ib0'. Left out: this machine only.
   */
  interface: string | null;
  /**
   * Force TCP in UCX; leave out for automatic choice.
   */
  enable_tcp_over_ucx: boolean | null;
  /**
   * Force InfiniBand in UCX; leave out for automatic choice.
   */
  enable_infiniband: boolean | null;
  /**
   * Force NVLink in UCX; leave out for automatic choice.
   */
  enable_nvlink: boolean | null;
  /**
   * Force RDMACM in UCX; leave out for automatic choice.
   */
  enable_rdmacm: boolean | null;
  /**
   * Modules that each worker imports before its first task, such as 'cudf'.
   */
  pre_import: string[];
}
/**
 * GPU workers where a usable GPU is, else CPU workers.
 */
export interface AutoSpec {
  /**
   * Name of the cluster: letters, digits, '.', '_' and '-'. Chosen for you when left out.
   */
  name: string | null;
  /**
   * Number of worker processes. Left out: one per GPU, or up to four on CPU.
   */
  n_workers: number | null;
  /**
   * Tasks that one worker runs at the same time.
   */
  threads_per_worker: number;
  /**
   * Host memory of one worker: a size ('2 GiB'), a share of this machine ('20%'), 'auto' for an equal share, or none for no limit.
   */
  memory_limit: (number | string) | null;
  /**
   * Seconds after which a cluster that nobody is connected to and that computes nothing stops itself; none: never.
   */
  idle_timeout_seconds: number | null;
  /**
   * Absolute path of a directory on local disk for spilled data. A private folder is made inside.
   */
  local_directory: string | null;
  /**
   * Name of the Jupyter kernel whose Python environment the workers use. Left out: the caller's own.
   */
  kernel_name: string | null;
  /**
   * GPU workers where a usable GPU is, else CPU workers.
   */
  backend: 'auto';
}
/**
 * A change to a living cluster: exactly one of the fields.
 */
export interface ClusterPatch {
  /**
   * Scale to this number of workers.
   */
  n_workers?: number;
  adapt?: Adapt;
  /**
   * Seconds of idleness after which the cluster stops itself; 0 turns it off.
   */
  idle_timeout_seconds?: number;
}
/**
 * Let the number of workers follow the load.
 */
export interface Adapt {
  /**
   * Fewest workers.
   */
  minimum: number;
  /**
   * Most workers.
   */
  maximum: number;
}
/**
 * One cluster, as every face sees it.
 */
export interface ClusterModel {
  /**
   * Identifier, unique for ever.
   */
  id: string;
  /**
   * Name, unique among living clusters.
   */
  name: string;
  /**
   * Kind of cluster that runs: 'local' or 'cuda'; 'auto' until it is decided.
   */
  backend: string;
  /**
   * Why 'auto' chose this backend.
   */
  backend_reason: string | null;
  state: ClusterState;
  /**
   * Why the cluster failed or stopped, in a sentence.
   */
  reason: string | null;
  /**
   * What is happening, while something is.
   */
  progress: Progress | null;
  wanted: Wanted;
  /**
   * Number of workers that are connected now.
   */
  n_workers: number;
  workers: WorkerModel[];
  /**
   * Address for distributed.Client, once running.
   */
  scheduler_address: string | null;
  /**
   * Whether TLS keeps others out.
   */
  encrypted: boolean;
  /**
   * Path of the dashboard below the Jupyter base URL, once running.
   */
  dashboard_path: string | null;
  /**
   * Connected distributed clients.
   */
  n_clients: number;
  idle: Idle;
  /**
   * Process id of the supervisor.
   */
  pid: number | null;
  /**
   * Python executable of the cluster.
   */
  python: string;
  versions: Versions | null;
  created_at: string;
  running_at: string | null;
  ended_at: string | null;
  /**
   * Time from the request until running.
   */
  start_seconds: number | null;
  /**
   * End of the log, when the cluster failed.
   */
  log_tail: string[];
  spec: ClusterSpec;
  protocol_version: number;
}
/**
 * What a cluster is doing right now, for people.
 */
export interface Progress {
  /**
   * Stable name of the step, such as 'workers'.
   */
  step: string;
  /**
   * The step in a few words, such as 'Waiting for workers'.
   */
  message: string;
  /**
   * How many are done, where that can be counted.
   */
  done: number | null;
  /**
   * Of how many.
   */
  total: number | null;
}
/**
 * What was asked for last. The supervisor moves the cluster there.
 */
export interface Wanted {
  /**
   * Wanted number of workers; null while starting or adapting.
   */
  n_workers: number | null;
  /**
   * Adaptive bounds, if the number follows the load.
   */
  adapt: Adapt | null;
  /**
   * Whether the cluster was asked to stop.
   */
  stopped: boolean;
}
/**
 * One Dask worker.
 */
export interface WorkerModel {
  /**
   * Name within the cluster.
   */
  name: string;
  /**
   * Address of the worker, once it has one.
   */
  address: string | null;
  /**
   * Process id, on the worker's own machine.
   */
  pid: number | null;
  /**
   * Threads that run tasks.
   */
  n_threads: number;
  /**
   * Host memory limit; null: none.
   */
  memory_limit_bytes: number | null;
  /**
   * UUID or index of the worker's GPU; null on CPU workers.
   */
  device: string | null;
}
/**
 * The idle timer.
 */
export interface Idle {
  /**
   * Idle time after which the cluster stops; null: never.
   */
  timeout_seconds: number | null;
  /**
   * Since when nobody is connected and nothing computes.
   */
  idle_since: string | null;
  /**
   * When the cluster will stop itself unless it is used.
   */
  stops_at: string | null;
}
/**
 * Versions in the cluster's Python environment.
 */
export interface Versions {
  gpucluster: string;
  python: string;
  distributed: string | null;
  dask_cuda: string | null;
}
/**
 * Answer to "which clusters are there?".
 */
export interface ClusterList {
  clusters: ClusterModel[];
  protocol_version: number;
}
/**
 * A cluster is new or has changed; carries the whole model.
 */
export interface ClusterChanged {
  kind: 'cluster';
  cluster: ClusterModel;
}
/**
 * An ended cluster's entry was removed from the list.
 */
export interface ClusterRemoved {
  kind: 'removed';
  id: string;
}
/**
 * A sample of one cluster.
 */
export interface Telemetry {
  kind: 'telemetry';
  sample: TelemetrySample;
}
/**
 * One reading of a cluster, columnar: the i-th entry of each list belongs to the i-th worker.
 *
 * A list entry is null when that worker does not measure the figure.
 */
export interface TelemetrySample {
  /**
   * Cluster.
   */
  id: string;
  /**
   * When the sample was taken.
   */
  at: string;
  /**
   * Names of the workers.
   */
  workers: string[];
  /**
   * Age of each worker's last report.
   */
  age_seconds: number[];
  /**
   * Host memory of the worker process.
   */
  memory_bytes: (number | null)[];
  memory_limit_bytes: (number | null)[];
  /**
   * Bytes spilled to disk.
   */
  spilled_bytes: (number | null)[];
  cpu_percent: (number | null)[];
  n_threads: number[];
  /**
   * Tasks that run or wait at the worker.
   */
  processing: number[];
  /**
   * Used memory of the worker's GPU, by anybody.
   */
  vram_used_bytes: (number | null)[];
  vram_total_bytes: (number | null)[];
  gpu_utilization_percent: (number | null)[];
  /**
   * Allocated from RMM; null: no RMM, or not tracked.
   */
  rmm_used_bytes: (number | null)[];
  /**
   * Size of the RMM pool; null: none.
   */
  rmm_pool_bytes: (number | null)[];
  /**
   * Number of tasks by state, in the whole cluster.
   */
  tasks: {
    [k: string]: number;
  };
}
/**
 * First message of a stream: the whole list, so that nothing can have been missed.
 */
export interface Hello {
  kind: 'hello';
  protocol_version: number;
  clusters: ClusterModel[];
}
/**
 * The GPUs of this machine and, in a sentence, what they are or why there are none.
 */
export interface HostDevices {
  /**
   * Whether at least one GPU can be used.
   */
  available: boolean;
  /**
   * A sentence for people, such as 'No GPU here: clusters use CPU workers.'
   */
  message: string;
  /**
   * 'ok', 'no_library', 'no_driver', 'version_mismatch', 'no_permission', 'no_devices', 'hidden' or 'error'.
   */
  code: string;
  driver_version: string | null;
  devices: DeviceModel[];
  host_memory_total_bytes: number | null;
  host_memory_available_bytes: number | null;
  cpu_count: number | null;
}
/**
 * One GPU, or one MIG slice, of this machine.
 */
export interface DeviceModel {
  uuid: string;
  /**
   * Index in NVML (PCI bus) order; null for MIG slices.
   */
  index: number | null;
  name: string | null;
  memory_total_bytes: number | null;
  memory_used_bytes: number | null;
  utilization_percent: number | null;
  /**
   * For a MIG slice, the GPU it is cut from.
   */
  parent_uuid: string | null;
  /**
   * Whether this GPU is divided into MIG slices.
   */
  mig_enabled: boolean;
  /**
   * Whether CUDA_VISIBLE_DEVICES allows it.
   */
  visible: boolean;
  /**
   * Why this device cannot be read, in a sentence.
   */
  error: string | null;
  processes: DeviceProcess[];
}
/**
 * A process that uses a GPU of this machine.
 */
export interface DeviceProcess {
  pid: number;
  user: string | null;
  /**
   * Name of the program.
   */
  command: string | null;
  memory_used_bytes: number | null;
  /**
   * Name of the cluster of ours it belongs to.
   */
  cluster: string | null;
}
/**
 * A named starting point for the creation form.
 */
export interface Preset {
  name: string;
  title: string;
  description: string;
  needs_gpu: boolean;
  /**
   * Fields of a ClusterSpec; ``backend`` is among them.
   */
  spec: {
    [k: string]: unknown;
  };
}
/**
 * End of a cluster's log.
 */
export interface LogLines {
  id: string;
  lines: string[];
}
/**
 * The JSON body of every refused request, the same on the unix socket and over REST.
 */
export interface ErrorModel {
  /**
   * Stable, machine-readable name of the error.
   */
  code: string;
  /**
   * A sentence for the person who made the request.
   */
  message: string;
  /**
   * Per field, if known.
   */
  fields?: FieldError[];
}
/**
 * What is wrong with one field of a request.
 */
export interface FieldError {
  /**
   * Dotted path of the field, empty for the whole request.
   */
  field: string;
  /**
   * What was wrong and what is allowed.
   */
  message: string;
}
