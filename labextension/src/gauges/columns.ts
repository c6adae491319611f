import type { TelemetrySample } from '../protocol/messages';
import { fill, type IGaugeWords } from './words';

type Whole = Required<TelemetrySample>;

/** Names of the columns that hold values of one type; only columns may be null. */
type NamesOf<T> = {
  [K in keyof Whole]: null extends Whole[K]
    ? Whole[K] extends (T | null)[] | T | null
      ? K
      : never
    : never;
}[keyof Whole];

export type NumberColumn = NamesOf<number>;
export type TextColumn = NamesOf<string>;

/** One entry per worker of a column; null where it is not measured. */
export function column(sample: TelemetrySample, name: NumberColumn): readonly (number | null)[];
export function column(sample: TelemetrySample, name: TextColumn): readonly (string | null)[];
export function column(
  sample: TelemetrySample,
  name: NumberColumn | TextColumn
): readonly (number | string | null)[] {
  const values = sample[name] ?? null;
  return Array.isArray(values) ? values : sample.workers.map(() => values);
}

/** The entry of one worker, without expanding the column. */
export function entry(sample: TelemetrySample, name: NumberColumn, worker: number): number | null;
export function entry(sample: TelemetrySample, name: TextColumn, worker: number): string | null;
export function entry(
  sample: TelemetrySample,
  name: NumberColumn | TextColumn,
  worker: number
): number | string | null {
  const values = sample[name] ?? null;
  return (Array.isArray(values) ? values[worker] : values) ?? null;
}

/** A worker's name for people: "GPU 3", "Worker 0"; with its machine where there are several. */
export function titleOf(sample: TelemetrySample, i: number, words: IGaugeWords): string {
  const title = workerTitle(sample.workers[i], entry(sample, 'device_index', i), words);
  const host = entry(sample, 'host', i);
  return host === null || hostsOf(sample).length < 2 ? title : `${title} · ${host}`;
}

/**
 * The name without the machine.
 *
 * GPU workers are named after their device. Where its number is not known, the beginning of its UUID tells them apart.
 */
export function workerTitle(name: string, number: number | null, words: IGaugeWords): string {
  const uuid = /^(?:GPU|MIG)-[0-9a-f]{8}(?=-)/.exec(name);
  return uuid === null || number === null
    ? (uuid?.[0] ?? fill(words.worker, { name }))
    : fill(words.gpuNumber, { number: `${number}` });
}

/** The machines of the workers, in the order in which they first appear. */
export function hostsOf(sample: TelemetrySample): readonly string[] {
  const { host } = sample;
  if (!Array.isArray(host)) {
    return typeof host === 'string' ? [host] : [];
  }
  let hosts = known.get(host);
  if (hosts === undefined) {
    hosts = [...new Set(host.filter(one => one !== null))];
    known.set(host, hosts);
  }
  return hosts;
}

/** By column: each row asks, and there may be a thousand of them. */
const known = new WeakMap<readonly (string | null)[], readonly string[]>();
