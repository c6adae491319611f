import { formatDuration } from '../gauges/units';

/** How long ago a time was (-1), or in how long it will be (1). */
export function spanOf(time: string, direction: 1 | -1): string {
  return formatDuration(Math.max(0, (direction * (Date.parse(time) - Date.now())) / 1000));
}
