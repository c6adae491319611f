import type { NotebookPanel } from '@jupyterlab/notebook';
import type { PanelLayout, Widget } from '@lumino/widgets';

import type { IClusterManager } from '../clusters/tokens';
import type { CellProgress, ClusterModel } from '../protocol/messages';
import { CellStrip } from './cellstrip';
import { isOver, progressOf, secondsOf } from './runs';

/** When cells have the line: always, once they have computed for ten seconds, or never. */
export type CellStripChoice = 'always' | 'long' | 'never';

const LONG_SECONDS = 10;
const TICK_MS = 1000;
/** A cell that runs again keeps the room of its line this long after its end: its tasks may be reported a little later. */
const ROOM_MS = 2500;

type Cell = NotebookPanel['content']['widgets'][number];
/** JupyterLab's own type is in a package that is not needed otherwise. */
interface ICodeCellModel {
  readonly executionCount: number | null;
  readonly executionState?: string;
}

/** What a notebook knows of the last run of one of its cells on one cluster. */
interface IKnown {
  run: CellProgress;
  strip: CellStrip | null;
  /** Whether the cell was run again since then. */
  isPast: boolean;
}

export interface INotebookStripsOptions {
  readonly panel: NotebookPanel;
  readonly manager: IClusterManager;
  readonly choice: () => CellStripChoice;
  /** Show the log of a cluster. */
  readonly onLog: (id: string) => void;
  /** Profile the active cell. */
  readonly onProfile: () => void;
}

/** The lines below the cells of a notebook. Nothing of them is written into it. */
export class NotebookStrips {
  constructor(private readonly _options: INotebookStripsOptions) {
    const { panel, manager } = _options;
    manager.cellsChanged.connect(this._onCells, this);
    manager.changed.connect(this._onChanged, this);
    panel.sessionContext.kernelChanged.connect(this._recall, this);
    panel.sessionContext.statusChanged.connect(this._sync, this);
    // Cells that are moved, or come into view, get new widgets.
    panel.content.modelContentChanged.connect(this._sync, this);
    panel.disposed.connect(() => this.dispose());
    void panel.revealed.then(() => this._recall());
  }

  dispose(): void {
    const { panel, manager } = this._options;
    this._isDisposed = true;
    window.clearInterval(this._timer);
    manager.cellsChanged.disconnect(this._onCells, this);
    manager.changed.disconnect(this._onChanged, this);
    panel.sessionContext.kernelChanged.disconnect(this._recall, this);
    panel.sessionContext.statusChanged.disconnect(this._sync, this);
  }

  /** Draw again: the setting has changed. */
  update(): void {
    this._sync();
  }

  private get _kernel(): string | undefined {
    return this._options.panel.sessionContext.session?.kernel?.id;
  }

  private _onCells(
    _: unknown,
    { id, cells }: { id: string; cells: readonly CellProgress[] }
  ): void {
    let isOurs = false;
    for (const run of cells) {
      isOurs = this._note(id, run) || isOurs;
    }
    // Events were missed, as while the page was hidden: each names all cells that compute.
    for (const { run } of this._on(id)) {
      if (!isOver(run) && !cells.some(other => other.id === run.id)) {
        void this._ask(id, { run: run.id });
      }
    }
    if (isOurs) {
      this._sync();
    }
  }

  /** A cluster may have ended before what it computed. */
  private _onChanged(): void {
    const { manager } = this._options;
    let isLost = false;
    for (const [cluster, cells] of this._known) {
      const model = manager.get(cluster);
      if (model === undefined || hasEnded(model)) {
        for (const known of cells.values()) {
          if (!isOver(known.run)) {
            known.run = { ...known.run, lost: true };
            isLost = true;
          }
        }
      }
    }
    if (isLost) {
      this._sync();
    }
    if (manager.isReady && !this._hasAsked) {
      this._recall();
    }
  }

  /** Ask what the cells of this kernel have had computed: the page is new, or the kernel is. */
  private _recall(): void {
    const { manager } = this._options;
    const kernel = this._kernel;
    this._hasAsked = manager.isReady && kernel !== undefined;
    if (kernel !== undefined) {
      for (const cluster of manager.clusters.filter(one => !hasEnded(one))) {
        void this._ask(cluster.id, { kernel });
      }
    }
  }

  private async _ask(cluster: string, query: { run: string } | { kernel: string }): Promise<void> {
    const key = `${cluster} ${Object.values(query).join()}`;
    if (this._asked.has(key)) {
      return;
    }
    this._asked.add(key);
    try {
      for (const work of (await this._options.manager.cells(cluster, query)).cells) {
        const run = progressOf(work);
        // Otherwise a later run of the cell needed no cluster.
        const isLast = run !== null && (!isOver(run) || this._countOf(run.cell) === work.number);
        if (run !== null && ('run' in query || isLast)) {
          this._note(cluster, run);
        }
      }
    } catch {
      // The cluster has just ended: it is shown as far as it is known.
    }
    this._asked.delete(key);
    if (!this._isDisposed) {
      this._sync();
    }
  }

  /** The number beside a cell. */
  private _countOf(id: string): number | null {
    const cells = this._options.panel.content.model?.cells ?? [];
    const cell = [...cells].find(one => one.id === id);
    return (cell as Partial<ICodeCellModel> | undefined)?.executionCount ?? null;
  }

  /** Take over how far a run is; false where it is of another notebook, or of before. */
  private _note(cluster: string, run: CellProgress): boolean {
    const cells = this._known.get(cluster) ?? new Map<string, IKnown>();
    const known = cells.get(run.cell);
    if (known?.run.id === run.id) {
      // An answer that was asked for may be older than an event.
      if (!isOver(known.run) || isOver(run)) {
        known.run = run;
      }
      return !known.isPast;
    }
    if (run.kernel !== this._kernel || (known && known.run.began > run.began)) {
      return false;
    }
    this._known.set(cluster, cells);
    cells.set(run.cell, { run, strip: known?.strip ?? null, isPast: false });
    return true;
  }

  /** Let each cell have the line that it should have. */
  private _sync(): void {
    const { panel, manager } = this._options;
    const now = manager.now();
    let isRunning = false;
    const widgets = new Map(panel.content.widgets.map(cell => [cell.model.id, cell]));
    const newest = this._newest();
    for (const [cluster, cells] of this._known) {
      for (const [id, known] of cells) {
        const cell = widgets.get(id);
        if (cell?.model.type !== 'code') {
          known.strip?.dispose();
          cells.delete(id);
          continue;
        }
        this._watch(cell);
        isRunning ||= !isOver(known.run);
        if (!this._isShown(known, now)) {
          known.strip?.dispose();
          known.strip = null;
          continue;
        }
        if (known.strip === null || known.strip.isDisposed || known.strip.parent !== cell) {
          known.strip?.dispose();
          known.strip = this._add(cluster, cell, known.run);
        }
        known.strip?.showRun(known.run);
        if (known.strip !== null) {
          known.strip.isBlank = known.isPast;
          known.strip.canStop = this._isExecuting(cell, known, newest);
        }
      }
    }
    this._tickWhile(isRunning);
  }

  private _isShown({ run, isPast, strip }: IKnown, now: number): boolean {
    const choice = this._options.choice();
    if (choice === 'never' || (isPast && strip === null)) {
      return false;
    }
    return choice === 'always' || secondsOf(run, now) >= LONG_SECONDS;
  }

  /** Interrupting the kernel must stop this cell, and no other one. */
  private _isExecuting(cell: Cell, { run }: IKnown, newest: string | null): boolean {
    const { panel } = this._options;
    if (panel.content.widgets.some(isRunning)) {
      return isRunning(cell) && run.kernel === this._kernel;
    }
    // After a reload, JupyterLab does not know which cell is being run, and a busy kernel that has not answered yet is
    // 'unknown'. Otherwise the status says little: a message of a widget makes a busy kernel idle.
    const kernel = panel.sessionContext.session?.kernel;
    const isBusy = ['busy', 'unknown'].includes(kernel?.status ?? '');
    return isBusy && run.kernel === kernel?.id && run.id === newest;
  }

  private _newest(): string | null {
    const runs = [...this._known.values()].flatMap(cells =>
      [...cells.values()].map(one => one.run)
    );
    const newest = runs.reduce<CellProgress | null>(
      (one, other) => (one === null || other.began > one.began ? other : one),
      null
    );
    return newest?.id ?? null;
  }

  private _add(cluster: string, cell: Cell, run: CellProgress): CellStrip | null {
    const layout = cell.layout as PanelLayout;
    const input = layout.widgets.findIndex(({ node }) => node.matches('.jp-Cell-inputWrapper'));
    if (input < 0) {
      // It is drawn when it comes into view.
      void cell.ready.then(() => this._sync());
      return null;
    }
    const { panel, manager, onLog, onProfile } = this._options;
    const strip = new CellStrip(
      {
        cluster,
        manager,
        onStop: () => void panel.sessionContext.session?.kernel?.interrupt(),
        onLog: () => onLog(cluster),
        onProfile: () => {
          panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
          onProfile();
        }
      },
      run
    );
    layout.insertWidget(input + 1, strip);
    return strip;
  }

  /** Follow when a cell is run again. */
  private _watch(cell: Cell): void {
    if (this._watched.has(cell)) {
      return;
    }
    this._watched.add(cell);
    const { model } = cell;
    model.stateChanged.connect((_, { name }) => {
      if (name !== 'executionState' || this._isDisposed) {
        return;
      }
      if (isRunning(cell)) {
        this._of(model.id).forEach(known => (known.isPast = true));
      } else {
        window.setTimeout(() => this._giveUp(cell), ROOM_MS);
      }
      this._sync();
    });
  }

  /** A run of a cell has ended without any work for the cluster. */
  private _giveUp(cell: Cell): void {
    if (!this._isDisposed && !isRunning(cell)) {
      for (const known of this._of(cell.model.id)) {
        if (known.isPast) {
          known.strip?.dispose();
          known.strip = null;
        }
      }
    }
  }

  private _of(cell: string): IKnown[] {
    return [...this._known.values()].flatMap(cells => cells.get(cell) ?? []);
  }

  private _on(cluster: string): Iterable<IKnown> {
    return this._known.get(cluster)?.values() ?? [];
  }

  private _tickWhile(isRunning: boolean): void {
    if (!isRunning || this._isDisposed) {
      window.clearInterval(this._timer);
      this._timer = 0;
    } else if (this._timer === 0) {
      this._timer = window.setInterval(() => this._sync(), TICK_MS);
    }
  }

  /** By cluster and cell. */
  private readonly _known = new Map<string, Map<string, IKnown>>();
  private readonly _watched = new WeakSet<Widget>();
  private readonly _asked = new Set<string>();
  private _hasAsked = false;
  private _isDisposed = false;
  private _timer = 0;
}

function hasEnded({ state }: ClusterModel): boolean {
  return state === 'stopped' || state === 'failed';
}

function isRunning(cell: Cell): boolean {
  return (cell.model as Partial<ICodeCellModel>).executionState === 'running';
}
