import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { Panel, Widget, type PanelLayout } from '@lumino/widgets';

import { CellStrip } from '../../labextension/src/cells/cellstrip';
import { NotebookStrips, type CellStripChoice } from '../../labextension/src/cells/notebookstrips';
import { parts } from '../../labextension/src/cells/parts';
import { elapsed, headlineOf, progressOf, summaryOf } from '../../labextension/src/cells/runs';
import { share } from '../../labextension/src/cells/shared';
import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import type {
  CellProgress,
  CellsChanged,
  CellTasks,
  CellWork,
  ClusterModel
} from '../../labextension/src/protocol/messages';
import { cluster } from './models';

share(parts());

const BEGAN = '2026-01-01T10:00:00.000Z';
const at = (second: number): string => new Date(Date.parse(BEGAN) + 1000 * second).toISOString();
const GIB = 2 ** 30;

function run(changes: Partial<CellProgress> = {}): CellProgress {
  return {
    id: 'run-1',
    kernel: 'kernel-1',
    cell: 'a',
    began: BEGAN,
    n_tasks: 3204,
    n_done: 120,
    n_waiting: 3076,
    n_running: 8,
    n_failed: 0,
    n_cancelled: 0,
    ...changes
  };
}

const done = (changes: Partial<CellProgress> = {}): CellProgress =>
  run({ ended: at(41), n_done: 3204, n_waiting: 0, n_running: 0, ...changes });

function work(changes: Partial<CellWork> = {}): CellWork {
  const group: CellTasks = {
    name: 'inc',
    n_tasks: 10,
    n_done: 4,
    n_waiting: 5,
    n_running: 1,
    n_failed: 0,
    n_cancelled: 0,
    compute_seconds: 2,
    transfer_seconds: 0,
    result_bytes: 8,
    shared: false,
    first_seconds: 0,
    last_seconds: null,
    error: null
  };
  const { id, kernel, cell, began } = run();
  const facts = { id, kernel, cell, began, number: 1, notebook: 'a.ipynb', code: 'x', client: 'c' };
  const peaks = { memory_peak_bytes: 1, vram_peak_bytes: null, spilled_peak_bytes: 0 };
  const rest = { by_time: false, ended: null, lost: false, n_workers: 2, moved_bytes: 0 };
  const kept = {
    n_threads: 2,
    waiting_seconds: null,
    n_lost_workers: 0,
    cost: null,
    cost_unit: null,
    workers: [],
    where: null
  };
  return {
    ...facts,
    ...peaks,
    ...rest,
    ...kept,
    groups: [group, { ...group, name: 'add' }],
    ...changes
  };
}

describe('what is said', () => {
  it('sums up a cell that is done', () => {
    const peaks = { vram_peak_bytes: 31 * GIB, memory_peak_bytes: 4 * GIB, moved_bytes: 3.1 * GIB };
    expect(summaryOf(done(peaks), 0)).toBe('3,204 tasks · 41 s · peak 31 GiB VRAM · 3.1 GiB moved');
    expect(summaryOf(done({ n_tasks: 1, n_done: 1, ended: at(0.42), moved_bytes: 272 }), 0)).toBe(
      '1 task · 0.4 s'
    );
  });

  it('begins with what went wrong', () => {
    const parts = { n_done: 4, n_failed: 2, n_cancelled: 34, n_tasks: 40 };
    expect(summaryOf(done(parts), 0)).toBe('2 failed · 34 cancelled · 4 of 40 tasks · 41 s');
    expect(summaryOf(run({ lost: true }), 0)).toBe('the cluster ended · 120 of 3,204 tasks');
  });

  it('shows the figure that matters most', () => {
    const spilled = { spilled_peak_bytes: GIB, vram_peak_bytes: 2 * GIB };
    expect(headlineOf(run({ n_failed: 3, ...spilled }), 0).text).toBe('3 failed');
    expect(headlineOf(run(spilled), 0).text).toBe('waiting for workers');
    expect(headlineOf(run(spilled), 2)).toEqual({ text: '1 GiB spilled', level: 'warning' });
    expect(headlineOf(run({ vram_peak_bytes: 2 * GIB }), 2).text).toBe('peak 2 GiB VRAM');
    expect(headlineOf(run({ memory_peak_bytes: 2 * GIB }), 2).text).toBe('peak 2 GiB');
  });

  it.each([
    [0.44, '0.4 s'],
    [41.9, '41 s'],
    [125, '2 min 5 s'],
    [3900, '1 h 5 min']
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(elapsed(seconds, true)).toBe(text);
  });

  it('adds up the kinds of tasks', () => {
    expect(progressOf(work())).toMatchObject({ n_tasks: 20, n_done: 8, n_running: 2 });
    expect(progressOf(work({ cell: null }))).toBeNull();
  });
});

class Manager {
  isReady = true;
  clusters: ClusterModel[] = [cluster()];
  changed = new Signal<this, void>(this);
  cellsChanged = new Signal<this, CellsChanged>(this);
  seconds = 3;
  known: CellWork[] = [];
  asked: unknown[] = [];

  now(): number {
    return Date.parse(at(this.seconds));
  }

  get(id: string): ClusterModel | undefined {
    return this.clusters.find(one => one.id === id);
  }

  async cells(id: string, query: unknown): Promise<{ id: string; cells: CellWork[] }> {
    this.asked.push(query);
    return { id, cells: this.known };
  }

  tell(...cells: CellProgress[]): void {
    this.cellsChanged.emit({ kind: 'cells', id: 'a1b2c3d4', cells });
  }
}

/** A cell with the parts that JupyterLab gives it. */
class Cell extends Panel {
  constructor(id: string) {
    super();
    const input = new Widget();
    input.addClass('jp-Cell-inputWrapper');
    const output = new Widget();
    output.addClass('jp-Cell-outputWrapper');
    [new Widget(), input, output].forEach(one => this.addWidget(one));
    const model = {
      id,
      type: 'code',
      executionCount: null as number | null,
      executionState: 'idle'
    };
    this.model = { ...model, stateChanged: new Signal<object, { name: string }>(this) };
  }

  readonly model;
  readonly ready = Promise.resolve();

  set state(state: string) {
    this.model.executionState = state;
    this.model.stateChanged.emit({ name: 'executionState' });
  }

  get strips(): CellStrip[] {
    return (this.layout as PanelLayout).widgets.filter(one => one instanceof CellStrip);
  }

  /** The number of tasks, or the summary. */
  get text(): string | null {
    const line = this.strips[0]?.node.querySelector('.gpc-CellStrip-line:not(.gpc-mod-free)');
    return line?.querySelector('span:not([hidden], .gpc-Segment)')?.textContent ?? null;
  }

  get canStop(): boolean {
    const stop = this.strips[0]?.node.querySelector('.gpc-CellStrip-stop');
    return stop?.classList.contains('gpc-mod-free') === false;
  }
}

class Notebook {
  constructor(choice: CellStripChoice = 'always') {
    const sessionContext = {
      session: { kernel: this.kernel },
      kernelChanged: new Signal<object, void>(this),
      statusChanged: new Signal<object, void>(this)
    };
    this.panel = {
      sessionContext,
      revealed: Promise.resolve(),
      disposed: new Signal<object, void>(this),
      content: {
        widgets: this.cells,
        model: { cells: this.cells.map(({ model }) => model) },
        modelContentChanged: new Signal<object, void>(this),
        activeCellIndex: 0
      }
    } as unknown as NotebookPanel;
    this.strips = new NotebookStrips({
      panel: this.panel,
      manager: this.manager as unknown as IClusterManager,
      choice: () => choice,
      onLog: id => this.executed.push(`log of ${id}`),
      onProfile: () => this.executed.push('profile')
    });
  }

  readonly manager = new Manager();
  readonly cells = ['a', 'b'].map(id => new Cell(id));
  readonly interrupted = jest.fn();
  readonly kernel = { id: 'kernel-1', status: 'busy', interrupt: this.interrupted };
  readonly executed: string[] = [];
  readonly panel: NotebookPanel;
  readonly strips: NotebookStrips;
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) {
    await Promise.resolve();
  }
};

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('the line below a cell', () => {
  it('stands below the code of its own cell, and is of the own kernel', () => {
    const { manager, cells } = new Notebook();
    manager.tell(run(), run({ id: 'run-2', cell: 'b', kernel: 'kernel-of-another-notebook' }));
    expect(cells.map(({ text }) => text)).toEqual(['120 / 3,204', null]);
    const places = (cells[0].layout as PanelLayout).widgets;
    expect(places.indexOf(cells[0].strips[0])).toBe(2);
  });

  it('keeps its parts and says only start and end to a screen reader', () => {
    const { manager, cells } = new Notebook();
    manager.tell(run());
    const [strip] = cells[0].strips;
    const status = strip.node.querySelector('[role=status]') as HTMLElement;
    expect(status.textContent).toBe('');
    jest.advanceTimersByTime(200);
    expect(status.textContent).toBe('This cell is running on blue.');
    manager.tell(run({ n_done: 2000 }));
    jest.advanceTimersByTime(200);
    expect(status.textContent).toBe('This cell is running on blue.');
    expect(strip.node.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe(
      '2000'
    );
    manager.tell(done());
    jest.advanceTimersByTime(200);
    expect(cells[0].strips).toEqual([strip]);
    expect(status.textContent).toBe('3,204 tasks · 41 s');
  });

  it('stops the cell that is run, and offers it of no other one', () => {
    const { manager, cells, kernel, panel, interrupted } = new Notebook();
    const changed = panel.sessionContext.statusChanged as unknown as Signal<object, void>;
    cells[1].state = 'running';
    // The tasks of the first cell go on after it has ended.
    manager.tell(run(), run({ id: 'run-2', cell: 'b', began: at(2) }));
    expect(cells.map(({ canStop }) => canStop)).toEqual([false, true]);
    cells[1].strips[0].node.querySelector<HTMLElement>('.gpc-CellStrip-stop')?.click();
    expect(interrupted).toHaveBeenCalledTimes(1);
    cells[1].state = 'idle';
    // As after a reload, until the busy kernel answers.
    kernel.status = 'unknown';
    changed.emit();
    expect(cells.map(({ canStop }) => canStop)).toEqual([false, true]);
    kernel.status = 'idle';
    changed.emit();
    expect(cells.map(({ canStop }) => canStop)).toEqual([false, false]);
  });

  it('gives way to the next run of the cell, which may need no cluster', () => {
    const { manager, cells } = new Notebook();
    const [cell] = cells;
    manager.tell(done());
    const [strip] = cell.strips;
    cell.state = 'running';
    // It keeps its room.
    expect([cell.text, cell.strips]).toEqual([null, [strip]]);
    manager.tell(done());
    expect(cell.text).toBeNull();
    manager.tell(done(), run({ id: 'run-2', began: at(60) }));
    expect([cell.text, cell.strips]).toEqual(['120 / 3,204', [strip]]);
    manager.tell(done(), done({ id: 'run-2', began: at(60), ended: at(61) }));
    cell.state = 'idle';
    jest.advanceTimersByTime(5000);
    expect(cell.text).toBe('3,204 tasks · 1 s');
    cell.state = 'running';
    cell.state = 'idle';
    jest.advanceTimersByTime(5000);
    expect(cell.strips).toEqual([]);
  });

  it('asks for what it has missed', async () => {
    const { manager, cells } = new Notebook();
    await settled();
    manager.asked = [];
    manager.tell(run());
    manager.known = [work({ ended: at(4) })];
    manager.tell();
    await settled();
    expect(manager.asked).toEqual([{ run: 'run-1' }]);
    expect(cells[0].text).toBe('8 of 20 tasks · 4 s · peak 1 B');
  });

  it('comes back after a reload, unless the cell was run again since', async () => {
    const notebook = new Notebook();
    const { manager, cells, panel } = notebook;
    await settled();
    manager.known = [
      work({ number: 3, ended: at(2) }),
      work({ id: 'run-2', cell: 'b', number: 4, ended: at(2) })
    ];
    cells[0].model.executionCount = 3;
    cells[1].model.executionCount = 5;
    panel.content.model = { cells: cells.map(({ model }) => model) } as never;
    (panel.sessionContext.kernelChanged as unknown as Signal<object, void>).emit();
    await settled();
    expect(manager.asked[0]).toEqual({ kernel: 'kernel-1' });
    expect(cells.map(({ text }) => text)).toEqual(['8 of 20 tasks · 2 s · peak 1 B', null]);
  });

  it('says that the cluster has ended', () => {
    const { manager, cells } = new Notebook();
    manager.tell(run());
    manager.clusters = [cluster({ state: 'stopped' })];
    manager.changed.emit();
    expect(cells[0].text).toBe('the cluster ended · 120 of 3,204 tasks');
  });

  it('is shown as the setting says', () => {
    const never = new Notebook('never');
    never.manager.tell(run(), done({ id: 'run-2', cell: 'b' }));
    expect(never.cells.map(({ text }) => text)).toEqual([null, null]);
    const long = new Notebook('long');
    long.manager.tell(run(), done({ id: 'run-2', cell: 'b' }));
    expect(long.cells.map(({ text }) => text)).toEqual([null, '3,204 tasks · 41 s']);
    long.manager.seconds = 11;
    jest.advanceTimersByTime(1000);
    expect(long.cells[0].text).toBe('120 / 3,204');
  });

  it('offers to profile the cell again, and the log', async () => {
    const { manager, cells, executed, panel } = new Notebook();
    manager.tell(done({ id: 'run-2', cell: 'b' }));
    const [strip] = cells[1].strips;
    strip.node.querySelector<HTMLElement>('[aria-expanded]')?.click();
    strip.node.querySelectorAll<HTMLElement>('.gpc-Gauge-more').forEach(one => one.click());
    expect(executed).toEqual(['profile', 'log of a1b2c3d4']);
    expect(panel.content.activeCellIndex).toBe(1);
  });
});
