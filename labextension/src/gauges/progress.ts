import type { PrefixProgress } from '../protocol/messages';
import { fill, type IGaugeWords } from './words';
import type { IGaugeContext } from './gaugeset';
import { disclosure, element, setAttribute, setText } from './element';
import { cut } from './stackbar';
import { formatCount } from './units';

/** Segments of a line: finished, failed, at a worker; the rest is still to come. */
type State = 'done' | 'erred' | 'processing';
const STATES: readonly State[] = ['done', 'erred', 'processing'];

type Kind = { -readonly [name in keyof PrefixProgress]-?: PrefixProgress[name] };

/** How far the tasks of each kind are. Each keeps its place; a new one comes first. */
export class ProgressList {
  constructor(private readonly _context: IGaugeContext) {
    this.node = element('div', 'gpc-ProgressList');
    this._list = element('ul', '', this.node);
    this._list.setAttribute('aria-label', _context.words.progress);
    // It scrolls, by keyboard too.
    this._list.tabIndex = 0;
    this.node.hidden = true;
  }

  readonly node: HTMLElement;

  update(kinds: readonly PrefixProgress[]): void {
    this._kinds = new Map(kinds.map(kind => [kind.prefix, whole(kind)]));
    const before = this._order.filter(prefix => this._kinds.has(prefix));
    // The scheduler names last the kind that was active last.
    const added = [...this._kinds.keys()].reverse().filter(prefix => !before.includes(prefix));
    this._order = [...added, ...before];
    this.node.hidden = kinds.length === 0;
    while (this._list.childElementCount > kinds.length) {
      this._list.lastElementChild?.remove();
    }
    this._order.forEach((prefix, i) => {
      drawKind(
        this._kinds.get(prefix) as Kind,
        this._list.children[i] ?? this._add(),
        this._context.words
      );
    });
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
  private _kinds: ReadonlyMap<string, Kind> = new Map();
  private _order: readonly string[] = [];
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
