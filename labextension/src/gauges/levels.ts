/** What a gauge shows, and how alarming it is. */

/** A figure that may not be measured. */
export type Measured = number | null | undefined;

export type Level = 'normal' | 'warning' | 'critical';

export interface IReading {
  /** Used now. */
  readonly used: number;
  /** What there is; null where there is no limit. */
  readonly total: number | null;
}

/** From how much on a gauge warns, in percent of what there is. */
export interface IThresholds {
  readonly warningPercent: number;
  readonly criticalPercent: number;
}

/** Dask starts no new tasks on a worker at 80 % of its host memory and kills it at 95 %. */
export const DEFAULT_THRESHOLDS: IThresholds = { warningPercent: 70, criticalPercent: 85 };

/** The share in use, from 0 to 1; null without a total. */
export function shareOf({ used, total }: IReading): number | null {
  return total === null || total <= 0 ? null : Math.min(1, Math.max(0, used / total));
}

/** How alarming it is. The smaller threshold warns, whichever it is. */
export function levelOf(
  reading: IReading,
  { warningPercent, criticalPercent }: IThresholds = DEFAULT_THRESHOLDS
): Level {
  const percent = (shareOf(reading) ?? 0) * 100;
  if (percent < Math.min(warningPercent, criticalPercent)) {
    return 'normal';
  }
  return percent < Math.max(warningPercent, criticalPercent) ? 'warning' : 'critical';
}

/** One reading, or null when the figure is not measured: absent is not zero. */
export function readingOf(used: Measured, total: Measured): IReading | null {
  return used === null || used === undefined ? null : { used, total: total ?? null };
}
