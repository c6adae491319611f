import type { TelemetrySample } from '../protocol/messages';

/** A cluster that was silent for longer is played as if it had been silent for so long, in seconds. */
const LONGEST_GAP_SECONDS = 10;

/** When each sample is shown, in seconds from the first one. */
export function timesOf(samples: readonly TelemetrySample[]): readonly number[] {
  let last = NaN;
  let time = 0;
  return samples.map(({ at }) => {
    const moment = Date.parse(at) / 1000;
    const gap = moment - last;
    time += gap > 0 ? Math.min(gap, LONGEST_GAP_SECONDS) : 0;
    last = moment;
    return time;
  });
}

/** The last sample that has come at a position; the first one before all. */
export function placeAt(times: readonly number[], position: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** A position for people, such as `1:05`. */
export function formatPosition(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, '0')}`;
}
