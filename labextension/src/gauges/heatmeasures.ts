import type { TelemetrySample } from '../protocol/messages';
import { column, type NumberColumn } from './columns';
import { formatPercent } from './units';
import type { Part } from './words';

/** A way to look at all workers at once. */
export interface IMeasure {
  readonly part: Part;
  /** Whether a high figure is a reason to worry. */
  readonly alarms: boolean;
  /** In percent, one per worker; null where it is not measured. */
  readonly read: (sample: TelemetrySample) => readonly (number | null)[];
}

const share =
  (used: NumberColumn, total: NumberColumn) =>
  (sample: TelemetrySample): (number | null)[] => {
    const totals = column(sample, total);
    return column(sample, used).map((value, i) => {
      const whole = totals[i];
      return value === null || !whole ? null : (value / whole) * 100;
    });
  };

const MEASURES: readonly IMeasure[] = [
  { part: 'vram', alarms: true, read: share('vram_used_bytes', 'vram_total_bytes') },
  {
    part: 'gpu',
    alarms: false,
    read: sample => column(sample, 'gpu_utilization_percent')
  },
  { part: 'memory', alarms: true, read: share('memory_bytes', 'memory_limit_bytes') },
  { part: 'cpu', alarms: false, read: share('cpu_percent', 'n_threads') }
];

/** Those that some worker measures. */
export function measured(sample: TelemetrySample): readonly IMeasure[] {
  return MEASURES.filter(measure => measure.read(sample).some(value => value !== null));
}

export function figureOf(value: number | null, missing: string): string {
  return value === null ? missing : formatPercent(value);
}
