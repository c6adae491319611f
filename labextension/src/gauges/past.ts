import type { TelemetryHistory, TelemetrySample } from '../protocol/messages';
import { Trace } from './sparkline';
import { type IFigures, hasGpu } from './figures';
import { entry } from './columns';

/** How long the past is kept, in seconds. */
export const SPAN_SECONDS = 600;
const TOTAL_STEP_SECONDS = 2;
const WORKER_STEP_SECONDS = 5;

/** The past of one worker, or of all, in percent. */
export interface ITraces {
  readonly gpu: Trace;
  readonly cpu: Trace;
  readonly vram: Trace;
  readonly memory: Trace;
}

/** Of a worker one pair is drawn: of its GPU if it has one, else of its CPU. */
export interface IWorkerTraces {
  readonly busy: Trace;
  readonly memory: Trace;
}

/** What gauges remember: the history they are given and the samples since then. */
export class Past {
  readonly totals: ITraces = {
    gpu: new Trace(TOTAL_STEP_SECONDS, SPAN_SECONDS),
    cpu: new Trace(TOTAL_STEP_SECONDS, SPAN_SECONDS),
    vram: new Trace(TOTAL_STEP_SECONDS, SPAN_SECONDS),
    memory: new Trace(TOTAL_STEP_SECONDS, SPAN_SECONDS)
  };

  worker(name: string): IWorkerTraces | undefined {
    return this._workers.get(name);
  }

  /** Note a sample and its sums. */
  add(sample: TelemetrySample, figures: IFigures): void {
    const time = Date.parse(sample.at) / 1000;
    this.totals.gpu.put(time, figures.gpu);
    this.totals.cpu.put(time, percentOf(figures.cores, figures.capacity));
    this.totals.vram.put(time, percentOf(figures.vram?.used, figures.vram?.total));
    this.totals.memory.put(time, percentOf(figures.memory?.used, figures.memory?.total));
    if (this._workers.size > sample.workers.length) {
      const present = new Set(sample.workers);
      [...this._workers.keys()]
        .filter(name => !present.has(name))
        .forEach(name => this._workers.delete(name));
    }
    sample.workers.forEach((name, i) => {
      let traces = this._workers.get(name);
      if (traces === undefined) {
        traces = {
          busy: new Trace(WORKER_STEP_SECONDS, SPAN_SECONDS),
          memory: new Trace(WORKER_STEP_SECONDS, SPAN_SECONDS)
        };
        this._workers.set(name, traces);
      }
      const { busy, used, total } = drawn(sample, i);
      traces.busy.put(time, busy);
      traces.memory.put(time, percentOf(used, total));
    });
    if (this._history !== null) {
      this._merge(this._history, sample, figures);
      this._history = null;
    }
  }

  /** Note what was before: it is merged with the next sample, which knows how much memory there is. */
  load(history: TelemetryHistory): void {
    this._history = history;
  }

  private _merge(history: TelemetryHistory, sample: TelemetrySample, figures: IFigures): void {
    const end = Date.parse(history.at) / 1000;
    const put = (
      trace: Trace,
      seconds: readonly number[],
      values: readonly (number | null)[] | null | undefined,
      scale: number | null
    ): void => {
      values?.forEach((value, k) => {
        const time = end + seconds[k];
        const since = k === 0 ? time - trace.step : end + seconds[k - 1];
        trace.putPast(since, time, value === null || scale === null ? null : value * scale);
      });
    };
    const { totals } = this;
    const scale = (total: number | null | undefined): number | null => (total ? 100 / total : null);
    // Means over the workers, each with as many threads as now.
    const threads = (figures.capacity ?? 0) / Math.max(1, sample.workers.length);
    put(totals.gpu, history.seconds, history.gpu_utilization_percent, 1);
    put(totals.cpu, history.seconds, history.cpu_percent, threads > 0 ? 1 / threads : null);
    put(totals.vram, history.seconds, history.vram_used_bytes, scale(figures.vram?.total));
    put(totals.memory, history.seconds, history.memory_bytes, scale(figures.memory?.total));
    sample.workers.forEach((name, i) => {
      const past = history.workers[name];
      const traces = this._workers.get(name);
      if (past !== undefined && traces !== undefined) {
        const isGpu = hasGpu(sample, i);
        const busy = isGpu ? past.gpu_utilization_percent : past.cpu_percent;
        const used = isGpu ? past.vram_used_bytes : past.memory_bytes;
        const busyScale = isGpu ? 1 : 1 / Math.max(1, entry(sample, 'n_threads', i) ?? 1);
        put(traces.busy, history.worker_seconds, busy, busyScale);
        put(traces.memory, history.worker_seconds, used, scale(drawn(sample, i).total));
      }
    });
  }

  private readonly _workers = new Map<string, IWorkerTraces>();
  private _history: TelemetryHistory | null = null;
}

/** What of the i-th worker is drawn over time. */
export function drawn(
  sample: TelemetrySample,
  i: number
): { busy: number | null; used: number | null; total: number | null } {
  if (hasGpu(sample, i)) {
    return {
      busy: entry(sample, 'gpu_utilization_percent', i),
      used: entry(sample, 'vram_used_bytes', i),
      total: entry(sample, 'vram_total_bytes', i)
    };
  }
  return {
    busy: percentOf(entry(sample, 'cpu_percent', i), (entry(sample, 'n_threads', i) ?? 1) * 100),
    used: entry(sample, 'memory_bytes', i),
    total: entry(sample, 'memory_limit_bytes', i)
  };
}

/** A share in percent; null without either. */
function percentOf(
  value: number | null | undefined,
  total: number | null | undefined
): number | null {
  return value === null || value === undefined || !total ? null : (value / total) * 100;
}
