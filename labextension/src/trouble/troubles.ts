import { hasGpu, sum } from '../gauges/figures';
import { column, entry, formatBytes, type NumberColumn } from '../gauges';
import { can, newsOf, said, textOf, wantedWorkers } from '../clusters/states';
import type { ClusterModel, Message, TelemetrySample } from '../protocol/messages';
import { trans } from '../translation';

/** What a person can do about a trouble. */
export type Action = 'traceback' | 'log' | 'restart';

/** Something that is wrong with a cluster now. */
export interface ITrouble {
  /** The same for as long as it is the same trouble. */
  readonly key: string;
  readonly level: 'error' | 'warning';
  readonly text: string;
  readonly actions: readonly Action[];
  /** Which kind of tasks it is about, for its traceback. */
  readonly task?: string;
  /** Read from figures, which go up and down. */
  readonly isMeasured?: boolean;
}

/** From here on, Dask starts no new tasks on a worker. */
const PAUSED = 0.8;
/** A GPU with less room than that: a pool of RMM takes most of it by design. */
const FULL = 0.95;
/** Workers report every few seconds. */
const SILENT_SECONDS = 30;
/** So long the death of workers is shown although others work in their place: a person has to read it. */
const READ_MS = 60_000;

/** What is wrong with a cluster, the worst first. What is resolved is not there any more. */
export function troublesOf(
  cluster: ClusterModel,
  sample: TelemetrySample | undefined,
  now: number
): readonly ITrouble[] {
  const troubles: ITrouble[] = [
    ...said(cluster, 'tasks_failed', 'tasks_killed').map(({ code, text, subject }) => ({
      key: `failed ${subject}`,
      level: 'error' as const,
      text,
      actions: code === 'tasks_failed' ? (['traceback', 'log'] as const) : (['log'] as const),
      task: subject ?? undefined
    })),
    ...deaths(cluster, now),
    ...said(cluster, 'notice').map(message => of(message, 'error', ['log'])),
    ...(sample === undefined ? [] : measured(sample)),
    ...said(cluster, 'warning').map(message => of(message, 'warning', []))
  ];
  return troubles.sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error'));
}

function of(message: Message, level: ITrouble['level'], actions: readonly Action[]): ITrouble {
  return { key: `${message.code} ${message.text}`, level, text: textOf(message), actions };
}

/** The last workers that died, until others are there and the results are back. */
function deaths(cluster: ClusterModel, now: number): ITrouble[] {
  const last = newsOf(cluster)
    .filter(({ code }) => code === 'worker_died' || code === 'worker_memory')
    .pop();
  if (last === undefined) {
    return [];
  }
  const isComplete = cluster.n_workers >= (wantedWorkers(cluster) ?? 1);
  const at = Date.parse(last.time ?? '');
  const isRead = Number.isNaN(at) || now - at > READ_MS;
  if (isComplete && isRead && cluster.n_recomputing === 0) {
    return [];
  }
  const actions: Action[] = ['log'];
  if (!isComplete && can(cluster, 'restart')) {
    actions.push('restart');
  }
  // It is completed when others die of the same; that they do is no other trouble.
  return [{ key: `${last.code} ${last.time}`, level: 'error', text: textOf(last), actions }];
}

/** What the figures of the workers say. */
function measured(sample: TelemetrySample): ITrouble[] {
  const troubles: ITrouble[] = [];
  const add = (key: string, text: string, level: ITrouble['level'] = 'warning'): void =>
    void troubles.push({ key, level, text, actions: [], isMeasured: true });
  const errors = column(sample, 'device_error').filter(error => error !== null);
  if (errors.length > 0) {
    const one = trans.__('%1 GPU not readable: %2', 1, errors[0] ?? '');
    const many = trans.__('%1 GPUs not readable: %2', errors.length, errors[0] ?? '');
    add('gpu', errors.length === 1 ? one : many, 'error');
  }
  const total = sample.workers.length;
  const ages = column(sample, 'age_seconds');
  const silent = ages.filter(age => age !== null && age > SILENT_SECONDS).length;
  if (silent > 0) {
    add(
      'silent',
      trans.__(
        'No report from %2 for %1 s: busy, or the network is down',
        SILENT_SECONDS,
        some(silent, total)
      )
    );
  }
  const isFull = (used: NumberColumn, limit: NumberColumn, share: number): number =>
    sample.workers.filter((_, i) => {
      const most = entry(sample, limit, i);
      return most !== null && most > 0 && (entry(sample, used, i) ?? 0) >= share * most;
    }).length;
  const full = isFull('memory_bytes', 'memory_limit_bytes', PAUSED);
  if (full > 0) {
    const who = some(full, total);
    add('memory', trans.__('Memory almost full on %1: no new tasks start there above 80 %', who));
  }
  const fullGpus = isFull('vram_used_bytes', 'vram_total_bytes', FULL);
  if (fullGpus > 0) {
    const gpus = trans._n('%1 GPU', '%1 GPUs', fullGpus);
    add('vram', trans.__('GPU memory over 95 % full on %1: the next allocation may fail', gpus));
  }
  const disk = sum(column(sample, 'tier_disk_bytes')) ?? 0;
  // A few small results may stay on disk until they are used.
  if (disk > (sum(column(sample, 'memory_limit_bytes')) ?? 0) / 100) {
    add(
      'disk',
      trans.__('%1 of results spilled to disk because memory was full', formatBytes(disk))
    );
  }
  const host = sum(
    column(sample, 'tier_host_bytes').map((bytes, i) => (hasGpu(sample, i) ? bytes : null))
  );
  if (host) {
    add(
      'host',
      trans.__('%1 of results moved to host memory because GPU memory was full', formatBytes(host))
    );
  }
  return troubles;
}

function some(count: number, total: number): string {
  return total === 1 ? trans.__('the worker') : trans.__('%1 of %2 workers', count, total);
}
