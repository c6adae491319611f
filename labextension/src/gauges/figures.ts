import type { TelemetrySample } from '../protocol/messages';
import {
  gpuHostStack,
  hostStack,
  onMachine,
  spillStack,
  sumStacks,
  tierStack,
  vramStack,
  type IStack
} from './segments';
import { column, entry, type NumberColumn } from './columns';

/** What is shown of one worker, and, summed, of all. */
export interface IFigures {
  readonly vram: IStack | null;
  readonly memory: IStack | null;
  readonly results: IStack | null;
  /** Mean over GPUs, in percent. */
  readonly gpu: number | null;
  /** Busy cores. */
  readonly cores: number | null;
  readonly threads: number | null;
  /** As many cores as the threads can keep busy. */
  readonly capacity: number | null;
  /** What the workers' memory limits add up to; null: no limit. */
  readonly limit: number | null;
}

/** Whether the worker has a GPU: then Dask's split of host memory means nothing. */
export function hasGpu(sample: TelemetrySample, i: number): boolean {
  return (
    entry(sample, 'device', i) !== null ||
    entry(sample, 'vram_total_bytes', i) !== null ||
    entry(sample, 'tier_device_bytes', i) !== null
  );
}

/** The figures of the i-th worker; beside a GPU, the CPU is a minor matter. */
export function workerFigures(sample: TelemetrySample, i: number, withCpu: boolean): IFigures {
  const at = (name: NumberColumn): number | null => entry(sample, name, i);
  const cpu = withCpu ? at('cpu_percent') : null;
  const memory = memoryOf(sample, i);
  const threads = at('n_threads');
  return {
    vram: vramStack({
      total: at('vram_total_bytes'),
      used: at('vram_used_bytes'),
      cluster: at('vram_cluster_bytes'),
      rmmUsed: at('rmm_used_bytes'),
      rmmPool: at('rmm_pool_bytes')
    }),
    memory,
    results: resultsOf(sample, i),
    gpu: at('gpu_utilization_percent'),
    cores: cpu === null ? null : cpu / 100,
    threads,
    capacity: least(threads, sample.host_cores),
    limit: memory?.total ?? null
  };
}

/** The figures of the whole cluster; summed once per sample, for all that show them. */
export function clusterFigures(sample: TelemetrySample): IFigures {
  let figures = summed.get(sample);
  if (figures === undefined) {
    figures = sumOf(sample);
    summed.set(sample, figures);
  }
  return figures;
}

const summed = new WeakMap<TelemetrySample, IFigures>();

function sumOf(sample: TelemetrySample): IFigures {
  const all = sample.workers.map((_, i) => i);
  const cpu = sum(column(sample, 'cpu_percent'));
  const memory = sumStacks(all.map(i => memoryOf(sample, i)));
  const threads = sum(column(sample, 'n_threads'));
  const sharers = placesByDevice(sample);
  return {
    vram: sumStacks(vramByDevice(sample, sharers)),
    memory: onMachine(memory, sample.host_memory_bytes ?? null),
    results: sumStacks(all.map(i => resultsOf(sample, i))),
    gpu: mean(utilizations(sample, sharers)),
    cores: cpu === null ? null : cpu / 100,
    threads,
    capacity: least(threads, sample.host_cores),
    limit: memory?.total ?? null
  };
}

function least(threads: number | null, cores: number | null | undefined): number | null {
  return threads === null ? null : Math.min(threads, cores ?? threads);
}

function memoryOf(sample: TelemetrySample, i: number): IStack | null {
  const used = entry(sample, 'memory_bytes', i);
  const limit = entry(sample, 'memory_limit_bytes', i);
  return hasGpu(sample, i)
    ? gpuHostStack(used, entry(sample, 'tier_host_bytes', i), limit)
    : hostStack(used, entry(sample, 'managed_bytes', i), limit);
}

function resultsOf(sample: TelemetrySample, i: number): IStack | null {
  const device = entry(sample, 'tier_device_bytes', i);
  const host = entry(sample, 'tier_host_bytes', i);
  const disk = entry(sample, 'tier_disk_bytes', i);
  return hasGpu(sample, i)
    ? tierStack(device, host, disk)
    : spillStack(host ?? entry(sample, 'managed_bytes', i), disk);
}

/** The places of the workers on each GPU. */
function placesByDevice(sample: TelemetrySample): number[][] {
  const sharers = new Map<string, number[]>();
  column(sample, 'device').forEach((device, i) => {
    const key = device ?? `worker ${sample.workers[i]}`;
    const known = sharers.get(key);
    if (known === undefined) {
      sharers.set(key, [i]);
    } else {
      known.push(i);
    }
  });
  return [...sharers.values()];
}

/** How busy each GPU is: workers that share one see the same. */
function utilizations(sample: TelemetrySample, sharers: number[][]): (number | null)[] {
  const busy = column(sample, 'gpu_utilization_percent');
  return sharers.map(indices => busy[indices.find(i => busy[i] !== null) ?? indices[0]]);
}

/** One stack per GPU: workers that share one see the same memory, each with its own RMM. */
function vramByDevice(sample: TelemetrySample, sharers: number[][]): (IStack | null)[] {
  const total = column(sample, 'vram_total_bytes');
  const used = column(sample, 'vram_used_bytes');
  const cluster = column(sample, 'vram_cluster_bytes');
  const rmmUsed = column(sample, 'rmm_used_bytes');
  const rmmPool = column(sample, 'rmm_pool_bytes');
  return sharers.map(indices => {
    const first = indices.find(i => used[i] !== null) ?? indices[0];
    return vramStack({
      total: total[first],
      used: used[first],
      cluster: cluster[first],
      rmmUsed: sum(indices.map(i => rmmUsed[i])),
      rmmPool: sum(indices.map(i => rmmPool[i]))
    });
  });
}

/** The sum of what is measured; null when nothing is. */
export function sum(values: readonly (number | null)[]): number | null {
  let total = 0;
  let count = 0;
  for (const value of values) {
    if (value !== null) {
      total += value;
      count += 1;
    }
  }
  return count === 0 ? null : total;
}

/** The mean of what is measured; null when nothing is. */
export function mean(values: readonly (number | null)[]): number | null {
  const total = sum(values);
  return total === null ? null : total / values.filter(value => value !== null).length;
}
