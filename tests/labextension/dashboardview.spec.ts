import { ServerConnection } from '@jupyterlab/services';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import type { Connection, IClusterManager } from '../../labextension/src/clusters/tokens';
import { DashboardView } from '../../labextension/src/dashboards/dashboardview';
import { PageLists } from '../../labextension/src/dashboards/pagelists';
import type { ClusterModel } from '../../labextension/src/protocol/messages';
import { cluster } from './models';

/** A manager whose clusters the test sets. */
class Manager {
  clusters: ClusterModel[] = [];
  isReady = true;
  connection: Connection = 'live';
  changed = new Signal<this, void>(this);

  get(id: string): ClusterModel | undefined {
    return this.clusters.find(candidate => candidate.id === id);
  }

  set(...clusters: ClusterModel[]): void {
    this.clusters = clusters;
    this.changed.emit();
  }
}

const asked: string[] = [];
const serverSettings = ServerConnection.makeSettings({
  baseUrl: 'http://localhost/user/x/',
  fetch: ((request: Request) => {
    asked.push(request.url.replace(/\?\d+$/, ''));
    return Promise.resolve(new Response('{"Individual New": "/individual-new"}'));
  }) as unknown as ServerConnection.ISettings['fetch']
});

let manager: Manager;
let view: DashboardView;

function open(): void {
  view = new DashboardView({
    id: 'old',
    name: 'blue',
    page: 'status',
    manager: manager as unknown as IClusterManager,
    pages: new PageLists(serverSettings),
    commands: new CommandRegistry(),
    serverSettings
  });
  act(() => Widget.attach(view, document.body));
}

const frame = (): HTMLIFrameElement | null => view.node.querySelector('iframe');
const sentence = (): string => view.node.querySelector('p')?.textContent ?? '';

const drawn = (): Promise<unknown> =>
  act(async () => {
    await jest.advanceTimersByTimeAsync(100);
  });

beforeEach(() => {
  jest.useFakeTimers();
  manager = new Manager();
  asked.length = 0;
});

afterEach(async () => {
  await drawn();
  act(() => view.dispose());
  jest.useRealTimers();
});

it('shows the page of its cluster, below the base URL', () => {
  manager.clusters = [cluster({ id: 'old' })];
  open();
  expect(frame()?.src).toBe('http://localhost/user/x/gpucluster/dashboard/old/status');
  expect(frame()?.title).toBe('Status: dashboard of cluster blue');
  expect(view.title.label).toBe('Status · blue');
  frame()?.dispatchEvent(new Event('load'));
  expect(sentence()).toBe('');
});

it('waits in words, and goes over to the next cluster of its name', () => {
  manager.isReady = false;
  open();
  const seen: string[] = [];
  view.subjectChanged.connect(() => seen.push(view.clusterId));
  expect(sentence()).toContain('Looking for');
  manager.isReady = true;
  manager.set(cluster({ id: 'old', state: 'stopped', dashboard_path: null }));
  expect([frame(), sentence()]).toEqual([null, expect.stringContaining('has stopped')]);
  manager.set(cluster({ id: 'new', state: 'starting', dashboard_path: null }));
  expect([frame(), sentence()]).toEqual([null, expect.stringContaining('is starting')]);
  manager.set(cluster({ id: 'new' }));
  expect(frame()?.src).toContain('/dashboard/new/status');
  expect(seen).toEqual(['new']);
});

it('keeps a page that is shown through changes of its cluster, and loads it again after a loss', () => {
  manager.set(cluster({ id: 'old' }));
  open();
  const first = frame();
  manager.set(cluster({ id: 'old', n_workers: 3, state: 'scaling' }));
  expect(frame()).toBe(first);
  manager.connection = 'lost';
  manager.changed.emit();
  expect(frame()).toBe(first);
  manager.connection = 'live';
  manager.changed.emit();
  expect(frame()).not.toBe(first);
});

it('unloads a page that is not visible, and loads it when it is shown', () => {
  manager.set(cluster({ id: 'old' }));
  open();
  const first = frame();
  view.hide();
  jest.advanceTimersByTime(30_000);
  view.show();
  expect(frame()).toBe(first);
  view.hide();
  jest.advanceTimersByTime(61_000);
  expect(frame()).toBeNull();
  view.show();
  expect(frame()).not.toBeNull();
});

it('tries again when our server could not reach the dashboard', () => {
  manager.set(cluster({ id: 'old' }));
  open();
  const first = frame();
  const refusal = document.implementation.createHTMLDocument();
  refusal.head.innerHTML = '<meta name="gpucluster-refusal">';
  Object.defineProperty(first, 'contentDocument', { value: refusal });
  first?.dispatchEvent(new Event('load'));
  expect(frame()).toBe(first);
  jest.advanceTimersByTime(2000);
  expect(frame()).not.toBe(first);
});

it('says that it waits, and stops asking for a dashboard that never answers', () => {
  manager.set(cluster({ id: 'old' }));
  open();
  expect(sentence()).toBe('Loading…');
  const refuse = (): void => {
    const refusal = document.implementation.createHTMLDocument();
    refusal.head.innerHTML = '<meta name="gpucluster-refusal">';
    Object.defineProperty(frame(), 'contentDocument', { value: refusal });
    frame()?.dispatchEvent(new Event('load'));
  };
  for (let time = 0; time < 8; time++) {
    refuse();
    expect(sentence()).toContain('retrying');
    act(() => void jest.advanceTimersByTime(30_000));
  }
  refuse();
  const last = frame();
  act(() => void jest.advanceTimersByTime(600_000));
  expect(frame()).toBe(last);
  expect(sentence()).toContain('Reload this page');
  view.reload();
  expect(frame()).not.toBe(last);
});

it('asks the scheduler for its pages once, when it runs', async () => {
  manager.set(cluster({ id: 'old', state: 'starting', dashboard_path: null }));
  open();
  await drawn();
  expect(asked).toEqual([]);
  manager.set(cluster({ id: 'old' }));
  await drawn();
  manager.set(cluster({ id: 'old', n_clients: 1 }));
  await drawn();
  expect(asked).toEqual(['http://localhost/user/x/gpucluster/dashboard/old/individual-plots.json']);
});
