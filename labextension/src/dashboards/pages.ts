import type { ClusterModel } from '../protocol/messages';
import { trans } from '../translation';

/** A page of Dask's dashboard. */
export interface IDashboardPage {
  /** Below the dashboard, such as `individual-task-stream`. */
  readonly path: string;
  readonly title: string;
  /** Whether it says something only where there are GPUs. */
  readonly gpu?: boolean;
}

export interface IPageGroup {
  readonly title: string;
  readonly pages: readonly IDashboardPage[];
}

/** What the scheduler lists: a name and a path for each plot. */
export type PlotList = Readonly<Record<string, string>>;

/** Whether the workers of a cluster have GPUs. */
export function hasGpus(cluster: ClusterModel): boolean {
  return cluster.has_gpus || cluster.workers.some(worker => worker.device !== null);
}

/** Whether a text can be a page of a dashboard: it becomes part of an address. */
export function isPage(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9]([\w-]|[./](?=\w))*$/.test(text);
}

/** The name that people know a page by. */
export function pageTitle(path: string): string {
  const known = knownPages()
    .flatMap(({ pages }) => pages)
    .find(page => page.path === path);
  return known?.title ?? plainTitle(path);
}

/**
 * The pages of a cluster in groups.
 *
 * Plots are those that the scheduler lists, whatever its version; those that we have no name for keep Dask's. While
 * the list is not known, it is the plots that we know.
 */
export function pageGroups(plots: PlotList | null, gpus: boolean): readonly IPageGroup[] {
  const listed = plots && Object.values(plots).map(path => path.replace(/^\/+/, ''));
  const isThere = (page: IDashboardPage): boolean =>
    (gpus || page.gpu !== true) &&
    (listed === null || !page.path.includes('individual-') || listed.includes(page.path));
  const groups = knownPages();
  const known = new Set(groups.flatMap(({ pages }) => pages.map(page => page.path)));
  const unknown = (listed ?? []).filter(path => !known.has(path) && isPage(path));
  return [
    ...groups.map(({ title, pages }) => ({ title, pages: pages.filter(isThere) })),
    { title: trans.__('More'), pages: unknown.map(path => ({ path, title: plainTitle(path) })) }
  ].filter(({ pages }) => pages.length > 0);
}

/** `statics/individual-some-plot.html` as "Some plot". */
function plainTitle(path: string): string {
  const name = path.replace(/^.*\//, '').replace(/\.html$/, '');
  const words = name.replace(/^individual-/, '').replace(/-/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function knownPages(): readonly IPageGroup[] {
  // Pages whose Dask name says what they are need no other.
  const group = (title: string, ...pages: [path: string, title?: string][]): IPageGroup => ({
    title,
    pages: pages.map(([path, name]) => ({ path, title: name ?? plainTitle(path) }))
  });
  const whole = (title: string): string => trans.__('%1, whole page', title);
  const gpu = group(
    trans.__('GPU'),
    ['individual-gpu-memory', trans.__('GPU memory')],
    ['individual-gpu-utilization', trans.__('GPU utilization')],
    ['individual-rmm-memory', trans.__('RMM memory')],
    ['gpu', trans.__('Scheduler GPUs')]
  );
  return [
    group(
      trans.__('Overview'),
      ['status'],
      ['workers'],
      ['statics/individual-cluster-map.html'],
      ['hardware', trans.__('Hardware benchmark')],
      ['info/main/workers.html', trans.__('Information')]
    ),
    group(
      trans.__('Tasks'),
      ['individual-task-stream'],
      ['individual-progress'],
      ['individual-graph', trans.__('Task graph')],
      ['individual-groups', trans.__('Task groups')],
      ['individual-group-progress', trans.__('Group progress')],
      ['individual-nprocessing', trans.__('Tasks by worker')],
      ['individual-occupancy'],
      ['individual-compute-time-per-key', trans.__('Compute time')],
      ['individual-aggregate-time-per-action', trans.__('Time by action')],
      ['individual-fine-performance-metrics'],
      ['individual-profile'],
      ['individual-exceptions'],
      ['tasks', whole(trans.__('Tasks'))],
      ['graph', whole(trans.__('Task graph'))],
      ['groups', whole(trans.__('Task groups'))],
      ['profile', whole(trans.__('Profile'))],
      ['exceptions', whole(trans.__('Exceptions'))]
    ),
    group(
      trans.__('Memory'),
      ['individual-workers-memory', trans.__('Memory by worker')],
      ['individual-cluster-memory', trans.__('Cluster memory')],
      ['individual-workers-memory-timeseries', trans.__('Memory over time')],
      ['individual-memory-by-key'],
      ['individual-workers-disk', trans.__('Disk by worker')],
      ['individual-workers-disk-timeseries', trans.__('Disk over time')]
    ),
    { ...gpu, pages: gpu.pages.map(page => ({ ...page, gpu: true })) },
    group(
      trans.__('CPU'),
      ['individual-cpu', trans.__('CPU by worker')],
      ['individual-workers-cpu-timeseries', trans.__('CPU over time')],
      ['individual-workers', trans.__('Worker table')]
    ),
    group(
      trans.__('Communication'),
      ['individual-workers-transfer-bytes', trans.__('Transfers')],
      ['individual-workers-network', trans.__('Network by worker')],
      ['individual-workers-network-timeseries', trans.__('Network over time')],
      ['individual-bandwidth-workers', trans.__('Bandwidth between workers')],
      ['individual-bandwidth-types', trans.__('Bandwidth by type')],
      ['shuffle', trans.__('Shuffles')]
    ),
    group(
      trans.__('Scheduler'),
      ['individual-scheduler-system', trans.__('Scheduler')],
      ['individual-contention'],
      ['individual-profile-server', trans.__('Scheduler profile')],
      ['system', whole(trans.__('Scheduler'))],
      ['profile-server', whole(trans.__('Scheduler profile'))],
      ['stealing', trans.__('Work stealing')],
      ['events'],
      ['counters']
    )
  ];
}
