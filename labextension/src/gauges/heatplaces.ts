import type { TelemetrySample } from '../protocol/messages';
import { column } from './columns';
import { hostsOf } from './titles';

/** Up to this many machines, each has its own lines, with its name. */
const MOST_HOSTS = 16;
/** Width of a machine's name, in pixels. */
const NAME = 58;

/** The name of a machine, and where it is written. */
export interface IHostLabel {
  readonly name: string;
  readonly y: number;
}

/** Where each worker's cell is. */
export interface IHeatPlaces {
  readonly width: number;
  readonly height: number;
  /** Upper left corners, one per worker, in pixels. */
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** How many cells are in a full line: what the keyboard goes down by. */
  readonly columns: number;
  readonly labels: readonly IHostLabel[];
  readonly whole: number;
}

/** Place the cells of all workers in so much room: by machine where there are several, else in lines. */
export function placesOf(sample: TelemetrySample, room: number): IHeatPlaces {
  const hosts = hostsOf(sample);
  const isGrouped = hosts.length > 1 && hosts.length <= MOST_HOSTS;
  const count = sample.workers.length;
  const left = isGrouped ? NAME : 1;
  const byHost = hosts.length > 1 ? groupsOf(sample, hosts) : [];
  // If there are too many for separate lines, workers of one machine still stand together.
  const together = byHost.flatMap(({ workers }) => workers);
  const groups = isGrouped
    ? byHost
    : [{ name: '', workers: together.length === count ? together : rangeOf(count) }];
  const most = Math.max(1, ...groups.map(({ workers }) => workers.length));
  const [width, height] = cellOf(count, most, room - left - 1);
  const columns = Math.max(1, Math.floor((room - left - 1) / (width + 1)));
  const x = new Array<number>(count);
  const y = new Array<number>(count);
  const labels: IHostLabel[] = [];
  let top = 1;
  for (const { name, workers } of groups) {
    if (name !== '') {
      labels.push({ name, y: top + height / 2 });
    }
    workers.forEach((worker, place) => {
      x[worker] = left + (place % columns) * (width + 1);
      y[worker] = top + Math.floor(place / columns) * (height + 2);
    });
    top += Math.ceil(workers.length / columns) * (height + 2);
  }
  return { width, height, x, y, columns: Math.min(columns, most), labels, whole: top + 1 };
}

/** Size of a cell in pixels: smaller the more there are. */
function cellOf(count: number, most: number, room: number): readonly [number, number] {
  if (count <= 64) {
    return [Math.min(36, Math.max(10, Math.floor(room / most) - 1)), most < count ? 16 : 22];
  }
  return count <= 256 ? [9, 16] : [6, 12];
}

function groupsOf(
  sample: TelemetrySample,
  hosts: readonly string[]
): { readonly name: string; readonly workers: readonly number[] }[] {
  const groups = new Map<string, number[]>(hosts.map(name => [name, []]));
  const others: number[] = [];
  column(sample, 'host').forEach((host, i) => (groups.get(host ?? '') ?? others).push(i));
  const named = [...groups].map(([name, workers]) => ({ name, workers }));
  return others.length === 0 ? named : [...named, { name: '?', workers: others }];
}

function rangeOf(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
