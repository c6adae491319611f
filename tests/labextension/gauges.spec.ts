import {
  Bar,
  clusterBars,
  formatBytes,
  formatDuration,
  formatShare,
  levelOf,
  readingOf,
  sumOf,
  workerBars
} from '../../labextension/src/gauges';
import { barWords } from '../../labextension/src/panel/bars';
import { sample, trans } from './models';

const words = barWords(trans);

describe('units', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1.5 * 2 ** 30, '1.5 GiB'],
    [9.96 * 2 ** 30, '10 GiB'],
    [24 * 2 ** 30, '24 GiB'],
    [3 * 2 ** 40, '3 TiB']
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('writes a share in the unit of the total', () => {
    expect(formatShare(400 * 2 ** 20, 4 * 2 ** 30)).toBe('0.4 / 4 GiB');
  });

  it.each([
    [59.6, '1 min'],
    [0, '0 s'],
    [-3, '0 s'],
    [3120, '52 min'],
    [5400, '1 h 30 min'],
    [7200, '2 h'],
    [90000, '1 d 1 h']
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe('levels', () => {
  it('turns from normal to warning to critical', () => {
    expect(levelOf({ used: 69, total: 100 })).toBe('normal');
    expect(levelOf({ used: 70, total: 100 })).toBe('warning');
    expect(levelOf({ used: 85, total: 100 })).toBe('critical');
    expect(levelOf({ used: 85, total: null })).toBe('normal');
  });

  it('keeps what is not measured absent, and zero zero', () => {
    expect(readingOf(null, 10)).toBeNull();
    expect(readingOf(undefined, 10)).toBeNull();
    expect(readingOf(0, 10)).toEqual({ used: 0, total: 10 });
  });

  it('sums what is measured, and gives a total only if each worker has one', () => {
    expect(sumOf([null, null], [1, 1])).toBeNull();
    expect(sumOf([1, null, 2], [10, 10, 10])).toEqual({ used: 3, total: 20 });
    expect(sumOf([1, 2], [10, null])).toEqual({ used: 3, total: null });
  });
});

describe('bars of a cluster', () => {
  it('shows host memory alone where nothing else is measured', () => {
    const bars = clusterBars(sample(), words);
    expect(bars.map(bar => bar.label)).toEqual(['Memory']);
    expect(bars[0].sentence).toBe('Workers use 1 GiB of the 2 GiB of host memory they may use.');
  });

  it('adds GPU memory and RMM where workers report them', () => {
    const gpu = sample({
      vram_used_bytes: [2 ** 30, 2 ** 30],
      vram_total_bytes: [2 ** 34, 2 ** 34],
      rmm_used_bytes: [2 ** 28, null],
      rmm_pool_bytes: [2 ** 33, null]
    });
    expect(clusterBars(gpu, words).map(bar => bar.label)).toEqual(['Memory', 'VRAM', 'RMM']);
    expect(workerBars(gpu, '1', words).map(bar => bar.label)).toEqual(['Memory', 'VRAM']);
    expect(workerBars(gpu, 'gone', words)).toEqual([]);
  });

  it('says how old an old figure is', () => {
    const [bar] = workerBars(sample({ age_seconds: [0, 75] }), '1', words);
    expect(bar.isStale).toBe(true);
    expect(bar.sentence).toContain('Reported 1 min ago.');
  });
});

describe('Bar', () => {
  it('is a meter with figures, a level and a sentence', () => {
    const bar = new Bar();
    bar.update({
      label: 'Memory',
      reading: { used: 0.9 * 2 ** 30, total: 2 ** 30 },
      sentence: 'Almost full.'
    });
    const meter = bar.node.querySelector('[role=meter]');
    expect(bar.node.dataset.level).toBe('critical');
    expect(bar.node.title).toBe('Almost full.');
    expect(bar.node.textContent).toBe('Memory0.9 / 1 GiB');
    expect(meter?.getAttribute('aria-valuenow')).toBe('90');
    expect(meter?.getAttribute('aria-valuetext')).toBe('Almost full.');
  });
});
