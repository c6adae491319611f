import { ClusterGauges, englishWords } from '../../labextension/src/gauges';
import type { ClusterModel, TelemetrySample } from '../../labextension/src/protocol/messages';
import { cluster, gpuSample, sample } from './models';

const words = englishWords;
let gauges: ClusterGauges;

/** Gauges in a page, after the frame in which they draw. */
async function draw(
  one: TelemetrySample | null,
  options: Partial<ClusterGauges.IOptions> = {},
  model: ClusterModel = cluster()
): Promise<HTMLElement> {
  gauges = new ClusterGauges({ words, ...options });
  document.body.replaceChildren(gauges.node);
  gauges.update(one, model);
  await frame();
  return gauges.node;
}

function frame(): Promise<void> {
  return new Promise(resolve => requestAnimationFrame(() => resolve()));
}

function many(count: number): TelemetrySample {
  const workers = Array.from({ length: count }, (_, i) => `w${i}`);
  return gpuSample({
    workers,
    age_seconds: 1,
    memory_bytes: workers.map((_, i) => i),
    cpu_percent: 5,
    device: workers.map(name => `GPU-${name}`),
    vram_used_bytes: workers.map((_, i) => i * 2 ** 20),
    vram_cluster_bytes: 0,
    gpu_utilization_percent: 7
  });
}

const rowsOf = (node: HTMLElement): HTMLElement[] => [
  ...node.querySelectorAll<HTMLElement>('[role=listitem]')
];
const meter = (node: Element, name: string): Element | null =>
  node.querySelector(`[role=meter][aria-label="${name}"]`);
const toggle = (node: HTMLElement): void =>
  [...node.querySelectorAll('button')].find(one => one.textContent === 'Workers')?.click();
/** Choose a worker, and return what is told about it. */
const detail = (node: HTMLElement, i: number): Element | null => {
  rowsOf(node)[i].querySelector('button')?.click();
  return node.querySelector('.gpc-WorkerDetail:not([hidden])');
};
const tooltip = (): string => document.querySelector('[role=tooltip]')?.textContent ?? '';

// Here nothing takes any time: all that is asked for is drawn in the next frame.
beforeEach(() => {
  jest.spyOn(performance, 'now').mockReturnValue(0);
});

afterEach(() => {
  gauges.dispose();
  jest.restoreAllMocks();
});

describe('the gauges of a cluster', () => {
  it('wait for figures', async () => {
    const node = await draw(null);
    expect(node.textContent).toContain('Waiting for data.');
    expect(meter(node, 'Memory')?.closest('[hidden]')).not.toBeNull();
  });

  it('show a CPU cluster what it has, and nothing of GPUs', async () => {
    const node = await draw(sample({ tasks: { processing: 3, waiting: 4, erred: 1 } }));
    expect(meter(node, 'Memory')?.getAttribute('aria-valuetext')).toContain('1 GiB of 2 GiB');
    expect(node.textContent).toContain('2 running, 1 ready, 4 waiting, 1 failed');
    expect(node.textContent).toContain('0 / 2 cores');
    expect(node.textContent).not.toContain('Shared');
    expect(meter(node, 'VRAM')?.closest('[hidden]')).not.toBeNull();
  });

  it('show no more than the machine has that all workers share', async () => {
    const node = await draw(
      sample({
        n_threads: 2,
        memory_limit_bytes: 6 * 2 ** 30,
        host_memory_bytes: 8 * 2 ** 30,
        host_cores: 2
      })
    );
    expect(node.textContent).toContain('0 / 2 cores');
    expect(node.textContent).toContain('1 / 8 GiB');
    expect(node.textContent).toContain('4 threads on 2 cores, memory limits of 12 GiB on 8 GiB');
    const bar = meter(node, 'Memory');
    expect(bar?.getAttribute('aria-valuetext')).toContain(
      'The workers’ limits add up to 12 GiB; their machine has 8 GiB.'
    );
    // Target is at 60 % of 12 GiB; the others are more than there is.
    const marks = [...(bar?.querySelectorAll<HTMLElement>('.gpc-Mark') ?? [])];
    expect(marks.map(({ dataset, style }) => [dataset.part, parseFloat(style.left)])).toEqual([
      ['target', expect.closeTo(90)]
    ]);
    expect(rowsOf(node)[0].textContent).toContain('512 MiB / 6 GiB');
    const about = detail(node, 0);
    expect(about?.textContent).toContain('0 / 2 cores');
    expect(about?.textContent).toContain('512 MiB / 6 GiB');
    expect(about?.querySelectorAll('.gpc-Mark')).toHaveLength(4);
  });

  it('count no more running tasks than there are threads', async () => {
    // The scheduler has not noticed yet that a worker died with its tasks.
    const tasks = { processing: 4 };
    const node = await draw(sample({ tasks, executing: [2, 2], n_threads: 1 }));
    expect(node.querySelector('[data-part=tasks]')?.textContent).toContain('2 running, 2 ready');
  });

  it('have the same lines before the first task and while other programs use the CPU', async () => {
    const lines = (): number =>
      gauges.node.querySelectorAll('.gpc-Figure, .gpc-Prefix:not([hidden] *)').length;
    const node = await draw(sample({ host_cores: 2, host_others_cores: 0 }));
    const others = (): Element | null => node.querySelector('[data-part=otherLoad]');
    expect(others()?.textContent).toBe('Others use0 of 2 cores');
    const before = lines();
    const progress = [{ prefix: 'load', processing: 1 }];
    gauges.update(sample({ host_cores: 2, host_others_cores: 1.7, progress }), cluster());
    await frame();
    expect(others()?.textContent).toBe('Others use▲ 1.7 of 2 cores');
    expect(others()?.classList).toContain('gpc-mod-warning');
    expect(lines()).toBe(before);
  });

  it('keep the kinds of tasks where they are', async () => {
    const kind = (prefix: string, in_memory: number, processing = 0) => ({
      prefix,
      in_memory,
      processing
    });
    const names = (): (string | null)[] =>
      [...document.querySelectorAll('.gpc-Prefix-name')].map(one => one.textContent);
    const next = async (...progress: ReturnType<typeof kind>[]): Promise<void> => {
      gauges.update(sample({ progress }), cluster());
      await frame();
    };
    await draw(sample({ progress: [kind('load', 1, 3), kind('sum', 0, 2)] }));
    expect(names()).toEqual(['sum', 'load']);
    // The last one in the list is the one that was active last.
    await next(kind('sum', 1, 1), kind('load', 2, 2));
    expect(names()).toEqual(['sum', 'load']);
    // New ones come first: the list scrolls.
    await next(kind('sum', 2), kind('load', 3, 1), kind('fit', 0, 1), kind('score', 0, 1));
    expect(names()).toEqual(['score', 'fit', 'sum', 'load']);
    // No two ever change their order, whatever they do.
    await next(kind('sum', 2), kind('score', 9, 1), kind('fit', 9, 1), kind('load', 9, 1));
    expect(names()).toEqual(['score', 'fit', 'sum', 'load']);
    await next(kind('load', 12, 1), kind('fit', 12, 1));
    expect(names()).toEqual(['fit', 'load']);
  });

  it('show who uses GPU memory, in words too', async () => {
    const node = await draw(gpuSample({ rmm_used_bytes: 2 ** 30, rmm_pool_bytes: 2 ** 31 }));
    const text = meter(node, 'VRAM')?.getAttribute('aria-valuetext');
    expect(text).toBe(
      '19 GiB of 32 GiB; RMM used 2 GiB; RMM pool, free 2 GiB; This cluster, not RMM 13 GiB; ' +
        'Others 2 GiB; Free 13 GiB'
    );
    const parts = [...(meter(node, 'VRAM')?.querySelectorAll<HTMLElement>('.gpc-Segment') ?? [])];
    expect(parts.map(part => part.dataset.part)).toEqual([
      'rmmUsed',
      'rmmFree',
      'cluster',
      'others'
    ]);
    expect(node.textContent).toContain('70 %');
  });

  it('warn in words from the thresholds on, even when those change', async () => {
    const node = await draw(sample({ memory_bytes: 0.75 * 2 ** 30 }));
    const alarm = (): string | null | undefined =>
      meter(node, 'Memory')
        ?.closest('.gpc-Gauge')
        ?.querySelector('.gpc-Alarm')
        ?.getAttribute('aria-label');
    expect(alarm()).toBe('Filling up');
    gauges.thresholds = { warningPercent: 50, criticalPercent: 75 };
    await frame();
    expect(alarm()).toBe('Almost full');
  });

  it('mark where Dask acts; on a GPU worker there is no target', async () => {
    const marks = (node: HTMLElement): (string | undefined)[] =>
      [...node.querySelectorAll<HTMLElement>('.gpc-Mark')].map(mark => mark.dataset.part);
    expect(marks(await draw(sample()))).toEqual(['target', 'spill', 'pause', 'terminate']);
    gauges.dispose();
    expect(marks(await draw(gpuSample()))).toEqual(['spill', 'pause', 'terminate']);
    gauges.dispose();
    expect(marks(await draw(sample({ memory_limit_bytes: null })))).toEqual([]);
  });

  it('show the most recent kinds of tasks first, below their sum', async () => {
    const progress = ['a', 'b', 'c', 'd'].map(prefix => ({
      prefix,
      waiting: 1,
      processing: 2,
      in_memory: 3,
      released: 4,
      erred: 0
    }));
    const node = await draw(sample({ progress }));
    const names = (): (string | null)[] =>
      [...node.querySelectorAll('.gpc-Prefix-name')].map(one => one.textContent);
    expect(names()).toEqual(['d', 'c', 'b', 'a']);
    const [all, first] = node.querySelectorAll('[role=progressbar]');
    expect(all.getAttribute('aria-valuetext')).toBe('28 of 40 done, 8 running, 4 waiting');
    expect(first.getAttribute('aria-valuetext')).toBe('7 of 10 done, 2 running, 1 waiting');
  });

  it('draw nothing while they are not seen, and the newest sample when they are', async () => {
    let report: (entries: { isIntersecting: boolean }[]) => void = () => undefined;
    const original = globalThis.IntersectionObserver;
    class Observer {
      constructor(callback: typeof report) {
        report = callback;
      }
      observe(): void {}
      disconnect(): void {}
    }
    Object.assign(globalThis, { IntersectionObserver: Observer });
    try {
      const node = await draw(sample());
      expect(node.textContent).toContain('Waiting');
      report([{ isIntersecting: true }]);
      await frame();
      expect(node.textContent).toContain('1 / 2 GiB');
    } finally {
      Object.assign(globalThis, { IntersectionObserver: original });
    }
  });

  it('leave nothing behind', async () => {
    const node = await draw(sample());
    meter(node, 'Memory')?.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    gauges.dispose();
    expect(document.body.childElementCount).toBe(0);
  });
});

describe('workers', () => {
  it('are open while they are few, and as they were left', async () => {
    const onToggle = jest.fn();
    const node = await draw(sample(), { onToggle });
    expect(rowsOf(node)).toHaveLength(2);
    toggle(node);
    expect(onToggle.mock.calls).toEqual([[false]]);
    gauges.dispose();
    expect(rowsOf(await draw(sample(), { isOpen: false }))).toHaveLength(0);
    gauges.dispose();
    expect(rowsOf(await draw(many(9)))).toHaveLength(0);
  });

  it('have a line each, with all about the one that is chosen', async () => {
    const node = await draw(
      gpuSample({
        age_seconds: [1, 75],
        executing: 1,
        ready: 4,
        gpu_power_watts: 200,
        gpu_power_limit_watts: 400,
        gpu_temperature_celsius: 61,
        pcie_received_bytes_per_second: 2 ** 30,
        pcie_sent_bytes_per_second: 2 ** 29,
        device_error: [null, 'The GPU is lost.'],
        tier_device_bytes: 2 ** 30,
        tier_host_bytes: 2 ** 29,
        tier_disk_bytes: 0
      })
    );
    const [first, second] = rowsOf(node);
    for (const text of ['Worker 0', '4 / 16 GiB', '50 %']) {
      expect(first.textContent).toContain(text);
    }
    expect(second.textContent).toContain('1 min old');
    const about = detail(node, 0);
    for (const text of [
      'Worker 0',
      '4 / 16 GiB',
      '50 %',
      '1 running, 4 ready',
      '200 / 400 W',
      '61 °C',
      '↓1 GiB ↑512 MiB/s',
      '1 GiB → 512 MiB'
    ]) {
      expect(about?.textContent).toContain(text);
    }
    expect(detail(node, 1)?.textContent).toContain('The GPU is lost.');
    expect(detail(node, 1)).toBeNull();
    expect(node.textContent).toContain('1 GPU not readable');
  });

  it('can be retired where somebody does it', async () => {
    const onRetire = jest.fn();
    const node = await draw(sample(), { onRetire, isOpen: true });
    detail(node, 1)?.querySelector<HTMLElement>('[aria-label="Retire Worker 1"]')?.click();
    expect(onRetire).toHaveBeenCalledWith('1');
    gauges.dispose();
    expect(detail(await draw(sample()), 1)?.textContent).not.toContain('Retire');
    const fixed = await draw(sample(), { onRetire: jest.fn() }, cluster({ can: ['restart'] }));
    expect(detail(fixed, 1)?.querySelector<HTMLElement>('[aria-label^="Retire"]')?.hidden).toBe(
      true
    );
  });

  it('are in the document as far as they are seen, and are walked through with arrows', async () => {
    const node = await draw(many(1000), { isOpen: true });
    expect(rowsOf(node).length).toBeLessThan(20);
    const [first] = rowsOf(node);
    expect(first.getAttribute('aria-setsize')).toBe('1000');
    expect(first.tabIndex).toBe(0);
    first.focus();
    const press = (key: string): boolean =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })) ??
      false;
    press('ArrowDown');
    expect(document.activeElement?.textContent).toContain('Worker w1');
    press('End');
    expect(document.activeElement?.textContent).toContain('Worker w999');
    expect(document.activeElement?.getAttribute('aria-posinset')).toBe('1000');
    expect(rowsOf(node).filter(row => row.tabIndex === 0)).toHaveLength(1);
  });

  it('come and go', async () => {
    const node = await draw(sample(), { isOpen: true });
    const model = cluster();
    gauges.update(sample({ workers: ['1', '2'] }), model);
    await frame();
    expect(rowsOf(node).map(row => row.querySelector('.gpc-WorkerRow-name')?.textContent)).toEqual([
      'Worker 1',
      'Worker 2'
    ]);
    gauges.update(sample({ workers: [], age_seconds: [], memory_bytes: [] }), model);
    await frame();
    expect(rowsOf(node)).toHaveLength(0);
  });

  it('stay in order and under the eye when the list of workers is updated', async () => {
    const node = await draw(sample(), { isOpen: true });
    const [before] = rowsOf(node);
    gauges.update(sample({ memory_bytes: 5 }), cluster());
    await frame();
    expect(rowsOf(node)[0]).toBe(before);
  });
});

describe('explanations', () => {
  it('are shown for what has the focus, and go with Escape', async () => {
    const node = await draw(gpuSample());
    const target = meter(node, 'VRAM') as HTMLElement;
    target.matches = () => true;
    target.focus();
    expect(tooltip()).toContain(words.parts.vram.sentence);
    expect(target.getAttribute('aria-describedby')).toBe(
      document.querySelector('[role=tooltip]')?.id
    );
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(document.querySelector('[role=tooltip]')).toBeNull();
    expect(target.hasAttribute('aria-describedby')).toBe(false);
  });

  it('are shown for each part that is pointed at', async () => {
    jest.useFakeTimers();
    try {
      gauges = new ClusterGauges({ words });
      document.body.replaceChildren(gauges.node);
      gauges.update(gpuSample(), cluster());
      jest.runOnlyPendingTimers();
      const part = gauges.node.querySelector('.gpc-Segment[data-part=others]');
      part?.dispatchEvent(new MouseEvent('pointermove', { bubbles: true }));
      jest.advanceTimersByTime(300);
      expect(tooltip()).toBe(`Others: 2 GiB${words.parts.others.sentence}`);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are in the legend, of what there is alone', async () => {
    const node = await draw(sample());
    const legend = (): string => node.querySelector('.gpc-Legend')?.textContent ?? '';
    const button = node.querySelector<HTMLElement>('.gpc-Legend button');
    expect(legend()).not.toContain('Managed');
    button?.click();
    expect(button?.getAttribute('aria-expanded')).toBe('true');
    expect(legend()).toContain(words.parts.managed.sentence);
    expect(legend()).toContain('Above 80 %, a worker starts no new tasks.');
    expect(legend()).not.toContain('RMM');
    gauges.update(gpuSample(), cluster());
    await frame();
    expect(legend()).toContain(words.parts.rmmPool.sentence);
    expect(legend()).not.toContain(words.parts.managed.sentence);
  });
});

describe('workers of several machines', () => {
  const on = (
    hosts: number,
    each: number,
    changes: Partial<TelemetrySample> = {}
  ): TelemetrySample => ({
    ...many(hosts * each),
    host: Array.from({ length: hosts * each }, (_, i) => `node${Math.floor(i / each) + 1}`),
    device_index: Array.from({ length: hosts * each }, (_, i) => i % each),
    ...changes
  });
  const headings = (node: HTMLElement): HTMLElement[] => [
    ...node.querySelectorAll<HTMLElement>('.gpc-HostRow')
  ];

  it('stand below a heading with what the machine has', async () => {
    const node = await draw(on(2, 2));
    expect(rowsOf(node)).toHaveLength(6);
    expect(headings(node).map(one => one.textContent)).toEqual([
      'node12 workers · 2 GPUs',
      'node22 workers · 2 GPUs'
    ]);
    headings(node)[0].querySelector('button')?.click();
    expect(rowsOf(node)).toHaveLength(4);
    expect(headings(node)[0].querySelector('button')?.getAttribute('aria-expanded')).toBe('false');
    expect(headings(node)[1].style.top).toBe('24px');
  });

  it('mark a machine whose workers are silent or lost', async () => {
    const error = [null, null, 'The GPU is lost.', null];
    const node = await draw(on(2, 2, { age_seconds: [1, 40, 1, 1], device_error: error }));
    const marks = headings(node).map(one => one.querySelector('.gpc-HostRow-mark')?.textContent);
    expect(marks).toEqual(['▲ 1 silent', '▲ 1 lost']);
  });

  it('are folded where there are many machines, until one of them is chosen', async () => {
    const node = await draw(on(10, 4), { isOpen: true });
    expect(rowsOf(node).every(one => one.classList.contains('gpc-HostRow'))).toBe(true);
    const before = headings(node).length;
    headings(node)[0].querySelector('button')?.click();
    expect(rowsOf(node).length).toBeGreaterThan(before);
    expect(rowsOf(node)[1].textContent).toContain('w0');
    // A machine that comes or goes folds nothing.
    gauges.update(on(7, 4), cluster());
    await frame();
    expect(headings(node)[1].style.top).toBe('120px');
  });

  it('are told without a heading on one machine', async () => {
    const node = await draw(on(1, 3));
    expect(headings(node)).toHaveLength(0);
    expect(rowsOf(node)).toHaveLength(3);
  });
});
