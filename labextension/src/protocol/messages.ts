/*
 * Generated from the models in gpucluster.protocol. Do not edit: run
 * `python .ci/protocol_types.py` instead.
 */

/** The version of the wire protocol that these types describe. */
export const PROTOCOL_VERSION = 5;

/**
 * Where a cluster is in its life.
 */
export type ClusterState = 'starting' | 'running' | 'scaling' | 'stopping' | 'stopped' | 'failed';
/**
 * What a living cluster may be asked for, besides to stop.
 */
export type Verb = 'scale' | 'adapt' | 'retire' | 'restart';
/**
 * What keeps others out of a cluster's messages.
 */
export type Network = 'unix' | 'tls' | 'open';
export type Event = ClusterChanged | ClusterRemoved | Telemetry | HostChanged | Hello;
export type SharedEvent = SharedHello | SharedChanged | SharedTelemetry | SharedOver;

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
  node: NodeModel;
  class_clusters: ClassClusters;
  class_answer: ClassAnswer;
  site: SiteFaults;
  preset: OfferedPreset;
  schemas: Schemas;
  log: LogLines;
  submission: Submission;
  notes: Notes;
  process_stopped: ProcessStopped;
  history: TelemetryHistory;
  activity: Activity;
  lessons: LessonList;
  copied: LessonCopied;
  answers: LessonEvents;
  noted: EventsNoted;
  forgotten: ProgressDeleted;
  classroom: ClassView;
  links: SharedLinks;
  new_link: NewLink;
  shared_event: SharedEvent;
  recordings: RecordingList;
  recorded: RecordedSession;
  error: ErrorModel;
}
/**
 * Options that every kind of cluster has.
 */
export interface ClusterSpec {
  /**
   * Kind of cluster.
   */
  backend: string;
  /**
   * Name of the cluster: letters, digits, '.', '_' and '-'. Chosen for you when left out.
   */
  name: string | null;
  /**
   * Number of workers; 0 starts with none. Left out: what is usual for the kind.
   */
  n_workers: number | null;
  /**
   * Tasks that one worker runs at the same time.
   */
  threads_per_worker: number;
  /**
   * Host memory of one worker: a size ('2 GiB'), a share of this machine ('20%'), 'auto' for an equal share, or none (also 0) for no limit.
   */
  memory_limit: (number | string) | null;
  /**
   * Seconds after which a cluster that nobody is connected to and that computes nothing stops itself; none: never.
   */
  idle_timeout_seconds: number | null;
  /**
   * Absolute path of a directory on local disk for spilled data; made when it is not there. A private folder is made inside.
   */
  local_directory: string | null;
  /**
   * Name of the Jupyter kernel whose Python environment the workers use. Left out: the caller's own.
   */
  kernel_name: string | null;
  [k: string]: unknown;
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
  /**
   * Seconds between two looks at the load; none: Dask's own setting, a second.
   */
  interval_seconds?: number | null;
  /**
   * How many looks in a row must find a worker unneeded before it goes; none: Dask's own, 3.
   */
  wait_count?: number | null;
  /**
   * Seconds that what is waiting should take: the less, the more workers are started; none: Dask's own, 5.
   */
  target_duration_seconds?: number | null;
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
   * Kind of cluster that runs, such as 'local'; 'auto' until it is decided.
   */
  backend: string;
  /**
   * What stands before the word workers, such as 'CPU'; may be empty.
   */
  backend_title: string;
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
   * While it lives, what the last request could not do, or what is wrong now, in a sentence.
   */
  notice: string | null;
  /**
   * What is worth telling once, newest last; at most ten: 'worker_died', 'spill', 'pause', 'gpu' and 'stopped' (by idle timer, site or instructor) for what happened to it, 'done' and 'not_done' for a batch that somebody waits for, 'message' for what an instructor says. Messages of at most 140 characters.
   */
  news: ActivityEntry[];
  /**
   * What instructors of the site have told its owner, newest last; at most 3.
   */
  messages: InstructorMessage[];
  /**
   * What is happening, while something is.
   */
  progress: Progress | null;
  /**
   * What to know about what was asked for, in sentences, such as that the workers' memory limits add up to more than the machine has.
   */
  notes: string[];
  wanted: Wanted;
  /**
   * What it can be asked for now, besides to stop.
   */
  can: Verb[];
  /**
   * Whether its workers have GPUs.
   */
  has_gpus: boolean;
  /**
   * Number of workers that are connected now.
   */
  n_workers: number;
  /**
   * Number of workers that were asked for and have not come yet.
   */
  n_pending: number;
  /**
   * Why they have not come, in a sentence, where that is known.
   */
  pending_reason: string | null;
  /**
   * How many of how many wait and why, for people: '3 of 4 jobs wait: Resources'; null: none.
   */
  waiting: string | null;
  workers: WorkerModel[];
  /**
   * GPUs of this machine, or slots of them, that it has as long as it lives.
   */
  slots: GPUSlot[];
  /**
   * Other machines that have workers of it, each with what: 'n1: 2 GPUs'.
   */
  nodes: string[];
  /**
   * Host memory that each of its workers may use, 0 for no limit; null: not known yet, or they are elsewhere.
   */
  memory_limit_bytes: number | null;
  /**
   * What its workers may spill to the disk of this machine, together; null: as much as there is.
   */
  scratch_limit_bytes: number | null;
  /**
   * When the time limit of the first of its jobs is over; null: none.
   */
  ends_at: string | null;
  /**
   * Whose it is, if it ends with its holder; null: it lives on its own.
   */
  lease: Lease | null;
  /**
   * What it has cost; null: its site says nothing of costs.
   */
  cost: Cost | null;
  /**
   * Address for distributed.Client, once running.
   */
  scheduler_address: string | null;
  network: Network;
  /**
   * Path of the dashboard below the Jupyter base URL, once running.
   */
  dashboard_path: string | null;
  /**
   * Connected clients, but for those that workers make for their tasks.
   */
  n_clients: number;
  /**
   * Ids of the Jupyter kernels that have such a client.
   */
  kernels: string[];
  idle: Idle;
  /**
   * What is being recorded; null: nothing.
   */
  recording: RunningRecording | null;
  /**
   * Process id of the supervisor.
   */
  pid: number | null;
  /**
   * Python executable of the cluster.
   */
  python: string;
  versions: Versions | null;
  /**
   * What somebody should know about a cluster that works, in sentences.
   */
  warnings: string[];
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
 * Something that happened to a cluster: who asked what, when, and what came of it.
 */
export interface ActivityEntry {
  at: string;
  /**
   * Stable name: 'create', 'scale', 'adapt', 'idle_timeout', 'restart', 'retire', 'record', 'stop', 'message' for what was asked; 'state', 'worker_joined', 'worker_left', 'worker_died', 'spill', 'pause', 'gpu', 'done', 'not_done', 'recorded', 'profile', 'link', 'failure' for what happened.
   */
  kind: string;
  /**
   * Who asked, such as 'JupyterLab', 'notebook, process 4711' or 'command line, process 815'.
   */
  by: string | null;
  /**
   * What it was, in a sentence or less.
   */
  message: string;
}
/**
 * What an instructor has told the owner of a cluster.
 */
export interface InstructorMessage {
  at: string;
  /**
   * User name of the instructor, by the kernel.
   */
  by: string;
  text: string;
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
 * A GPU, or a part of one, that a cluster has as long as it lives.
 */
export interface GPUSlot {
  /**
   * UUID of the GPU or MIG slice.
   */
  uuid: string;
  /**
   * Index of the GPU; null for MIG slices.
   */
  index: number | null;
  /**
   * Number of the slot, counted from 1; null: the whole of it, or one without a number.
   */
  slot: number | null;
  /**
   * Into how many slots the site divides it.
   */
  slots: number;
  /**
   * GPU memory of the slot.
   */
  memory_bytes: number | null;
  /**
   * What it is and what keeps others out of it, for people.
   */
  label: string;
}
/**
 * Whose a cluster is that was taken for a while only: it ends with that, or with its holder.
 */
export interface Lease {
  /**
   * What it was taken for: a cell of a notebook, a block of Python, or a command of a shell.
   */
  scope: 'cell' | 'block' | 'command';
  /**
   * Who has it, such as 'notebook, process 4711'.
   */
  holder: string;
  /**
   * Process id of the holder.
   */
  pid: number;
  /**
   * Tells that process from any other that ever has its number.
   */
  birth: string;
}
/**
 * What a cluster has cost, as its site counts.
 */
export interface Cost {
  /**
   * What is counted, such as 'node-hours'.
   */
  unit: string;
  /**
   * So much until ``at``.
   */
  amount: number;
  /**
   * So much more with each hour, as long as its workers stay as they are.
   */
  per_hour: number;
  at: string;
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
  /**
   * Since when no task runs, also while clients are connected; null: tasks run.
   */
  quiet_since: string | null;
  /**
   * What keeps a quiet cluster from stopping by itself, such as 'a client holds 3 results'.
   */
  kept_by: string | null;
}
/**
 * A recording that the cluster's own process makes now.
 */
export interface RunningRecording {
  /**
   * The file that it will be, on the cluster's machine.
   */
  path: string;
  since: string;
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
 * One reading of a cluster, columnar: the i-th entry of a list belongs to the i-th worker.
 *
 * A column that is the same for all workers is a single value; ``column`` expands it. Sizes that gauges show have
 * five significant digits; counters are exact. Above 200 workers there are fewer digits, and ``device`` is the
 * beginning of the UUID.
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
   * Age of the worker's last report.
   */
  age_seconds?: (number | null)[] | number | null;
  /**
   * Threads that run tasks.
   */
  n_threads?: (number | null)[] | number | null;
  /**
   * Tasks that the scheduler has given to the worker.
   */
  processing?: (number | null)[] | number | null;
  /**
   * Tasks that run.
   */
  executing?: (number | null)[] | number | null;
  /**
   * Tasks that wait for a thread of the worker.
   */
  ready?: (number | null)[] | number | null;
  /**
   * Results that the worker holds.
   */
  in_memory?: (number | null)[] | number | null;
  /**
   * CPU time; 100 is one core.
   */
  cpu_percent?: (number | null)[] | number | null;
  /**
   * Host memory of the worker process.
   */
  memory_bytes?: (number | null)[] | number | null;
  /**
   * Host memory that it may use; null: no limit.
   */
  memory_limit_bytes?: (number | null)[] | number | null;
  /**
   * Part of the host memory that Dask knows as results; the rest is unmanaged.
   */
  managed_bytes?: (number | null)[] | number | null;
  /**
   * Results that Dask holds in GPU memory.
   */
  tier_device_bytes?: (number | null)[] | number | null;
  /**
   * device_memory_limit: results above it move to host memory; null: no limit.
   */
  tier_device_limit_bytes?: (number | null)[] | number | null;
  /**
   * Results that Dask holds in host memory.
   */
  tier_host_bytes?: (number | null)[] | number | null;
  /**
   * Results that Dask has spilled to disk.
   */
  tier_disk_bytes?: (number | null)[] | number | null;
  /**
   * Data frames that cuDF itself has moved from GPU to host memory.
   */
  cudf_spilled_bytes?: (number | null)[] | number | null;
  /**
   * Name of the worker's machine, without its domain.
   */
  host?: (string | null)[] | string | null;
  /**
   * UUID of the worker's GPU or MIG slice; null: no GPU.
   */
  device?: (string | null)[] | string | null;
  /**
   * Number of that GPU on its machine, as nvidia-smi tells it; null for slices.
   */
  device_index?: (number | null)[] | number | null;
  /**
   * Why the worker's GPU cannot be read, in a sentence.
   */
  device_error?: (string | null)[] | string | null;
  /**
   * Memory of the worker's GPU.
   */
  vram_total_bytes?: (number | null)[] | number | null;
  /**
   * Used memory of that GPU, by anybody.
   */
  vram_used_bytes?: (number | null)[] | number | null;
  /**
   * Part of it used by processes of this cluster; null: cannot be told.
   */
  vram_cluster_bytes?: (number | null)[] | number | null;
  /**
   * Allocated through RMM now; null: no RMM, or it does not keep count.
   */
  rmm_used_bytes?: (number | null)[] | number | null;
  /**
   * Size of the RMM pool now; null: none.
   */
  rmm_pool_bytes?: (number | null)[] | number | null;
  /**
   * What RMM may grow to; null: no limit.
   */
  rmm_maximum_bytes?: (number | null)[] | number | null;
  /**
   * Share of time in which a kernel ran on the GPU.
   */
  gpu_utilization_percent?: (number | null)[] | number | null;
  /**
   * Power draw of the GPU.
   */
  gpu_power_watts?: (number | null)[] | number | null;
  /**
   * Power limit of the GPU.
   */
  gpu_power_limit_watts?: (number | null)[] | number | null;
  gpu_temperature_celsius?: (number | null)[] | number | null;
  /**
   * From the GPU over PCIe.
   */
  pcie_sent_bytes_per_second?: (number | null)[] | number | null;
  /**
   * To the GPU over PCIe.
   */
  pcie_received_bytes_per_second?: (number | null)[] | number | null;
  /**
   * From the GPU over NVLink.
   */
  nvlink_sent_bytes_per_second?: (number | null)[] | number | null;
  /**
   * To the GPU over NVLink.
   */
  nvlink_received_bytes_per_second?: (number | null)[] | number | null;
  /**
   * Results sent to other workers and clients since the worker's start.
   */
  sent_bytes?: (number | null)[] | number | null;
  /**
   * Results received from other workers since the worker's start.
   */
  received_bytes?: (number | null)[] | number | null;
  /**
   * Memory of the machine that all workers share; null: they have several, or nobody knows.
   */
  host_memory_bytes?: number | null;
  /**
   * Cores of that machine.
   */
  host_cores?: number | null;
  /**
   * Number of tasks by state, in the whole cluster.
   */
  tasks?: {
    [k: string]: number;
  };
  /**
   * Kinds of tasks, the most recent ones last; at most 30.
   */
  progress?: PrefixProgress[];
}
/**
 * How far the tasks of one kind are. A prefix is what their keys have in common, such as 'inc'.
 */
export interface PrefixProgress {
  prefix: string;
  /**
   * Wait for other tasks, for a worker or for room.
   */
  waiting?: number;
  /**
   * Are at a worker.
   */
  processing?: number;
  /**
   * Are finished; the workers hold the results.
   */
  in_memory?: number;
  /**
   * Are finished; the results are not needed any more.
   */
  released?: number;
  erred?: number;
}
/**
 * A reading of the GPUs of the Jupyter server's machine.
 */
export interface HostChanged {
  kind: 'host';
  host: HostDevices;
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
  /**
   * Used by programs, as nvidia-smi tells it.
   */
  memory_used_bytes: number | null;
  /**
   * Kept by the driver: neither used nor free.
   */
  memory_reserved_bytes: number | null;
  utilization_percent: number | null;
  power_watts: number | null;
  power_limit_watts: number | null;
  temperature_celsius: number | null;
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
  /**
   * Since when that has been seen.
   */
  error_since: string | null;
  /**
   * What the driver has told of it since it is looked at; the last five.
   */
  xids: XIDModel[];
  processes: DeviceProcess[];
}
/**
 * An error that the driver has told of a GPU, by its number.
 */
export interface XIDModel {
  /**
   * XID, as in NVIDIA's list.
   */
  number: number;
  at: string;
  /**
   * What it means, in a few words; null: see NVIDIA's list.
   */
  meaning: string | null;
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
  /**
   * Path of the notebook whose kernel it is; the kernel, where only that is known.
   */
  notebook: string | null;
  /**
   * What it is: a notebook's kernel, a cluster's own process, a worker, a process that one of those has started, any other one; 'outside': of another container, or just gone.
   */
  role: 'kernel' | 'supervisor' | 'worker' | 'child' | 'other' | 'outside';
  /**
   * Name of the worker that it is, or that has started it.
   */
  worker: string | null;
  /**
   * The nearest of its ancestors that uses this GPU, too.
   */
  parent_pid: number | null;
  /**
   * Memory of it and of all that it has started, on this GPU; null: not measured.
   */
  tree_memory_bytes: number | null;
  /**
   * Tells it from any other process of this number; null: not one's own.
   */
  birth: string | null;
  /**
   * Whether it is one's own and may be stopped from here.
   */
  can_stop: boolean;
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
 * One machine.
 */
export interface NodeModel {
  devices: SharedDevice[];
  /**
   * The first one first.
   */
  line: Waiting[];
  /**
   * What is not told one by one, by user.
   */
  more: More[];
  /**
   * A sentence where nothing can be told; else empty.
   */
  message: string;
  /**
   * Whether whoever asks is an instructor of this site, who may message and stop others.
   */
  instructor: boolean;
}
/**
 * One GPU or MIG slice, with those who have it.
 */
export interface SharedDevice {
  uuid: string;
  index: number | null;
  name: string | null;
  /**
   * How many the site gives out; null: it gives out none of this GPU.
   */
  slots: number | null;
  /**
   * So many slots are nobody's; null: the site gives out none.
   */
  free: number | null;
  /**
   * Whether the site gives it to nobody.
   */
  reserved: boolean;
  utilization_percent: number | null;
  holders: SlotHolder[];
}
/**
 * Somebody who has a GPU, or a slot of one. Whose cluster is never told by its name.
 */
export interface SlotHolder {
  /**
   * Name of the user, by the kernel; null: this system does not tell.
   */
  user: string | null;
  /**
   * Number of the slot; null: the site gives out none, or it has no number.
   */
  slot: number | null;
  since: string | null;
  /**
   * Until when at most, as the holder says; null: nobody knows.
   */
  ends_at: string | null;
  /**
   * Whether it is whoever asks.
   */
  mine: boolean;
  /**
   * Whether the GPU had as many claims as it has slots before this one.
   */
  beyond: boolean;
}
/**
 * A place in line.
 */
export interface Waiting {
  user: string | null;
  /**
   * null: it is another user's, who could say anything. Nobody else knows since when.
   */
  since: string | null;
  /**
   * How many it waits for.
   */
  gpus: number;
  /**
   * Whether it waits for certain GPUs.
   */
  certain: boolean;
  /**
   * Whether it is whoever asks.
   */
  mine: boolean;
}
/**
 * What a user has beyond what is told one by one.
 */
export interface More {
  user: string | null;
  /**
   * Claims above the user's limit; they keep nobody out.
   */
  above: number;
  /**
   * Other claims.
   */
  claims: number;
  /**
   * Places in line.
   */
  places: number;
  /**
   * Whether it is whoever asks.
   */
  mine: boolean;
}
/**
 * The clusters of all users of this machine.
 */
export interface ClassClusters {
  /**
   * By user.
   */
  clusters: ClassCluster[];
  /**
   * Names beyond the most that a user's clusters are shown of.
   */
  left_out: number;
}
/**
 * One cluster of a user of this machine, as an instructor sees it.
 */
export interface ClassCluster {
  id: string;
  /**
   * Name of the user, by the kernel.
   */
  user: string;
  /**
   * Whether it is the instructor's own.
   */
  mine: boolean;
  kind: string | null;
  /**
   * What stands before the word workers, such as 'CPU'.
   */
  kind_title: string | null;
  /**
   * null: it does not answer.
   */
  state: ClusterState | null;
  n_workers: number;
  /**
   * Each in a few words: '0, slot 2 of 4'.
   */
  gpus: string[];
  since: string | null;
  idle_since: string | null;
  /**
   * Why nothing is known of it, in a sentence.
   */
  problem: string | null;
  /**
   * So many of this user are unknown for the same reason; they are told once.
   */
  times: number;
}
/**
 * What has come of a message or a stop.
 */
export interface ClassAnswer {
  /**
   * So many clusters.
   */
  reached: number;
  /**
   * Whose.
   */
  users: string[];
  /**
   * Which could not be reached, in sentences.
   */
  problems: string[];
}
/**
 * What is wrong with the site's file, and its message of the day.
 */
export interface SiteFaults {
  /**
   * As 'gpucluster site' says it, with file and line; empty for people who cannot change the file.
   */
  faults: string[];
  /**
   * What it means for everybody, in a sentence; null: nothing.
   */
  notice: string | null;
  /**
   * The site's message of the day; null: none.
   */
  message: string | null;
}
/**
 * A preset with what a form shows of it.
 */
export interface OfferedPreset {
  name: string;
  title: string;
  description: string;
  needs_gpu: boolean;
  spec: {
    [k: string]: unknown;
  };
  /**
   * Whose memory the parts are of.
   */
  memory_title: string;
  /**
   * What becomes of the memory; none where that is not known.
   */
  memory: MemoryPart[];
}
/**
 * A part of a worker's memory, for a picture of what a preset does with it.
 */
export interface MemoryPart {
  kind: 'pool' | 'use' | 'spill' | 'free';
  /**
   * Of the memory, 0 to 1.
   */
  share: number;
  /**
   * What it is for, in a few words.
   */
  text: string;
}
/**
 * What the creation form is drawn from.
 */
export interface Schemas {
  /**
   * JSON Schema of what can be asked for, by kind.
   */
  backends: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * The kinds that there are here, also those that cannot be used.
   */
  kinds: KindModel[];
  protocol_version: number;
}
/**
 * A kind of cluster, for a form.
 */
export interface KindModel {
  /**
   * The ``backend`` of a spec.
   */
  name: string;
  /**
   * What stands before the word workers: CPU, Slurm.
   */
  title: string;
  /**
   * What it is, in a sentence.
   */
  description: string;
  /**
   * Which package offers it, with its version.
   */
  package: string;
  /**
   * Where its workers are, for a person who chooses; kinds may share it.
   */
  where: string;
  traits: Traits | null;
  /**
   * Why it cannot be used here, with what to do; null: it can.
   */
  problem: string | null;
}
/**
 * What is known about a kind of cluster before there is one.
 */
export interface Traits {
  /**
   * Whether each of its workers has a GPU.
   */
  has_gpus: boolean;
  /**
   * Whether the GPUs of the machine that starts it decide about its start.
   */
  needs_host_check: boolean;
  /**
   * Whether its workers run on the machine that starts it.
   */
  this_machine: boolean;
  /**
   * Whether workers may wait in a queue before they start.
   */
  queues: boolean;
  /**
   * Kinds out of which it chooses one, when it starts.
   */
  chooses: string[];
  /**
   * How many workers it has at most where their number is left open; null: the kind finds out, as from the GPUs.
   */
  default_workers: number | null;
}
/**
 * End of a cluster's log.
 */
export interface LogLines {
  id: string;
  lines: string[];
}
/**
 * What is handed to whoever starts the workers, as a batch system, for people to read and copy.
 */
export interface Submission {
  /**
   * Such as a batch script; null: nothing is handed to anybody.
   */
  text: string | null;
  /**
   * What to know about it, such as the expected start.
   */
  notes: string[];
  /**
   * What the site lets one choose, as JSON Schema by name; null: nothing of its own.
   */
  offered: {
    [k: string]: unknown;
  } | null;
}
/**
 * What to know about a request before it is made.
 */
export interface Notes {
  /**
   * Sentences; none when there is nothing to say.
   */
  notes: string[];
  /**
   * Of a new cluster on this machine; null where nobody knows it.
   */
  demand: Demand | null;
  /**
   * What the request would be refused for, by field; none when it would not be. With some, there is nothing else to say.
   */
  fields: FieldError[];
}
/**
 * What a cluster would take of the machine that it runs on, and what there is.
 */
export interface Demand {
  n_workers: number;
  /**
   * Threads that run tasks.
   */
  threads_per_worker: number;
  /**
   * Host memory that each worker may use; null: no limit.
   */
  memory_limit_bytes: number | null;
  machine_memory_bytes: number;
  machine_cores: number;
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
/**
 * What came of a stop.
 */
export interface ProcessStopped {
  pid: number;
  /**
   * Whether it is gone.
   */
  ended: boolean;
}
/**
 * The last ten minutes of a cluster, oldest first.
 *
 * Totals have one entry per ``seconds``. Workers have one per ``worker_seconds``, which is coarser the more workers
 * there are.
 */
export interface TelemetryHistory {
  /**
   * Cluster.
   */
  id: string;
  /**
   * The moment that both time scales count from: the newest sample.
   */
  at: string;
  /**
   * Time of each total; zero or negative.
   */
  seconds: number[];
  /**
   * Number of workers; empty: not known.
   */
  n_workers: (number | null)[];
  /**
   * Mean of the workers.
   */
  cpu_percent: (number | null)[];
  /**
   * Sum over the workers.
   */
  memory_bytes: (number | null)[];
  /**
   * Mean of the devices.
   */
  gpu_utilization_percent: (number | null)[];
  /**
   * Sum over the devices.
   */
  vram_used_bytes: (number | null)[];
  /**
   * Sum over the workers.
   */
  rmm_used_bytes: (number | null)[];
  /**
   * Tasks at workers.
   */
  processing: (number | null)[];
  worker_seconds: number[];
  /**
   * By name.
   */
  workers: {
    [k: string]: WorkerHistory;
  };
}
/**
 * The last minutes of one worker; null where it was not there or did not measure.
 */
export interface WorkerHistory {
  cpu_percent: (number | null)[];
  memory_bytes: (number | null)[];
  /**
   * Null: no GPU.
   */
  gpu_utilization_percent: (number | null)[] | null;
  /**
   * Null: no GPU.
   */
  vram_used_bytes: (number | null)[] | null;
}
/**
 * What has happened to a cluster, oldest first; the last 1000 entries.
 */
export interface Activity {
  id: string;
  entries: ActivityEntry[];
}
/**
 * Answer to "which lessons are there, and how far am I?".
 */
export interface LessonList {
  /**
   * Folder of the learner's copies, below Jupyter's root.
   */
  folder: string;
  lessons: LessonModel[];
  /**
   * What to do next; null when everything is done.
   */
  next: LessonStep | null;
  /**
   * Weak topics, the weakest first.
   */
  advice: LessonStep[];
  progress: ProgressSummary;
  /**
   * Whether this server shows a class.
   */
  has_class: boolean;
  protocol_version: number;
}
/**
 * One lesson, and how far this learner is with it.
 */
export interface LessonModel {
  /**
   * Number, such as '06'.
   */
  id: string;
  /**
   * Name of its folder, such as '06-kmeans'.
   */
  slug: string;
  title: string;
  /**
   * Time that a class needs.
   */
  minutes: number;
  /**
   * 'cpu': runs anywhere; 'gpu': needs a GPU.
   */
  needs: string;
  objectives: string[];
  exercises: LessonExercise[];
  questions: Tally;
  cards: Tally;
  /**
   * Path below Jupyter's root; null: not copied yet.
   */
  notebook: string | null;
  /**
   * Path of the copy without prose; null: not copied yet.
   */
  recall: string | null;
  /**
   * Whether there is a copy without prose to be had.
   */
  has_recall: boolean;
}
/**
 * One exercise of a lesson, and how far this learner is with it.
 */
export interface LessonExercise {
  /**
   * Number, such as '06.2'; also the link to its cell.
   */
  id: string;
  title: string;
  state: 'new' | 'not_yet' | 'failed' | 'passed';
  /**
   * How often it was checked.
   */
  attempts: number;
  /**
   * How many hints were asked for.
   */
  hints: number;
  solution_seen: boolean;
}
/**
 * How many of how many.
 */
export interface Tally {
  done: number;
  total: number;
}
/**
 * One thing to do, and where.
 */
export interface LessonStep {
  /**
   * What it is called.
   */
  title: string;
  /**
   * Why this one, in a sentence.
   */
  why: string;
  /**
   * Where: a lesson '06', an exercise '06.2' or a cell '06#anchor'.
   */
  link: string;
  /**
   * The topic, where it is about one.
   */
  topic: string | null;
  /**
   * Cards to look at.
   */
  cards: string[];
  /**
   * Exercise to do again.
   */
  exercise: string | null;
}
/**
 * What the learner's file says, all lessons together.
 */
export interface ProgressSummary {
  /**
   * Where the file is, below Jupyter's root.
   */
  path: string;
  exists: boolean;
  /**
   * Why the file cannot be read, in a sentence.
   */
  message: string | null;
  exercises: Tally;
  questions: Tally;
  cards: Tally;
  /**
   * Name under which a class sees this progress; null: nobody does.
   */
  shared_as: string | null;
}
/**
 * What was written for a learner, as paths below Jupyter's root.
 */
export interface LessonCopied {
  /**
   * Files that are new.
   */
  written: string[];
  /**
   * Folder that holds what was there before.
   */
  backup: string | null;
}
/**
 * What a page reports, the oldest first.
 */
export interface LessonEvents {
  events: (QuestionAnswered | CardTurned | ExamHandedIn | ParsonsTried)[];
}
/**
 * A question of a practice quiz was answered.
 */
export interface QuestionAnswered {
  kind: 'question';
  id: string;
  right: boolean;
}
/**
 * A card was turned, and the learner said whether the back was known.
 */
export interface CardTurned {
  kind: 'card';
  id: string;
  known: boolean;
}
/**
 * A practice exam was handed in.
 */
export interface ExamHandedIn {
  kind: 'exam';
  /**
   * Each question, and whether its answer was right.
   */
  answers: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^[0-9]{2}\.q[0-9]{1,3}$".
     */
    [k: string]: boolean;
  };
}
/**
 * The lines of a Parsons problem were put in order and looked at.
 */
export interface ParsonsTried {
  kind: 'parsons';
  exercise: string;
  right: boolean;
  failed?: string[];
}
/**
 * What became of reported answers.
 */
export interface EventsNoted {
  noted: number;
  /**
   * For each card, the day it is due next.
   */
  due: {
    [k: string]: string;
  };
}
/**
 * Whether there was a file to delete.
 */
export interface ProgressDeleted {
  deleted: boolean;
}
/**
 * Who is where in a class, and what fails most; made by ``gpucluster.lessons.classroom.read_class(folder)``.
 */
export interface ClassView {
  folder: string;
  read_at: string;
  learners: ClassLearner[];
  /**
   * Those that somebody has tried, in the order of the lessons.
   */
  exercises: ClassExercise[];
  /**
   * Files that could not be read, and why.
   */
  problems: string[];
}
/**
 * One learner who shares.
 */
export interface ClassLearner {
  name: string;
  /**
   * Lesson that was worked on last.
   */
  lesson: string | null;
  /**
   * Exercise that was checked last.
   */
  exercise: string | null;
  /**
   * State of that exercise.
   */
  state: 'new' | 'not_yet' | 'failed' | 'passed';
  /**
   * Exercises passed, in all lessons.
   */
  passed: number;
  /**
   * When something was last noted.
   */
  updated_at: string | null;
  /**
   * Property that failed in the last check, as the learner sees it.
   */
  failing: string | null;
}
/**
 * One exercise, over all learners who share.
 */
export interface ClassExercise {
  id: string;
  title: string;
  /**
   * Learners who have passed it.
   */
  passed: number;
  /**
   * Learners who tried and have not passed it.
   */
  stuck: number;
  /**
   * Checks of all learners together.
   */
  attempts: number;
  /**
   * Hints of all learners together.
   */
  hints: number;
  /**
   * Learners who have seen the solution.
   */
  solutions: number;
  /**
   * What fails most, first.
   */
  failing: FailingProperty[];
}
/**
 * A property that learners' answers lack.
 */
export interface FailingProperty {
  property: string;
  /**
   * How many learners' last attempt lacks it.
   */
  learners: number;
}
/**
 * The links of a cluster that have not ended.
 */
export interface SharedLinks {
  /**
   * Cluster.
   */
  id: string;
  links: SharedLink[];
}
/**
 * A link that lets somebody look at a cluster. What it is opened with is not in here.
 */
export interface SharedLink {
  /**
   * Names it among the links of its cluster; opens nothing.
   */
  id: string;
  created_at: string;
  ends_at: string;
  /**
   * Who made it.
   */
  by: string | null;
  tasks: boolean;
  public: boolean;
  /**
   * How many times it was opened.
   */
  opened: number;
  last_opened_at: string | null;
  /**
   * Who was logged in then; the last twenty.
   */
  viewers: LinkViewer[];
}
/**
 * Somebody who has looked and was logged in.
 */
export interface LinkViewer {
  name: string;
  /**
   * How many times.
   */
  opened: number;
  last_opened_at: string;
}
/**
 * A link that was just made: the only time that it is told what it is opened with.
 */
export interface NewLink {
  link: SharedLink;
  /**
   * Below the base address of Jupyter. Secret: whoever has it can look.
   */
  path: string;
  /**
   * The whole address, where it is known which server of Jupyter shows it.
   */
  url: string | null;
  /**
   * What to know about it, in sentences.
   */
  notes: string[];
}
/**
 * First message of the stream of a shared view.
 */
export interface SharedHello {
  kind: 'hello';
  cluster: SharedCluster;
  /**
   * When the link ends.
   */
  ends_at: string;
  /**
   * The server's clock.
   */
  now: string;
  /**
   * Pages of the dashboard that can be seen.
   */
  pages: SharedPage[];
}
/**
 * A cluster, as who has a link sees it.
 */
export interface SharedCluster {
  id: string;
  name: string;
  state: ClusterState;
  backend_title: string;
  n_workers: number;
  /**
   * Without address and process.
   */
  workers: WorkerModel[];
}
/**
 * A page of Dask's dashboard that a link shows.
 */
export interface SharedPage {
  path: string;
  title: string;
}
/**
 * The cluster has changed.
 */
export interface SharedChanged {
  kind: 'cluster';
  cluster: SharedCluster;
}
/**
 * A sample.
 */
export interface SharedTelemetry {
  kind: 'telemetry';
  sample: TelemetrySample;
}
/**
 * The last message.
 */
export interface SharedOver {
  kind: 'over';
  /**
   * Why there is nothing to see any more, in a sentence.
   */
  message: string;
}
/**
 * Answer to "which recordings are there?".
 */
export interface RecordingList {
  recordings: RecordingEntry[];
  /**
   * Whether all folders were looked into; very large ones are not.
   */
  complete: boolean;
  protocol_version: number;
}
/**
 * A recording that can be played, or a sentence why not.
 */
export interface RecordingEntry {
  /**
   * Below Jupyter's root, or part of gpucluster.
   */
  source: 'folder' | 'bundled';
  /**
   * Path below Jupyter's root; of a bundled one its file name.
   */
  path: string;
  size_bytes: number;
  /**
   * Null: it cannot be read.
   */
  title: string | null;
  /**
   * What it was recorded on and when; null: it cannot be read.
   */
  label: string | null;
  /**
   * Why it cannot be read, in a sentence.
   */
  message: string | null;
  /**
   * What ran.
   */
  note: string | null;
  /**
   * Number of workers at the beginning.
   */
  n_workers: number | null;
  /**
   * From the first moment to the last one.
   */
  seconds: number | null;
}
/**
 * A recording that has been read and looked at.
 */
export interface RecordedSession {
  recording: Recording;
  /**
   * What it was recorded on and when; always shown.
   */
  label: string;
  /**
   * What of the file cannot be played, in a sentence.
   */
  message: string | null;
  /**
   * Oldest first; at least one.
   */
  samples: TelemetrySample[];
}
/**
 * What was recorded, where and with what; nothing about who, or on which computer.
 */
export interface Recording {
  kind: 'gpucluster-recording';
  /**
   * Version of the file's form.
   */
  schema_version: 1;
  title: string;
  /**
   * When it began, in UTC.
   */
  recorded_at: string;
  /**
   * 'local' for CPU workers, 'cuda' for GPU workers, whatever kind of cluster they were of.
   */
  backend: 'local' | 'cuda';
  /**
   * Name of each GPU.
   */
  gpus: string[];
  /**
   * Version of the GPU driver; null without GPUs.
   */
  driver: string | null;
  /**
   * Number of workers at the beginning.
   */
  n_workers: number;
  versions: RecordedVersions;
  /**
   * What ran, such as a command.
   */
  note: string | null;
  /**
   * Whether the GPUs were not real, or could not be proved to be.
   */
  simulated: boolean;
}
/**
 * Versions in the Python environment of the recorded cluster.
 */
export interface RecordedVersions {
  gpucluster: string | null;
  dask: string | null;
  /**
   * Version of dask-cuda; null on CPU workers.
   */
  rapids: string | null;
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
