/*
 * Generated from the models in gpucluster.protocol. Do not edit: run
 * `python .ci/protocol_types.py` instead.
 */

/** The version of the wire protocol that these types describe. */
export const PROTOCOL_VERSION = 7;

export const VERBS: readonly Verb[] = ['scale', 'adapt', 'restart', 'retire'];

export type ClusterState = 'starting' | 'running' | 'scaling' | 'stopping' | 'stopped' | 'failed';
export type MessageCode =
  | 'ended'
  | 'failed'
  | 'notice'
  | 'choice'
  | 'note'
  | 'warning'
  | 'pending'
  | 'tasks_failed'
  | 'tasks_killed'
  | 'message'
  | 'worker_died'
  | 'worker_memory'
  | 'spill'
  | 'pause'
  | 'gpu'
  | 'stopped'
  | 'done'
  | 'not_done';
export type Verb = 'scale' | 'adapt' | 'restart' | 'retire';
export type Network = 'unix' | 'tls' | 'open';
export type Event =
  ClusterChanged | ClusterRemoved | Telemetry | CellsChanged | HostChanged | Hello;
export type SharedEvent = SharedHello | SharedChanged | SharedTelemetry | SharedOver;

export interface ClusterSpec {
  backend: string;
  name: string | null;
  n_workers: number | null;
  threads_per_worker: number;
  memory_limit: (number | string) | null;
  idle_timeout_seconds: number | null;
  local_directory: string | null;
  kernel_name: string | null;
  [k: string]: unknown;
}
export interface ClusterPatch {
  n_workers?: number;
  adapt?: Adapt;
  idle_timeout_seconds?: number;
}
export interface Adapt {
  minimum: number;
  maximum: number;
  interval_seconds?: number | null;
  wait_count?: number | null;
  target_duration_seconds?: number | null;
}
export interface ClusterModel {
  id: string;
  name: string;
  backend: string;
  backend_title: string;
  state: ClusterState;
  messages: Message[];
  progress: Progress | null;
  wanted: Wanted;
  can: Verb[];
  has_gpus: boolean;
  n_workers: number;
  n_pending: number;
  n_recomputing: number;
  workers: WorkerModel[];
  slots: GPUSlot[];
  nodes: string[];
  memory_limit_bytes: number | null;
  scratch_limit_bytes: number | null;
  ends_at: string | null;
  lease: Lease | null;
  cost: Cost | null;
  scheduler_address: string | null;
  network: Network;
  dashboard_path: string | null;
  n_clients: number;
  kernels: string[];
  idle: Idle;
  recording: RunningRecording | null;
  pid: number | null;
  python: string;
  versions: Versions | null;
  created_at: string;
  running_at: string | null;
  ended_at: string | null;
  start_seconds: number | null;
  log_tail: string[];
  spec: ClusterSpec;
  protocol_version: number;
}
export interface Message {
  level: 'info' | 'warning' | 'error';
  code: MessageCode;
  text: string;
  time: string | null;
  subject: string | null;
}
export interface Progress {
  step: string;
  message: string;
  done: number | null;
  total: number | null;
}
export interface Wanted {
  n_workers: number | null;
  adapt: Adapt | null;
  stopped: boolean;
}
export interface WorkerModel {
  name: string;
  address: string | null;
  pid: number | null;
  n_threads: number;
  memory_limit_bytes: number | null;
  device: string | null;
}
export interface GPUSlot {
  uuid: string;
  index: number | null;
  slot: number | null;
  slots: number;
  memory_bytes: number | null;
  label: string;
}
export interface Lease {
  scope: 'cell' | 'block' | 'command';
  holder: string;
  pid: number;
  birth: string;
}
export interface Cost {
  unit: string;
  amount: number;
  per_hour: number;
  at: string;
}
export interface Idle {
  timeout_seconds: number | null;
  idle_since: string | null;
  stops_at: string | null;
  quiet_since: string | null;
  kept_by: string | null;
}
export interface RunningRecording {
  path: string;
  since: string;
}
export interface Versions {
  gpucluster: string;
  python: string;
  distributed: string | null;
  dask_cuda: string | null;
}
export interface ClusterList {
  clusters: ClusterModel[];
  protocol_version: number;
}
export interface ClusterChanged {
  kind: 'cluster';
  cluster: ClusterModel;
}
export interface ClusterRemoved {
  kind: 'removed';
  id: string;
}
export interface Telemetry {
  kind: 'telemetry';
  sample: TelemetrySample;
}
export interface TelemetrySample {
  id: string;
  at: string;
  workers: string[];
  age_seconds?: (number | null)[] | number | null;
  n_threads?: (number | null)[] | number | null;
  processing?: (number | null)[] | number | null;
  executing?: (number | null)[] | number | null;
  ready?: (number | null)[] | number | null;
  in_memory?: (number | null)[] | number | null;
  cpu_percent?: (number | null)[] | number | null;
  memory_bytes?: (number | null)[] | number | null;
  memory_limit_bytes?: (number | null)[] | number | null;
  managed_bytes?: (number | null)[] | number | null;
  tier_device_bytes?: (number | null)[] | number | null;
  tier_device_limit_bytes?: (number | null)[] | number | null;
  tier_host_bytes?: (number | null)[] | number | null;
  tier_disk_bytes?: (number | null)[] | number | null;
  cudf_spilled_bytes?: (number | null)[] | number | null;
  host?: (string | null)[] | string | null;
  device?: (string | null)[] | string | null;
  device_index?: (number | null)[] | number | null;
  device_error?: (string | null)[] | string | null;
  vram_total_bytes?: (number | null)[] | number | null;
  vram_used_bytes?: (number | null)[] | number | null;
  vram_cluster_bytes?: (number | null)[] | number | null;
  rmm_used_bytes?: (number | null)[] | number | null;
  rmm_pool_bytes?: (number | null)[] | number | null;
  rmm_maximum_bytes?: (number | null)[] | number | null;
  gpu_utilization_percent?: (number | null)[] | number | null;
  gpu_power_watts?: (number | null)[] | number | null;
  gpu_power_limit_watts?: (number | null)[] | number | null;
  gpu_temperature_celsius?: (number | null)[] | number | null;
  pcie_sent_bytes_per_second?: (number | null)[] | number | null;
  pcie_received_bytes_per_second?: (number | null)[] | number | null;
  nvlink_sent_bytes_per_second?: (number | null)[] | number | null;
  nvlink_received_bytes_per_second?: (number | null)[] | number | null;
  sent_bytes?: (number | null)[] | number | null;
  received_bytes?: (number | null)[] | number | null;
  host_memory_bytes?: number | null;
  host_cores?: number | null;
  host_others_cores?: number | null;
  tasks?: {
    [k: string]: number;
  };
  progress?: PrefixProgress[];
}
export interface PrefixProgress {
  prefix: string;
  waiting?: number;
  processing?: number;
  in_memory?: number;
  released?: number;
  erred?: number;
}
export interface CellsChanged {
  kind: 'cells';
  id: string;
  cells: CellProgress[];
}
export interface CellProgress {
  n_tasks: number;
  n_done: number;
  n_waiting: number;
  n_running: number;
  n_failed: number;
  n_cancelled: number;
  id: string;
  kernel: string;
  cell: string;
  began: string;
  ended?: string | null;
  lost?: boolean;
  memory_peak_bytes?: number | null;
  vram_peak_bytes?: number | null;
  spilled_peak_bytes?: number | null;
  moved_bytes?: number | null;
}
export interface HostChanged {
  kind: 'host';
  host: HostDevices;
}
export interface HostDevices {
  available: boolean;
  message: string;
  code: string;
  driver_version: string | null;
  devices: DeviceModel[];
  host_memory_total_bytes: number | null;
  host_memory_available_bytes: number | null;
  cpu_count: number | null;
}
export interface DeviceModel {
  uuid: string;
  index: number | null;
  name: string | null;
  memory_total_bytes: number | null;
  memory_used_bytes: number | null;
  memory_reserved_bytes: number | null;
  utilization_percent: number | null;
  power_watts: number | null;
  power_limit_watts: number | null;
  temperature_celsius: number | null;
  parent_uuid: string | null;
  mig_enabled: boolean;
  visible: boolean;
  error: string | null;
  error_since: string | null;
  xids: XIDModel[];
  processes: DeviceProcess[];
}
export interface XIDModel {
  number: number;
  at: string;
  meaning: string | null;
}
export interface DeviceProcess {
  pid: number;
  user: string | null;
  command: string | null;
  memory_used_bytes: number | null;
  cluster: string | null;
  notebook: string | null;
  role: 'kernel' | 'supervisor' | 'worker' | 'child' | 'other' | 'outside';
  worker: string | null;
  parent_pid: number | null;
  tree_memory_bytes: number | null;
  birth: string | null;
  can_stop: boolean;
}
export interface Hello {
  kind: 'hello';
  protocol_version: number;
  clusters: ClusterModel[];
}
export interface NodeModel {
  devices: SharedDevice[];
  line: Waiting[];
  more: More[];
  message: string;
  instructor: boolean;
}
export interface SharedDevice {
  uuid: string;
  index: number | null;
  name: string | null;
  slots: number | null;
  free: number | null;
  reserved: boolean;
  utilization_percent: number | null;
  holders: SlotHolder[];
}
export interface SlotHolder {
  user: string | null;
  slot: number | null;
  since: string | null;
  ends_at: string | null;
  mine: boolean;
  beyond: boolean;
}
export interface Waiting {
  user: string | null;
  since: string | null;
  gpus: number;
  certain: boolean;
  mine: boolean;
}
export interface More {
  user: string | null;
  above: number;
  claims: number;
  places: number;
  mine: boolean;
}
export interface ClassClusters {
  clusters: ClassCluster[];
  left_out: number;
}
export interface ClassCluster {
  id: string;
  user: string;
  mine: boolean;
  kind: string | null;
  kind_title: string | null;
  state: ClusterState | null;
  n_workers: number;
  gpus: string[];
  since: string | null;
  idle_since: string | null;
  problem: string | null;
  times: number;
}
export interface ClassAnswer {
  reached: number;
  users: string[];
  problems: string[];
}
export interface SiteFaults {
  faults: string[];
  notice: string | null;
  message: string | null;
}
export interface OfferedPreset {
  name: string;
  title: string;
  description: string;
  needs_gpu: boolean;
  spec: {
    [k: string]: unknown;
  };
  memory_title: string;
  memory: MemoryPart[];
}
export interface MemoryPart {
  kind: 'pool' | 'use' | 'spill' | 'free';
  share: number;
  text: string;
}
export interface KindModel {
  name: string;
  title: string;
  description: string;
  package: string;
  where: string;
  traits: Traits | null;
  problem: string | null;
  lacks: string | null;
}
export interface Traits {
  has_gpus: boolean;
  needs_host_check: boolean;
  this_machine: boolean;
  queues: boolean;
  chooses: string[];
  default_workers: number | null;
}
export interface LogLines {
  id: string;
  lines: string[];
}
export interface Notes {
  notes: string[];
  demand: Demand | null;
  fields: FieldError[];
}
export interface Demand {
  n_workers: number;
  threads_per_worker: number;
  memory_limit_bytes: number | null;
  machine_memory_bytes: number;
  machine_cores: number;
}
export interface FieldError {
  field: string;
  message: string;
}
export interface ProcessStopped {
  pid: number;
  ended: boolean;
}
export interface TelemetryHistory {
  id: string;
  at: string;
  seconds: number[];
  n_workers: (number | null)[];
  cpu_percent: (number | null)[];
  memory_bytes: (number | null)[];
  gpu_utilization_percent: (number | null)[];
  vram_used_bytes: (number | null)[];
  rmm_used_bytes: (number | null)[];
  processing: (number | null)[];
  tier_disk_bytes: (number | null)[];
  worker_seconds: number[];
  workers: {
    [k: string]: WorkerHistory;
  };
}
export interface WorkerHistory {
  cpu_percent: (number | null)[];
  memory_bytes: (number | null)[];
  gpu_utilization_percent: (number | null)[] | null;
  vram_used_bytes: (number | null)[] | null;
}
export interface TaskFailures {
  id: string;
  failures: TaskFailure[];
}
export interface TaskFailure {
  task: string;
  n_tasks: number;
  key: string;
  error: string;
  traceback: string;
  worker: string | null;
}
export interface LargestResults {
  id: string;
  total_bytes: number;
  results: LargeResult[];
}
export interface LargeResult {
  name: string;
  group: string;
  bytes: number;
  n_results: number;
  type: string;
  on_gpu: boolean;
  workers: string[];
  n_workers: number;
  kernels: string[];
  n_clients: number;
}
export interface Activity {
  id: string;
  entries: ActivityEntry[];
}
export interface ActivityEntry {
  at: string;
  kind: string;
  by: string | null;
  message: string;
}
export interface Cells {
  id: string;
  cells: CellWork[];
}
export interface CellWork {
  id: string;
  kernel: string | null;
  notebook: string | null;
  cell: string | null;
  number: number | null;
  code: string | null;
  client: string;
  by_time: boolean;
  began: string;
  ended: string | null;
  lost: boolean;
  n_workers: number | null;
  memory_peak_bytes: number | null;
  vram_peak_bytes: number | null;
  spilled_peak_bytes: number | null;
  moved_bytes: number | null;
  n_threads: number | null;
  waiting_seconds: number | null;
  n_lost_workers: number;
  cost: number | null;
  cost_unit: string | null;
  workers: WorkerPeaks[];
  where: Where | null;
  groups: CellTasks[];
}
export interface WorkerPeaks {
  name: string;
  memory_bytes: number | null;
  vram_bytes: number | null;
  spilled_bytes: number | null;
}
export interface Where {
  cluster_id: string;
  cluster: string;
  kind: string;
  host: string;
  versions: {
    [k: string]: string;
  };
}
export interface CellTasks {
  n_tasks: number;
  n_done: number;
  n_waiting: number;
  n_running: number;
  n_failed: number;
  n_cancelled: number;
  name: string;
  compute_seconds: number;
  transfer_seconds: number;
  result_bytes: number;
  shared: boolean;
  first_seconds: number | null;
  last_seconds: number | null;
  error: string | null;
}
export interface LessonList {
  folder: string;
  lessons: LessonModel[];
  next: LessonStep | null;
  advice: LessonStep[];
  progress: ProgressSummary;
  has_class: boolean;
  protocol_version: number;
}
export interface LessonModel {
  id: string;
  slug: string;
  title: string;
  minutes: number;
  needs: string;
  objectives: string[];
  exercises: LessonExercise[];
  questions: Tally;
  cards: Tally;
  notebook: string | null;
  recall: string | null;
  has_recall: boolean;
}
export interface LessonExercise {
  id: string;
  title: string;
  state: 'new' | 'not_yet' | 'failed' | 'passed';
  attempts: number;
  hints: number;
  solution_seen: boolean;
}
export interface Tally {
  done: number;
  total: number;
}
export interface LessonStep {
  title: string;
  why: string;
  link: string;
  topic: string | null;
  cards: string[];
  exercise: string | null;
}
export interface ProgressSummary {
  path: string;
  exists: boolean;
  message: string | null;
  exercises: Tally;
  questions: Tally;
  cards: Tally;
  shared_as: string | null;
}
export interface LessonCopied {
  written: string[];
  backup: string | null;
}
export interface LessonEvents {
  events: (QuestionAnswered | CardTurned | ExamHandedIn | ParsonsTried)[];
}
export interface QuestionAnswered {
  kind: 'question';
  id: string;
  right: boolean;
}
export interface CardTurned {
  kind: 'card';
  id: string;
  known: boolean;
}
export interface ExamHandedIn {
  kind: 'exam';
  answers: {
    [k: string]: boolean;
  };
}
export interface ParsonsTried {
  kind: 'parsons';
  exercise: string;
  right: boolean;
  failed?: string[];
}
export interface EventsNoted {
  noted: number;
  due: {
    [k: string]: string;
  };
}
export interface ProgressDeleted {
  deleted: boolean;
}
export interface ClassView {
  folder: string;
  read_at: string;
  learners: ClassLearner[];
  exercises: ClassExercise[];
  problems: string[];
}
export interface ClassLearner {
  name: string;
  lesson: string | null;
  exercise: string | null;
  state: 'new' | 'not_yet' | 'failed' | 'passed';
  passed: number;
  updated_at: string | null;
  failing: string | null;
}
export interface ClassExercise {
  id: string;
  title: string;
  passed: number;
  stuck: number;
  attempts: number;
  hints: number;
  solutions: number;
  stated_minutes: number | null;
  minutes: number | null;
  timed: number;
  failing: FailingProperty[];
}
export interface FailingProperty {
  property: string;
  learners: number;
}
export interface SharedLinks {
  id: string;
  links: SharedLink[];
}
export interface SharedLink {
  id: string;
  created_at: string;
  ends_at: string;
  by: string | null;
  tasks: boolean;
  public: boolean;
  opened: number;
  last_opened_at: string | null;
  viewers: LinkViewer[];
}
export interface LinkViewer {
  name: string;
  opened: number;
  last_opened_at: string;
}
export interface NewLink {
  link: SharedLink;
  path: string;
  url: string | null;
  notes: string[];
}
export interface SharedHello {
  kind: 'hello';
  cluster: SharedCluster;
  ends_at: string;
  now: string;
  pages: SharedPage[];
}
export interface SharedCluster {
  id: string;
  name: string;
  state: ClusterState;
  backend_title: string;
  n_workers: number;
  workers: WorkerModel[];
}
export interface SharedPage {
  path: string;
  title: string;
}
export interface SharedChanged {
  kind: 'cluster';
  cluster: SharedCluster;
}
export interface SharedTelemetry {
  kind: 'telemetry';
  sample: TelemetrySample;
}
export interface SharedOver {
  kind: 'over';
  message: string;
}
export interface RecordingList {
  recordings: RecordingEntry[];
  complete: boolean;
  protocol_version: number;
}
export interface RecordingEntry {
  source: 'folder' | 'bundled';
  path: string;
  size_bytes: number;
  title: string | null;
  label: string | null;
  message: string | null;
  note: string | null;
  n_workers: number | null;
  seconds: number | null;
}
export interface RecordedSession {
  recording: Recording;
  label: string;
  message: string | null;
  samples: TelemetrySample[];
}
export interface Recording {
  kind: 'gpucluster-recording';
  schema_version: 1;
  title: string;
  recorded_at: string;
  backend: 'local' | 'cuda';
  gpus: string[];
  driver: string | null;
  n_workers: number;
  versions: RecordedVersions;
  note: string | null;
  simulated: boolean;
}
export interface RecordedVersions {
  gpucluster: string | null;
  dask: string | null;
  rapids: string | null;
}
export interface ErrorModel {
  code: string;
  message: string;
  fields?: FieldError[];
}
