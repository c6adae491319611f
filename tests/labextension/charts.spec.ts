import { Chart, lookOf, valueAt } from '../../labextension/src/charts/chart';
import { Course, type IMarkWords } from '../../labextension/src/charts/course';
import { Span, TimeCharts } from '../../labextension/src/charts/timecharts';
import { timeTicks, valueTicks } from '../../labextension/src/charts/ticks';
import type { TelemetryHistory, TelemetrySample } from '../../labextension/src/protocol/messages';
import { sample } from './models';

const START = Date.parse('2026-11-20T14:00:00Z');
const WORDS: IMarkWords = {
  title: ({ workers }, i) => workers[i],
  joined: name => `+${name}`,
  left: name => `-${name}`,
  spilled: 'disk'
};

function at(seconds: number, more: Partial<TelemetrySample> = {}): TelemetrySample {
  const time = new Date(START + seconds * 1000).toISOString();
  return sample({ at: time, workers: ['0', '1'], cpu_percent: [50, 70], ...more });
}

function course(...samples: TelemetrySample[]): Course {
  const made = new Course(WORDS);
  samples.forEach(one => made.add(one));
  return made;
}

/** What the charts say that are shown. */
function titlesOf({ node }: TimeCharts): string[] {
  return [...node.querySelectorAll<HTMLElement>('.gpc-Chart:not([hidden])')].map(
    ({ textContent }) => textContent ?? ''
  );
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

describe('the course of a cluster', () => {
  it('has sums, means of GPUs, and each worker by itself', () => {
    const made = course(
      at(0),
      at(1, { cpu_percent: [10, null], gpu_utilization_percent: [20, 40] })
    );
    expect(made.series('cpu', null).values).toEqual([120, 10]);
    expect(made.series('cpu', '1').values).toEqual([70, null]);
    expect(made.series('gpu', null).values).toEqual([null, 30]);
    expect(made.series('cpu', 'nobody').times).toEqual([]);
    expect(made.series('cpu', null, START / 1000 + 0.5, Infinity).values).toEqual([10]);
    expect([made.has('gpu', null), made.has('gpu', 'nobody'), made.has('disk', null)]).toEqual([
      true,
      false,
      false
    ]);
  });

  it('counts the memory of a GPU once, however many workers share it', () => {
    const shared = { device: ['GPU-1', 'GPU-1'], vram_used_bytes: [500, 500] };
    expect(course(at(0, shared)).series('vram', null).values).toEqual([500]);
  });

  it('marks who comes and goes, and the first results on disk', () => {
    const made = course(
      at(0, { tier_disk_bytes: [0, 0] }),
      at(1, { workers: ['0', '2'], tier_disk_bytes: [5, 0] }),
      at(2, { workers: ['0', '2'], tier_disk_bytes: [9, 0] })
    );
    expect(made.marks.map(({ text }) => text)).toEqual(['+2', '-1', 'disk']);
  });

  it('tells once what the activity of the cluster tells better, and nothing that a line shows', () => {
    const made = course(at(0), at(1, { workers: ['0'] }));
    made.told = [
      { at: at(1).at, kind: 'worker_left', by: null, message: 'Worker 1 was killed (SIGKILL).' },
      { at: at(1).at, kind: 'state', by: null, message: 'running' },
      { at: at(0.5).at, kind: 'restart', by: 'JupyterLab', message: 'Restart all workers' }
    ];
    expect(made.marks.map(({ kind }) => kind)).toEqual(['restart', 'worker_left']);
  });

  it('has the past before the first sample, and takes no sample twice', () => {
    const made = course(at(0), at(0), at(-5));
    const history: TelemetryHistory = {
      id: 'c',
      at: at(0).at,
      seconds: [-4, -2, 0],
      n_workers: [],
      cpu_percent: [10, null, 30],
      memory_bytes: [1, 2, 3],
      gpu_utilization_percent: [null, null, null],
      vram_used_bytes: [null, null, null],
      rmm_used_bytes: [null, null, null],
      processing: [0, 1, 2],
      tier_disk_bytes: [0, 5, null],
      worker_seconds: [-4],
      workers: {
        '0': {
          cpu_percent: [15],
          memory_bytes: [1],
          gpu_utilization_percent: null,
          vram_used_bytes: null
        },
        '1': {
          cpu_percent: [5],
          memory_bytes: [0],
          gpu_utilization_percent: null,
          vram_used_bytes: null
        }
      }
    };
    made.load(history);
    expect(made.series('cpu', null).values).toEqual([20, null, 120]);
    expect(made.series('cpu', '0').values).toEqual([15, 50]);
    expect(made.series('disk', null).values).toEqual([0, 5, null]);
    // Each mean is one of the workers that were there, not of all that have been.
    const told = course(at(0));
    told.load({ ...history, n_workers: [7, 2, 2] });
    expect(told.series('cpu', null).values).toEqual([70, null, 120]);
  });

  it('forgets what is too old', () => {
    const made = course(at(0), at(10_000), at(10_001));
    expect(made.series('cpu', null).times).toHaveLength(2);
  });
});

describe('axes', () => {
  it('have round moments, never more than there is room for', () => {
    for (const span of [7, 60, 600, 5000, 7200]) {
      const ticks = timeTicks(START / 1000 + 3, START / 1000 + 3 + span, 6);
      expect(ticks.length).toBeGreaterThan(0);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }
    expect(timeTicks(START / 1000 - 1, START / 1000 + 121, 3)).toEqual(
      [0, 60, 120].map(seconds => START / 1000 + seconds)
    );
  });

  it('have round values from zero to the top', () => {
    expect(valueTicks(100, 10)).toEqual([0, 50, 100]);
    expect(valueTicks(130, 10)).toEqual([0, 50, 100, 150]);
    expect(valueTicks(7.5, 10)).toEqual([0, 2, 4, 6, 8]);
    expect(valueTicks(3 * 2 ** 30, 2)).toEqual([0, 1, 2, 3].map(count => count * 2 ** 30));
    expect(valueTicks(0, 10)[0]).toBe(0);
    for (const most of [1, 7, 33, 99, 1e6, 12345678]) {
      const ticks = valueTicks(most, 10);
      expect(ticks[ticks.length - 1]).toBeGreaterThanOrEqual(most);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }
  });
});

describe('the stretch that is looked at', () => {
  it('moves along until somebody looks elsewhere, and again when it has come to the end', () => {
    const span = new Span(600);
    expect(span.range(1000)).toEqual([400, 1000]);
    span.zoom(0.5, 700, 1000);
    expect([span.isFollowing, span.range(1000)]).toEqual([false, [550, 850]]);
    span.move(-1, 1000);
    expect(span.range(2000)).toEqual([250, 550]);
    span.fix(700, 690);
    expect(span.range(0)).toEqual([690, 700]);
    span.move(100, 1000);
    expect([span.isFollowing, span.range(1200)]).toEqual([true, [1190, 1200]]);
  });
});

it('a chart says the value at a moment, and nothing after a silence', () => {
  const series = { times: [0, 1, 2], values: [5, null, 7] };
  expect([-1, 0, 1.5, 2, 40, 90].map(time => valueAt(series, time))).toEqual([
    null,
    5,
    5,
    7,
    7,
    null
  ]);
  const chart = new Chart({ title: 'CPU', base: 10, least: 100, format: value => `${value} %` });
  chart.draw({ look: lookOf(chart), series, range: [0, 2], marks: [], cursor: 1.5, brush: null });
  expect(chart.node.textContent).toBe('CPU5 %');
});

it('charts show what is measured, of all workers or of one, and what happened in words', async () => {
  const charts = new TimeCharts({});
  document.body.append(charts.node);
  expect(charts.node.textContent).toContain('No data yet.');
  charts.add(at(0));
  charts.add(at(1, { workers: ['0', '1', '<b>'], cpu_percent: [50, 70, 10] }));
  const titles = (): string[] => titlesOf(charts);
  await until(() => titles().includes('CPU (100 % is one core)130 %'));
  expect(titles().join()).not.toContain('GPU');
  const choice = charts.node.querySelector('select')!;
  expect([...choice.options].map(({ text }) => text)).toEqual([
    'total',
    'Worker 0',
    'Worker 1',
    'Worker <b>'
  ]);
  choice.value = '1';
  choice.dispatchEvent(new Event('change'));
  await until(() => titles().includes('CPU (100 % is one core)70 %'));
  expect(charts.node.querySelector('li')?.textContent).toContain('Worker <b> joined');
  charts.dispose();
});

it('charts lose no sample while nothing is drawn, and show the newest one at once', async () => {
  const charts = new TimeCharts({});
  document.body.append(charts.node);
  charts.isShown = false;
  charts.add(at(0, { workers: ['0'], cpu_percent: [10] }));
  charts.add(at(1, { tier_disk_bytes: [0, 7] }));
  charts.add(at(2, { workers: ['0', '2'], cpu_percent: [30, 30] }));
  charts.isShown = true;
  await until(() => titlesOf(charts).includes('CPU (100 % is one core)60 %'));
  const marks = [...charts.node.querySelectorAll<HTMLElement>('.gpc-Charts-marks li')];
  expect(marks.map(({ dataset }) => dataset.kind)).toEqual([
    'worker_joined',
    'spilled',
    'worker_joined',
    'worker_left'
  ]);
  charts.dispose();
});

it('charts of what has ended offer no more time than it took', () => {
  const charts = new TimeCharts({});
  [0, 60, 180].forEach(second => charts.add(at(second)));
  charts.showAll();
  const spans = [...charts.node.querySelectorAll<HTMLElement>('.gpc-Charts-spans > button')];
  expect(spans.filter(({ hidden }) => !hidden).map(({ textContent }) => textContent)).toEqual([
    '2 min'
  ]);
  charts.dispose();
});
