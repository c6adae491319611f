/**
 * States of the panel, drawn from models: the page of scripts/panel_states.py. Nothing runs behind them, so each is there
 * at once and looks the same each time.
 */
import { showDialog, Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { confirmStop } from '../../labextension/src/actions/choosing';
import type { INotebookLinks } from '../../labextension/src/actions/links';
import { shareView } from '../../labextension/src/actions/sharing';
import { ChartsView } from '../../labextension/src/charts/chartsview';
import type { IClusterManager, IOffer } from '../../labextension/src/clusters/tokens';
import { LessonsPanel } from '../../labextension/src/lessons/lessonspanel';
import type { ILessonStore } from '../../labextension/src/lessons/tokens';
import { ClusterPanel } from '../../labextension/src/panel/clusterpanel';
import { Unfolded } from '../../labextension/src/panel/unfolded';
import type {
  ActivityEntry,
  ClassCluster,
  ClusterModel,
  HostDevices,
  LargeResult,
  LargestResults,
  LessonList,
  NodeModel,
  RecordingEntry,
  SharedLink,
  TaskFailure,
  TelemetryHistory,
  TelemetrySample
} from '../../labextension/src/protocol/messages';
import { RecordingPicker } from '../../labextension/src/recordings/recordingviews';
import { setTranslation } from '../../labextension/src/translation';
import { cluster, device, gpuProcess, kind, message, noDevices, sample } from './models';

setTranslation(nullTranslator.load('gpucluster'));

/** What a server has said that has these fields; read by scripts/panel_states.py. */
interface IServed extends Partial<IOffer> {
  lessons?: LessonList;
  recordings?: RecordingEntry[];
}

interface IState {
  clusters?: ClusterModel[];
  samples?: Record<string, TelemetrySample>;
  /** Ids of the clusters that the notebook in view, Untitled.ipynb, is connected to. */
  connected?: string[];
  links?: Partial<INotebookLinks>;
  host?: HostDevices;
  node?: Partial<NodeModel>;
  others?: ClassCluster[];
  shared?: SharedLink[];
  lessons?: LessonList;
  failures?: TaskFailure[];
  results?: LargestResults;
  activity?: ActivityEntry[];
  /** Whether it is shown above the page, and not in the sidebar. */
  isDialog?: boolean;
  /** What is done then. */
  then?: (shown: Shown) => unknown;
}

const GIB = 2 ** 30;
const NOW = Date.parse('2026-01-01T12:00:00Z');
const served = (): IServed => (window as unknown as { served?: IServed }).served ?? {};

/** The time so many seconds ago. */
function ago(seconds: number): string {
  return new Date(NOW - 1000 * seconds).toISOString();
}

/** One of a number's digits, scrambled: figures that look measured and are the same each time. */
function wave(i: number): number {
  return Math.abs(Math.sin(12.9898 * (i + 1)) * 43758.5453) % 1;
}

/** A cluster with so many workers. */
function made(name: string, n_workers: number, changes: Partial<ClusterModel> = {}): ClusterModel {
  const one = cluster().workers[0];
  return cluster({
    id: name,
    name,
    n_workers,
    wanted: { n_workers, adapt: null, stopped: false },
    workers: Array.from({ length: n_workers }, (_, i) => ({ ...one, name: `${i}`, pid: 100 + i })),
    dashboard_path: `dashboard/${name}`,
    created_at: ago(400),
    running_at: ago(380),
    idle: { ...cluster().idle, timeout_seconds: 3600 },
    versions: { gpucluster: '0.1.0', python: '3.12.4', distributed: '2026.8.0', dask_cuda: null },
    ...changes
  });
}

const idle = (
  seconds: number,
  changes: Partial<ClusterModel['idle']> = {}
): ClusterModel['idle'] => ({
  ...cluster().idle,
  timeout_seconds: 3600,
  quiet_since: ago(seconds),
  idle_since: ago(seconds),
  stops_at: ago(seconds - 3600),
  ...changes
});

const used = { ...idle(75), idle_since: null, stops_at: null };

function figures(one: ClusterModel, busy: number, full: number, isGpu = false): TelemetrySample {
  const each = (value: (i: number) => number): number[] => one.workers.map((_, i) => value(i));
  const load = each(i => Math.min(100, 100 * busy * (0.8 + 0.4 * wave(i))));
  const gpu = {
    device: one.workers.map((_, i) => `GPU-${i}`),
    device_index: each(i => i),
    vram_total_bytes: 80 * GIB,
    vram_used_bytes: each(i => 80 * GIB * Math.min(0.97, full * (0.8 + 0.4 * wave(i + 7)))),
    vram_cluster_bytes: each(i => 78 * GIB * Math.min(0.97, full * (0.8 + 0.4 * wave(i + 7)))),
    rmm_used_bytes: each(i => 60 * GIB * full * (0.8 + 0.3 * wave(i + 7))),
    rmm_pool_bytes: 70 * GIB * full,
    tier_device_bytes: each(i => 50 * GIB * full * wave(i + 3)),
    tier_host_bytes: each(i => (full > 0.8 ? 4 * GIB * wave(i) : 0)),
    tier_disk_bytes: 0,
    gpu_utilization_percent: load,
    gpu_power_watts: each(i => 120 + 5 * load[i]),
    memory_bytes: each(i => GIB * (2 + wave(i))),
    memory_limit_bytes: 16 * GIB
  };
  return sample({
    id: one.id,
    at: ago(0),
    workers: one.workers.map(({ name }) => name),
    age_seconds: 0.4,
    n_threads: 1,
    cpu_percent: isGpu ? 12 : load,
    memory_bytes: each(i => 4 * GIB * Math.min(0.98, full * (0.8 + 0.4 * wave(i)))),
    memory_limit_bytes: 4 * GIB,
    managed_bytes: each(i => 3 * GIB * full * (0.5 + 0.4 * wave(i))),
    host_cores: Math.max(2, one.n_workers),
    host_memory_bytes: 2048 * GIB,
    ...(isGpu ? gpu : {}),
    ...(busy > 0.05
      ? {
          tasks: { processing: 2 * one.n_workers, waiting: 812, memory: 340, erred: 0 },
          processing: 2,
          in_memory: each(i => Math.round(60 * wave(i))),
          progress: [
            { prefix: 'read-parquet', in_memory: 120, released: 80 },
            { prefix: 'shuffle-split', in_memory: 90, processing: 12, waiting: 300 },
            { prefix: 'groupby-agg', processing: 4, waiting: 512 }
          ]
        }
      : { tasks: { memory: 3 } })
  });
}

function pastOf(one: ClusterModel, isGpu: boolean): TelemetryHistory {
  const seconds = Array.from({ length: 120 }, (_, i) => -600 + 5 * i);
  const column = (scale: number): number[] =>
    seconds.map((_, i) => scale * (0.45 + 0.35 * Math.sin(i / 9) + 0.15 * wave(i)));
  const nothing = seconds.map(() => null);
  return {
    id: one.id,
    at: ago(0),
    seconds,
    n_workers: seconds.map(() => one.n_workers),
    cpu_percent: column(isGpu ? 12 : 60),
    memory_bytes: column(2 * GIB * one.n_workers),
    gpu_utilization_percent: isGpu ? column(90) : nothing,
    vram_used_bytes: isGpu ? column(60 * GIB * one.n_workers) : nothing,
    rmm_used_bytes: isGpu ? column(50 * GIB * one.n_workers) : nothing,
    processing: column(8),
    tier_disk_bytes: column(0),
    worker_seconds: seconds,
    workers: Object.fromEntries(
      one.workers.map(({ name }) => [
        name,
        {
          cpu_percent: column(60),
          memory_bytes: column(2 * GIB),
          gpu_utilization_percent: isGpu ? column(90) : nothing,
          vram_used_bytes: isGpu ? column(60 * GIB) : nothing
        }
      ])
    )
  };
}

const blue = made('blue', 2);
const red = made('training-large', 4, { has_gpus: true, backend: 'cuda', backend_title: 'GPU' });
const ended = (name: string, seconds: number, changes: Partial<ClusterModel> = {}): ClusterModel =>
  made(name, 0, {
    state: 'stopped',
    scheduler_address: null,
    created_at: ago(seconds + 900),
    ended_at: ago(seconds),
    messages: [message('ended', 'Stopped by ann from the panel.')],
    ...changes
  });
const failed = ended('fails', 3, {
  state: 'failed',
  messages: [
    message(
      'failed',
      'The cluster’s process ended unexpectedly: it ran out of memory (limit 700 MiB).'
    )
  ],
  log_tail: ['distributed.scheduler - INFO - Receive client', 'Killed']
});
const link: SharedLink = {
  id: '3fa1',
  created_at: ago(600),
  ends_at: ago(-6000),
  by: 'ann',
  tasks: true,
  public: false,
  opened: 2,
  last_opened_at: ago(60),
  viewers: []
};
const busyBlue = { blue: figures(blue, 0.7, 0.35) };

function gpus(...used_gib: number[]): HostDevices {
  return {
    ...noDevices,
    available: true,
    message: '',
    code: 'ok',
    host_memory_total_bytes: 512 * GIB,
    host_memory_available_bytes: 400 * GIB,
    cpu_count: 64,
    devices: used_gib.map((size, i) =>
      device({
        uuid: `GPU-${i}`,
        index: i,
        name: 'NVIDIA H100 80GB HBM3',
        memory_total_bytes: 80 * GIB,
        memory_used_bytes: size * GIB,
        utilization_percent: Math.round(size),
        power_limit_watts: 700,
        processes:
          size > 50
            ? [
                gpuProcess({
                  pid: 11,
                  memory_used_bytes: 20 * GIB,
                  cluster: 'blue',
                  worker: '0',
                  role: 'worker'
                }),
                gpuProcess({
                  pid: 12,
                  memory_used_bytes: 5 * GIB,
                  notebook: 'Untitled.ipynb',
                  role: 'kernel',
                  can_stop: true
                }),
                gpuProcess({
                  pid: 13,
                  memory_used_bytes: 2 * GIB,
                  user: 'bob',
                  command: 'train.py'
                })
              ]
            : []
      })
    )
  };
}

const node: Partial<NodeModel> = {
  devices: [0, 1, 2, 3].map(index => ({
    uuid: `GPU-${index}`,
    index,
    name: 'NVIDIA H100 80GB HBM3',
    slots: 2,
    free: index % 3,
    reserved: index === 3,
    utilization_percent: 20,
    holders:
      index % 3 === 2
        ? []
        : [
            {
              user: 'bob',
              slot: 1,
              since: ago(4000),
              ends_at: ago(-900),
              mine: false,
              beyond: false
            }
          ]
  })),
  line: [
    { user: 'cleo', since: ago(700), gpus: 2, certain: true, mine: false },
    { user: 'ann', since: ago(90), gpus: 1, certain: true, mine: true }
  ]
};

const four = [
  red,
  made('work-1', 2, { idle: idle(700), created_at: ago(900) }),
  made('etl', 2, { n_clients: 1, kernels: ['other'], created_at: ago(1000), idle: used }),
  made('mig', 7, { has_gpus: true, backend_title: 'GPU', created_at: ago(1500), idle: idle(65) })
];
const fourFigures = {
  [red.id]: figures(red, 0.72, 0.9, true),
  'work-1': figures(four[1], 0, 0.05),
  etl: figures(four[2], 0.01, 0.2),
  mig: figures(four[3], 0.3, 0.5, true)
};
const many = Array.from({ length: 18 }, (_, i) =>
  made(`other-${i}`, 1, { idle: idle(600 + 60 * i), created_at: ago(2000 + i) })
);
const past = Array.from({ length: 7 }, (_, i) =>
  ended(
    `past-${i}`,
    500 + 900 * i,
    i % 3 === 1 ? { ...failed, id: `past-${i}`, name: `past-${i}` } : {}
  )
);

const failures: TaskFailure[] = [
  {
    task: 'load_images',
    key: 'load_images-1',
    error: "FileNotFoundError: [Errno 2] No such file or directory: '/data/images/0042.png'",
    traceback: [
      '  File "/home/ann/Untitled.ipynb", cell 4, line 7, in load_images',
      '    with open(path, "rb") as file:',
      '         ~~~~^^^^^^^^^^^^'
    ].join('\n'),
    n_tasks: 12,
    worker: '0'
  }
];
const troubled: ClusterModel = {
  ...made('hurt', 2),
  n_workers: 1,
  n_clients: 1,
  messages: [
    message('tasks_failed', '12 tasks failed in load_images: FileNotFoundError: 0042.png', {
      subject: 'load_images',
      time: ago(20)
    }),
    message('worker_memory', 'Worker 0 ran out of memory (4 GiB) in shuffle-split.', {
      time: ago(4)
    })
  ]
};
const troubledFigures = {
  hurt: {
    ...figures(troubled, 0.7, 0.95),
    tier_disk_bytes: [3 * GIB, 0],
    host_others_cores: 1.7
  }
};
const large = (name: string, gib: number, changes: Partial<LargeResult> = {}): LargeResult => ({
  name,
  group: `${name}-3f0a`,
  bytes: gib * GIB,
  n_results: 48,
  type: 'pandas.core.frame.DataFrame',
  on_gpu: false,
  workers: ['0', '1'],
  n_workers: 2,
  kernels: ['seen'],
  n_clients: 1,
  ...changes
});

/** All states, in the order in which they are taken. */
const states: Record<string, IState> = {
  empty: {},
  idle: { clusters: [{ ...blue, idle: idle(75) }], samples: { blue: figures(blue, 0.01, 0.05) } },
  connected: {
    clusters: [{ ...blue, n_clients: 1, idle: { ...used, timeout_seconds: null } }],
    samples: { blue: figures(blue, 0.01, 0.35) },
    connected: ['blue']
  },
  busy: {
    clusters: [{ ...blue, n_clients: 2, idle: { ...used, quiet_since: null } }],
    samples: busyBlue
  },
  gpu: {
    clusters: [{ ...red, n_clients: 1, idle: { ...used, quiet_since: null } }],
    samples: { [red.id]: figures(red, 0.72, 0.6, true) },
    connected: [red.id]
  },
  details: {
    clusters: [blue],
    samples: busyBlue,
    then: async shown => {
      await shown.click('More actions');
      await shown.choose('D');
    }
  },
  more: { clusters: [blue], samples: busyBlue, then: shown => shown.click('More actions') },
  pages: { clusters: [blue], samples: busyBlue, then: shown => shown.click('Dashboard pages') },
  scale: { clusters: [blue], samples: busyBlue, then: shown => shown.click('Scale') },
  'no-notebook': {
    clusters: [blue],
    samples: busyBlue,
    links: { target: () => null, hasOpen: () => false }
  },
  worker: {
    clusters: [blue],
    samples: busyBlue,
    then: shown => shown.click('Worker 1')
  },
  'recorded-shared': {
    clusters: [
      {
        ...blue,
        n_clients: 1,
        recording: { path: '/home/ann/blue.gpucluster.jsonl.gz', since: ago(130) }
      },
      { ...four[2], recording: { path: '/home/ann/etl.gpucluster.jsonl.gz', since: ago(40) } }
    ],
    samples: { ...busyBlue, etl: fourFigures.etl },
    connected: ['blue'],
    shared: [link, { ...link, id: '77' }]
  },
  'worker-lost': {
    clusters: [
      {
        ...blue,
        n_workers: 1,
        messages: [
          message(
            'worker_died',
            'Worker 0 was killed (SIGKILL). 14 results are being recomputed.',
            { time: ago(4) }
          )
        ]
      }
    ],
    samples: busyBlue
  },
  trouble: { clusters: [troubled], samples: troubledFigures, connected: ['hurt'] },
  traceback: {
    isDialog: true,
    clusters: [troubled],
    samples: troubledFigures,
    failures,
    then: shown => shown.click('Traceback')
  },
  results: {
    clusters: [{ ...blue, n_clients: 2 }],
    samples: busyBlue,
    connected: ['blue'],
    results: {
      id: 'blue',
      total_bytes: 5.1 * GIB,
      results: [
        large('trips_by_hour_and_zone', 3.2),
        large('images', 1.4, {
          kernels: [],
          n_clients: 2,
          type: 'numpy.ndarray',
          workers: ['1'],
          n_workers: 1
        }),
        large('read-parquet', 0.5, { kernels: [], n_clients: 0, n_results: 1 })
      ]
    },
    then: shown => shown.click('Largest results')
  },
  starting: {
    clusters: [
      made('new', 2, {
        state: 'starting',
        scheduler_address: null,
        progress: { step: 'workers', message: 'Waiting for workers', done: 2, total: 4 }
      })
    ]
  },
  scaling: {
    clusters: [
      made('more', 3, {
        state: 'scaling',
        wanted: { n_workers: 4, adapt: null, stopped: false },
        progress: { step: 'workers', message: 'Waiting for workers', done: 3, total: 4 }
      })
    ],
    samples: { more: figures(made('more', 3), 0.3, 0.2) }
  },
  'waiting-jobs': {
    clusters: ['2026-01-01T14:20', ''].map((_, i) =>
      made(i ? 'all-wait' : 'some-wait', 1 - i, {
        has_gpus: true,
        backend_title: 'GPU',
        n_pending: 3 + i,
        wanted: { n_workers: 4, adapt: null, stopped: false },
        cost: { unit: 'node-hours', amount: 1.25, per_hour: 0.5, at: ago(0) },
        ends_at: ago(-4000),
        messages: [
          message('pending', 'Resources, expected 14:20', { subject: `${3 + i} of 4 jobs wait` })
        ]
      })
    ),
    samples: { 'some-wait': figures(made('some-wait', 1), 0.5, 0.4, true) },
    connected: ['some-wait']
  },
  ended: { clusters: [blue], then: shown => shown.replace([ended('blue', 2)]) },
  failed: {
    clusters: [made('fails', 1)],
    then: shown => shown.replace([failed])
  },
  'edit-retry': {
    clusters: [failed],
    then: async shown => {
      shown.fill({ backend: 'local', name: 'fails', n_workers: 0.5, memory_limit: '700MiB' });
      await pause(100);
    }
  },
  'only-ended': { clusters: past.slice(0, 2) },
  'ended-group': {
    clusters: [blue, ...past],
    samples: busyBlue,
    then: shown => shown.click('Stopped and failed (7)')
  },
  clear: {
    isDialog: true,
    clusters: [blue, ...past],
    samples: busyBlue,
    then: shown => shown.click('Clear 7 ended clusters…')
  },
  stop: {
    isDialog: true,
    clusters: [{ ...blue, n_clients: 2, kernels: ['seen'] }],
    samples: busyBlue,
    then: ({ manager }) => {
      const panel = {
        title: { label: 'Untitled.ipynb' },
        sessionContext: { session: { kernel: { id: 'seen', status: 'busy' } } }
      };
      void confirmStop(manager.clusters[0], manager, [panel as never]);
    }
  },
  eight: {
    clusters: [made('eight', 8, { has_gpus: true, backend_title: 'GPU' })],
    samples: { eight: figures(made('eight', 8), 0.6, 0.7, true) }
  },
  'eight-worker': {
    clusters: [made('eight', 8, { has_gpus: true, backend_title: 'GPU' })],
    samples: { eight: figures(made('eight', 8), 0.6, 0.7, true) },
    then: shown => shown.click('Worker 1')
  },
  'sixty-four': {
    clusters: [made('sixty-four', 64, { has_gpus: true, backend_title: 'GPU' })],
    samples: { 'sixty-four': figures(made('sixty-four', 64), 0.6, 0.7, true) }
  },
  'sixty-four-workers': {
    clusters: [made('sixty-four', 64, { has_gpus: true, backend_title: 'GPU' })],
    samples: { 'sixty-four': figures(made('sixty-four', 64), 0.6, 0.7, true) },
    then: shown => shown.click('Workers')
  },
  four: { clusters: four, samples: fourFigures, connected: [red.id] },
  thirty: {
    clusters: [...four, ...many, ...past],
    samples: {
      ...fourFigures,
      ...Object.fromEntries(
        many.map(one => [one.id, figures(one, 0, 0.05 + wave(one.name.length))])
      )
    },
    connected: [red.id]
  },
  form: { then: shown => shown.click('New cluster') },
  'form-more': {
    then: async shown => {
      await shown.click('New cluster');
      await shown.click('More options');
    }
  },
  'form-gpus': { host: gpus(0.3, 61, 0.3), then: shown => shown.click('New cluster') },
  gpus: { host: gpus(0.3, 61, 0.3) },
  'gpus-shared': { host: gpus(9, 9, 0, 30), node },
  'gpus-instructor': {
    host: gpus(9, 9, 0, 30),
    node: { ...node, instructor: true },
    others: ['bob', 'cleo'].map((user, i) => ({
      id: user,
      user,
      mine: false,
      kind: 'cuda',
      kind_title: 'GPU',
      state: 'running',
      n_workers: 2,
      gpus: [`${i}`],
      since: ago(5000),
      idle_since: i ? ago(1800) : null,
      problem: null,
      times: 1
    })),
    then: shown => shown.click('Class clusters')
  },
  lessons: {
    then: ({ node: place, lessons: store }) => {
      const commands = new CommandRegistry();
      const isShownElsewhere = (): boolean => false;
      const onMoved = (): void => undefined;
      place.replaceChildren();
      Widget.attach(new LessonsPanel({ store, commands, onMoved, isShownElsewhere }), place);
    }
  },
  recordings: {
    isDialog: true,
    then: () =>
      void showDialog({
        title: 'Play a recording',
        body: new RecordingPicker(served().recordings ?? []),
        buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Play' })]
      })
  },
  share: {
    isDialog: true,
    clusters: [blue],
    samples: busyBlue,
    shared: [link],
    then: ({ manager }) => void shareView(blue, manager, 'http://hub.example/')
  },
  charts: {
    isDialog: true,
    clusters: [red],
    samples: { [red.id]: figures(red, 0.72, 0.6, true) },
    activity: [
      { at: ago(520), kind: 'scale', by: 'ann', message: 'Scaled to 4 workers.' },
      { at: ago(400), kind: 'worker_died', by: null, message: 'Worker 2 was killed (SIGKILL).' },
      { at: ago(390), kind: 'worker_joined', by: null, message: 'Worker 2 joined.' },
      { at: ago(120), kind: 'profile', by: 'ann', message: 'Profiled Untitled, cell 7.' }
    ],
    then: ({ manager, node: place }) => {
      const view = new ChartsView({ id: red.id, name: red.name, manager });
      Object.assign(view.node.style, { height: '700px', position: 'relative' });
      place.replaceChildren();
      Widget.attach(view, place);
    }
  }
};

/** A state on the page. */
class Shown {
  constructor(
    readonly node: HTMLElement,
    readonly manager: IClusterManager,
    readonly lessons: ILessonStore,
    private readonly _panel: ClusterPanel
  ) {}

  /** Click what has these words. */
  async click(words: string): Promise<void> {
    const find = (): HTMLElement | undefined =>
      [...this.node.querySelectorAll<HTMLElement>('button, summary')].find(
        one => one.getAttribute('aria-label') === words || one.textContent?.startsWith(words)
      );
    // What waits for an answer or a frame is there a little later.
    for (let i = 0; i < 40 && find() === undefined; i++) {
      await pause(50);
    }
    const found = find();
    if (found === undefined) {
      throw new Error(`There is no ${words}.`);
    }
    found.click();
    await pause(60);
  }

  /** Choose what begins with a letter from the open menu. */
  async choose(letter: string): Promise<void> {
    const menu = document.querySelector('.lm-Menu');
    for (const keyCode of [letter.charCodeAt(0), 13]) {
      menu?.dispatchEvent(new KeyboardEvent('keydown', { keyCode, bubbles: true }));
    }
    await pause(60);
  }

  /** Show the form with what was typed before. */
  fill(request: Readonly<Record<string, unknown>>): void {
    this._panel.showForm(request);
  }

  /** Show other clusters. */
  async replace(clusters: ClusterModel[]): Promise<void> {
    Object.assign(this.manager, { clusters });
    this._panel.update();
    await pause(60);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => window.setTimeout(resolve, milliseconds));
}

function store(state: IState): IClusterManager {
  const clusters = (state.clusters ?? []).map(one =>
    state.connected?.includes(one.id) ? { ...one, kernels: ['seen'] } : one
  );
  const owner = {} as IClusterManager;
  const offer: IOffer = {
    backends: { local: { properties: {} } },
    kinds: [kind()],
    presets: [],
    ...served(),
    devices: state.host ?? noDevices
  };
  const known: Partial<IClusterManager> = {
    clusters,
    isReady: true,
    connection: 'live',
    changed: new Signal(owner),
    created: new Signal(owner),
    sampled: new Signal(owner),
    hostChanged: new Signal(owner),
    host: state.host ?? null,
    get: id => clusters.find(one => one.id === id),
    sample: id => state.samples?.[id],
    now: () => NOW,
    refresh: () => Promise.resolve(),
    look: () => Promise.resolve(clusters[0]),
    notes: () => Promise.resolve({ notes: [], demand: null, fields: [] }),
    patchNotes: () => Promise.resolve({ notes: [], demand: null, fields: [] }),
    failures: () => Promise.resolve(state.failures ?? []),
    results: id => Promise.resolve(state.results ?? { id, total_bytes: 0, results: [] }),
    links: id => Promise.resolve(id === 'blue' ? (state.shared ?? []) : []),
    activity: () => Promise.resolve(state.activity ?? []),
    site: () => Promise.resolve({ faults: [], notice: null, message: null }),
    node: () =>
      Promise.resolve({
        devices: [],
        line: [],
        more: [],
        message: '',
        instructor: false,
        ...state.node
      }),
    classClusters: () => Promise.resolve(state.others ?? []),
    kinds: () => Promise.resolve(offer),
    offer: () => Promise.resolve(offer),
    history: id => {
      const one = clusters.find(each => each.id === id);
      return one ? Promise.resolve(pastOf(one, one.has_gpus)) : Promise.reject(new Error('none'));
    }
  };
  return Object.assign(owner, known);
}

/** Draw a state into the page. */
async function show(name: string): Promise<void> {
  const state = states[name];
  // As by Escape: a dialog that is only disposed of rejects its answer.
  Dialog.tracker.forEach(one => one.reject());
  await pause(20);
  document.querySelectorAll('.lm-Menu').forEach(one => one.remove());
  const node = document.createElement('div');
  document.body.replaceChildren(node);
  const manager = store(state);
  const commands = new CommandRegistry();
  const lessons = {
    list: state.lessons ?? served().lessons ?? null,
    isAvailable: true,
    changed: new Signal({}),
    refresh: () => Promise.resolve()
  } as unknown as ILessonStore;
  const links = {
    changed: new Signal({}),
    notebooksOf: ({ kernels }: ClusterModel) =>
      kernels.map(kernel => (kernel === 'seen' ? 'Untitled.ipynb' : `${kernel}.ipynb`)),
    target: () => 'Untitled.ipynb',
    isConnected: ({ kernels }: ClusterModel) => kernels.includes('seen'),
    isHere: () => true,
    variablesOf: () => Promise.resolve(''),
    hasOpen: () => true,
    ...state.links
  } as unknown as INotebookLinks;
  const environment = { activeKernel: () => null, kernels: () => [] };
  const unfolded = new Unfolded(null);
  const options = { manager, lessons, links, unfolded, commands, environment };
  const panel = new ClusterPanel(options);
  Widget.attach(panel, node);
  panel.update();
  await pause(120);
  await state.then?.(new Shown(node, manager, lessons, panel));
  await pause(200);
}

// A dialog of the state before is closed by nobody.
window.addEventListener('unhandledrejection', event => {
  if (event.reason === undefined) {
    event.preventDefault();
  }
});
const names = Object.keys(states);
Object.assign(window, {
  show,
  states: names,
  dialogs: names.filter(name => states[name].isDialog)
});
