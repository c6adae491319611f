import type { CellProgress, CellWork } from '../protocol/messages';
import { formatBytes, trans } from './shared';

/** Counts that a run of a cell has in sum and for each kind of task. */
const COUNTS = ['n_tasks', 'n_done', 'n_waiting', 'n_running', 'n_failed', 'n_cancelled'] as const;

/** How far a run is, of what the server has written down of it; null where it belongs to no cell. */
export function progressOf(work: CellWork): CellProgress | null {
  const { kernel, cell } = work;
  if (kernel === null || cell === null) {
    return null;
  }
  const sums = Object.fromEntries(
    COUNTS.map(name => [name, work.groups.reduce((sum, group) => sum + group[name], 0)])
  ) as Record<(typeof COUNTS)[number], number>;
  return { ...work, ...sums, kernel, cell };
}

/** Whether nothing more will come of a run. */
export function isOver(run: CellProgress): boolean {
  return (run.ended ?? null) !== null || run.lost === true;
}

/** How long a run takes, or took, in seconds. */
export function secondsOf(run: CellProgress, now: number): number {
  const end = run.ended ? Date.parse(run.ended) : now;
  return Math.max(0, (end - Date.parse(run.began)) / 1000);
}

/** `0.4 s`, `41 s`, `2 min 5 s`, `1 h 5 min`; `isExact`: with tenths of few seconds. */
export function elapsed(seconds: number, isExact = false): string {
  if (seconds < 10) {
    return `${isExact ? Math.round(seconds * 10) / 10 : Math.floor(seconds)} s`;
  }
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 1) {
    return `${whole} s`;
  }
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function counted(count: number): string {
  return count.toLocaleString('en');
}

/** The one figure of a running cell that matters most now. */
export interface IHeadline {
  readonly text: string;
  readonly level: 'normal' | 'warning' | 'critical';
}

/** `nWorkers`: of the cluster, now. */
export function headlineOf(run: CellProgress, nWorkers: number): IHeadline {
  if (run.n_failed > 0) {
    return { text: trans.__('%1 failed', counted(run.n_failed)), level: 'critical' };
  }
  if (nWorkers === 0) {
    return { text: trans.__('waiting for workers'), level: 'warning' };
  }
  if ((run.spilled_peak_bytes ?? 0) > 0) {
    const text = trans.__('%1 spilled', formatBytes(run.spilled_peak_bytes ?? 0));
    return { text, level: 'warning' };
  }
  return { text: peakOf(run), level: 'normal' };
}

function peakOf({
  vram_peak_bytes: vram = null,
  memory_peak_bytes: memory = null
}: CellProgress): string {
  if (vram !== null) {
    return trans.__('peak %1 VRAM', formatBytes(vram));
  }
  return memory === null ? '' : trans.__('peak %1', formatBytes(memory));
}

/** `8 processing, 30 waiting`: what is left to do. Dask's word for tasks that workers have, running or not yet. */
export function pendingOf({ n_running, n_waiting }: CellProgress): string {
  return [
    n_running > 0 ? trans.__('%1 processing', counted(n_running)) : '',
    n_waiting > 0 ? trans.__('%1 waiting', counted(n_waiting)) : ''
  ]
    .filter(Boolean)
    .join(', ');
}

/** What a cell has had computed, once that is over: `3,204 tasks · 41 s · peak 31 GiB VRAM · 3.1 GiB moved`. */
export function summaryOf(run: CellProgress, now: number): string {
  const { n_tasks, n_done, n_failed, n_cancelled, moved_bytes: moved } = run;
  // The first one is the number itself, without separators.
  const counts = [counted(n_tasks), counted(n_done)];
  const tasks =
    n_done === n_tasks
      ? trans._n('%2 task', '%2 tasks', n_tasks, ...counts)
      : trans._n('%3 of %2 task', '%3 of %2 tasks', n_tasks, ...counts);
  return [
    run.lost === true ? trans.__('the cluster ended') : '',
    n_failed > 0 ? trans.__('%1 failed', counted(n_failed)) : '',
    n_cancelled > 0 ? trans.__('%1 cancelled', counted(n_cancelled)) : '',
    tasks,
    run.ended ? elapsed(secondsOf(run, now), true) : '',
    peakOf(run),
    (run.spilled_peak_bytes ?? 0) > 0
      ? trans.__('%1 spilled', formatBytes(run.spilled_peak_bytes ?? 0))
      : '',
    // Less than that is what schedulers say of each other's health.
    (moved ?? 0) >= 1024 ? trans.__('%1 moved', formatBytes(moved ?? 0)) : ''
  ]
    .filter(Boolean)
    .join(' · ');
}
