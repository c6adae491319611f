import { readFileSync } from 'fs';
import { join } from 'path';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';

import {
  chooseCluster,
  confirmStop,
  confirmVerb,
  verbActions
} from '../../labextension/src/actions/choosing';
import type { INotebookLinks } from '../../labextension/src/actions/links';
import type { IClusterManager, IOffer } from '../../labextension/src/clusters/tokens';
import { CreateForm } from '../../labextension/src/form/createform';
import { ClusterCommand } from '../../labextension/src/actions/withcluster';
import { Fragment, h } from '../../labextension/src/jsx';
import { ClusterCard } from '../../labextension/src/panel/clustercard';
import { ClusterList, type IClusterListProps } from '../../labextension/src/panel/clusterlist';
import { ClusterPanel, SiteFaultsLine } from '../../labextension/src/panel/clusterpanel';
import { CreatedClusters } from '../../labextension/src/panel/created';
import { ListOrder } from '../../labextension/src/panel/listorder';
import { Unfolded } from '../../labextension/src/panel/unfolded';
import { DEFAULT_THRESHOLDS } from '../../labextension/src/gauges';
import { statusLine } from '../../labextension/src/panel/lines';
import type {
  ClusterModel,
  ClusterPatch,
  Notes,
  SharedLink,
  TelemetrySample,
  SiteFaults
} from '../../labextension/src/protocol/messages';
import { stateLabel } from '../../labextension/src/clusters/states';
import { RefusedError } from '../../labextension/src/clusters/restapi';
import { cluster, kind, message, noDevices, sample } from './models';

/** A store with a fixed list that notes what is asked of it. */
function store(clusters: ClusterModel[], changes: Partial<IClusterManager> = {}): IClusterManager {
  const owner = {} as IClusterManager;
  const whole: IClusterManager = {
    clusters,
    isReady: true,
    connection: 'live',
    refusal: null,
    changed: new Signal(owner),
    created: new Signal(owner),
    sampled: new Signal(owner),
    cellsChanged: new Signal(owner),
    isDisposed: false,
    host: null,
    hostChanged: new Signal(owner),
    dispose: () => undefined,
    get: id => clusters.find(one => one.id === id),
    sample: () => undefined,
    now: () => Date.parse('2026-01-01T10:05:01Z'),
    refresh: () => Promise.resolve(),
    create: () => Promise.resolve(cluster()),
    notes: () => Promise.resolve({ notes: [], demand: null, fields: [] }),
    patchNotes: () => Promise.resolve({ notes: [], demand: null, fields: [] }),
    patch: () => Promise.resolve(cluster()),
    look: () => Promise.resolve(cluster()),
    request: () => Promise.resolve(cluster()),
    stop: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    retire: () => Promise.resolve(cluster()),
    links: () => Promise.resolve([]),
    share: () => Promise.reject(new Error('not here')),
    withdraw: () => Promise.resolve(),
    history: () => Promise.reject(new Error('There is none.')),
    failures: () => Promise.resolve([]),
    results: () => Promise.resolve({ id: '', total_bytes: 0, results: [] }),
    release: () => Promise.resolve(cluster()),
    activity: () => Promise.resolve([]),
    cells: id => Promise.resolve({ id, cells: [] }),
    logs: () => Promise.resolve([]),
    stopProcess: ({ pid }) => Promise.resolve({ pid, ended: true }),
    kinds: () => Promise.resolve(offer),
    node: () =>
      Promise.resolve({ devices: [], line: [], more: [], message: '', instructor: false }),
    classClusters: () => Promise.resolve([]),
    instruct: () => Promise.resolve({ reached: 1, users: [], problems: [] }),
    site: () => Promise.resolve({ faults: [], notice: null, message: null }),
    offer: () => Promise.resolve(offer),
    ...changes
  };
  return Object.assign(owner, whole);
}

const count = {
  anyOf: [{ type: 'integer', minimum: 1, maximum: 8 }, { type: 'null' }],
  default: null
};
const picture = { memory_title: 'Memory of a worker', memory: [] };
const offer: IOffer = {
  backends: {
    local: {
      properties: {
        name: { type: 'string', title: 'Name' },
        n_workers: { ...count, title: 'Workers' }
      }
    },
    cuda: { properties: {} },
    auto: { properties: { n_workers: { ...count, title: 'Workers' } } },
    jobs: {
      properties: {
        backend: { const: 'jobs', type: 'string' },
        n_workers: { ...count, title: 'Workers' },
        partition: { type: 'string', enum: ['short', 'long'], default: 'short', group: 'Queue' },
        hours: { type: 'integer', default: 1 }
      }
    }
  },
  kinds: [
    kind(),
    kind({ name: 'cuda', title: 'GPU' }, { has_gpus: true, needs_host_check: true }),
    kind({ name: 'auto', title: 'GPU or CPU' }, { chooses: ['cuda', 'local'] }),
    kind(
      {
        name: 'jobs',
        title: 'Batch',
        where: 'Batch',
        description: 'Jobs of a queue.',
        package: 'jobs 2.1'
      },
      { queues: true, this_machine: false }
    ),
    kind({
      name: 'odd',
      where: 'odd',
      traits: null,
      problem: 'It cannot be imported.',
      lacks: 'cannot be loaded'
    })
  ],
  presets: [
    {
      name: 'cpu',
      title: 'CPU',
      description: 'Two.',
      needs_gpu: false,
      spec: { backend: 'local', n_workers: 2 },
      ...picture
    },
    {
      name: 'gpu',
      title: 'GPU',
      description: 'All.',
      needs_gpu: true,
      spec: { backend: 'cuda' },
      ...picture
    }
  ],
  devices: noDevices
};

/** A kind that asks which scheduler is meant. */
const text = (title: string, advanced = false) => ({
  anyOf: [{ type: 'string' }, { type: 'null' }],
  default: null,
  title,
  advanced
});
const found = {
  existing: {
    properties: {
      name: { type: 'string', title: 'Name' },
      address: text('Address'),
      scheduler_file: text('File'),
      tls_key: text('Key', true),
      preload: text('Preload', true)
    }
  }
};

let host: HTMLElement;
let root: Root;
const commands = new CommandRegistry();

async function draw(element: JSX.Element): Promise<void> {
  host = document.createElement('div');
  document.body.replaceChildren(host);
  root = createRoot(host);
  await act(() => {
    root.render(element);
    return Promise.resolve();
  });
}

function button(label: string): HTMLButtonElement {
  const found = [...host.querySelectorAll('button')].find(
    one => one.textContent === label || one.getAttribute('aria-label') === label
  );
  if (found === undefined) {
    throw new Error(`no button ${label}`);
  }
  return found;
}

async function click(label: string, times = 1): Promise<void> {
  await act(() => {
    for (let i = 0; i < times; i++) {
      button(label).click();
    }
    return Promise.resolve();
  });
}

async function type(label: string, text: string): Promise<void> {
  const id =
    [...host.querySelectorAll('label')].find(one => one.textContent === label)?.htmlFor ?? '';
  const input = document.getElementById(id) as HTMLInputElement;
  await act(() => {
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    setter?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    return Promise.resolve();
  });
}

afterEach(async () => {
  await act(() => {
    root.unmount();
    return Promise.resolve();
  });
});

const unfolded = new Unfolded(null);
/** Two notebooks are known; the second one is in view. */
const links: INotebookLinks = {
  changed: new Signal({} as INotebookLinks),
  notebooksOf: ({ kernels }) => kernels.map(kernel => `${kernel}.ipynb`),
  target: () => 'seen.ipynb',
  isConnected: ({ kernels }) => kernels.includes('seen'),
  isHere: () => true,
  variablesOf: () => Promise.resolve(''),
  hasOpen: () => true
};
const card = (manager: IClusterManager, thresholds = DEFAULT_THRESHOLDS): JSX.Element => (
  <ClusterCard
    cluster={manager.clusters[0]}
    manager={manager}
    commands={commands}
    links={links}
    unfolded={new Unfolded(null)}
    isOpenByDefault
    thresholds={thresholds}
  />
);
const list = (
  manager: IClusterManager,
  onCreate = jest.fn(),
  onQuickStart = jest.fn(),
  isReturning = false
): JSX.Element => (
  <ClusterList
    manager={manager}
    commands={commands}
    links={links}
    unfolded={new Unfolded(null)}
    order={new ListOrder()}
    thresholds={DEFAULT_THRESHOLDS}
    onCreate={onCreate}
    onQuickStart={onQuickStart}
    isReturning={isReturning}
  />
);
/** An ended cluster, opened. */
const justEnded = (one: ClusterModel, changes: Partial<IClusterManager>): JSX.Element => {
  const unfolded = new Unfolded(null);
  unfolded.set(`${one.id} ended`, true);
  const shown = card(store([one], changes));
  return { ...shown, props: { ...shown.props, unfolded } };
};
/** Choose what begins with a letter from the open menu. */
async function choose(letter: string): Promise<void> {
  await act(async () => {
    for (const keyCode of [letter.charCodeAt(0), 13]) {
      const pressed = new KeyboardEvent('keydown', { keyCode, bubbles: true });
      document.querySelector('.lm-Menu')?.dispatchEvent(pressed);
    }
    await new Promise(resolve => window.setTimeout(resolve, 20));
  });
}
/** Names of the cards that are open. */
function opened(): (string | null)[] {
  return [...host.querySelectorAll('.gpc-ClusterCard-toggle[aria-expanded=true]')].map(
    one => one.textContent
  );
}
/** Gauges draw in the next frames: on a slow machine, each of their steps in one of its own. */
async function frame(): Promise<void> {
  for (let step = 0; step < 6; step++) {
    await act(() => new Promise<void>(resolve => requestAnimationFrame(() => resolve())));
  }
}

describe('list', () => {
  it('invites to create the first cluster', async () => {
    const onCreate = jest.fn();
    await draw(list(store([]), onCreate));
    expect(host.textContent).toContain('No clusters yet.');
    await click('New cluster');
    expect(onCreate).toHaveBeenCalledTimes(1);
  });

  it('creates one without the form, and says what is refused', async () => {
    const refused = jest.fn(() => Promise.reject(new Error('No memory left.')));
    await draw(list(store([]), jest.fn(), refused));
    await click('Quick start');
    expect(refused).toHaveBeenCalledTimes(1);
    expect(host.querySelector('[role="alert"]')?.textContent).toBe('No memory left.');
  });

  it.each([
    ['polling', 'No live connection'],
    ['lost', 'The server is not responding'],
    ['outdated', 'Reload this page']
  ] as const)('says that the connection is %s', async (connection, sentence) => {
    const manager = store([cluster()], { connection });
    await draw(list(manager));
    expect(host.querySelector('[role=status]')?.textContent).toContain(sentence);
  });

  it.each([false, true])('says why the server refuses; list known: %s', async isReady => {
    const refusal = 'Others can read the directory of clusters. Run: chmod 700 ~/.gpucluster';
    const refresh = jest.fn(() => Promise.resolve());
    await draw(list(store([], { connection: 'lost', refusal, isReady, refresh })));
    expect(host.textContent).toContain(refusal);
    if (!isReady) {
      await click('Try again');
      expect(refresh).toHaveBeenCalled();
    }
  });
});

describe('order of the list', () => {
  const at = (hour: number): string => `2026-01-01T${hour < 10 ? '0' : ''}${hour}:00:00Z`;
  const born = (name: string, hour: number, changes: Partial<ClusterModel> = {}): ClusterModel =>
    cluster({ id: name, name, created_at: at(hour), ...changes });
  const over = (one: ClusterModel, hour: number, state: 'stopped' | 'failed'): ClusterModel => ({
    ...one,
    state,
    scheduler_address: null,
    ended_at: at(hour)
  });
  const seen = { kernels: ['seen'] };
  /** A list that is drawn again with other clusters. */
  function follow(): (...clusters: ClusterModel[]) => Promise<(string | null)[]> {
    const { order, unfolded: kept } = list(store([])).props as IClusterListProps;
    let whole: IClusterListProps | null = null;
    kept.changed.connect(() => whole && root.render(<ClusterList {...whole} />));
    return async (...clusters) => {
      const isNew = whole === null;
      const now = { ...list(store(clusters)).props, order, unfolded: kept } as IClusterListProps;
      whole = now;
      if (isNew) {
        await draw(<ClusterList {...now} />);
      } else {
        await act(() => {
          root.render(<ClusterList {...now} />);
          return Promise.resolve();
        });
      }
      return [...host.querySelectorAll<HTMLElement>('h3')].map(({ title }) => title);
    };
  }

  it('begins with the cluster of the notebook, then the newest, whatever order the server tells', async () => {
    const show = follow();
    const [a, b, c] = ['a', 'b', 'c'].map((name, i) => born(name, 10 + i));
    expect(await show(a, b, c)).toEqual(['c', 'b', 'a']);
    expect(opened()).toEqual([]);
    expect(await show(c, { ...a, ...seen }, b)).toEqual(['a', 'c', 'b']);
    expect(opened()).toEqual(['a']);
    // The kernel restarts, or another tab covers the notebook.
    expect(await show(a, b, c)).toEqual(['a', 'c', 'b']);
    // Another notebook comes into view.
    expect(await show(a, { ...b, ...seen }, c)).toEqual(['b', 'c', 'a']);
    expect(opened()).toEqual(['b']);
  });

  it('opens the only one there is at first, and none that a program has started since', async () => {
    let show = follow();
    await show(born('a', 10));
    expect(opened()).toEqual(['a']);
    await show(born('a', 10), born('b', 11));
    expect(opened()).toEqual(['a']);
    show = follow();
    await show();
    await show(born('a', 10));
    expect(opened()).toEqual([]);
  });

  it('leaves what has just ended as it was, until something is created', async () => {
    const show = follow();
    const [a, b] = [born('a', 10, seen), born('b', 11)];
    await show(a, b);
    expect(await show(a, over(b, 12, 'failed'))).toEqual(['a', 'b']);
    expect(await show(over(a, 13, 'stopped'), over(b, 12, 'failed'))).toEqual(['a', 'b']);
    expect(opened()).toEqual(['a']);
    expect(host.textContent).not.toContain('Clear');
    expect(await show(born('c', 14), over(a, 13, 'stopped'), over(b, 12, 'failed'))).toEqual(['c']);
    expect(host.textContent).toContain('Stopped and failed (2)');
    await click('Stopped and failed (2)');
    expect(opened()).toEqual([]);
  });

  it('shows what was created here, once more when it fails', async () => {
    const scrolled: string[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      scrolled.push(this.getAttribute('data-state') ?? '');
    };
    const clusters = [born('old', 9)];
    const manager = store(clusters);
    const { order, unfolded: kept } = list(manager).props as IClusterListProps;
    const created = new CreatedClusters(manager, kept);
    const show = (): Promise<void> =>
      act(() => {
        const whole = { ...list(manager).props, order, created, unfolded: kept };
        root.render(<ClusterList {...(whole as IClusterListProps)} />);
        return Promise.resolve();
      });
    await draw(<></>);
    await show();
    const tell = (one: ClusterModel): void => {
      clusters.splice(0, clusters.length, one, born('old', 9));
      (manager.changed as Signal<IClusterManager, void>).emit();
    };
    const starting = born('new', 10, { state: 'starting', scheduler_address: null });
    tell(starting);
    (manager.created as Signal<IClusterManager, ClusterModel>).emit(starting);
    await show();
    expect(scrolled).toEqual(['starting']);
    button('New cluster').focus();
    tell(over(starting, 11, 'failed'));
    await show();
    expect([document.activeElement?.id, ...scrolled]).toEqual([
      'gpucluster-new',
      'starting',
      'failed'
    ]);
    expect(opened()).toContain('new');
    // Nothing moves for what ends later.
    await show();
    expect(scrolled).toHaveLength(2);
    // What fails before the list is drawn is not put into the group of ended clusters.
    const quick = over(born('quick', 12), 12, 'failed');
    tell(quick);
    order.see('quick');
    (manager.created as Signal<IClusterManager, ClusterModel>).emit(quick);
    await show();
    expect(document.activeElement?.id).toBe('gpucluster-quick');
    expect(opened()).toContain('quick');
  });

  it('groups what had ended before, and leases', async () => {
    const show = follow();
    const lease = { scope: 'cell', holder: null } as unknown as ClusterModel['lease'];
    const done = over(born('a', 10), 11, 'stopped');
    expect(await show(done, born('b', 10, { lease }))).toEqual(['b']);
    expect(await show(done, over(born('b', 10, { lease }), 12, 'stopped'))).toEqual([]);
    expect(host.textContent).toContain('No running cluster.');
    expect(host.textContent).toContain('Stopped (2)');
  });

  it('clears the group after a question', async () => {
    const remove = jest.fn(() => Promise.resolve());
    const ended = ['a', 'b'].map(name => over(born(name, 10), 11, 'stopped'));
    await draw(list(store([...ended, born('c', 12)], { remove })));
    const answer = async (label: string): Promise<void> => {
      await click('Clear 2 ended clusters…');
      expect(document.querySelector('.jp-Dialog')?.textContent).toContain(
        'Clear 2 ended clusters?'
      );
      await act(async () => {
        [...document.querySelectorAll<HTMLElement>('.jp-Dialog button')]
          .find(one => one.textContent === label)
          ?.click();
        await new Promise(resolve => window.setTimeout(resolve, 20));
      });
    };
    await answer('Cancel');
    expect(remove).not.toHaveBeenCalled();
    await answer('Clear');
    expect(remove.mock.calls).toEqual([['b'], ['a']]);
  });
});

describe('card', () => {
  it('says what happened last', async () => {
    const messages = (['worker_died', 'done'] as const).map((code, i) =>
      message(code, `Here is ${code}.`, { time: `2026-01-01T10:04:3${i}Z` })
    );
    await draw(card(store([cluster({ messages })])));
    expect(host.textContent).toContain('Here is worker_died.');
  });

  it.each([
    [{}, [], 'In use · auto-stop off'],
    [{}, ['a', 'seen'], 'In use by a, seen and 1 other client · auto-stop off'],
    [{ timeout_seconds: 3600 }, ['seen'], 'In use by seen and 2 other clients'],
    [
      { timeout_seconds: 3600, quiet_since: '10:03:01', kept_by: 'holds 3 results' },
      [],
      'Idle 2 min · holds 3 results'
    ],
    // Idle for a second between two computations: not worth a word that comes and goes.
    [
      { timeout_seconds: 3600, quiet_since: '10:05:00', kept_by: 'holds 3 results' },
      [],
      'In use by 3 clients'
    ],
    [{ quiet_since: '10:03:01', kept_by: 'holds 3 results' }, [], 'Idle 2 min · auto-stop off'],
    [
      { idle_since: '10:05:00', quiet_since: '10:05:00', stops_at: '11:05:00' },
      [],
      'Idle · auto-stop in 1 h'
    ],
    [{ idle_since: '10:05:00', quiet_since: '10:05:00' }, [], 'Idle · auto-stop off'],
    // An hour reads as one at its beginning, and as less afterwards.
    [{ quiet_since: '10:03:01', stops_at: '11:04:59' }, [], 'Idle 2 min · auto-stop in 1 h'],
    [{ quiet_since: '10:03:01', stops_at: '11:03:59' }, [], 'Idle 2 min · auto-stop in 59 min'],
    [{ quiet_since: '10:03:01', stops_at: '10:05:42' }, [], 'Idle 2 min · auto-stop in 41 s'],
    [{ quiet_since: '10:03:01', stops_at: '10:05:00' }, [], 'Idle 2 min · stopping now']
  ])('has one line about its use: %j, %j', (idle, kernels, line) => {
    const times = Object.entries(idle).map(([key, value]) => [
      key,
      /:/.test(`${value}`) ? `2026-01-01T${value}Z` : value
    ]);
    const none = { ...cluster().idle, timeout_seconds: null };
    const one = cluster({
      n_clients: line.startsWith('In use ·') ? 0 : 3,
      kernels,
      idle: { ...none, ...Object.fromEntries(times) }
    });
    const notebooks = kernels.map(kernel => `${kernel}.ipynb`);
    expect(statusLine(one, notebooks, store([]))).toBe(line);
  });

  it('is one line while it is folded, and stays as it was left', async () => {
    const left: Record<string, unknown> = {};
    const state = {
      fetch: (key: string) => Promise.resolve(left[key] as undefined),
      save: (key: string, value: unknown) => Promise.resolve(void (left[key] = value))
    };
    const busy = sample({ tasks: { processing: 3 }, cpu_percent: [50, 100] });
    const manager = store([cluster({ n_clients: 1 }), cluster({ id: 'b', name: 'red' })], {
      sample: () => busy
    });
    const show = async (): Promise<void> => {
      const kept = new Unfolded(state);
      const whole = (): JSX.Element => (
        <ClusterList {...(list(manager).props as IClusterListProps)} unfolded={kept} />
      );
      await draw(whole());
      kept.changed.connect(() => {
        root.render(whole());
      });
      await act(() => Promise.resolve());
    };
    await show();
    expect(opened()).toEqual([]);
    await click('red');
    const [line, content] = [...(button('blue').closest('.gpc-ClusterCard')?.children ?? [])];
    expect((content as HTMLElement).hidden).toBe(true);
    expect(line.querySelector('.gpc-State')?.textContent).toBe('Running');
    // Each bar beside its own figure.
    const meters = [...line.querySelectorAll('.gpc-RowMeter')].map(meter => [
      meter.querySelector('.gpc-RowMeter-figure')?.textContent,
      meter.querySelector('[role=meter]')?.getAttribute('aria-label'),
      meter.querySelector('[role=meter]')?.getAttribute('aria-valuetext'),
      meter.querySelector('i')?.style.width
    ]);
    expect(meters).toEqual([
      ['75 %', 'CPU', '75 %', '75%'],
      ['50 %', 'Memory', '1 GiB of 2 GiB', '50%']
    ]);
    expect(line.querySelector('[role=img]')?.getAttribute('aria-label')).toBe('In use by 1 client');
    await show();
    expect(opened()).toEqual(['red']);
  });

  it('says that it is recorded, and that links are valid', async () => {
    const recording = { path: '/home/ann/blue.jsonl.gz', since: '2026-01-01T10:03:01Z' };
    const link = { ends_at: '2026-01-01T12:00:00Z', opened: 2 } as SharedLink;
    const manager = store([cluster({ recording })], { links: () => Promise.resolve([link, link]) });
    await draw(card(manager));
    expect(host.textContent).toContain('Recording 2 min · blue.jsonl.gz');
    expect(host.textContent).toMatch(/Shared by 2 links · until .*00.* · opened 4 times/);
    await draw({ ...card(manager), props: { ...card(manager).props, isOpenByDefault: false } });
    const marks = [...host.querySelectorAll('[role=img]')].map(one =>
      one.getAttribute('aria-label')
    );
    expect(marks).toEqual(['Being recorded', expect.stringContaining('Shared by 2 links')]);
  });

  it('is left by the Tab key in a few steps', async () => {
    await draw(card(store([cluster()], { sample: () => sample() })));
    await frame();
    const stops = (): (string | null)[] =>
      [...host.querySelectorAll<HTMLElement>('button, a, input, [tabindex]')]
        .filter(one => one.tabIndex >= 0 && one.closest('[hidden], :disabled') === null)
        .map(one => one.getAttribute('aria-label') ?? one.textContent);
    expect(stops()).toEqual([
      'blue',
      'Connect seen',
      expect.stringContaining('CPU'),
      'Over time',
      'Progress',
      'Workers',
      expect.stringContaining('Worker 0'),
      'Legend',
      'Largest results'
    ]);
    const press = (key: string): Promise<void> =>
      act(() => {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return Promise.resolve();
      });
    button('Connect seen').focus();
    await press('ArrowRight');
    expect(document.activeElement).toBe(button('Dashboard'));
    await press('End');
    expect(document.activeElement).toBe(button('More actions'));
    expect(stops()[1]).toBe('More actions');
  });

  it('does not call it running while nobody works', async () => {
    await draw(card(store([cluster({ n_workers: 0, workers: [] })])));
    expect(host.querySelector('.gpc-State')?.textContent).toBe('0 of 2 workers');
    expect(host.querySelector('.gpc-ClusterCard')?.getAttribute('data-state')).toBe('empty');
    const none = { n_workers: 0, adapt: null, stopped: false };
    await draw(card(store([cluster({ n_workers: 0, workers: [], wanted: none })])));
    expect(host.querySelector('.gpc-State')?.textContent).toBe('No workers');
  });

  it('names the notebook that it would connect, or says that it is', async () => {
    await draw(card(store([cluster()])));
    expect(button('Connect seen').className).toContain('gpc-mod-accept');
    await draw(card(store([cluster({ n_clients: 3, kernels: ['a', 'seen'] })])));
    expect(button('Connected ✓').getAttribute('aria-disabled')).toBe('true');
    expect(host.querySelector('.gpc-Status')?.textContent).toBe(
      'In use by a, seen and 1 other client'
    );
    const none = { ...links, target: () => null };
    for (const [hasOpen, label] of [
      [true, 'Connect…'],
      [false, 'Connect new notebook']
    ] as const) {
      const shown = card(store([cluster()]));
      await draw({
        ...shown,
        props: { ...shown.props, links: { ...none, hasOpen: () => hasOpen } }
      });
      expect(button(label).disabled).toBe(false);
    }
  });

  it('has six pages of the dashboard in a menu, and what is done rarely in another', async () => {
    const executed: unknown[] = [];
    const some = new CommandRegistry();
    for (const id of ['gpucluster:open-dashboard', 'gpucluster:open-log']) {
      some.addCommand(id, {
        describedBy: { args: null },
        execute: args => void executed.push([id, args])
      });
    }
    const shown = card(store([cluster({ can: [] })]));
    await draw({ ...shown, props: { ...shown.props, commands: some } });
    const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.lm-Menu-item')];
    await click('Dashboard pages');
    expect(items().map(one => one.textContent)).toEqual([
      'Task stream',
      'Progress',
      'Memory by worker',
      'Memory by key',
      'Task graph',
      'Profile'
    ]);
    document
      .querySelector('.lm-Menu')
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 27, bubbles: true }));
    await click('More actions');
    const disabled = items().filter(one => one.classList.contains('lm-mod-disabled'));
    expect(disabled.map(one => one.textContent)).toEqual(verbActions().map(action => action.entry));
    await choose('L');
    expect(executed).toEqual([['gpucluster:open-log', { id: 'a1b2c3d4' }]]);
    expect(document.activeElement).toBe(button('More actions'));
  });

  it('starts again what has ended', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    const remove = jest.fn(() => Promise.resolve());
    const ended_at = '2026-01-01T09:53:01Z';
    const stopped = cluster({ state: 'stopped', scheduler_address: null, ended_at });
    await draw(justEnded(stopped, { create, remove }));
    expect(host.querySelector('.gpc-State')?.textContent).toBe('Stopped 12 min ago');
    // The second click on what was "Stop" a moment ago.
    button('Remove').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
    expect(remove).not.toHaveBeenCalled();
    await click('Start again', 2);
    expect(create.mock.calls).toEqual([[{ ...stopped.spec, name: 'blue' }]]);
    expect(remove.mock.calls).toEqual([['a1b2c3d4']]);
    // The log of what failed is of use.
    await draw(justEnded({ ...stopped, state: 'failed' }, { create, remove }));
    await click('Start again');
    expect(remove).toHaveBeenCalledTimes(1);
  });

  it('tells state, workers, clients and tasks', async () => {
    const busy = sample({ tasks: { processing: 3, waiting: 4, erred: 1 } });
    await draw(card(store([cluster({ n_clients: 1 })], { sample: () => busy })));
    await frame();
    for (const text of [
      'blue',
      'Running',
      '2 CPU workers · up 5 min',
      'In use by 1 client',
      '2 running, 1 ready, 4 waiting, 1 failed',
      '1 / 2 GiB'
    ]) {
      expect(host.textContent).toContain(text);
    }
    expect(host.textContent).not.toContain('open to anyone');
  });

  it('says what a lease is for, and who has it', async () => {
    const lease = { scope: 'cell' as const, holder: 'notebook, process 12', pid: 12, birth: 'b' };
    await draw(card(store([cluster({ lease })])));
    const mark = host.querySelector<HTMLElement>('.gpc-Lease');
    expect(mark?.textContent).toBe('cell lease');
    expect(mark?.title).toBe('Ends with the lease, or with notebook, process 12');
    await draw(card(store([cluster()])));
    expect(host.querySelector('.gpc-Lease')).toBeNull();
  });

  it('says that there is no GPU where the panel does not', async () => {
    const backend_reason = noDevices.message;
    await draw(card(store([cluster({ messages: [message('choice', backend_reason)] })])));
    expect(host.textContent).toContain(backend_reason);
    await draw(
      card(store([cluster({ messages: [message('choice', backend_reason)] })], { host: noDevices }))
    );
    expect(host.textContent).not.toContain(backend_reason);
  });

  it('draws each sample, and the past once the connection is live', async () => {
    const history = jest.fn(() => Promise.reject(new Error('There is none.')));
    const samples: TelemetrySample[] = [];
    const manager = store([cluster()], {
      sample: () => samples[0],
      history,
      connection: 'polling'
    });
    await draw(card(manager));
    expect(history).not.toHaveBeenCalled();
    Object.assign(manager, { connection: 'live' });
    (manager.changed as Signal<IClusterManager, void>).emit();
    (manager.changed as Signal<IClusterManager, void>).emit();
    expect(history).toHaveBeenCalledTimes(1);
    samples.push(sample({ memory_bytes: 0.7 * 2 ** 30 }));
    (manager.sampled as Signal<IClusterManager, string>).emit('another');
    await frame();
    expect(host.textContent).toContain('Waiting for data.');
    (manager.sampled as Signal<IClusterManager, string>).emit('a1b2c3d4');
    await frame();
    expect(host.textContent).toContain('1.4 / 2 GiB');
    expect(host.querySelector('.gpc-Alarm:not([hidden])')).not.toBeNull();
  });

  it('follows the thresholds of the settings', async () => {
    const manager = store([cluster()], { sample: () => sample() });
    await draw(card(manager));
    await frame();
    expect(host.querySelector('.gpc-Alarm:not([hidden])')).toBeNull();
    await act(() => {
      root.render(card(manager, { warningPercent: 20, criticalPercent: 90 }));
      return Promise.resolve();
    });
    await frame();
    expect(host.querySelector('.gpc-Alarm:not([hidden])')).not.toBeNull();
  });

  it('tells how many workers are missing, and warns of a cluster without encryption', async () => {
    const wanted = { n_workers: 4, adapt: null, stopped: false };
    await draw(card(store([cluster({ wanted, network: 'open', state: 'scaling' })])));
    expect(host.textContent).toContain('2 of 4 CPU workers');
    expect(host.textContent).toContain('open to anyone');
    // What is listed below is counted, even where the model of the cluster is older.
    const seen = { sample: () => sample({ workers: ['0', '1', '2'] }) };
    await draw(card(store([cluster({ wanted })], seen)));
    expect(host.textContent).toContain('3 of 4 CPU workers');
  });

  it('tells how many workers wait, and why; without workers, that is no trouble', async () => {
    const waiting = '2 of 4 jobs wait: Resources, expected 14:20';
    const messages = [
      message('pending', 'Resources, expected 14:20', { subject: '2 of 4 jobs wait' })
    ];
    await draw(card(store([cluster({ messages })])));
    expect(host.querySelector('.gpc-Pending')?.textContent).toBe(waiting);
    expect(host.querySelector('.gpc-ClusterCard')?.getAttribute('data-state')).toBe('running');
    await draw(card(store([cluster({ messages, n_workers: 0 })])));
    expect(host.querySelector('.gpc-ClusterCard')?.getAttribute('data-state')).toBe('starting');
    expect(host.querySelector('.gpc-State')?.textContent).toBe('2 of 4 jobs wait');
    await draw(card(store([cluster({ n_pending: 2, n_workers: 0 })])));
    expect(host.querySelector('.gpc-Pending')).toBeNull();
    expect(host.querySelector('.gpc-ClusterCard')?.getAttribute('data-state')).toBe('empty');
  });

  it('tells what is left of the walltime, what it has cost, and on which machines it is', async () => {
    const now = Date.parse('2026-11-23T12:00:00Z');
    const cost = { unit: 'node-hours', amount: 2, per_hour: 0.5, at: '2026-11-23T11:30:00Z' };
    const changes = { cost, ends_at: '2026-11-23T12:43:00Z', nodes: ['n1: 2 GPUs', 'n2: 1 GPU'] };
    await draw(card(store([cluster(changes)], { now: () => now })));
    expect(host.textContent).toContain('Walltime left: 43 min · 2.3 node-hours so far');
    await click('More actions');
    await choose('D');
    expect(host.textContent).toContain('n1: 2 GPUs; n2: 1 GPU');
  });

  it('offers what the cluster can', async () => {
    const title = (label: string): string => button(label).closest('button')?.title ?? '';
    await draw(card(store([cluster({ can: ['adapt'] })], { sample: () => sample() })));
    await frame();
    expect(button('Scale').disabled).toBe(false);
    expect(host.querySelector('[aria-label^="Retire"]')).toBeNull();
    await click('Scale');
    const fixed = [...host.querySelectorAll<HTMLInputElement>('.gpc-ScaleEditor [type=radio]')];
    expect(fixed.map(({ disabled, checked }) => [disabled, checked])).toEqual([
      [true, false],
      [false, true]
    ]);
    await draw(card(store([cluster({ can: [] })])));
    expect(button('Scale').disabled).toBe(true);
    expect(title('Scale')).toBe('The number of workers cannot be changed');
    expect(button('Stop').disabled).toBe(false);
  });

  it('lets a cluster of another version be stopped and nothing else', async () => {
    const other = cluster({
      backend: 'jobs',
      backend_title: '',
      can: [],
      workers: [],
      n_workers: 0,
      scheduler_address: null,
      dashboard_path: null,
      messages: [
        message('notice', 'It was created by another version of gpucluster (protocol 99, here 4).')
      ]
    });
    await draw(card(store([other])));
    expect(host.textContent).toContain('jobs workers');
    expect(host.textContent).toContain('It was created by another version');
    const enabled = ['Connect seen', 'Dashboard', 'Scale', 'Stop'].filter(
      label => !button(label).disabled
    );
    expect(enabled).toEqual(['Stop']);
  });

  it('tells what somebody should know about a cluster that works', async () => {
    await draw(
      card(store([cluster({ messages: [message('warning', 'The dashboard has <b>holes</b>.')] })]))
    );
    expect(host.querySelector('.gpc-Trouble p')?.textContent).toBe(
      'The dashboard has <b>holes</b>.'
    );
  });

  it('shows each error, or one warning; others are counted, so that nothing moves', async () => {
    const messages = [
      message('warning', 'One.'),
      message('notice', 'It failed.'),
      message('warning', 'Two.')
    ];
    await draw(card(store([cluster({ messages })])));
    const said = (): (string | null)[] =>
      [...host.querySelectorAll('.gpc-Trouble p')].map(one => one.textContent);
    expect(said()).toEqual(['It failed.']);
    await click('2 more warnings');
    expect(said()).toEqual(['It failed.', 'One.', 'Two.']);
  });

  it('shows progress while it starts, and can be cancelled once', async () => {
    const stop = jest.fn(() => new Promise<void>(() => undefined));
    const progress = { step: 'workers', message: 'Waiting for workers', done: 1, total: 4 };
    const starting = cluster({ state: 'starting', progress, scheduler_address: null });
    await draw(card(store([starting], { stop })));
    expect(host.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('1');
    expect(host.textContent).toContain('Waiting for workers');
    await click('Cancel', 3);
    expect(stop).toHaveBeenCalledTimes(1);
    expect(button('Cancel').closest('[aria-busy=true]')).not.toBeNull();
  });

  it('tells what the last request could not do, until it is read or something works', async () => {
    const notice = 'Worker 1 stays: nobody has room for its results.';
    const manager = store([]);
    const show = (one: ClusterModel): Promise<void> =>
      act(() => {
        root.render(
          <ClusterCard
            cluster={one}
            manager={manager}
            commands={commands}
            links={links}
            unfolded={unfolded}
            isOpenByDefault
            thresholds={DEFAULT_THRESHOLDS}
          />
        );
        return Promise.resolve();
      });
    const said = (): string =>
      host.querySelector('.gpc-Troubles[role=status] p')?.textContent ?? '';
    await draw(<></>);
    await show(cluster({ messages: [message('notice', notice)] }));
    expect(said()).toBe(notice);
    await click('Dismiss');
    expect(said()).toBe('');
    expect(document.activeElement).toBe(host.querySelector('h3'));
    await show(cluster());
    await show(cluster({ messages: [message('notice', notice)] }));
    expect(said()).toBe(notice);
  });

  it('has what its workers share among the details', async () => {
    await draw(
      card(store([cluster({ messages: [message('note', '4 threads run on 2 cores.')] })]))
    );
    await click('More actions');
    await choose('D');
    const details = host.querySelector('.gpc-Details:has(.gpc-Facts)');
    expect(details?.querySelector('.gpc-Notes')?.textContent).toBe('4 threads run on 2 cores.');
    expect(details?.textContent).toContain('1 thread, 1 GiB');
    await click('More actions');
    await choose('D');
    expect(host.querySelector('.gpc-Facts')).toBeNull();
    expect(button('More actions')).not.toBeNull();
  });

  it('lists the cluster of a notebook first, even while the notebook is behind another tab', () => {
    const newest = cluster({ id: 'newest', created_at: '2026-01-01T11:00:00Z' });
    const used = cluster({ id: 'used', created_at: '2026-01-01T10:00:00Z', kernels: ['hidden'] });
    const { current } = new ListOrder().arrange([newest, used], links);
    expect(current.map(({ id }) => id)).toEqual(['used', 'newest']);
  });

  it.each([true, false])(
    'keeps the focus when its button goes; list known at first: %s',
    async isReady => {
      const manager = store([cluster()]);
      const order = new ListOrder();
      const show = (clusters: ClusterModel[], isReady = true): Promise<void> =>
        act(() => {
          root.render(
            <ClusterList
              manager={{ ...manager, clusters, isReady }}
              commands={commands}
              links={links}
              unfolded={unfolded}
              order={order}
              thresholds={DEFAULT_THRESHOLDS}
              onCreate={() => undefined}
              onQuickStart={() => Promise.resolve()}
            />
          );
          return Promise.resolve();
        });
      await draw(<></>);
      // A page that is slow to load draws the panel before the server has answered.
      await show([cluster()], isReady);
      await show([cluster()]);
      button('Stop').focus();
      await show([
        cluster({ state: 'stopped', scheduler_address: null, ended_at: '2026-01-01T10:04:00Z' })
      ]);
      expect(document.activeElement).toBe(host.querySelector('h3'));
      // What goes from a list within the card leaves the focus at the head of that list.
      const part = document.createElement('div');
      part.className = 'gpc-Disclosure';
      part.innerHTML = '<button class="gpc-Disclosure-button"></button><button>Release</button>';
      host.querySelector('.gpc-ClusterCard')?.append(part);
      const [head, released] = part.querySelectorAll('button');
      released.focus();
      released.remove();
      const focused = jest.spyOn(head, 'focus');
      await show([
        cluster({ state: 'stopped', scheduler_address: null, ended_at: '2026-01-01T10:04:00Z' })
      ]);
      expect(document.activeElement).toBe(head);
      expect(focused).toHaveBeenCalledWith({ preventScroll: true });
      button('Remove').focus();
      await show([]);
      expect(document.activeElement?.textContent).toBe('New cluster');
    }
  );

  it('keeps the focus that it was drawn with', async () => {
    await draw(list(store([]), jest.fn(), jest.fn(), true));
    expect(document.activeElement).toBe(button('New cluster'));
    await act(() => Promise.resolve(root.render(list(store([cluster()])))));
    expect(document.activeElement).toBe(button('New cluster'));
  });

  it('gives the reason of a failure and the end of the log', async () => {
    const failed = cluster({
      state: 'failed',
      messages: [message('failed', 'No memory left.')],
      log_tail: ['one', 'two']
    });
    await draw(justEnded(failed, {}));
    expect(host.textContent).toContain('No memory left.');
    expect(host.querySelector('pre')?.textContent).toBe('one\ntwo');
    expect(() => button('Connect seen')).toThrow();
  });

  it('shows the sentence of a request that was refused', async () => {
    const remove = (): Promise<void> => Promise.reject(new Error('It is still alive.'));
    await draw(justEnded(cluster({ state: 'stopped' }), { remove }));
    await click('Remove');
    expect(host.querySelector('[role=alert]')?.textContent).toBe('It is still alive.');
  });
});

describe('retiring a worker', () => {
  const dialog = (): Element | null => document.querySelector('.jp-Dialog');
  const inDialog = (label: string): void =>
    [...(dialog()?.querySelectorAll('button') ?? [])]
      .find(one => one.textContent === label)
      ?.click();

  async function ask(changes: Partial<TelemetrySample>): Promise<jest.Mock> {
    const retire = jest.fn(() => Promise.resolve(cluster()));
    await draw(card(store([cluster()], { retire, sample: () => sample(changes) })));
    await frame();
    if (button('Workers').getAttribute('aria-expanded') === 'false') {
      await click('Workers');
    }
    await click('Worker 1');
    await click('Retire Worker 1');
    return retire;
  }

  it('is done at once if it has nothing to lose', async () => {
    const retire = await ask({ in_memory: [5, 0] });
    expect(retire).toHaveBeenCalledWith('a1b2c3d4', '1');
    expect(dialog()).toBeNull();
  });

  it('asks if it holds results or has tasks', async () => {
    const retire = await ask({ in_memory: [0, 3], processing: [0, 1] });
    expect(dialog()?.textContent).toContain('Retire Worker 1 of blue?');
    expect(dialog()?.textContent).toContain(
      'It holds 3 results. They move to other workers first.'
    );
    expect(dialog()?.textContent).toContain('1 task is restarted on another worker.');
    expect(retire).not.toHaveBeenCalled();
    await act(async () => {
      inDialog('Retire');
      await new Promise(resolve => window.setTimeout(resolve, 20));
    });
    expect(retire).toHaveBeenCalledTimes(1);
  });

  it('is not done without a yes', async () => {
    const retire = await ask({ in_memory: [0, 3] });
    await act(async () => {
      inDialog('Cancel');
      await new Promise(resolve => window.setTimeout(resolve, 20));
    });
    expect(dialog()).toBeNull();
    expect(retire).not.toHaveBeenCalled();
  });
});

describe('stopping a cluster', () => {
  const free = cluster({ n_clients: 0 });

  it('reads the state again before it decides whether to ask', async () => {
    const look = (): Promise<ClusterModel> =>
      Promise.resolve(cluster({ n_clients: 2, kernels: ['k'] }));
    const kernel = { id: 'k', status: 'idle' };
    const panel = {
      title: { label: 'Untitled.ipynb' },
      sessionContext: { session: { kernel } }
    } as unknown as NotebookPanel;
    const manager = store([free], { look, sample: () => sample({ tasks: { memory: 44 } }) });
    const answer = confirmStop(free, manager, [panel]);
    await new Promise(resolve => window.setTimeout(resolve, 20));
    const dialog = document.querySelector('.jp-Dialog');
    expect(dialog?.querySelector('.jp-Dialog-body')?.textContent).toBe(
      'In use by Untitled and 1 other client. 44 results on the workers will be lost.'
    );
    [...(dialog?.querySelectorAll('button') ?? [])]
      .find(one => one.textContent === 'Cancel')
      ?.click();
    expect(await answer).toBe(false);
  });

  it('counts what a restart of the workers loses', async () => {
    const [restart] = verbActions();
    const manager = store([free], { sample: () => sample({ tasks: { memory: 44 } }) });
    const answer = confirmVerb(restart, free, manager, []);
    await new Promise(resolve => window.setTimeout(resolve, 20));
    const dialog = document.querySelector('.jp-Dialog');
    expect(dialog?.querySelector('.jp-Dialog-body')?.textContent).toBe(
      'Not in use. 44 results on the workers will be lost. The cluster keeps running at the same address.'
    );
    dialog?.querySelector<HTMLElement>('.jp-mod-reject')?.click();
    expect(await answer).toBe(false);
    const progress = { step: 'restart', message: 'Restarting', done: null, total: null };
    expect(stateLabel(cluster({ state: 'scaling', progress }))).toBe('Restarting');
  });

  it('is offered by a command while there is a cluster, or for a given one', async () => {
    const enabled = (clusters: ClusterModel[]): boolean[] => {
      const { isEnabled } = new ClusterCommand(store(clusters), {} as never);
      return [isEnabled({}), isEnabled({ id: 'a1b2c3d4' })];
    };
    expect(enabled([cluster()])).toEqual([true, true]);
    const ended = [cluster({ state: 'stopped' })];
    expect(enabled(ended)).toEqual([false, true]);
    await expect(chooseCluster(store(ended), undefined, 'Stop')).rejects.toThrow(
      'No running cluster. Create one first.'
    );
  });

  it('asks nothing where nothing would be lost', async () => {
    const look = (): Promise<ClusterModel> => Promise.resolve(free);
    const manager = store([free], { look, sample: () => sample() });
    expect(await confirmStop(free, manager, [])).toBe(true);
    const ended = (): Promise<ClusterModel> =>
      Promise.resolve(cluster({ state: 'stopped', n_clients: 2 }));
    expect(await confirmStop(free, store([free], { look: ended }), [])).toBe(true);
  });
});

describe('scaling', () => {
  async function editor(): Promise<ClusterPatch[]> {
    const patches: ClusterPatch[] = [];
    const patch = (_: string, one: ClusterPatch): Promise<ClusterModel> => {
      patches.push(one);
      return Promise.resolve(cluster());
    };
    await draw(card(store([cluster()], { patch })));
    await click('Scale');
    return patches;
  }

  it('applies a number of workers', async () => {
    const patches = await editor();
    // The second click of two does not close what the first has opened.
    await act(() => {
      button('Scale').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
      return Promise.resolve();
    });
    await click('Workers: one more');
    await click('Apply', 2);
    expect(patches).toEqual([{ n_workers: 3 }]);
  });

  it.each([
    ['', 'Enter a whole number'],
    ['abc', 'Enter a whole number'],
    ['1.5', 'Enter a whole number'],
    ['-1', 'Must be at least 0 workers'],
    ['9', 'Must be at most 8 workers']
  ])('refuses %p with a sentence', async (text, sentence) => {
    const patches = await editor();
    await type('Workers', text);
    expect(host.querySelector('[role=alert]')?.textContent).toContain(sentence);
    expect(button('Apply').disabled).toBe(true);
    expect(patches).toEqual([]);
  });

  it('follows the load within bounds, the right way round', async () => {
    const patches = await editor();
    await act(() => {
      host.querySelectorAll<HTMLInputElement>('input[type=radio]')[1].click();
      return Promise.resolve();
    });
    await type('Minimum', '5');
    await type('Maximum', '3');
    expect(host.textContent).toContain('The minimum must not exceed the maximum.');
    expect(button('Apply').disabled).toBe(true);
    await type('Maximum', '6');
    await click('Apply');
    expect(patches).toEqual([{ adapt: { minimum: 5, maximum: 6 } }]);
  });
});

describe('creation form', () => {
  const environment = {
    activeKernel: () => ({ name: 'py', displayName: 'Python 3' }),
    kernels: () => []
  };
  const row = (label: string): HTMLElement | null | undefined =>
    [...host.querySelectorAll('.gpc-Field label')]
      .find(one => one.textContent === label)
      ?.closest<HTMLElement>('.gpc-Field');
  const choices = (label: string): (string | null)[] =>
    [...(row(label)?.querySelectorAll('option') ?? [])].map(one => one.textContent);
  const choose = async (label: string, value: string): Promise<void> => {
    const select = row(label)?.querySelector('select');
    await act(() => {
      if (select) {
        select.value = value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }
      return Promise.resolve();
    });
  };
  const form = (
    manager: IClusterManager,
    onDone = jest.fn(),
    filled: Readonly<Record<string, unknown>> | null = null,
    reason = ''
  ): JSX.Element => (
    <CreateForm
      filled={filled}
      reason={reason}
      manager={manager}
      environment={environment}
      defaultPreset="cpu"
      onDone={onDone}
    />
  );

  it('creates what the preset says in the environment of the notebook', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    const onDone = jest.fn();
    await draw(form(store([], { create }), onDone));
    await click('Copy as…');
    expect(host.textContent).toContain('gpucluster.create("local", n_workers=2, kernel_name="py")');
    await click('Create', 2);
    expect(create).toHaveBeenCalledTimes(1);
    expect(create).toHaveBeenCalledWith({ backend: 'local', n_workers: 2, kernel_name: 'py' });
    expect(onDone).toHaveBeenCalledTimes(1);
  });

  it('draws and creates a kind that another package offers', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    await draw(form(store([], { create })));
    expect(choices('Where')).toEqual(['This machine', 'Batch', 'odd (cannot be loaded)']);
    expect(choices('Hardware')).toEqual(['Automatic', 'CPU', 'GPU (no usable GPU)']);
    await choose('Where', 'Batch');
    expect(host.querySelector('[data-field=partition]')).not.toBeNull();
    // No preset is about that place, and one kind needs no choice.
    expect(choices('Hardware')).toEqual([]);
    expect(choices('Preset')).toEqual([]);
    await type('hours', '2');
    await click('Copy as…');
    expect(host.textContent).toContain(
      'gpucluster.create("jobs", n_workers=2, hours=2, kernel_name="py")'
    );
    await click('Create');
    expect(create).toHaveBeenCalledWith({
      backend: 'jobs',
      n_workers: 2,
      hours: 2,
      kernel_name: 'py'
    });
  });

  it('says why there is nothing at a place, in a few words and in the help', async () => {
    await draw(form(store([])));
    const absent = row('Where')?.querySelector<HTMLOptionElement>('option[value=odd]');
    expect(absent?.disabled).toBe(true);
    const help = row('Where')?.querySelector('.gpc-Help');
    expect(help?.hasAttribute('hidden')).toBe(true);
    await act(() => {
      row('Where')?.querySelector<HTMLElement>('.gpc-HelpButton')?.click();
      return Promise.resolve();
    });
    expect(help?.hasAttribute('hidden')).toBe(false);
    expect(help?.textContent).toContain('odd: It cannot be imported.');
  });

  it('begins with the request of a cluster that failed, and changes one value of it', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    const filled = { backend: 'jobs', name: 'far', n_workers: 2, partition: 'long', hours: 1 };
    await draw(form(store([], { create }), jest.fn(), filled));
    expect(host.querySelector('h2')?.textContent).toBe('Edit and retry');
    await type('Workers', '3');
    await click('Create');
    expect(create).toHaveBeenCalledWith({
      backend: 'jobs',
      n_workers: 3,
      partition: 'long',
      kernel_name: 'py'
    });
  });

  it.each([
    ['address: no such setting.', 'address', 'No such setting.'],
    [
      'Nothing is listening at tcp://far:8786.',
      'address',
      'Nothing is listening at tcp://far:8786.'
    ],
    ['The file /a/key.pem is open to others.', 'tls_key', 'The file /a/key.pem is open to others.'],
    ["The module 'absent' is not installed.", 'preload', "The module 'absent' is not installed."]
  ])('marks the field that made a cluster fail: %s', async (reason, field, sentence) => {
    const filled = {
      backend: 'existing',
      address: 'tcp://far:8786',
      tls_key: '/a/key.pem',
      preload: ['absent'],
      name: 'far'
    };
    const existing = () => Promise.resolve({ ...offer, backends: { ...offer.backends, ...found } });
    await draw(form(store([], { offer: existing }), jest.fn(), filled, reason));
    const marked = host.querySelector(`[data-field=${field}]`);
    expect(marked?.querySelector('[role=alert]')?.textContent).toBe(sentence);
    expect(document.activeElement).toBe(marked?.querySelector('input'));
    expect(host.querySelectorAll('[role=alert]')).toHaveLength(1);
    expect(host.querySelector('details')?.open).toBe(field !== 'address');
  });

  it('shows why a cluster failed where no field is at fault', async () => {
    const filled = { backend: 'local', name: 'far', n_workers: 2 };
    await draw(form(store([]), jest.fn(), filled, 'The machine has no memory left.'));
    expect(host.querySelector('.gpc-Error')?.textContent).toBe('The machine has no memory left.');
  });

  it('asks which scheduler is meant', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    const existing = () => Promise.resolve({ ...offer, backends: { ...offer.backends, ...found } });
    await draw(form(store([], { create, offer: existing }), jest.fn(), { backend: 'existing' }));
    expect(host.querySelector('[data-field=address] [role=alert]')).toBeNull();
    await click('Create');
    await act(() => new Promise<void>(resolve => window.setTimeout(resolve, 20)));
    expect(host.querySelector('[data-field=address] [role=alert]')?.textContent).toBe(
      'Enter an address, e.g. tcp://node1:8786, or a scheduler file.'
    );
    expect(document.activeElement).toBe(host.querySelector('[data-field=address] input'));
    expect(create).not.toHaveBeenCalled();
    await type('File', '/a/file.json');
    await click('Create');
    expect(create).toHaveBeenCalledTimes(1);
  });

  it('drops what was typed only after a question', async () => {
    const onDone = jest.fn();
    const escape = async (answer?: string): Promise<void> => {
      await act(async () => {
        host
          .querySelector('form input')
          ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        await new Promise(resolve => window.setTimeout(resolve, 20));
        [...document.querySelectorAll<HTMLElement>('.jp-Dialog button')]
          .find(one => one.textContent === answer)
          ?.click();
        await new Promise(resolve => window.setTimeout(resolve, 20));
      });
    };
    await draw(form(store([]), onDone));
    await type('Name', 'red');
    await escape('Keep editing');
    expect(onDone).not.toHaveBeenCalled();
    await escape('Discard');
    expect(onDone).toHaveBeenCalledTimes(1);
    await draw(form(store([]), onDone));
    await escape();
    expect(onDone).toHaveBeenCalledTimes(2);
  });

  it('begins at a place with what the site offers there', async () => {
    const spec = { backend: 'jobs', partition: 'long' };
    const own = { name: 'own', title: 'Ours', description: '', needs_gpu: false, spec, ...picture };
    const create = jest.fn(() => Promise.resolve(cluster()));
    const presets = [...offer.presets, own];
    await draw(form(store([], { create, offer: () => Promise.resolve({ ...offer, presets }) })));
    expect(choices('Preset')).toEqual(['CPU', 'GPU (needs a GPU)']);
    await choose('Where', 'Batch');
    expect(choices('Preset')).toEqual(['Ours']);
    await click('Create');
    expect(create).toHaveBeenCalledWith({ ...spec, kernel_name: 'py' });
  });

  it('takes the focus to its first field', async () => {
    await draw(form(store([])));
    const first = host.querySelector('form input:not(:disabled), form select');
    expect(document.activeElement).toBe(first);
  });

  it('tells what to know, and what will be refused, before anything is created', async () => {
    const notes = jest.fn((spec: Readonly<Record<string, unknown>>) =>
      spec.n_workers === 7
        ? Promise.resolve({
            notes: [],
            demand: null,
            fields: [{ field: 'n_workers', message: 'is more than this machine has' }]
          })
        : Promise.resolve({
            notes: spec.n_workers === 6 ? ['6 threads run on 2 cores.'] : [],
            fields: [],
            demand: {
              n_workers: 2,
              threads_per_worker: 3,
              memory_limit_bytes: 12 * 2 ** 30,
              machine_memory_bytes: 23.5 * 2 ** 30,
              machine_cores: 2
            }
          })
    );
    const asked = async (text: string): Promise<void> => {
      await type('Workers', text);
      await act(() => new Promise<void>(resolve => window.setTimeout(resolve, 350)));
    };
    await draw(form(store([], { notes })));
    await asked('6');
    expect(notes).toHaveBeenLastCalledWith({ backend: 'local', n_workers: 6, kernel_name: 'py' });
    expect(host.querySelector('.gpc-Notes[role=status]')?.textContent).toBe(
      '6 threads run on 2 cores.'
    );
    // Resources needed is a bar each, and says when that is more than there is.
    const lines = [...host.querySelectorAll<HTMLElement>('.gpc-Demand-line')];
    expect(lines.map(({ textContent, dataset }) => [textContent, dataset.level])).toEqual([
      ['Memory▲ 2 × 12 GiB of 23.5 GiB', 'warning'],
      ['Threads▲ 2 × 3 on 2 cores', 'warning']
    ]);
    expect(host.querySelector('.gpc-Demand')?.textContent).not.toContain('Running clusters');
    const ended = cluster({ id: 'over', state: 'stopped' });
    await draw(<div />);
    await draw(form(store([cluster(), cluster({ id: 'far', backend: 'jobs' }), ended], { notes })));
    await asked('6');
    expect(host.querySelector('.gpc-Demand')?.textContent).toContain(
      '2 GiB already assigned to running clusters.'
    );
    await asked('7');
    expect(host.querySelector('.gpc-Notes')?.textContent).toBe('');
    expect(host.querySelector('[data-field=n_workers] [role=alert]')?.textContent).toBe(
      'Is more than this machine has.'
    );
  });

  it('marks all that is wrong in one round, naming the character, and drops nothing silently', async () => {
    const fields = [{ field: 'name', message: "must start with a letter; 'ä' is not allowed" }];
    const create = jest.fn(() => Promise.resolve(cluster()));
    const notes = (): Promise<Notes> => Promise.resolve({ notes: [], demand: null, fields });
    await draw(form(store([], { create, notes })));
    await type('Name', 'ä b');
    await type('Workers', '2w');
    await click('Copy as…');
    await click('Create');
    await act(() => new Promise<void>(resolve => window.setTimeout(resolve, 20)));
    const faults = [...host.querySelectorAll('.gpc-Fault')].map(one => one.textContent);
    expect(faults).toEqual([
      "Must start with a letter; 'ä' is not allowed.",
      'Enter a whole number, e.g. 2.'
    ]);
    expect(host.textContent).toContain('Fix first:NameWorkers');
    expect(host.querySelector('.gpc-CodeLines pre')?.textContent).toBe(
      'gpucluster.create("local", kernel_name="py")'
    );
    expect(host.querySelector('.gpc-CodeLines-left')?.textContent).toBe(
      'Not included until valid: Name, Workers'
    );
    expect(create).not.toHaveBeenCalled();
    // What is valid here and refused there is not sent either.
    await type('Workers', '2');
    await click('Create');
    expect(create).not.toHaveBeenCalled();
    expect(host.textContent).toContain('Fix first:Name');
  });

  it('shows nothing of this machine for a place that has not answered yet', async () => {
    const demand = {
      n_workers: 2,
      threads_per_worker: 1,
      memory_limit_bytes: 2 ** 30,
      machine_memory_bytes: 2 ** 32,
      machine_cores: 4
    };
    const notes = jest.fn(({ backend }: Readonly<Record<string, unknown>>) =>
      backend === 'jobs'
        ? new Promise<Notes>(() => undefined)
        : Promise.resolve({ notes: ['Here.'], demand, fields: [] })
    );
    await draw(form(store([], { notes })));
    await act(() => new Promise(resolve => setTimeout(resolve, 350)));
    expect(host.querySelector('.gpc-Demand')).not.toBeNull();
    await choose('Where', 'Batch');
    expect(host.querySelector('.gpc-Demand')).toBeNull();
    expect(host.textContent).not.toContain('Here.');
  });

  it('calls fields by their labels in what the server says', async () => {
    const message = 'n_workers is for others: leave other_field out.';
    const fields = [{ field: '', message }];
    const notes = (): Promise<Notes> => Promise.resolve({ notes: [], demand: null, fields });
    await draw(form(store([], { notes })));
    await click('Create', 2);
    expect(host.textContent).toContain('“Workers” is for others: leave other_field out.');
  });

  it('says what is refused of the whole request', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    const fields = [{ field: '', message: 'these two exclude each other' }];
    const notes = (): Promise<Notes> => Promise.resolve({ notes: [], demand: null, fields });
    await draw(form(store([], { create, notes })));
    await click('Create');
    expect(host.querySelector('.gpc-Error')?.textContent).toBe('These two exclude each other.');
    expect(create).not.toHaveBeenCalled();
  });

  it('says in a sentence that there is no GPU, and offers none', async () => {
    await draw(form(store([])));
    expect(host.textContent).toContain('No GPU here: clusters use CPU workers.');
    expect(host.querySelector<HTMLOptionElement>('option[value=cuda]')?.disabled).toBe(true);
    expect(host.querySelector<HTMLOptionElement>('option[value=gpu]')?.disabled).toBe(true);
  });

  it('sends nothing that it knows to be wrong', async () => {
    const create = jest.fn(() => Promise.resolve(cluster()));
    await draw(form(store([], { create })));
    await type('Workers', 'two');
    await click('Create');
    expect(create).not.toHaveBeenCalled();
    expect(host.textContent).toContain('Enter a whole number, e.g. 2.');
    expect(host.textContent).toContain('Fix first:Workers');
  });

  it('shows what the server refuses next to the field, until it is changed', async () => {
    const fields = [{ field: 'name', message: 'must start with a letter' }];
    const refusal = new RefusedError(422, {
      code: 'invalid_request',
      message: 'name: must …',
      fields
    });
    await draw(form(store([], { create: () => Promise.reject(refusal) })));
    await type('Name', '-');
    await click('Create');
    expect(host.querySelector('[data-field=name] [role=alert]')?.textContent).toBe(
      'Must start with a letter.'
    );
    await type('Name', 'blue');
    expect(host.querySelector('[data-field=name] [role=alert]')).toBeNull();
  });
});

describe('faults of the site', () => {
  const line = (site: SiteFaults): JSX.Element => (
    <SiteFaultsLine manager={store([], { site: () => Promise.resolve(site) })} shown={1} />
  );

  it('are listed for who can fix them', async () => {
    const faults = ['/etc/site.yaml, line 2: limits: no.', '/etc/site.yaml, line 4: presets: no.'];
    await draw(line({ faults, notice: 'A limit cannot be read.', message: null }));
    expect(host.querySelector('summary')?.textContent).toContain('2 errors');
    expect([...host.querySelectorAll('li')].map(one => one.textContent)).toEqual(faults);
  });

  it('have their bullets within the panel', async () => {
    await draw(
      line({ faults: ['/etc/site.yaml, line 2: limits: no.'], notice: null, message: null })
    );
    host.className = 'gpc-ClusterPanel';
    const sheet = readFileSync(join(__dirname, '../../labextension/style/panel.css'), 'utf-8');
    // jsdom does not read all of the sheet: the rules of lists are enough.
    const rules = sheet.match(/[^{}]+\{[^{}]*\}/g) ?? [];
    const style = document.createElement('style');
    style.textContent = rules.filter(rule => /\bul\b/.test(rule)).join('\n');
    document.head.append(style);
    const list = host.querySelector('ul') as HTMLElement;
    expect(getComputedStyle(list).paddingLeft).toBe('16px');
    style.remove();
  });

  it('are told to others as far as they are concerned', async () => {
    await draw(line({ faults: [], notice: 'A limit cannot be read.', message: null }));
    expect(host.textContent).toBe('A limit cannot be read.');
    await draw(line({ faults: [], notice: null, message: null }));
    expect(host.textContent).toBe('');
  });

  it('follow the message of the day', async () => {
    await draw(line({ faults: [], notice: null, message: 'Exercise 3 is due on Friday.' }));
    expect(host.textContent).toBe('Exercise 3 is due on Friday.');
  });
});

describe('panel', () => {
  it('shows the cluster of the notebook that comes into view, unless somebody works in the panel', () => {
    let seen = '';
    const links = {
      changed: new Signal({} as INotebookLinks),
      isConnected: ({ id }: ClusterModel) => id === seen
    } as unknown as INotebookLinks;
    const changed = { changed: new Signal({}) };
    const panel = new ClusterPanel({
      manager: store([cluster({ id: 'a' }), cluster({ id: 'b' })]),
      links,
      lessons: changed,
      unfolded: changed,
      commands,
      environment: {}
    } as unknown as ClusterPanel.IOptions);
    const scrolledAfter = (id: string): number => {
      seen = id;
      panel.node.scrollTop = 50;
      (links.changed as Signal<unknown, void>).emit();
      return panel.node.scrollTop;
    };
    expect(scrolledAfter('a')).toBe(0);
    expect(scrolledAfter('a')).toBe(50);
    expect(scrolledAfter('')).toBe(50);
    document.body.append(panel.node);
    const button = panel.node.appendChild(document.createElement('button'));
    button.focus();
    expect(scrolledAfter('b')).toBe(50);
    panel.dispose();
  });
});
