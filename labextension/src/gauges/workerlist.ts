import { element } from './element';
import type { IGaugeContext } from './gaugeset';
import { WorkerRow, type IWorkerData } from './workerrow';

/** Up to here all rows are drawn; beyond, the list scrolls and draws those that are seen. */
const WHOLE = 8;
/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const SPARE = 2;
/** Until the first row has been measured. */
const GUESSED_HEIGHT = 110;
const GUESSED_VIEW = 480;

/** The workers, one row each; only visible rows are in the document. */
export class WorkerList {
  constructor(
    private readonly _context: IGaugeContext,
    private readonly _onRetire: ((worker: string) => void) | undefined
  ) {
    this.node = element('div', 'gpc-WorkerList');
    this.node.setAttribute('role', 'list');
    this.node.setAttribute('aria-label', _context.words.workers);
    this._space = element('div', 'gpc-WorkerList-space', this.node);
    this._space.setAttribute('role', 'presentation');
    const onScroll = (): void => {
      this._look();
      this._draw();
    };
    this.node.addEventListener('scroll', onScroll, { passive: true });
    this.node.addEventListener('keydown', event => this._onKey(event));
    this.node.addEventListener('focusin', event => {
      const row = [...this._rows.values()].find(one => one.node.contains(event.target as Node));
      this._activate(row?.name ?? this._active);
    });
  }

  readonly node: HTMLElement;

  update(data: IWorkerData): void {
    const before = this._data?.sample.workers;
    this._data = data;
    const names = data.sample.workers;
    if (before === undefined || !isSame(before, names)) {
      this._positions = new Map(names.map((name, i) => [name, i]));
      this.node.classList.toggle('gpc-mod-long', names.length > WHOLE);
      if (!this._positions.has(this._active)) {
        this._active = names[0] ?? '';
      }
    }
    this._draw();
  }

  /** Measure anew: the width has changed. */
  remeasure(): void {
    this._look();
    this._shape = '';
    this._draw();
  }

  /** Bring a worker into view and give it the focus. */
  reveal(name: string): void {
    const i = this._positions.get(name);
    if (i === undefined) {
      return;
    }
    this._active = name;
    if (this._positions.size > WHOLE) {
      const top = i * this._height;
      if (top < this._top || top + this._height > this._top + this._view) {
        this.node.scrollTop = top;
      }
      this._look();
    }
    this._draw();
    const row = this._rows.get(name);
    row?.node.focus({ preventScroll: this._positions.size > WHOLE });
    if (this._positions.size > WHOLE) {
      this.node.scrollIntoView({ block: 'nearest' });
    }
  }

  private _draw(): void {
    const data = this._data;
    if (data === null) {
      return;
    }
    const { workers } = data.sample;
    let first = 0;
    let end = workers.length;
    if (workers.length > WHOLE) {
      first = Math.max(0, Math.floor(this._top / this._height) - SPARE);
      end = Math.min(workers.length, Math.ceil((this._top + this._view) / this._height) + SPARE);
    }
    const shown = new Set(workers.slice(first, end));
    // The row that has the focus stays, or the keyboard would be lost when it is scrolled away.
    if (this.node.contains(document.activeElement) && this._positions.has(this._active)) {
      shown.add(this._active);
    }
    for (const [name, row] of this._rows) {
      if (!shown.has(name)) {
        row.node.remove();
        this._rows.delete(name);
      }
    }
    let shape = '';
    for (const name of shown) {
      const i = this._positions.get(name) ?? 0;
      const row = this._rows.get(name) ?? this._add(name);
      const lines = row.update(i, data);
      shape = lines > shape ? lines : shape;
      row.node.style.top = workers.length > WHOLE ? `${i * this._height}px` : '';
    }
    if (shape > this._shape) {
      this._shape = shape;
      this._measure();
    }
    this._stretch();
  }

  /** Note what is seen. Not asked for in each frame: the answer costs a layout. */
  private _look(): void {
    this._top = this.node.scrollTop;
    this._view = this.node.clientHeight || GUESSED_VIEW;
  }

  /** All rows are as high as the highest: only then it is known where the unseen ones are. */
  private _measure(): void {
    const heights = [...this._rows.values()].map(row => row.node.offsetHeight);
    const height = Math.max(0, ...heights) || GUESSED_HEIGHT;
    const before = [this._height, this._view];
    this._height = height;
    this._stretch();
    this._look();
    if (height !== before[0] || this._view !== before[1]) {
      this._draw();
    }
  }

  /** Take the room of all rows, seen or not. */
  private _stretch(): void {
    const count = this._positions.size;
    const height = count > WHOLE ? `${count * this._height}px` : '';
    if (this._space.style.height !== height) {
      this._space.style.height = height;
    }
  }

  private _add(name: string): WorkerRow {
    const row = new WorkerRow(name, this._context, this._onRetire);
    row.isActive = name === this._active;
    this._rows.set(name, row);
    this._space.append(row.node);
    return row;
  }

  private _activate(name: string): void {
    this._rows.forEach(row => (row.isActive = row.name === name));
    this._active = name;
  }

  private _onKey(event: KeyboardEvent): void {
    const names = this._data?.sample.workers ?? [];
    const at = this._positions.get(this._active) ?? 0;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: names.length - 1
    };
    if (event.key in moves) {
      event.preventDefault();
      this.reveal(names[Math.min(names.length - 1, Math.max(0, moves[event.key]))]);
    }
  }

  private readonly _space: HTMLElement;
  private readonly _rows = new Map<string, WorkerRow>();
  private _positions = new Map<string, number>();
  private _data: IWorkerData | null = null;
  private _active = '';
  private _top = 0;
  private _view = GUESSED_VIEW;
  private _shape = '';
  private _height = GUESSED_HEIGHT;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, i) => name === other[i]);
}
