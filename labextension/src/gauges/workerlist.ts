import { element } from './element';
import type { IGaugeContext } from './gaugeset';
import { WorkerDetail } from './workerdetail';
import { WorkerRow, type IWorkerData } from './workerrow';

/** Up to here all rows are drawn; beyond, the list scrolls and draws those that are seen. */
export const FEW_WORKERS = 8;
/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const SPARE = 4;
/** Height of each row in pixels. */
const ROW = 24;
const GUESSED_VIEW = 340;

/** The workers, a line each; only visible ones are in the document. Below them, all about the one that is chosen. */
export class WorkerList {
  constructor(
    private readonly _context: IGaugeContext,
    onRetire: ((worker: string) => void) | undefined
  ) {
    this.node = element('div', 'gpc-WorkerPart');
    this._list = element('div', 'gpc-WorkerList', this.node);
    this._list.setAttribute('role', 'list');
    this._list.setAttribute('aria-label', _context.words.workers);
    this._space = element('div', 'gpc-WorkerList-space', this._list);
    this._space.setAttribute('role', 'presentation');
    this._detail = new WorkerDetail(_context, onRetire);
    this.node.append(this._detail.node);
    this._list.addEventListener('scroll', () => this.remeasure(), { passive: true });
    this._list.addEventListener('keydown', event => this._onKey(event));
    this._list.addEventListener('focusin', event => {
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
      this._list.classList.toggle('gpc-mod-long', names.length > FEW_WORKERS);
      this._space.style.height = `${names.length * ROW}px`;
      if (!this._positions.has(this._active)) {
        this._active = names[0] ?? '';
      }
    }
    this._draw();
  }

  /** Look anew at what is seen. Not asked for in each frame: the answer costs a layout. */
  remeasure(): void {
    this._top = this._list.scrollTop;
    this._view = this._list.clientHeight || GUESSED_VIEW;
    this._draw();
  }

  /** Bring a worker into view, show all about it, and give it the focus. */
  reveal(name: string): void {
    this._detail.name = name;
    this._focus(name);
  }

  private _focus(name: string): void {
    const i = this._positions.get(name);
    if (i === undefined) {
      return;
    }
    this._active = name;
    const isLong = this._positions.size > FEW_WORKERS;
    if (isLong) {
      const top = i * ROW;
      if (top < this._top || top + ROW > this._top + this._view) {
        this._list.scrollTop = top;
      }
      this.remeasure();
    } else {
      this._draw();
    }
    this._rows.get(name)?.node.focus({ preventScroll: isLong });
    if (isLong) {
      this._list.scrollIntoView({ block: 'nearest' });
    }
  }

  private _choose(name: string): void {
    this._detail.name = this._detail.name === name ? '' : name;
    this._draw();
  }

  private _draw(): void {
    const data = this._data;
    if (data === null) {
      return;
    }
    const { workers } = data.sample;
    let first = 0;
    let end = workers.length;
    if (workers.length > FEW_WORKERS) {
      first = Math.max(0, Math.floor(this._top / ROW) - SPARE);
      end = Math.min(workers.length, Math.ceil((this._top + this._view) / ROW) + SPARE);
    }
    const shown = new Set(workers.slice(first, end));
    // The row that has the focus stays, or the keyboard would be lost when it is scrolled away.
    if (this._list.contains(document.activeElement) && this._positions.has(this._active)) {
      shown.add(this._active);
    }
    for (const [name, row] of this._rows) {
      if (!shown.has(name)) {
        row.node.remove();
        this._rows.delete(name);
      }
    }
    for (const name of shown) {
      const i = this._positions.get(name) ?? 0;
      const row = this._rows.get(name) ?? this._add(name);
      row.update(i, data);
      row.isChosen = name === this._detail.name;
      row.node.style.top = `${i * ROW}px`;
    }
    this._detail.update(this._positions.get(this._detail.name) ?? -1, data);
  }

  private _add(name: string): WorkerRow {
    const row = new WorkerRow(name, this._context, chosen => this._choose(chosen));
    row.isActive = name === this._active;
    row.node.style.height = `${ROW}px`;
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
      this._focus(names[Math.min(names.length - 1, Math.max(0, moves[event.key]))]);
    }
  }

  private readonly _list: HTMLElement;
  private readonly _space: HTMLElement;
  private readonly _detail: WorkerDetail;
  private readonly _rows = new Map<string, WorkerRow>();
  private _positions = new Map<string, number>();
  private _data: IWorkerData | null = null;
  private _active = '';
  private _top = 0;
  private _view = GUESSED_VIEW;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, i) => name === other[i]);
}
