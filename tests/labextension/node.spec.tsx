import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';

import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import { HostDevices } from '../../labextension/src/host/hostdevices';
import { h } from '../../labextension/src/jsx';
import type {
  ClassCluster,
  HostDevices as HostReading,
  NodeModel,
  SlotHolder
} from '../../labextension/src/protocol/messages';
import { device, noDevices } from './models';

const ago = (seconds: number): string => new Date(Date.now() - 1000 * seconds).toISOString();

const holder = (changes: Partial<SlotHolder> = {}): SlotHolder => ({
  user: 'ada',
  slot: 1,
  since: ago(125),
  ends_at: ago(-7290),
  mine: false,
  beyond: false,
  ...changes
});

const shared: NodeModel = {
  devices: [
    {
      uuid: 'GPU-0',
      index: 0,
      name: 'A100',
      slots: 4,
      free: 2,
      reserved: false,
      utilization_percent: 45,
      holders: [
        holder(),
        holder({ user: 'grace', slot: 2, mine: true, ends_at: null }),
        holder({ user: null, slot: null, since: null, ends_at: null, beyond: true })
      ]
    }
  ],
  line: [
    { user: 'alan', since: null, gpus: 1, certain: false, mine: false },
    { user: 'grace', since: ago(5), gpus: 2, certain: true, mine: true }
  ],
  more: [
    { user: 'mallory', above: 397, claims: 0, places: 98, mine: false },
    { user: 'grace', above: 1, claims: 2, places: 0, mine: true }
  ],
  message: '',
  instructor: false
};

const member = (changes: Partial<ClassCluster>): ClassCluster => ({
  id: 'a',
  user: 'ada',
  mine: false,
  kind: 'local',
  kind_title: 'CPU',
  state: 'running',
  n_workers: 2,
  gpus: ['0, slot 1 of 4'],
  since: ago(125),
  idle_since: ago(61),
  problem: null,
  times: 1,
  ...changes
});

const nothing: NodeModel = { devices: [], line: [], more: [], message: '', instructor: false };
const gpu: HostReading = { ...noDevices, available: true, code: 'ok', devices: [device()] };

let node: HTMLElement;
let root: Root;
let asked: unknown[];
let refusal: string | null;

async function show(
  host: HostReading,
  seen: NodeModel,
  clusters: readonly ClassCluster[] = []
): Promise<void> {
  const hostChanged = new Signal<object, void>({});
  let wasAsked = false;
  const manager = {
    host,
    hostChanged,
    node: () => {
      wasAsked = true;
      return Promise.resolve(seen);
    },
    classClusters: () => Promise.resolve(clusters),
    instruct: async (what: string, body: unknown) => {
      asked.push([what, body]);
      if (refusal !== null) {
        throw new Error(refusal);
      }
    }
  } as unknown as IClusterManager;
  await act(async () => {
    root.render(<HostDevices manager={manager} commands={new CommandRegistry()} />);
  });
  // The first look comes when the page is at leisure.
  for (let i = 0; i < 200 && !wasAsked; i++) {
    await settle();
  }
  await settle();
}

const settle = (): Promise<void> =>
  act(() => new Promise<void>(resolve => setTimeout(resolve, 20)));
const lines = (label: string): (string | null)[] =>
  Array.from(node.querySelectorAll(`[aria-label="${label}"] > li`), line => line.textContent);

async function press(label: string): Promise<void> {
  act(() => node.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.click());
  await settle();
}

async function answer(text: string, button: string): Promise<void> {
  const dialog = document.querySelector('.jp-Dialog');
  const input = dialog?.querySelector('input');
  if (input) {
    input.value = text;
  }
  const buttons = Array.from<HTMLElement>(dialog?.querySelectorAll('button') ?? []);
  act(() => buttons.find(({ textContent }) => textContent === button)?.click());
  await settle();
}

beforeEach(() => {
  node = document.createElement('div');
  document.body.append(node);
  root = createRoot(node);
  asked = [];
  refusal = null;
});

afterEach(async () => {
  await settle();
  act(() => root.unmount());
  node.remove();
});

it('tells who has which slot, marks what is mine, and offers nothing to other users', async () => {
  await show(gpu, shared);
  expect(lines('Users of GPU 0')).toEqual([
    'adaslot 1 of 4for 2 min · ends in 2 h 1 min',
    'grace (you)slot 2 of 4for 2 min',
    'another userone of 4 slotsalso claimed, shared',
    '2 slots free'
  ]);
  expect(lines('In queue')).toEqual(['1. alan1 GPU', '2. grace (you)2 specific GPUsfor 5 s']);
  expect(lines('Not listed')).toEqual([
    'mallory397 claims above the limit, which are ignored · 98 more places in the queue',
    'grace (you)1 claim above the limit, which is ignored · 2 more claims'
  ]);
  expect(node.querySelectorAll('.gpc-mod-mine')).toHaveLength(3);
  expect(node.querySelectorAll('button')).toHaveLength(0);
  expect(node.textContent).not.toContain('class');
});

it('says nothing superfluous where nobody has anything, or no GPU is', async () => {
  await show(gpu, { ...nothing, devices: [{ ...shared.devices[0], holders: [] }] });
  expect(node.querySelector('.gpc-Holders')).toBeNull();
  await show(noDevices, nothing);
  expect(node.textContent).toBe('GPUs on this machineNo GPU here: clusters use CPU workers.');
});

it('says that a GPU is reserved', async () => {
  await show(gpu, { ...nothing, devices: [{ ...shared.devices[0], holders: [], reserved: true }] });
  expect(lines('Users of GPU 0')).toEqual(['reserved']);
});

it('lets an instructor message and stop others, and says what could not be done', async () => {
  await show(gpu, { ...shared, instructor: true });
  expect(node.querySelectorAll('[aria-label^="Message "]')).toHaveLength(1);
  await press('Message ada…');
  await answer('  ', 'Send');
  expect(asked).toEqual([]);
  await press('Message ada…');
  await answer('Please stop.', 'Send');
  await press('Stop the clusters of ada…');
  await answer('', 'Cancel');
  refusal = 'A cluster of ada does not respond.';
  await press('Stop the clusters of ada…');
  await answer('The exam begins', 'Stop');
  expect(asked).toEqual([
    ['message', { user: 'ada', text: 'Please stop.' }],
    ['stop', { user: 'ada', reason: 'The exam begins' }]
  ]);
  expect(node.querySelector('[role=alert]')?.textContent).toBe(refusal);
});

it('lists the clusters of a class without GPUs when an instructor opens it', async () => {
  const clusters = [
    member({ gpus: [] }),
    member({ id: 'b', problem: 'It does not respond.', state: null, times: 30 }),
    member({ id: 'c', user: 'ida', mine: true, idle_since: null })
  ];
  await show(noDevices, { ...nothing, instructor: true }, clusters);
  expect(node.querySelector('[aria-label="Class clusters"]')).toBeNull();
  const details = Array.from(node.querySelectorAll('details')).pop();
  if (details !== undefined) {
    details.open = true;
  }
  await settle();
  await settle();
  expect(lines('Class clusters')).toEqual([
    'adaMessage…Stop…CPU · running · 2 workers · for 2 min · idle for 1 minIt does not respond. (30 times)',
    'ida (you)CPU · running · 2 workers · GPU 0, slot 1 of 4 · for 2 min',
    'EveryoneMessage…'
  ]);
  await press('Message everyone…');
  await answer('The room closes.', 'Send');
  expect(asked).toEqual([['message', { user: null, text: 'The room closes.' }]]);
});
