import cases from '../gauges/cases.json';

import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatShare,
  formatSizes,
  levelOf
} from '../../labextension/src/gauges';
import { clusterFacts } from '../../labextension/src/gauges/facts';
import {
  clusterFigures,
  workerFigures,
  type IFigures
} from '../../labextension/src/gauges/figures';
import { coresFigure, type IGaugeContext } from '../../labextension/src/gauges/gaugeset';
import { DEFAULT_THRESHOLDS } from '../../labextension/src/gauges/levels';
import type { IStack } from '../../labextension/src/gauges/segments';
import { CPU_MARKS, StackBar } from '../../labextension/src/gauges/stackbar';
import { Tooltip } from '../../labextension/src/gauges/tooltip';
import { titleOf } from '../../labextension/src/gauges/columns';
import { englishWords, type Part } from '../../labextension/src/gauges/words';
import type { TelemetrySample } from '../../labextension/src/protocol/messages';

/** What Python's gauges are held to as well, in tests/gauges/test_cases.py. */

interface IStackCase {
  readonly parts: Readonly<Record<string, number>>;
  readonly used: number;
  readonly total: number | null;
  readonly text?: string;
}

interface IFiguresCase {
  readonly vram?: IStackCase;
  readonly memory?: IStackCase;
  readonly results?: IStackCase;
  readonly gpu?: string;
  readonly cpu?: { readonly used: string; readonly capacity: string };
  readonly shared?: string;
  readonly others?: string;
  readonly tasks?: { readonly running?: number; readonly failed?: number };
}

interface ISampleCase {
  readonly name: string;
  readonly sample: Partial<TelemetrySample>;
  readonly cluster: IFiguresCase;
  readonly workers: readonly IFiguresCase[];
}

const samples = cases.samples as unknown as readonly ISampleCase[];
const words = englishWords;
const context = { words } as IGaugeContext;

/** `rmm_used` for `rmmUsed`. */
function kindOf(part: Part): string {
  return part.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

function partOf(kind: string): Part {
  return kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as Part;
}

describe('texts of gauges', () => {
  it.each<[string, readonly (readonly [number, string])[], (value: number) => string]>([
    ['sizes', cases.sizes as [number, string][], formatBytes],
    ['percents', cases.percents as [number, string][], formatPercent],
    ['counts', cases.counts as [number, string][], formatCount],
    ['durations', cases.durations as [number, string][], formatDuration]
  ])('%s', (_, group, format) => {
    expect(group.map(([value]) => format(value))).toEqual(group.map(([, text]) => text));
  });

  it('sizes side by side', () => {
    const shares = cases.shares as [number, number, string][];
    expect(shares.map(([used, total]) => formatShare(used, total))).toEqual(
      shares.map(([, , text]) => text)
    );
    const chains = cases.chains as [number[], string][];
    expect(chains.map(([sizes]) => formatSizes(sizes, ' → '))).toEqual(
      chains.map(([, text]) => text)
    );
  });

  it('names', () => {
    const names = Object.keys(cases.names).map(kind => [kind, words.parts[partOf(kind)].name]);
    expect(Object.fromEntries(names)).toEqual(cases.names);
    for (const { sample, titles } of cases.titles) {
      const found = sample.workers.map((_, i) =>
        titleOf(sample as unknown as TelemetrySample, i, words)
      );
      expect(found).toEqual(titles);
    }
  });
});

describe('levels of gauges', () => {
  it('thresholds and marks', () => {
    expect(DEFAULT_THRESHOLDS).toEqual(cases.thresholds);
    expect(Object.fromEntries(CPU_MARKS.map(({ part, share }) => [part, share]))).toEqual(
      cases.marks
    );
  });

  it.each(cases.levels)('$used of $total is $level', ({ used, total, level }) => {
    expect(levelOf({ used, total })).toBe(level);
  });
});

/** A stack as a case writes it; what is free follows from the other figures. */
function told(stack: IStack | null): IStackCase | undefined {
  if (stack === null) {
    return undefined;
  }
  const { segments, used, total } = stack;
  const free = segments.find(({ part }) => part === 'free')?.bytes ?? 0;
  expect(free).toBe(total === null ? 0 : Math.max(0, total - used));
  const shown = segments.filter(({ part }) => part !== 'free');
  return {
    parts: Object.fromEntries(shown.map(({ part, bytes }) => [kindOf(part), bytes])),
    used,
    total
  };
}

function expectFigures(figures: IFigures, expected: IFiguresCase): void {
  for (const part of ['vram', 'memory', 'results'] as const) {
    const { text, ...stack } = expected[part] ?? { text: undefined };
    const found = told(figures[part]);
    expect(found ?? {}).toEqual(
      Object.fromEntries(Object.entries(stack).filter(([name]) => name !== 'percent'))
    );
    expect(Object.keys(found?.parts ?? {})).toEqual(
      Object.keys(cases.names).filter(kind => kind in (expected[part]?.parts ?? {}))
    );
    if (text !== undefined) {
      const bar = new StackBar(part, words, new Tooltip(document.body));
      bar.update(figures[part]);
      expect(bar.sentence).toBe(text);
    }
  }
  expect(figures.gpu === null ? undefined : formatPercent(figures.gpu)).toBe(expected.gpu);
  const { cpu } = expected;
  expect(coresFigure(figures, words)).toBe(
    cpu === undefined ? null : `${cpu.used} / ${cpu.capacity}`
  );
}

describe('figures of gauges', () => {
  it.each(samples)('$name', ({ sample: columns, cluster, workers }) => {
    const sample = {
      id: '0123abcd',
      at: '2026-11-21T10:00:05+00:00',
      ...columns
    } as TelemetrySample;
    expectFigures(clusterFigures(sample), cluster);
    workers.forEach((expected, i) => expectFigures(workerFigures(sample, i, true), expected));
    const facts = new Map(
      clusterFacts(sample, undefined, null, context).map(fact => [fact.part, fact.text])
    );
    expect(facts.get('shared')).toBe(cluster.shared);
    // In the panel their line stays while they use little: nothing below it moves.
    const little = sample.host_others_cores === undefined ? undefined : '1.5 of 8 cores';
    expect(facts.get('otherLoad')).toBe(cluster.others ?? little);
    const { running = 0, failed = 0 } = cluster.tasks ?? {};
    const tasks = facts.get('tasks') ?? '';
    expect(tasks.includes(' running')).toBe(running > 0);
    expect(running === 0 || tasks.startsWith(`${formatCount(running)} running`)).toBe(true);
    expect(tasks.includes(`${failed} failed`)).toBe(failed > 0);
  });
});
