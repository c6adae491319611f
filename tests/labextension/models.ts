import type {
  ClusterModel,
  DeviceModel,
  DeviceProcess,
  HostDevices,
  KindModel,
  Message,
  MessageCode,
  TelemetrySample,
  Traits
} from '../../labextension/src/protocol/messages';
import { VERBS } from '../../labextension/src/protocol/messages';

/** A message of a cluster. */
export function message(code: MessageCode, text: string, changes: Partial<Message> = {}): Message {
  return { level: 'info', code, text, time: null, subject: null, ...changes };
}

/** A running cluster with two CPU workers; change what the test is about. */
export function cluster(changes: Partial<ClusterModel> = {}): ClusterModel {
  return {
    id: 'a1b2c3d4',
    name: 'blue',
    backend: 'local',
    backend_title: 'CPU',
    state: 'running',
    messages: [],
    recording: null,
    progress: null,
    wanted: { n_workers: 2, adapt: null, stopped: false },
    can: [...VERBS],
    has_gpus: false,
    n_workers: 2,
    n_pending: 0,
    n_recomputing: 0,
    slots: [],
    nodes: [],
    ends_at: null,
    memory_limit_bytes: null,
    scratch_limit_bytes: null,
    lease: null,
    cost: null,
    workers: ['0', '1'].map(name => ({
      name,
      address: `tls://127.0.0.1:4000${name}`,
      pid: 10,
      n_threads: 1,
      memory_limit_bytes: 2 ** 30,
      device: null
    })),
    scheduler_address: 'tls://127.0.0.1:40000',
    network: 'unix',
    dashboard_path: 'gpucluster/dashboard/a1b2c3d4/status',
    n_clients: 0,
    kernels: [],
    idle: {
      timeout_seconds: 3600,
      idle_since: null,
      stops_at: null,
      quiet_since: null,
      kept_by: null
    },
    pid: 9,
    python: '/usr/bin/python3',
    versions: null,
    created_at: '2026-01-01T10:00:00Z',
    running_at: '2026-01-01T10:00:01Z',
    ended_at: null,
    start_seconds: 1,
    log_tail: [],
    spec: {
      backend: 'local',
      name: null,
      n_workers: 2,
      threads_per_worker: 1,
      memory_limit: 'auto',
      idle_timeout_seconds: 3600,
      local_directory: null,
      kernel_name: null,
      protocol: 'tls'
    },
    protocol_version: 1,
    ...changes
  };
}

/** A sample of two workers that measure host memory and nothing else. */
export function sample(changes: Partial<TelemetrySample> = {}): TelemetrySample {
  return {
    id: 'a1b2c3d4',
    at: '2026-01-01T10:01:00Z',
    workers: ['0', '1'],
    age_seconds: [0.5, 0.5],
    memory_bytes: [2 ** 29, 2 ** 29],
    memory_limit_bytes: [2 ** 30, 2 ** 30],
    cpu_percent: [1, 2],
    n_threads: 1,
    processing: 0,
    ...changes
  };
}

/** A sample of two workers with a GPU each. */
export function gpuSample(changes: Partial<TelemetrySample> = {}): TelemetrySample {
  return sample({
    device: ['GPU-1', 'GPU-2'],
    vram_total_bytes: 16 * 2 ** 30,
    vram_used_bytes: [4 * 2 ** 30, 15 * 2 ** 30],
    vram_cluster_bytes: [3 * 2 ** 30, 14 * 2 ** 30],
    gpu_utilization_percent: [50, 90],
    ...changes
  });
}

/** A kind of cluster of this machine's CPUs; change what the test is about. */
export function kind(changes: Partial<KindModel> = {}, traits: Partial<Traits> = {}): KindModel {
  return {
    name: 'local',
    title: 'CPU',
    description: 'CPU workers on this machine.',
    package: 'gpucluster',
    traits: {
      has_gpus: false,
      needs_host_check: false,
      this_machine: true,
      queues: false,
      chooses: [],
      default_workers: 4,
      ...traits
    },
    problem: null,
    lacks: null,
    where: 'This machine',
    ...changes
  };
}

export const noDevices: HostDevices = {
  available: false,
  message: 'No GPU here: clusters use CPU workers.',
  code: 'no_library',
  driver_version: null,
  devices: [],
  host_memory_total_bytes: null,
  host_memory_available_bytes: null,
  cpu_count: 2
};

/** A process that uses a GPU. */
export function gpuProcess(changes: Partial<DeviceProcess> = {}): DeviceProcess {
  return {
    pid: 1,
    user: 'ann',
    command: 'python',
    memory_used_bytes: 2 ** 30,
    cluster: null,
    notebook: null,
    role: 'other',
    worker: null,
    parent_pid: null,
    tree_memory_bytes: 2 ** 30,
    birth: null,
    can_stop: false,
    ...changes
  };
}

/** A GPU of the Jupyter server's machine. */
export function device(changes: Partial<DeviceModel> = {}): DeviceModel {
  return {
    uuid: 'GPU-0',
    index: 0,
    name: 'Fake A100',
    memory_total_bytes: 40 * 2 ** 30,
    memory_used_bytes: 10 * 2 ** 30,
    memory_reserved_bytes: 0,
    utilization_percent: 45,
    power_watts: 231.4,
    power_limit_watts: 400,
    temperature_celsius: 61,
    parent_uuid: null,
    mig_enabled: false,
    visible: true,
    error: null,
    error_since: null,
    xids: [],
    processes: [],
    ...changes
  };
}
