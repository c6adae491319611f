import { element, setAttribute, setText } from './element';
import { HostGroups, type IHostSums, type IListItem, HostRow } from './hostgroups';
import { Facts, workerFacts } from './facts';
import { fill } from './words';
import { type IGaugeContext, GaugeSet } from './gaugeset';
import { entry, titleOf } from './columns';
import { hasGpu, workerFigures } from './figures';
import { WorkerRow, type IWorkerData, staleAge } from './workerrow';

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
    this.node = element('div', '');
    this._head = element('div', 'gpc-WorkerHead', this.node);
    this._head.setAttribute('aria-hidden', 'true'); // Each row says it.
    element('span', '', this._head);
    this._heads = [element('span', '', this._head), element('span', '', this._head)];
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
      const found = [...this._rows].find(([, row]) => row.node.contains(event.target as Node));
      this._activate(found?.[0] ?? this._active);
    });
  }

  readonly node: HTMLElement;

  update(data: IWorkerData): void {
    this._data = data;
    const { parts } = this._context.words;
    const isGpu = data.sample.workers.length > 0 && hasGpu(data.sample, 0);
    setText(this._heads[0], parts[isGpu ? 'gpu' : 'cpu'].name);
    setText(this._heads[1], parts[isGpu ? 'vram' : 'memory'].name);
    if (this._groups.update(data.sample)) {
      this._list.classList.toggle('gpc-mod-long', this._isLong);
      this._arrange();
    }
    this._draw();
  }

  /** Look again at what is visible. Not done in each frame: the answer costs a layout. */
  remeasure(): void {
    this._top = this._list.scrollTop;
    this._view = this._list.clientHeight || GUESSED_VIEW;
    this._draw();
  }

  /** Bring a worker into view, show all about it, and give it the focus. */
  reveal(name: string): void {
    this._detail.name = name;
    const host = this._groups.hostOf(name);
    if (host !== '' && !this._groups.isOpen(host)) {
      this._turn(host);
    }
    this._focus(name);
  }

  /** Fold a machine, or unfold it. */
  private _turn(host: string): void {
    this._groups.turn(host);
    this._arrange();
    this.remeasure();
  }

  private get _isLong(): boolean {
    return (this._data?.sample.workers.length ?? 0) > FEW_WORKERS;
  }

  /** Give each line its place. */
  private _arrange(): void {
    const { items } = this._groups;
    this._positions = new Map(items.map(({ key }, i) => [key, i]));
    this._space.style.height = `${items.length * ROW}px`;
    if (!this._positions.has(this._active)) {
      this._active = items[0]?.key ?? '';
    }
  }

  private _focus(key: string): void {
    const i = this._positions.get(key);
    if (i === undefined) {
      return;
    }
    this._active = key;
    const isLong = this._isLong;
    if (isLong) {
      const top = i * ROW;
      if (top < this._top || top + ROW > this._top + this._view) {
        this._list.scrollTop = top;
      }
      this.remeasure();
    } else {
      this._draw();
    }
    this._rows.get(key)?.focus({ preventScroll: isLong });
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
    const { items } = this._groups;
    let first = 0;
    let end = items.length;
    if (this._isLong) {
      first = Math.max(0, Math.floor(this._top / ROW) - SPARE);
      end = Math.min(items.length, Math.ceil((this._top + this._view) / ROW) + SPARE);
    }
    // The row that has the focus stays, or the keyboard would be lost when it is scrolled away.
    const kept = this._list.contains(document.activeElement) ? this._active : '';
    const shown = items.filter(({ key }, i) => (i >= first && i < end) || key === kept);
    const keys = new Set(shown.map(({ key }) => key));
    for (const [key, row] of this._rows) {
      if (!keys.has(key)) {
        row.node.remove();
        this._rows.delete(key);
      }
    }
    let before: Element | null = null;
    for (const item of shown) {
      const i = this._positions.get(item.key) ?? 0;
      const row = this._rows.get(item.key) ?? this._add(item);
      if (row instanceof HostRow) {
        row.update(this._groups.sums.get(item.host) as IHostSums, this._groups.isOpen(item.host));
      } else {
        row.update(item.worker, data);
        row.isChosen = item.key === this._detail.name;
      }
      // In the order in which they are read.
      if (row.node.previousElementSibling !== before || !row.node.isConnected) {
        this._space.insertBefore(
          row.node,
          before === null ? this._space.firstChild : before.nextSibling
        );
      }
      before = row.node;
      row.node.style.top = `${i * ROW}px`;
      setAttribute(row.node, 'aria-setsize', `${items.length}`);
      setAttribute(row.node, 'aria-posinset', `${i + 1}`);
    }
    this._detail.update(data.sample.workers.indexOf(this._detail.name), data);
  }

  private _add({ key, worker, host }: IListItem): WorkerRow | HostRow {
    const row =
      worker < 0
        ? new HostRow(this._context.words, host, turned => this._turn(turned))
        : new WorkerRow(key, this._context, chosen => this._choose(chosen));
    row.isActive = key === this._active;
    row.node.style.height = `${ROW}px`;
    this._rows.set(key, row);
    return row;
  }

  private _activate(key: string): void {
    this._rows.forEach((row, name) => (row.isActive = name === key));
    this._active = key;
  }

  private _onKey(event: KeyboardEvent): void {
    const { items } = this._groups;
    const at = this._positions.get(this._active) ?? 0;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: items.length - 1
    };
    if (event.key in moves) {
      event.preventDefault();
      this._focus(items[Math.min(items.length - 1, Math.max(0, moves[event.key]))]?.key ?? '');
    }
  }

  private readonly _head: HTMLElement;
  private readonly _heads: readonly HTMLElement[];
  private readonly _list: HTMLElement;
  private readonly _space: HTMLElement;
  private readonly _detail: WorkerDetail;
  private readonly _groups = new HostGroups();
  private readonly _rows = new Map<string, WorkerRow | HostRow>();
  private _positions = new Map<string, number>();
  private _data: IWorkerData | null = null;
  private _active = '';
  private _top = 0;
  private _view = GUESSED_VIEW;
}

/** All that is known of the one worker that was chosen, below the list. */
class WorkerDetail {
  constructor(
    private readonly _context: IGaugeContext,
    onRetire: ((worker: string) => void) | undefined
  ) {
    const { words, tooltip } = _context;
    this.node = element('div', 'gpc-WorkerDetail');
    this.node.setAttribute('role', 'group');
    this.node.hidden = true;
    const header = element('div', 'gpc-WorkerDetail-header', this.node);
    this._title = element('span', 'gpc-WorkerDetail-name', header);
    this._age = element('span', 'gpc-WorkerDetail-age', header);
    if (onRetire !== undefined) {
      const retire = element('button', 'gpc-WorkerDetail-retire', header);
      retire.type = 'button';
      retire.textContent = words.retire;
      retire.addEventListener('click', () => onRetire(this.name));
      tooltip.explain(retire, () => [words.retire, words.retireSentence]);
      this._retire = retire;
    }
    this._error = element('p', 'gpc-WorkerDetail-error', this.node);
    this._gauges = new GaugeSet(_context);
    this._gauges.isFocusable = true;
    this._facts = new Facts(_context);
    this.node.append(this._gauges.node, this._facts.node);
    this._address = element('p', 'gpc-WorkerDetail-address', this.node);
  }

  readonly node: HTMLElement;

  /** The worker that is shown; empty for none. */
  name = '';

  /** Draw the i-th worker; -1 for none. */
  update(i: number, { sample, cluster, past, flows }: IWorkerData): void {
    this.node.hidden = i < 0;
    if (i < 0) {
      return;
    }
    const { words } = this._context;
    const isGpu = hasGpu(sample, i);
    const traces = past.worker(this.name);
    const title = titleOf(sample, i, words);
    this.node.setAttribute('aria-label', title);
    setText(this._title, title);
    setText(this._age, staleAge(sample, i, words));
    if (this._retire !== null) {
      this._retire.setAttribute('aria-label', fill(words.retireOne, { worker: title }));
      this._retire.hidden = cluster.can?.includes('retire') === false;
    }
    setText(this._error, entry(sample, 'device_error', i) ?? '');
    this._gauges.update(
      workerFigures(sample, i, !isGpu),
      isGpu
        ? { gpu: traces?.busy, vram: traces?.memory }
        : { cpu: traces?.busy, memory: traces?.memory },
      isGpu
    );
    this._facts.update(workerFacts(sample, i, isGpu, flows.worker(this.name), this._context));
    const model = cluster.workers.find(worker => worker.name === this.name);
    const address = model?.address
      ? fill(words.process, { pid: `${model.pid ?? '?'}`, address: model.address })
      : '';
    // Where the title is a number, this is what logs and Dask's pages call it.
    const named = title.includes(this.name) ? '' : fill(words.worker, { name: this.name });
    const text = [named, address].filter(line => line !== '').join(' · ');
    setText(this._address, text);
    // One line: addresses are long.
    setAttribute(this._address, 'title', text);
  }

  private readonly _title: HTMLElement;
  private readonly _age: HTMLElement;
  private readonly _retire: HTMLButtonElement | null = null;
  private readonly _error: HTMLElement;
  private readonly _gauges: GaugeSet;
  private readonly _facts: Facts;
  private readonly _address: HTMLElement;
}
