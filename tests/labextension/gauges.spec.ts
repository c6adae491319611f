import {
  column,
  entry,
  formatRate,
  formatWatts,
  levelOf,
  readingOf
} from '../../labextension/src/gauges';
import { clusterFigures } from '../../labextension/src/gauges/figures';
import { Flows } from '../../labextension/src/gauges/flows';
import { inFrame, notInFrame } from '../../labextension/src/gauges/frames';
import { Past } from '../../labextension/src/gauges/past';
import { sumStacks, tierStack } from '../../labextension/src/gauges/segments';
import { Trace } from '../../labextension/src/gauges/sparkline';
import { gaugeWords, englishWords } from '../../labextension/src/gauges/words';
import { trans } from '../../labextension/src/translation';
import { gpuSample, sample } from './models';

describe('units', () => {
  it('writes speeds, sizes in one unit and power', () => {
    expect(formatRate(2 ** 21)).toBe('2 MiB/s');
    expect(formatWatts(231.4)).toBe('231 W');
    expect(formatWatts(225_000)).toBe('225 kW');
  });
});

describe('columns', () => {
  it('expands a value that holds for all, and what nobody measures to nulls', () => {
    const one = sample({ n_threads: 4, cpu_percent: undefined, device: null });
    expect(column(one, 'n_threads')).toEqual([4, 4]);
    expect(column(one, 'cpu_percent')).toEqual([null, null]);
    expect(column(one, 'device')).toEqual([null, null]);
    expect(entry(one, 'n_threads', 1)).toBe(4);
    expect(entry(one, 'memory_bytes', 7)).toBeNull();
  });
});

describe('levels', () => {
  it('follows the settings, whichever of the two is smaller', () => {
    const reading = { used: 50, total: 100 };
    expect(levelOf(reading, { warningPercent: 40, criticalPercent: 60 })).toBe('warning');
    expect(levelOf(reading, { warningPercent: 60, criticalPercent: 40 })).toBe('warning');
    expect(levelOf(reading, { warningPercent: 40, criticalPercent: 50 })).toBe('critical');
  });

  it('keeps what is not measured absent, and zero zero', () => {
    expect(readingOf(null, 10)).toBeNull();
    expect(readingOf(undefined, 10)).toBeNull();
    expect(readingOf(0, 10)).toEqual({ used: 0, total: 10 });
  });
});

describe('the figures of a worker', () => {
  it('keep what is not measured absent', () => {
    const nothing = sample({ memory_bytes: undefined, cpu_percent: undefined });
    expect(clusterFigures(nothing)).toEqual({
      vram: null,
      memory: null,
      results: null,
      gpu: null,
      cores: null,
      threads: 2,
      capacity: 2,
      limit: null
    });
    expect(tierStack(null, 5, null)).toBeNull();
    expect(sumStacks([null, null])).toBeNull();
  });

  it('are summed and averaged over those that measure', () => {
    const figures = clusterFigures(gpuSample({ gpu_utilization_percent: [80, null] }));
    expect(figures.gpu).toBe(80);
    const shared = { device: ['GPU-1', 'GPU-1', 'GPU-2'], gpu_utilization_percent: [90, 90, 0] };
    expect(clusterFigures(gpuSample({ workers: ['0', '1', '2'], ...shared })).gpu).toBe(45);
    expect(figures.cores).toBeCloseTo(0.03);
  });
});

describe('the past', () => {
  it('keeps means of equal steps, and gaps', () => {
    const trace = new Trace(10, 60);
    trace.put(100, 10);
    trace.put(105, 30);
    trace.put(121, 50);
    trace.put(200, 70);
    expect([...trace.last(60)].map(value => (Number.isNaN(value) ? null : value))).toEqual([
      null,
      null,
      null,
      null,
      null,
      70
    ]);
    const short = new Trace(10, 60);
    short.put(100, 10);
    short.put(105, 30);
    short.put(121, 50);
    // What was missed for a moment is filled in with what came next.
    expect([...short.last(30)]).toEqual([20, 50, 50]);
    expect(short.length).toBe(30);
  });

  it('is merged with what has been seen since', () => {
    const past = new Past();
    const now = sample();
    past.load({
      id: now.id,
      at: now.at,
      seconds: [-4, -2, 0],
      n_workers: [],
      cpu_percent: [100, 50, 0],
      memory_bytes: [2 ** 30, 2 ** 29, 0],
      gpu_utilization_percent: [null, null, null],
      vram_used_bytes: [null, null, null],
      rmm_used_bytes: [null, null, null],
      processing: [0, 0, 0],
      tier_disk_bytes: [0, 0, 0],
      worker_seconds: [-5, 0],
      workers: {
        '0': {
          cpu_percent: [40, 0],
          memory_bytes: [2 ** 28, 0],
          gpu_utilization_percent: null,
          vram_used_bytes: null
        }
      }
    });
    past.add(now, clusterFigures(now));
    expect([...past.totals.cpu.last(6)]).toEqual([100, 50, 1.5]);
    expect([...past.totals.memory.last(6)]).toEqual([50, 25, 50]);
    expect(past.totals.gpu.length).toBe(0);
    expect([...(past.worker('0')?.busy.last(10) ?? [])]).toEqual([40, 1]);
    expect([...(past.worker('0')?.memory.last(10) ?? [])]).toEqual([25, 50]);
  });

  it('forgets workers that have gone', () => {
    const past = new Past();
    const both = sample();
    past.add(both, clusterFigures(both));
    const one = sample({ workers: ['1'], age_seconds: 0, memory_bytes: 1, cpu_percent: 1 });
    past.add(one, clusterFigures(one));
    expect(past.worker('0')).toBeUndefined();
    expect(past.worker('1')).toBeDefined();
  });
});

describe('flows', () => {
  it('are what counters gain per second, and nothing when a worker restarts', () => {
    const flows = new Flows();
    const at = (seconds: number): string => new Date(1e12 + seconds * 1000).toISOString();
    flows.add(sample({ at: at(0), received_bytes: [100, 500], sent_bytes: [0, 0] }));
    expect(flows.total).toBeUndefined();
    flows.add(sample({ at: at(2), received_bytes: [300, 10], sent_bytes: [50, 0] }));
    expect(flows.worker('0')).toEqual({ received: 100, sent: 25 });
    expect(flows.total).toEqual({ received: 100, sent: 25 });
  });
});

describe('words', () => {
  it('are the same in English as untranslated', () => {
    expect(gaugeWords(trans)).toEqual(englishWords);
  });
});

describe('frames', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('draw what there is time for, what looks something up first, and the rest in the next', () => {
    const drawn: string[] = [];
    const nextFrame = (): string[] => {
      jest.advanceTimersByTime(17);
      return drawn.splice(0);
    };
    const taking = (name: string, milliseconds: number) => (): void => {
      drawn.push(name);
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + milliseconds);
    };
    const [short, long, last] = [taking('short', 1), taking('long', 9), taking('last', 1)];
    [short, long, last, short].forEach(draw => inFrame(draw));
    const [one, other] = [taking('one', 1), taking('other', 1)];
    [one, other].forEach(draw => inFrame(draw, true));
    expect(nextFrame()).toEqual(['one', 'short', 'long']);
    expect(nextFrame()).toEqual(['other', 'last']);
    expect(nextFrame()).toEqual([]);
    jest.restoreAllMocks();
  });

  it('draw the rest where something fails, and nothing that was taken back', () => {
    const drawn: string[] = [];
    const gone = (): unknown => drawn.push('gone');
    inFrame(() => {
      throw new Error('broken');
    });
    inFrame(() => drawn.push('well'));
    inFrame(gone);
    notInFrame(gone);
    expect(() => jest.advanceTimersByTime(17)).toThrow('broken');
    jest.advanceTimersByTime(17);
    expect(drawn).toEqual(['well']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
