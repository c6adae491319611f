/** Figures as people read them; tests/gauges/cases.json holds gauges/figures.py to the same. Knows nothing of JupyterLab. */

const STEPS: readonly (readonly [string, number])[] = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10]
];

/** `1.5 GiB`; whole numbers from ten on, or from `whole`. */
export function formatBytes(bytes: number, whole = 10): string {
  const [unit, factor] = stepOf(bytes);
  return `${digits(bytes / factor, whole)} ${unit}`;
}

/** `1.2 / 4 GiB`, `410 MiB / 4 GiB`: each size in its own unit, which is written once where it is the same. */
export function formatShare(used: number, total: number): string {
  return formatSizes([used, total], ' / ');
}

/** `8 → 1 → 0 GiB`, `1 TiB → 20 GiB → 0`: in one unit if that fits all of them, which nothing does that would read 0. */
export function formatSizes(sizes: readonly number[], between: string): string {
  const units = new Set(sizes.filter(size => size > 0).map(size => stepOf(size)[0]));
  if (units.size === 1) {
    const [unit, factor] = stepOf(Math.max(...sizes));
    return `${sizes.map(size => digits(size / factor)).join(between)} ${unit}`;
  }
  return sizes.map(size => (size === 0 ? '0' : formatBytes(size))).join(between);
}

/** `1,907 W`, `12 kW`. */
export function formatWatts(watts: number): string {
  return watts < 10_000 ? `${formatCount(watts)} W` : `${digits(watts / 1000)} kW`;
}

/** `1.5 GiB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** `63 %`. */
export function formatPercent(percent: number): string {
  return `${Math.round(percent)} %`;
}

/** `9,950`, `12 k`, `1.5 M`: a number of things. */
export function formatCount(count: number): string {
  if (count < 10_000) {
    return Math.round(count).toLocaleString('en');
  }
  return count < 1e6 ? `${Math.round(count / 1000)} k` : `${digits(count / 1e6)} M`;
}

/** `52 min`: the largest unit that fits, two while they say something. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) {
    return `${whole} s`;
  }
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) {
    return `${minutes} min`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 24) {
    return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  }
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

function stepOf(bytes: number): readonly [string, number] {
  return STEPS.find(([, factor]) => bytes >= factor) ?? ['B', 1];
}

/** At most one digit after the point, and none from ten on, or from `whole`. */
export function digits(value: number, whole = 10): string {
  // 9.96 has one digit after rounding to tenths and none is needed: ask after rounding.
  const tenths = Math.round(value * 10) / 10;
  return tenths >= whole || Number.isInteger(tenths) ? `${Math.round(value)}` : tenths.toFixed(1);
}
