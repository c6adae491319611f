import { NotebookActions, type INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { profiledSource } from '../../labextension/src/actions/profiling';
import { ClusterChip } from '../../labextension/src/actions/clusterchip';
import * as CommandIDs from '../../labextension/src/actions/commandids';
import { connectNotebook } from '../../labextension/src/actions/connect';
import {
  type INotebookLinks,
  NotebooksInSight,
  requirePackage
} from '../../labextension/src/actions/links';
import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import { cluster } from './models';

// The module itself needs what Jest does not load.
jest.mock('@jupyterlab/notebook', () => ({
  NotebookActions: { runCells: jest.fn(), runAndAdvance: jest.fn(), insertBelow: jest.fn() }
}));

it('a cell is profiled once, whatever it says', () => {
  expect(profiledSource('x = 1')).toBe('%%gpucluster profile\nx = 1');
  expect(profiledSource('%%gpucluster  profile --quiet\nx')).toBe(
    '%%gpucluster  profile --quiet\nx'
  );
  expect(profiledSource('%%gpucluster profiles')).toContain('%%gpucluster profile\n');
});

describe('a kernel that is asked for gpucluster', () => {
  const panelOf = (kernel: unknown) =>
    ({ title: { label: 'My.ipynb' }, sessionContext: { session: { kernel } } }) as NotebookPanel;
  const answering = (content: unknown) =>
    panelOf({ requestExecute: () => ({ done: Promise.resolve({ content }) }) });
  const says = (has: string) => ({
    status: 'ok',
    user_expressions: {
      has: { status: 'ok', data: { 'text/plain': has } },
      python: { status: 'ok', data: { 'text/plain': "'/opt/python'" } }
    }
  });

  it('and has none is named with its Python', async () => {
    await expect(requirePackage(answering(says('False')))).rejects.toThrow(
      'gpucluster is not installed in the kernel of My.ipynb (/opt/python). Install'
    );
  });

  it.each([
    ['has it', answering(says('True'))],
    ['cannot answer', answering({ status: 'error' })],
    ['has no answers', answering({ status: 'ok', user_expressions: {} })],
    ['is not there', panelOf(null)]
  ])('goes on where it %s', async (_, panel) => {
    await expect(requirePackage(panel)).resolves.toBeUndefined();
  });
});

describe('a notebook that is connected', () => {
  const CODE = '%load_ext gpucluster\n%gpucluster connect blue';
  const cell = (source: string, type = 'code') => {
    const sharedModel = {
      getSource: () => source,
      setSource: (text: string) => void (source = text)
    };
    return { model: { type, sharedModel } };
  };
  async function connect(sources: string[], active: number) {
    const widgets = sources.map(source => cell(source));
    const content = {
      widgets,
      activeCellIndex: active,
      deselectAll: () => undefined,
      get activeCell() {
        return widgets[this.activeCellIndex];
      }
    };
    const ran: number[] = [];
    const note = () => Promise.resolve(Boolean(ran.push(content.activeCellIndex)));
    jest
      .spyOn(NotebookActions, 'runCells')
      .mockImplementation((_, [one]) =>
        Promise.resolve(Boolean(ran.push(widgets.indexOf(one as never))))
      );
    jest.spyOn(NotebookActions, 'runAndAdvance').mockImplementation(note);
    jest.spyOn(NotebookActions, 'insertBelow').mockImplementation(() => {
      content.activeCellIndex += 1;
      widgets.splice(content.activeCellIndex, 0, cell(''));
    });
    const panel = {
      id: 'n',
      isVisible: true,
      title: { label: 'My.ipynb' },
      content,
      sessionContext: { session: null, kernelPreference: {} }
    };
    await connectNotebook(cluster({ name: 'blue' }), {
      inSight: { open: () => [panel], last: () => panel } as unknown as NotebooksInSight,
      commands: new CommandRegistry(),
      environment: { kernels: () => [], activeKernel: () => null },
      activate: () => undefined
    });
    const after = widgets.map(({ model }) => model.sharedModel.getSource());
    return { after, ran, active: content.activeCellIndex };
  }

  it('runs the connect cell that it has, where the reader is not', async () => {
    const sources = ['x', CODE, 'y'];
    expect(await connect(sources, 2)).toEqual({ after: sources, ran: [1], active: 2 });
    expect(await connect(sources, 1)).toEqual({ after: sources, ran: [1], active: 1 });
  });

  it('gets one below the active cell, or in an empty one', async () => {
    expect(await connect(['x', 'y'], 0)).toEqual({ after: ['x', CODE, 'y'], ran: [1], active: 1 });
    expect(await connect(['x', ''], 1)).toEqual({ after: ['x', CODE], ran: [1], active: 1 });
    const other = CODE.replace('blue', 'red');
    expect((await connect([other], 0)).after).toEqual([other, CODE]);
  });
});

it('the menu of a notebook ticks the cluster that it uses', () => {
  const commands = new CommandRegistry();
  commands.addCommand(CommandIDs.connect, {
    label: args => `${String(args.name)}`,
    describedBy: { args: null },
    isToggled: args => args.isCurrent === true,
    execute: () => undefined
  });
  const owner = {};
  const ended = cluster({ id: '0', name: 'old', kernels: ['k'], state: 'stopped' });
  const clusters = [ended, cluster({ id: '1', name: 'red' })].concat(
    cluster({ id: '2', name: 'blue', kernels: ['k'] }),
    cluster({ id: '3', name: 'green', kernels: ['k'] })
  );
  const chip = new ClusterChip({
    panel: {
      id: 'n',
      sessionContext: {
        kernelChanged: new Signal(owner),
        session: { kernel: { id: 'k', name: 'py' } }
      }
    } as unknown as NotebookPanel,
    manager: { clusters, changed: new Signal(owner) } as unknown as IClusterManager,
    links: { changed: new Signal(owner) } as unknown as INotebookLinks,
    environment: {
      kernels: () => [{ name: 'py', displayName: 'Python' }],
      activeKernel: () => null
    },
    commands
  });
  Widget.attach(chip, document.body);
  expect(chip.node.textContent).toBe('blue');
  chip.node.querySelector('button')?.click();
  const ticked = [...document.querySelectorAll('.lm-Menu-item[data-type=command]')].filter(
    item => item.querySelector('.lm-Menu-itemIcon [data-icon="ui-components:check"]') !== null
  );
  // A kernel may be connected to several.
  expect(ticked.map(({ textContent }) => textContent)).toEqual(['blue', 'green']);
  chip.dispose();
});

describe('the notebook that is meant', () => {
  /** A tracker of notebooks, of which some are covered by other tabs. */
  function tracker(...names: string[]) {
    const panels = new Map(names.map(name => [name, { id: name, isVisible: true }]));
    const currentChanged = new Signal<object, unknown>({});
    const state = {
      currentChanged,
      currentWidget: null as unknown,
      forEach: (see: (panel: unknown) => void) => panels.forEach(see)
    };
    const front = { isOurs: false };
    const inSight = new NotebooksInSight(state as unknown as INotebookTracker, () => front.isOurs);
    return {
      inSight,
      front,
      cover: (name: string) => Object.assign(panels.get(name)!, { isVisible: false }),
      focus: (name: string) => {
        state.currentWidget = panels.get(name);
        currentChanged.emit(state.currentWidget);
      },
      meant: (): string | undefined => (inSight.last() as NotebookPanel | null)?.id
    };
  }

  it('is the one that had the focus last, of those in view', () => {
    const { focus, cover, meant, inSight, front } = tracker('a', 'b', 'c');
    focus('b');
    focus('a');
    focus('c');
    expect(meant()).toBe('c');
    cover('c');
    expect(meant()).toBe('a');
    cover('a');
    expect(meant()).toBe('b');
    cover('b');
    expect(meant()).toBeUndefined();
    // Its own log covers it.
    front.isOurs = true;
    expect(meant()).toBe('c');
    expect(inSight.open().map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  it('is none where there are no notebooks', () => {
    expect(new NotebooksInSight(null).last()).toBeNull();
    expect(tracker().meant()).toBeUndefined();
  });
});
