import { formatDuration } from '../gauges';
import { trans } from '../translation';
import type { IClusterManager } from '../clusters/tokens';
import { hasEnded, kindTitle, said, stateLabel, wantedWorkers } from '../clusters/states';
import type { ClusterModel, SharedLink, TelemetrySample } from '../protocol/messages';
import { clock } from '../charts/ticks';

/** Seconds that are not counted: between two computations a cluster is idle for a moment. */
const SHORTLY = 10;

type Clock = Pick<IClusterManager, 'now'>;
type Figures = Pick<IClusterManager, 'now' | 'sample'>;

/** What kind of workers it has. Why, is the backend's own sentence. */
export function kindLine(cluster: ClusterModel): string {
  return trans.__('%1 workers', kindTitle(cluster));
}

/** The state in a few words: since when of what has ended, and how few there are of what runs without workers. */
export function stateLine(cluster: ClusterModel, clock: Clock): string {
  const label = stateLabel(cluster);
  if (hasEnded(cluster)) {
    return cluster.ended_at === null ? label : `${label} ${agoOf(cluster.ended_at, clock)}`;
  }
  if (cluster.state !== 'running' || cluster.n_workers > 0) {
    return label;
  }
  const waiting = said(cluster, 'pending')[0];
  if (waiting !== undefined) {
    // Why, is said below.
    return waiting.subject ?? waiting.text;
  }
  const wanted = wantedWorkers(cluster) ?? 0;
  return wanted === 0
    ? trans.__('No workers')
    : trans._n('0 of %1 worker', '0 of %1 workers', wanted);
}

function secondsSince(time: string, clock: Clock): number {
  return (clock.now() - Date.parse(time)) / 1000;
}

/** `12 min ago`; the first seconds are not counted. */
function agoOf(time: string, clock: Clock): string {
  const seconds = secondsSince(time, clock);
  return seconds < SHORTLY ? trans.__('just now') : trans.__('%1 ago', formatDuration(seconds));
}

/** The name of a notebook as people say it. */
export function plainName(notebook: string): string {
  return notebook.replace(/\.ipynb$/, '');
}

/** How many workers there are, how many are wanted, and for how long it has been up. */
export function workersLine(cluster: ClusterModel, figures: Figures): string {
  const wanted = wantedWorkers(cluster);
  // Counted where the list below counts.
  const count = figures.sample(cluster.id)?.workers.length ?? cluster.n_workers;
  const { adapt } = cluster.wanted;
  const kind = kindTitle(cluster);
  const parts = [
    wanted === null || wanted <= count
      ? trans._n('%1 %2 worker', '%1 %2 workers', count, kind)
      : trans.__('%1 of %2 %3 workers', count, wanted, kind)
  ];
  if (adapt !== null) {
    parts.push(trans.__('adaptive %1 to %2', adapt.minimum, adapt.maximum));
  }
  if (cluster.running_at !== null) {
    parts.push(trans.__('up %1', formatDuration(secondsSince(cluster.running_at, figures))));
  }
  return parts.join(' · ');
}

/** How long its first job may still run, and what it has cost; empty where its site counts neither. */
export function costLine(cluster: ClusterModel, clock: Clock): string {
  const { ends_at, cost } = cluster;
  const parts = [];
  if (ends_at !== null) {
    const left = Math.max(0, Date.parse(ends_at) - clock.now()) / 1000;
    parts.push(trans.__('Walltime left: %1', formatDuration(left)));
  }
  if (cost !== null) {
    const hours = (clock.now() - Date.parse(cost.at)) / 3_600_000;
    const amount = +(cost.amount + cost.per_hour * Math.max(0, hours)).toFixed(2);
    parts.push(trans.__('%1 %2 so far', +amount.toPrecision(2), cost.unit));
  }
  return parts.join(' · ');
}

/** Who uses it or since when it is idle, and when it stops automatically. */
export function statusLine(
  cluster: ClusterModel,
  notebooks: readonly string[],
  clock: Clock
): string {
  const { idle_since, quiet_since, kept_by, stops_at, timeout_seconds } = cluster.idle;
  if (cluster.wanted.stopped) {
    return trans.__('Stopping');
  }
  const idle = quiet_since === null ? 0 : secondsSince(quiet_since, clock);
  const isIdle = idle >= SHORTLY || idle_since !== null;
  const users = usersOf(cluster.n_clients, notebooks);
  const parts = [
    !isIdle
      ? users === ''
        ? trans.__('In use')
        : trans.__('In use by %1', users)
      : idle < SHORTLY
        ? trans.__('Idle')
        : trans.__('Idle %1', formatDuration(idle))
  ];
  if (stops_at !== null) {
    const left = -secondsSince(stops_at, clock);
    // An hour reads as one while less than half a minute of it has passed.
    const time = formatDuration(left < 60 ? left : Math.round(left / 60) * 60);
    parts.push(left <= 0 ? trans.__('stopping now') : trans.__('auto-stop in %1', time));
  } else if (timeout_seconds === null) {
    parts.push(trans.__('auto-stop off'));
  } else if (isIdle && kept_by !== null) {
    parts.push(kept_by);
  }
  return parts.join(' · ');
}

/** `Untitled, Training and 1 other client`; empty: no client is connected. */
export function usersOf(n_clients: number, notebooks: readonly string[]): string {
  const names = notebooks.map(plainName).join(', ');
  const others = Math.max(0, n_clients - notebooks.length);
  if (names === '') {
    return others === 0 ? '' : trans._n('%1 client', '%1 clients', others);
  }
  return others === 0
    ? names
    : `${names} ${trans._n('and %1 other client', 'and %1 other clients', others)}`;
}

/** Since when it is recorded, and into which file; empty: it is not. */
export function recordingLine({ recording }: ClusterModel, clock: Clock): string {
  return recording === null
    ? ''
    : trans.__(
        'Recording %1 · %2',
        formatDuration(secondsSince(recording.since, clock)),
        recording.path.split('/').pop()
      );
}

/** Until when links to a view of it are valid, and how often they were opened. */
export function sharedLine(links: readonly SharedLink[]): string {
  const ends = links.map(({ ends_at }) => ends_at).sort()[links.length - 1];
  const time = clock(Date.parse(ends) / 1000);
  const opened = links.reduce((sum, link) => sum + link.opened, 0);
  return [
    trans._n('Shared by %1 link', 'Shared by %1 links', links.length),
    trans.__('until %1', time),
    ...(opened === 0 ? [] : [trans._n('opened once', 'opened %1 times', opened)])
  ].join(' · ');
}

/** What a lease was taken for, which it ends with; empty: it is none. */
export function leaseLine({ lease }: ClusterModel): string {
  return lease === null
    ? ''
    : {
        cell: trans.__('cell lease'),
        block: trans.__('block lease'),
        command: trans.__('command lease')
      }[lease.scope];
}

/** How many tasks are not finished. */
export function taskCounts(sample: TelemetrySample | undefined): {
  processing: number;
  waiting: number;
} {
  const count = (state: string): number => sample?.tasks?.[state] ?? 0;
  return {
    processing: count('processing'),
    waiting: count('waiting') + count('queued') + count('no-worker')
  };
}
