import type { ActivityEntry, TelemetryHistory, TelemetrySample } from '../protocol/messages';
import { column, type NumberColumn } from '../gauges/columns';
import { clusterFigures, sum } from '../gauges/figures';

/** What is drawn over time. */
export const FIGURES = ['gpu', 'vram', 'cpu', 'memory', 'disk', 'tasks'] as const;
export type Figure = (typeof FIGURES)[number];

/** How long a course is kept, in seconds, and how many moments of it. */
const KEPT_SECONDS = 2 * 3600;
const MOST_MOMENTS = 7200;
/** Values of workers that are kept at most; in a very large cluster, workers have a shorter past. */
const MOST_VALUES = 400_000;

/** Columns of a sample; those of results on disk count what is spilled. */
const COLUMNS: Readonly<Record<Figure, NumberColumn>> = {
  gpu: 'gpu_utilization_percent',
  vram: 'vram_used_bytes',
  cpu: 'cpu_percent',
  memory: 'memory_bytes',
  disk: 'tier_disk_bytes',
  tasks: 'processing'
};
type Values = Partial<Record<Figure, number | null>>;

/** Figures of workers as they came, not taken apart: there may be a thousand of them each second. */
interface IWorkers {
  readonly places: ReadonlyMap<string, number>;
  /** The figure of the worker at a place. */
  readonly read: (figure: Figure, place: number) => number | null | undefined;
}

interface IMoment {
  /** In seconds since 1970. */
  readonly time: number;
  readonly total: Values;
  workers: IWorkers | null;
}

/** Something that happened. */
export interface IMark {
  readonly time: number;
  readonly kind: string;
  readonly text: string;
}

/** Points of one line; null where nothing was measured. */
export interface ISeries {
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

/** The words of marks that samples tell by themselves. */
export interface IMarkWords {
  /** What the worker at this place of a sample is called. */
  title: (sample: TelemetrySample, i: number) => string;
  joined: (worker: string) => string;
  left: (worker: string) => string;
  spilled: string;
}

/** What a cluster did over time: samples as they come, and the history before them. */
export class Course {
  constructor(private readonly _words: IMarkWords) {}

  /** Names of the workers of the newest moment. */
  get workers(): readonly string[] {
    return this._names;
  }

  /** What a worker is called, as far as a sample has told. */
  titleOf(name: string): string {
    return this._titles.get(name) ?? name;
  }

  get first(): number {
    return this._moments[0]?.time ?? 0;
  }

  get last(): number {
    return this._moments[this._moments.length - 1]?.time ?? 0;
  }

  get isEmpty(): boolean {
    return this._moments.length === 0;
  }

  /** Note a sample; one that is not newer than the last one says nothing. */
  add(sample: TelemetrySample): void {
    const time = Date.parse(sample.at) / 1000;
    if (!(time > this.last)) {
      return;
    }
    const { workers } = sample;
    const total = totalsOf(sample);
    const read = reader(new Map(FIGURES.map(figure => [figure, sample[COLUMNS[figure]]])));
    const before = this._moments[this._moments.length - 1];
    if (!this._areKnown(workers)) {
      if (before !== undefined) {
        this._noteChanges(sample, time);
      }
      this._name(workers);
      workers.forEach((name, i) => this._titles.set(name, this._words.title(sample, i)));
    }
    if (before !== undefined && (total.disk ?? 0) > 0 && !((before.total.disk ?? 0) > 0)) {
      this._mark(time, 'spilled', this._words.spilled);
    }
    this._moments.push({ time, total, workers: { places: this._places, read } });
    this._trim(workers.length);
  }

  /** Put what was before in front of the samples. */
  load(history: TelemetryHistory): void {
    const end = Date.parse(history.at) / 1000;
    const before = this._moments[0]?.time ?? Infinity;
    const names = Object.keys(history.workers);
    const moments = history.seconds.map((seconds, i): IMoment => {
      const cpu = history.cpu_percent[i];
      return {
        time: end + seconds,
        total: {
          gpu: history.gpu_utilization_percent[i],
          vram: history.vram_used_bytes[i],
          cpu: cpu === null ? null : cpu * (history.n_workers?.[i] ?? names.length),
          memory: history.memory_bytes[i],
          disk: history.tier_disk_bytes?.[i] ?? null,
          tasks: history.processing[i]
        },
        workers: null
      };
    });
    const places = placesOf(names);
    const workers = Object.values(history.workers);
    history.worker_seconds.forEach((seconds, i) => {
      const found = nearest(moments, end + seconds);
      if (found !== undefined) {
        const read: IWorkers['read'] = (figure, place) => {
          const past: Partial<Record<NumberColumn, (number | null)[] | null>> = workers[place];
          return past[COLUMNS[figure]]?.[i];
        };
        found.workers = { places, read };
      }
    });
    this._moments.unshift(...moments.filter(({ time }) => time < before));
    if (this._names.length === 0) {
      this._name(names);
    }
  }

  /** What is known from elsewhere to have happened; it replaces what was told before. */
  set told(entries: readonly ActivityEntry[]) {
    const told = entries
      .filter(({ kind }) => !QUIET.has(kind))
      .map(({ at, kind, message }) => ({ time: Date.parse(at) / 1000, kind, text: message }));
    if (JSON.stringify(told) !== JSON.stringify(this._told)) {
      this._told = told;
      this._marks = null;
    }
  }

  /** What happened, oldest first. What the cluster's own activity tells is not told twice. */
  get marks(): readonly IMark[] {
    const isTold = (mark: IMark): boolean =>
      this._told.length > 0 && (mark.kind === 'worker_joined' || mark.kind === 'worker_left');
    this._marks ??= [...this._told, ...this._seen.filter(mark => !isTold(mark))].sort(
      (one, other) => one.time - other.time
    );
    return this._marks;
  }

  /** Whether there is anything to draw of a figure, of all workers or of one. */
  has(figure: Figure, worker: string | null): boolean {
    return this._moments.some(moment => valueOf(moment, figure, worker) !== null);
  }

  /** One figure of all workers, or of one, from a moment to another. */
  series(figure: Figure, worker: string | null, from = -Infinity, to = Infinity): ISeries {
    const moments = this._moments.filter(
      ({ time, workers }) =>
        time >= from && time <= to && (worker === null || workers?.places.has(worker) === true)
    );
    return {
      times: moments.map(({ time }) => time),
      values: moments.map(moment => valueOf(moment, figure, worker))
    };
  }

  /** Notice who came and went, by comparing with the moment before. */
  private _noteChanges(sample: TelemetrySample, time: number): void {
    const present = new Set(sample.workers);
    sample.workers.forEach((name, i) => {
      if (!this._places.has(name)) {
        this._mark(time, 'worker_joined', this._words.joined(this._words.title(sample, i)));
      }
    });
    for (const name of this._names.filter(one => !present.has(one))) {
      this._mark(time, 'worker_left', this._words.left(this.titleOf(name)));
    }
  }

  private _mark(time: number, kind: string, text: string): void {
    this._seen.push({ time, kind, text });
    this._marks = null;
  }

  /** Whether they are the same as before, at the same places, and have titles. */
  private _areKnown(names: readonly string[]): boolean {
    return (
      names.length === this._names.length &&
      names.every((name, i) => name === this._names[i] && this._titles.has(name))
    );
  }

  private _name(names: readonly string[]): void {
    this._names = names;
    this._places = placesOf(names);
  }

  private _trim(nWorkers: number): void {
    const oldest = this.last - KEPT_SECONDS;
    const surplus = Math.max(
      this._moments.findIndex(({ time }) => time >= oldest),
      this._moments.length - MOST_MOMENTS
    );
    if (surplus > 0) {
      this._moments.splice(0, surplus);
    }
    const most = Math.floor(MOST_VALUES / Math.max(1, nWorkers * FIGURES.length));
    const over = this._moments[this._moments.length - 1 - most];
    if (over !== undefined) {
      over.workers = null;
    }
  }

  private readonly _moments: IMoment[] = [];
  private readonly _seen: IMark[] = [];
  private _told: readonly IMark[] = [];
  private _marks: readonly IMark[] | null = null;
  private _names: readonly string[] = [];
  private _places: ReadonlyMap<string, number> = new Map();
  private readonly _titles = new Map<string, string>();
}

/** Not in `add`, whose function would keep the whole sample. */
function reader(columns: ReadonlyMap<Figure, TelemetrySample[NumberColumn]>): IWorkers['read'] {
  return (figure, place) => {
    const values = columns.get(figure);
    return Array.isArray(values) ? values[place] : values;
  };
}

/** What a person did not do and a line does not show better. */
const QUIET: ReadonlySet<string> = new Set(['state', 'create']);

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, i) => [name, i]));
}

/** What all workers do together: the mean of their GPUs' load, the sum of the others. */
function totalsOf(sample: TelemetrySample): Values {
  const { gpu, vram, memory } = clusterFigures(sample);
  return {
    gpu,
    vram: vram?.used ?? null,
    cpu: sum(column(sample, 'cpu_percent')),
    memory: memory?.used ?? null,
    disk: sum(column(sample, 'tier_disk_bytes')),
    tasks: sum(column(sample, 'processing'))
  };
}

function valueOf(
  { total, workers }: IMoment,
  figure: Figure,
  worker: string | null
): number | null {
  if (worker === null) {
    return total[figure] ?? null;
  }
  const place = workers?.places.get(worker);
  return place === undefined ? null : (workers?.read(figure, place) ?? null);
}

function nearest(moments: IMoment[], time: number): IMoment | undefined {
  return moments.reduce<IMoment | undefined>(
    (best, one) =>
      best === undefined || Math.abs(one.time - time) < Math.abs(best.time - time) ? one : best,
    undefined
  );
}
