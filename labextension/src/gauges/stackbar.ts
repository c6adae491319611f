import { element, setAttribute } from './element';
import { fill, type IGaugeWords, type Part } from './words';
import type { IStack } from './segments';
import type { Tip, Tooltip } from './tooltip';
import { formatBytes, formatPercent } from './units';
import { shareOf } from './levels';

/** A line across a bar, at a share of the whole. */
export interface IMark {
  readonly part: Part;
  readonly share: number;
  /** Where it is drawn, if the bar is not of what the share is of. */
  readonly at?: number;
}

/** So near to a threshold it is drawn, as a share of the bar. */
const NEAR = 0.15;

/** Dask's default fractions of a worker's memory limit. */
export const CPU_MARKS: readonly IMark[] = [
  { part: 'target', share: 0.6 },
  { part: 'spill', share: 0.7 },
  { part: 'pause', share: 0.8 },
  { part: 'terminate', share: 0.95 }
];

/** The results of a GPU worker have separate tiers instead of Dask's target. */
export const GPU_MARKS = CPU_MARKS.slice(1);

/** A bar of what is in use, by whom, of how much. */
export class StackBar {
  constructor(
    private readonly _part: Part,
    private readonly _words: IGaugeWords,
    private readonly _tooltip: Tooltip
  ) {
    this.node = element('div', 'gpc-Stack');
    this.node.setAttribute('role', 'meter');
    this.node.setAttribute('aria-label', _words.parts[_part].name);
    this.node.setAttribute('aria-valuemin', '0');
    this.node.setAttribute('aria-valuemax', '100');
    this._track = element('div', 'gpc-Stack-track', this.node);
    _tooltip.explain(this.node, this.tip);
  }

  readonly node: HTMLElement;

  /** What the tooltip says: figures of all parts. */
  readonly tip: Tip = () => {
    const { name, sentence } = this._words.parts[this._part];
    const marks = this._marks.map(mark => this._markLine(mark));
    return [`${name}: ${this.sentence}`, sentence, ...this._note, ...this._lines(), ...marks];
  };

  /** The figure in words. */
  get sentence(): string {
    if (this._stack === null) {
      return this._words.notMeasured;
    }
    const { used, total } = this._stack;
    // Results are compared with each other: there is nothing they have to fit into.
    return total === null || this._part === 'results'
      ? formatBytes(used)
      : fill(this._words.of, { used: formatBytes(used), total: formatBytes(total) });
  }

  /** Draw. */
  update(stack: IStack | null, marks: readonly IMark[] = [], note = ''): void {
    this._stack = stack;
    this._note = note === '' ? [] : [note];
    const share = stack === null ? null : shareOf(stack);
    setAttribute(this.node, 'aria-valuenow', `${Math.round((share ?? 0) * 100)}`);
    setAttribute(
      this.node,
      'aria-valuetext',
      [this.sentence, ...this._lines(), ...this._note].join('; ')
    );
    this.node.classList.toggle('gpc-mod-unlimited', stack !== null && stack.total === null);
    this._drawSegments(stack);
    if (marks !== this._marks) {
      this._drawMarks(marks);
    }
    // A threshold that is far away says nothing yet.
    this._markNodes.forEach((node, i) => {
      const isFar = (share ?? 0) < (marks[i].at ?? marks[i].share) - NEAR;
      if (node.hidden !== isFar) {
        node.hidden = isFar;
      }
    });
  }

  private _drawSegments(stack: IStack | null): void {
    // Without a total the parts are compared with each other.
    const whole = Math.max(stack?.total ?? 0, stack?.used ?? 0);
    const shown = stack?.segments.filter(segment => segment.part !== 'free') ?? [];
    while (this._track.childElementCount > shown.length) {
      this._track.lastElementChild?.remove();
    }
    let from = 0;
    shown.forEach(({ part, bytes }, i) => {
      let node = this._track.children[i] as HTMLElement | undefined;
      if (node === undefined) {
        const added = element('span', 'gpc-Segment', this._track);
        node = added;
        this._tooltip.explain(added, () => this._tipOf(added.dataset.part as Part));
      }
      const to = from + (bytes / whole) * 100;
      if (node.dataset.part !== part) {
        node.dataset.part = part;
      }
      cut(node, from, to);
      from = to;
    });
  }

  private _drawMarks(marks: readonly IMark[]): void {
    this._marks = marks;
    this._markNodes.forEach(node => node.remove());
    this._markNodes = marks.map(mark => {
      const node = element('i', 'gpc-Mark', this.node);
      node.dataset.part = mark.part;
      node.style.left = `${(mark.at ?? mark.share) * 100}%`;
      this._tooltip.explain(node, () => [this._markLine(mark)]);
      return node;
    });
  }

  private _markLine(mark: IMark): string {
    return `${this._words.parts[mark.part].name}: ${sentenceOf(mark, this._words)}`;
  }

  private _lines(): string[] {
    return (this._stack?.segments ?? []).map(
      ({ part, bytes }) => `${this._words.parts[part].name} ${formatBytes(bytes)}`
    );
  }

  private _tipOf(part: Part): readonly string[] {
    const { name, sentence } = this._words.parts[part];
    const segment = this._stack?.segments.find(one => one.part === part);
    return segment === undefined ? [] : [`${name}: ${formatBytes(segment.bytes)}`, sentence];
  }

  private readonly _track: HTMLElement;
  private _stack: IStack | null = null;
  private _marks: readonly IMark[] = [];
  private _markNodes: readonly HTMLElement[] = [];
  private _note: readonly string[] = [];
}

/**
 * Show a segment from one place of its bar to another, both in percent.
 *
 * It is as wide as the bar and cut: a layout each second would push its neighbours around.
 */
export function cut(segment: HTMLElement, from: number, to: number): void {
  // A gap separates neighbours, whatever their colours are.
  const text = `inset(0 calc(${tenths(100 - to)}% + 1px) 0 ${tenths(from)}%)`;
  if (segment.style.clipPath !== text) {
    segment.style.clipPath = text;
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** What a mark means. */
export function sentenceOf({ part, share }: IMark, words: IGaugeWords): string {
  return fill(words.parts[part].sentence, { percent: formatPercent(share * 100) });
}
