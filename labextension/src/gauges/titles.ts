import type { TelemetrySample } from '../protocol/messages';
import { entry } from './columns';
import { fill, type IGaugeWords } from './words';

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
