import type { PrefixProgress } from '../protocol/messages';
import { disclosure } from './disclosure';
import { element, setAttribute, setText } from './element';
import type { IGaugeContext } from './gaugeset';
import { cut } from './stackbar';
import { formatCount } from './units';
import { fill, type IGaugeWords } from './words';

/** Kinds of tasks shown before *Show more*. */
const FEW = 3;

/** Segments of a line: finished, failed, at a worker; the rest is still to come. */
type State = 'done' | 'erred' | 'processing';
const STATES: readonly State[] = ['done', 'erred', 'processing'];

type Kind = { -readonly [name in keyof PrefixProgress]-?: PrefixProgress[name] };

/** A kind that has done nothing for this many updates gives its place to an active one that is not shown. */
const QUIET_UPDATES = 5;

/** How far the tasks of each kind are. Each keeps its place while it has something to do. */
export class ProgressList {
  constructor(private readonly _context: IGaugeContext) {
    const { words } = _context;
    this.node = element('div', 'gpc-ProgressList');
    this._list = element('ul', '', this.node);
    this._list.setAttribute('aria-label', words.progress);
    this._more = element('button', 'gpc-Disclosure-button', this.node);
    this._more.type = 'button';
    this.node.hidden = true;
    this._more.addEventListener('click', () => {
      this._isWhole = !this._isWhole;
      this._show();
    });
  }

  readonly node: HTMLElement;

  update(kinds: readonly PrefixProgress[]): void {
    this._place(kinds.map(whole));
    this._show();
  }

  private _show(): void {
    const { words } = this._context;
    this.node.hidden = this._kinds.size === 0;
    const others = [...this._kinds.keys()].filter(prefix => !this._shown.has(prefix)).length;
    const lines = [...this._order].filter(
      prefix => this._shown.has(prefix) || (this._isWhole && this._kinds.has(prefix))
    );
    while (this._list.childElementCount > lines.length) {
      this._list.lastElementChild?.remove();
    }
    lines.forEach((prefix, i) => {
      const node = this._list.children[i] ?? this._add();
      const kind = this._kinds.get(prefix);
      node.classList.toggle('gpc-mod-free', kind === undefined);
      if (kind !== undefined) {
        drawKind(kind, node, this._context.words);
      }
    });
    this._more.hidden = others === 0;
    setText(this._more, this._isWhole ? words.fewer : fill(words.more, { count: `${others}` }));
    setAttribute(this._more, 'aria-expanded', `${this._isWhole}`);
  }

  /** The scheduler names first the kind that was active last; following it, lines would jump all the time. */
  private _place(kinds: readonly Kind[]): void {
    for (const kind of kinds) {
      const before = this._kinds.get(kind.prefix);
      const isQuiet =
        doneOf(kind) === (before === undefined ? 0 : doneOf(before)) &&
        kind.processing + kind.erred === 0;
      // What has never begun gives way at once.
      const last = this._quiet.get(kind.prefix) ?? QUIET_UPDATES;
      this._quiet.set(kind.prefix, isQuiet ? last + 1 : 0);
    }
    this._kinds = new Map(kinds.map(kind => [kind.prefix, kind]));
    if (kinds.length === 0) {
      this._order.clear();
      this._shown.clear();
    }
    [...kinds].reverse().forEach(({ prefix }) => this._order.add(prefix));
    const quietFor = (prefix: string): number =>
      this._kinds.has(prefix) ? (this._quiet.get(prefix) ?? 0) : Infinity;
    const others = [...this._order]
      .filter(prefix => this._kinds.has(prefix) && !this._shown.has(prefix))
      .sort((one, other) => quietFor(one) - quietFor(other));
    for (const next of others) {
      // What works takes a line that is free, or that of what has done nothing for a while; what rests takes a free one.
      const least = quietFor(next) === 0 && !this._isWhole ? QUIET_UPDATES : Infinity;
      const isFree = this._shown.size < FEW;
      const given = isFree ? '' : [...this._shown].find(prefix => quietFor(prefix) >= least);
      if (given !== undefined) {
        this._shown.delete(given);
        this._shown.add(next);
      }
    }
  }

  private _add(): Element {
    const node = element('li', 'gpc-Prefix', this._list);
    element('span', 'gpc-Prefix-name', node);
    addBar(node);
    this._context.tooltip.explain(node, () => [
      node.children[0].textContent ?? '',
      sentenceOf(this._kinds.get(node.children[0].textContent ?? ''), this._context.words),
      this._context.words.parts.prefix.sentence
    ]);
    return node;
  }

  private readonly _list: HTMLElement;
  private readonly _more: HTMLButtonElement;
  private readonly _quiet = new Map<string, number>();
  private _kinds: ReadonlyMap<string, Kind> = new Map();
  /** Kinds in the order in which they were first seen, which they keep. */
  private readonly _order = new Set<string>();
  /** Those that have a line, even while they have no tasks. */
  private readonly _shown = new Set<string>();
  private _isWhole = false;
}

/** All tasks in one line; once it is opened, a line below it for each kind. */
export class Progress {
  constructor(
    private readonly _context: IGaugeContext,
    onToggle: (isOpen: boolean) => void
  ) {
    const { tooltip, words } = _context;
    const fold = disclosure(words.progress, 'gpc-Tasks', onToggle);
    this.node = fold.node;
    this.toggle = fold.toggle;
    this._head = element('div', 'gpc-Prefix gpc-Disclosure');
    this._head.append(fold.button);
    addBar(this._head);
    this._list = new ProgressList(_context);
    fold.content.append(this._list.node);
    this.node.prepend(this._head);
    tooltip.explain(this._head, () =>
      [this._sum, ...this._kinds].map(kind => `${kind.prefix}: ${sentenceOf(kind, words)}`)
    );
  }

  readonly node: HTMLElement;
  /** Open or close, without telling anybody. */
  readonly toggle: (isOpen: boolean) => void;

  update(kinds: readonly PrefixProgress[]): void {
    const { words } = this._context;
    this._kinds = kinds.map(whole);
    this._sum = whole({ prefix: words.progress });
    for (const kind of this._kinds) {
      COUNTS.forEach(count => (this._sum[count] += kind[count]));
    }
    drawKind(this._sum, this._head, words);
    this._list.update(kinds);
  }

  private readonly _head: HTMLElement;
  private readonly _list: ProgressList;
  private _kinds: readonly Kind[] = [];
  private _sum = whole({ prefix: '' });
}

function addBar(node: HTMLElement): void {
  const track = element('div', 'gpc-Stack', node);
  track.setAttribute('role', 'progressbar');
  track.setAttribute('aria-valuemin', '0');
  const inside = element('div', 'gpc-Stack-track', track);
  STATES.forEach(state => (element('span', 'gpc-Segment', inside).dataset.state = state));
  element('span', 'gpc-Gauge-figure', node);
}

function drawKind(kind: Kind, node: Element, words: IGaugeWords): void {
  const total = totalOf(kind);
  const done = doneOf(kind);
  const counts: Record<State, number> = { done, erred: kind.erred, processing: kind.processing };
  const [name, track, figure] = node.children;
  setText(name, kind.prefix);
  setText(figure, total === 0 ? '' : `${formatCount(done)} / ${formatCount(total)}`);
  setAttribute(track, 'aria-label', kind.prefix);
  setAttribute(track, 'aria-valuemax', `${total}`);
  setAttribute(track, 'aria-valuenow', `${done}`);
  setAttribute(track, 'aria-valuetext', sentenceOf(kind, words));
  const segments = track.children[0].children as HTMLCollectionOf<HTMLElement>;
  let from = 0;
  STATES.forEach((state, i) => {
    const to = from + (total === 0 ? 0 : (counts[state] / total) * 100);
    cut(segments[i], from, to);
    from = to;
  });
}

function sentenceOf(kind: Kind | undefined, words: IGaugeWords): string {
  if (kind === undefined) {
    return '';
  }
  const total = formatCount(totalOf(kind));
  const done = fill(words.done, { done: formatCount(doneOf(kind)), total });
  const parts = [total === '0' ? words.noTasks : done];
  const add = (template: string, count: number): void => {
    if (count > 0) {
      parts.push(fill(template, { count: formatCount(count) }));
    }
  };
  add(words.running, kind.processing);
  add(words.waiting, kind.waiting);
  add(words.failed, kind.erred);
  return parts.join(', ');
}

function doneOf(kind: Kind): number {
  return kind.in_memory + kind.released;
}

function totalOf(kind: Kind): number {
  return doneOf(kind) + kind.waiting + kind.processing + kind.erred;
}

/** On the wire, states without tasks are left out. */
function whole(kind: PrefixProgress): Kind {
  return { waiting: 0, processing: 0, in_memory: 0, released: 0, erred: 0, ...kind };
}

const COUNTS = ['waiting', 'processing', 'in_memory', 'released', 'erred'] as const;
