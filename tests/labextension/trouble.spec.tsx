import { Signal } from '@lumino/signaling';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';

import type { INotebookLinks } from '../../labextension/src/actions/links';
import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import { h } from '../../labextension/src/jsx';
import { Unfolded } from '../../labextension/src/panel/unfolded';
import type {
  ClusterModel,
  LargeResult,
  TelemetrySample
} from '../../labextension/src/protocol/messages';
import { LargestResultsList } from '../../labextension/src/trouble/results';
import { TroubleStrip, showTraceback } from '../../labextension/src/trouble/strip';
import { troublesOf } from '../../labextension/src/trouble/troubles';
import { cluster, gpuSample, message, sample } from './models';

const AT = '2026-01-01T10:05:00Z';
const NOW = Date.parse(AT);

function keysOf(
  changes: Partial<ClusterModel>,
  read: TelemetrySample | undefined = undefined,
  after = 0
): string[] {
  return troublesOf(cluster(changes), read, NOW + after * 1000).map(({ key }) => key.split(' ')[0]);
}

describe('troublesOf', () => {
  const died = [message('worker_memory', '2 workers ran out of memory.', { time: AT })];
  const busy = sample({ tasks: { processing: 2 } });
  const done = sample({ tasks: { memory: 2 } });

  it('tells of dead workers until others are there and the results are back', () => {
    expect(keysOf({ messages: died }, done, 10)).toEqual(['worker_memory']);
    expect(keysOf({ messages: died, n_recomputing: 1 }, done, 300)).toEqual(['worker_memory']);
    expect(keysOf({ messages: died }, busy, 300)).toEqual([]);
    expect(keysOf({ messages: died, n_workers: 1 }, done, 300)).toEqual(['worker_memory']);
    expect(keysOf({ messages: died }, done, 300)).toEqual([]);
    const few = troublesOf(cluster({ messages: died, n_workers: 1 }), done, NOW);
    expect(few[0].actions).toEqual(['log', 'restart']);
  });

  it('is the same trouble when more workers die of it', () => {
    const more = [message('worker_memory', '4 workers ran out of memory.', { time: AT })];
    const key = (messages: ClusterModel['messages']): string =>
      troublesOf(cluster({ messages }), done, NOW)[0].key;
    expect(key(more)).toBe(key(died));
  });

  it('names failed tasks and what the cluster says, the worst first', () => {
    const messages = [
      message('warning', 'Dask differs.'),
      message('notice', '2 of 4 jobs failed.'),
      message('tasks_failed', "3 tasks failed in 'load': ValueError: no", { subject: 'load' })
    ];
    expect(keysOf({ messages })).toEqual(['failed', 'notice', 'warning']);
  });

  it.each([
    [{ memory_bytes: [900 * 2 ** 20, 2 ** 20] }, 'Memory almost full on 1 of 2 workers'],
    [{ tier_disk_bytes: [2 ** 30, 0] }, '1 GiB of results spilled to disk'],
    [{ age_seconds: [40, 1] }, 'No report from 1 of 2 workers for 30 s'],
    [{ device_error: [null, 'It is lost.'] }, '1 GPU not readable: It is lost.']
  ])('reads the figures: %p', (changes, text) => {
    const [trouble] = troublesOf(cluster(), sample(changes), NOW);
    expect(trouble.text).toContain(text);
  });

  it('reads the figures of GPUs', () => {
    const full = gpuSample({
      vram_used_bytes: [2 ** 30, 15.5 * 2 ** 30],
      tier_device_bytes: 1,
      tier_host_bytes: [2 ** 30, 2 ** 30]
    });
    const texts = troublesOf(cluster(), full, NOW).map(one => one.text);
    expect(texts).toEqual([
      'GPU memory over 95 % full on 1 GPU: the next allocation may fail',
      '2 GiB of results moved to host memory because GPU memory was full'
    ]);
    expect(keysOf({}, sample())).toEqual([]);
  });
});

let host: HTMLElement;
let root: Root;

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  root = createRoot(host);
});

afterEach(async () => {
  await act(() => Promise.resolve(root.unmount()));
  host.remove();
});

function managerOf(changes: Partial<IClusterManager>): IClusterManager {
  const manager = {} as IClusterManager;
  return Object.assign(manager, {
    sampled: new Signal(manager),
    sample: () => undefined,
    now: () => NOW,
    ...changes
  });
}

function button(label: string): HTMLElement | undefined {
  return [...document.querySelectorAll('button')].find(
    one => one.getAttribute('aria-label') === label || one.textContent === label
  );
}

it('shows a traceback with one click, as text', async () => {
  const failures = jest.fn(() =>
    Promise.resolve([
      {
        task: 'load',
        n_tasks: 3,
        key: 'load-1',
        error: 'ValueError: <b>no</b>',
        traceback: '  File "x.py", line 1, in load\n',
        worker: '1'
      }
    ])
  );
  const execute = jest.fn(() => Promise.resolve());
  const failed = message('tasks_failed', "3 tasks failed in 'load'", { subject: 'load' });
  const strip = (messages: ClusterModel['messages']): JSX.Element => (
    <TroubleStrip
      cluster={cluster({ messages })}
      manager={managerOf({ failures })}
      commands={{ execute } as never}
    />
  );
  const draw = (messages: ClusterModel['messages']): Promise<void> =>
    act(() => Promise.resolve(root.render(strip(messages))));
  await draw([failed]);
  await act(async () => {
    button('Traceback')?.click();
    await new Promise(resolve => setTimeout(resolve, 50));
  });
  const dialog = document.querySelector('.jp-Dialog');
  expect(dialog?.querySelector('pre')?.textContent).toBe(
    'Traceback (most recent call last):\n  File "x.py", line 1, in load\nValueError: <b>no</b>'
  );
  expect(dialog?.textContent).toContain('3 tasks failed in load, last on worker 1');
  await act(async () => {
    button('Close')?.click();
    await new Promise(resolve => setTimeout(resolve, 50));
  });
  button('Log')?.click();
  expect(execute).toHaveBeenCalledWith('gpucluster:open-log', { id: 'a1b2c3d4' });

  await act(() => Promise.resolve(button('Dismiss')?.click()));
  expect(host.textContent).toBe('');
  await draw([]);
  await draw([failed]);
  expect(host.textContent).toContain('3 tasks failed'); // It has come again.
});

it('says that failed tasks are no longer available', async () => {
  const manager = managerOf({ failures: () => Promise.resolve([]) });
  await act(async () => {
    void showTraceback(cluster(), manager, undefined);
    await new Promise(resolve => setTimeout(resolve, 50));
  });
  expect(document.querySelector('.jp-Dialog')?.textContent).toContain(
    'failed tasks are no longer available'
  );
  await act(async () => {
    button('Close')?.click();
    await new Promise(resolve => setTimeout(resolve, 50));
  });
});

it('lists the largest results, and releases those of one notebook', async () => {
  const result = (name: string, changes: Partial<LargeResult>): LargeResult => ({
    name,
    group: `${name}-1`,
    bytes: 2 ** 30,
    n_results: 16,
    type: 'numpy.ndarray',
    on_gpu: false,
    workers: ['0', '1'],
    n_workers: 2,
    kernels: [],
    n_clients: 0,
    ...changes
  });
  const results = jest.fn(() =>
    Promise.resolve({
      id: 'a1b2c3d4',
      total_bytes: 3 * 2 ** 30,
      results: [
        result('random', { kernels: ['mine'], n_clients: 1, bytes: 2 ** 31 }),
        result('frame', { n_clients: 2, kernels: ['mine'], workers: ['0'], n_workers: 3 }),
        result('elsewhere', { kernels: ['other'], n_clients: 1 }),
        result('sum', {})
      ]
    })
  );
  const release = jest.fn(() => Promise.resolve(cluster()));
  const unfolded = new Unfolded(null);
  unfolded.set('a1b2c3d4/results', true);
  const links = {
    notebooksOf: ({ kernels }: ClusterModel) => kernels.map(kernel => `${kernel}.ipynb`),
    isHere: (kernel: string) => kernel === 'mine',
    variablesOf: (kernel: string, group: string) => Promise.resolve(`${kernel}, ${group}`)
  } as unknown as INotebookLinks;
  const manager = managerOf({ results, release, sample: () => sample() });
  await act(() => {
    root.render(
      <LargestResultsList cluster={cluster()} manager={manager} links={links} unfolded={unfolded} />
    );
    return Promise.resolve();
  });
  await act(() => new Promise<void>(resolve => setTimeout(resolve, 50)));
  const lines = [...host.querySelectorAll('.gpc-Result-where')].map(one => one.textContent);
  expect(lines).toEqual([
    '16 × ndarray · Worker 0, Worker 1 · mine',
    '16 × ndarray · 3 workers · mine, 1 other client',
    '16 × ndarray · Worker 0, Worker 1 · other',
    '16 × ndarray · Worker 0, Worker 1 · needed by other tasks'
  ]);
  expect(host.textContent).toContain('All results: 3 GiB');
  expect(host.querySelectorAll('.gpc-Result button')).toHaveLength(1);
  await act(async () => {
    button('Release')?.click();
    await new Promise(resolve => setTimeout(resolve, 50));
  });
  const dialog = document.querySelector('.jp-Dialog');
  expect(dialog?.textContent).toContain('Release mine, random-1?This frees 2 GiB. To use mine, ');
  await act(async () => {
    dialog?.querySelector<HTMLElement>('.jp-mod-warn')?.click();
    await new Promise(resolve => setTimeout(resolve, 50));
  });
  expect(release).toHaveBeenCalledWith('a1b2c3d4', {
    name: 'mine, random-1',
    group: 'random-1',
    kernel: 'mine'
  });
});
