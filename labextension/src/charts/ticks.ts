/** Steps of a time axis, in seconds. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/** Round moments between two times, up to a given number; in seconds. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const span = to - from;
  const step = TIME_STEPS.find(one => span / one <= most) ?? Math.ceil(span / most / 3600) * 3600;
  // Round by the clock that people see, wherever they are.
  const shift = new Date(from * 1000).getTimezoneOffset() * 60;
  const first = Math.ceil((from - shift) / step) * step + shift;
  const ticks: number[] = [];
  for (let time = first; time <= to && ticks.length <= most; time += step) {
    ticks.push(time);
  }
  return ticks;
}

/** A moment by the clock: `14:03`, with seconds where they matter. */
export function clock(time: number, withSeconds = false): string {
  return new Date(time * 1000).toTimeString().slice(0, withSeconds ? 8 : 5);
}

/** Round values from zero up to at least `most`: the last one is the top of the axis. `base` is 10, or 2 for bytes. */
export function valueTicks(most: number, base: 2 | 10): number[] {
  const least = most > 0 ? most : 1;
  const unit =
    base === 10 ? 10 ** Math.floor(Math.log10(least)) : 2 ** (Math.floor(Math.log2(least)) - 1);
  // Counts have at least four on their axis, so no step is half a task.
  const factors = base === 10 ? [0.5, 1, 2, 5] : [1, 2];
  for (const factor of factors) {
    const step = unit * factor;
    const count = Math.ceil(least / step);
    if (count <= 4) {
      return Array.from({ length: count + 1 }, (_, i) => i * step);
    }
  }
  return [0, least];
}
