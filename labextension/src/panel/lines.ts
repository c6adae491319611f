import type { TranslationBundle } from '@jupyterlab/translation';

import { hasEnded, kindTitle, said, stateLabel, wantedWorkers } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { formatDuration } from '../gauges';
import type { ClusterModel, TelemetrySample } from '../protocol/messages';

/** Between two computations a cluster is idle for seconds: not worth a word that comes and goes. */
const SHORTLY = 10;

type Clock = Pick<IClusterManager, 'now'>;

/** What kind of workers it has. Why, is the backend's own sentence. */
export function kindLine(cluster: ClusterModel, trans: TranslationBundle): string {
  return trans.__('%1 workers', kindTitle(cluster));
}

/** The state in a few words: since when of what has ended, and how few there are of what runs without workers. */
export function stateLine(cluster: ClusterModel, clock: Clock, trans: TranslationBundle): string {
  const label = stateLabel(cluster.state, trans);
  if (hasEnded(cluster)) {
    return cluster.ended_at === null
      ? label
      : trans.__('%1 %2 ago', label, ageOf(cluster.ended_at, clock));
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

function ageOf(time: string, clock: Clock): string {
  return formatDuration((clock.now() - Date.parse(time)) / 1000);
}

/** Which notebooks are connected, and how many other clients. */
export function linksLine(
  cluster: ClusterModel,
  notebooks: readonly string[],
  trans: TranslationBundle
): string {
  if (notebooks.length === 0) {
    return cluster.n_clients === 0
      ? trans.__('No notebook is connected')
      : trans._n(
          '%1 client outside this JupyterLab',
          '%1 clients outside this JupyterLab',
          cluster.n_clients
        );
  }
  const others = Math.max(0, cluster.n_clients - notebooks.length);
  const named = trans.__('Connected: %1', notebooks.join(', '));
  return others === 0 ? named : `${named} ${trans._n('and %1 other', 'and %1 others', others)}`;
}

/** How many workers there are, how many are wanted, and for how long it has been up. */
export function workersLine(cluster: ClusterModel, clock: Clock, trans: TranslationBundle): string {
  const wanted = wantedWorkers(cluster);
  const { adapt } = cluster.wanted;
  const kind = kindTitle(cluster);
  const parts = [
    wanted === null || wanted === cluster.n_workers
      ? trans._n('%1 %2 worker', '%1 %2 workers', cluster.n_workers, kind)
      : trans.__('%1 of %2 %3 workers', cluster.n_workers, wanted, kind)
  ];
  if (adapt !== null) {
    parts.push(trans.__('adaptive %1 to %2', adapt.minimum, adapt.maximum));
  }
  if (cluster.running_at !== null) {
    const seconds = (clock.now() - Date.parse(cluster.running_at)) / 1000;
    parts.push(trans.__('up %1', formatDuration(seconds)));
  }
  return parts.join(' · ');
}

/** How long its first job may still run, and what it has cost; empty where its site counts neither. */
export function costLine(cluster: ClusterModel, clock: Clock, trans: TranslationBundle): string {
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

export function clientsLine(cluster: ClusterModel, trans: TranslationBundle): string {
  return cluster.n_clients === 0
    ? trans.__('No clients')
    : trans._n('%1 client', '%1 clients', cluster.n_clients);
}

/** When it stops by itself, or since when nothing is computed and what keeps it; null: it is about to stop. */
export function idleLine(
  cluster: ClusterModel,
  clock: Clock,
  trans: TranslationBundle
): string | null {
  const { quiet_since, kept_by, stops_at } = cluster.idle;
  if (cluster.wanted.stopped) {
    return null;
  }
  if (stops_at !== null) {
    const seconds = (Date.parse(stops_at) - clock.now()) / 1000;
    return seconds <= 0
      ? trans.__('Stopping now: nobody uses it')
      : trans.__(
          'Stops in %1 unless used',
          // An hour reads as one while less than half a minute of it has passed.
          formatDuration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60)
        );
  }
  const seconds = quiet_since === null ? 0 : (clock.now() - Date.parse(quiet_since)) / 1000;
  if (seconds < SHORTLY) {
    return trans.__('Active: keeps running');
  }
  const since = formatDuration(seconds);
  return kept_by === null
    ? trans.__('Idle for %1', since)
    : trans.__('Idle for %1: %2', since, kept_by);
}

/** Since when it is recorded, and into which file; empty: it is not. */
export function recordingLine(
  { recording }: ClusterModel,
  clock: Clock,
  trans: TranslationBundle
): string {
  return recording === null
    ? ''
    : trans.__(
        'Recording for %1: %2',
        ageOf(recording.since, clock),
        recording.path.split('/').pop()
      );
}

/** What a lease was taken for, which it ends with; empty: it is none. */
export function leaseLine({ lease }: ClusterModel, trans: TranslationBundle): string {
  return lease === null
    ? ''
    : {
        cell: trans.__('lease of a cell'),
        block: trans.__('lease of a block'),
        command: trans.__('lease of a command')
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
