import type { TelemetrySample } from '../protocol/messages';
import type { IBar } from './bar';
import { column, entry } from './columns';
import { readingOf, sumOf, type IReading } from './levels';
import { formatBytes, formatDuration } from './units';

/** Words for the bars; the caller translates. */
export interface IBarWords {
  memory: string;
  vram: string;
  rmm: string;
  /** Sentences with `%1` (used), `%2` (total). */
  memorySentence: string;
  memoryUnlimited: string;
  vramSentence: string;
  rmmSentence: string;
  /** Appended when the figures are old, with `%1` (age). */
  stale: string;
}

/** A worker that has not reported for so long is shown as stale. */
const STALE_SECONDS = 10;

/** The bars of a whole cluster: sums over its workers. Figures nobody measures have no bar. */
export function clusterBars(sample: TelemetrySample, words: IBarWords): IBar[] {
  return bars(
    sumOf(column(sample, 'memory_bytes'), column(sample, 'memory_limit_bytes')),
    sumOf(column(sample, 'vram_used_bytes'), column(sample, 'vram_total_bytes')),
    sumOf(column(sample, 'rmm_used_bytes'), column(sample, 'rmm_pool_bytes')),
    words,
    0
  );
}

/** The bars of the worker of that name; none if it is not in the sample. */
export function workerBars(sample: TelemetrySample, worker: string, words: IBarWords): IBar[] {
  const i = sample.workers.indexOf(worker);
  if (i < 0) {
    return [];
  }
  return bars(
    readingOf(entry(sample, 'memory_bytes', i), entry(sample, 'memory_limit_bytes', i)),
    readingOf(entry(sample, 'vram_used_bytes', i), entry(sample, 'vram_total_bytes', i)),
    readingOf(entry(sample, 'rmm_used_bytes', i), entry(sample, 'rmm_pool_bytes', i)),
    words,
    entry(sample, 'age_seconds', i) ?? 0
  );
}

function bars(
  memory: IReading | null,
  vram: IReading | null,
  rmm: IReading | null,
  words: IBarWords,
  ageSeconds: number
): IBar[] {
  const isStale = ageSeconds > STALE_SECONDS;
  const suffix = isStale ? ` ${fill(words.stale, formatDuration(ageSeconds))}` : '';
  const bar = (label: string, reading: IReading | null, sentence: string): IBar[] => {
    if (reading === null) {
      return [];
    }
    const total = reading.total === null ? '' : formatBytes(reading.total);
    return [
      {
        label,
        reading,
        isStale,
        sentence: fill(sentence, formatBytes(reading.used), total) + suffix
      }
    ];
  };
  return [
    ...bar(
      words.memory,
      memory,
      memory?.total === null ? words.memoryUnlimited : words.memorySentence
    ),
    ...bar(words.vram, vram, words.vramSentence),
    ...bar(words.rmm, rmm, words.rmmSentence)
  ];
}

function fill(template: string, ...values: string[]): string {
  return values.reduce((text, value, index) => text.replace(`%${index + 1}`, value), template);
}
