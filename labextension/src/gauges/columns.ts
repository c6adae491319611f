import type { TelemetrySample } from '../protocol/messages';

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
