import { Widget } from '@lumino/widgets';

import type { IClusterManager } from '../clusters/tokens';
import type { CellProgress } from '../protocol/messages';
import { CellDetails } from './celldetails';
import {
  counted,
  elapsed,
  headlineOf,
  isOver,
  pendingOf,
  secondsOf,
  summaryOf,
  type IHeadline
} from './runs';
import { cut, element, setText, trans } from './shared';

const STATES = ['done', 'erred', 'processing'] as const;
/** A screen reader hears a text only if the place where it appears was there before. */
const SAY_AFTER_MS = 150;

export interface ICellStripOptions {
  readonly cluster: string;
  readonly manager: IClusterManager;
  /** Interrupt the kernel. */
  readonly onStop: () => void;
  readonly onProfile: () => void;
  readonly onLog: () => void;
}

/** The line below a cell that has given work to a cluster. Its parts keep their places whatever the figures say. */
export class CellStrip extends Widget {
  constructor(
    private readonly _options: ICellStripOptions,
    run: CellProgress
  ) {
    super({ node: document.createElement('div') });
    this.run = run;
    const name = _options.manager.get(_options.cluster)?.name ?? _options.cluster;
    const label = trans.__('This cell’s work on %1', name);
    this.addClass('gpc-CellStrip');
    this.addClass('gpc-Gauges');
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', label);
    // The notebook's own shortcuts must not take the keys of our buttons.
    this.node.setAttribute('data-lm-suppress-shortcuts', 'true');
    const line = element('div', 'gpc-CellStrip-line gpc-Disclosure', this.node);
    this._line = line;
    this._fold = button(line, 'gpc-Disclosure-button', trans.__('This cell’s tasks on %1', name));
    this._fold.setAttribute('aria-expanded', 'false');
    this._fold.addEventListener('click', () => this._onToggle());
    // First: the figures to its right are cut where there is no room.
    this._stop = button(
      line,
      'gpc-Gauge-more gpc-CellStrip-stop',
      trans.__('Interrupt the kernel')
    );
    setText(this._stop, '■');
    this._stop.addEventListener('click', _options.onStop);
    this._bar = element('div', 'gpc-Stack', line);
    this._bar.setAttribute('role', 'progressbar');
    this._bar.setAttribute('aria-label', label);
    const track = element('div', 'gpc-Stack-track', this._bar);
    this._segments = STATES.map(state => {
      const segment = element('span', 'gpc-Segment', track);
      segment.dataset.state = state;
      return segment;
    });
    this._figures = [1, 2, 3, 4].map(() => element('span', 'gpc-Gauge-figure', line));
    this._summary = element('span', 'gpc-Gauge-figure', line);
    this._content = element('div', '', this.node);
    this._content.hidden = true;
    this._said = element('span', 'gpc-mod-hidden', this.node);
    this._said.setAttribute('role', 'status');
    this._draw();
    this._name = name;
    if (this.isRunning) {
      this._sayStart();
    }
  }

  /** What is shown. */
  run: CellProgress;

  /** Whether there is work that may still change. */
  get isRunning(): boolean {
    return !isOver(this.run);
  }

  /** Show how far it is now. */
  showRun(run: CellProgress): void {
    const before = this.run;
    this.run = run;
    this._draw();
    if (run.id !== before.id && !this._content.hidden && this._details !== null) {
      this._details.isOpen = true;
    }
    if (this.isRunning && run.id !== before.id) {
      this._sayStart();
    } else if (!isOver(before) && !this.isRunning) {
      this._say(summaryOf(run, this._options.manager.now()));
    }
  }

  /** Whether the kernel runs the cell now, so that interrupting it stops this work. */
  set canStop(canStop: boolean) {
    this._stop.classList.toggle('gpc-mod-free', !(canStop && this.isRunning));
  }

  /** Keep the room, but show nothing: the cell runs again. */
  set isBlank(isBlank: boolean) {
    this._line.classList.toggle('gpc-mod-free', isBlank);
  }

  override dispose(): void {
    window.clearTimeout(this._saying);
    this._details?.dispose();
    super.dispose();
  }

  private _draw(): void {
    const { run } = this;
    const { cluster, manager } = this._options;
    const now = manager.now();
    const isRunning = this.isRunning;
    for (const part of [this._bar, ...this._figures, this._stop]) {
      part.hidden = !isRunning;
    }
    this._summary.hidden = isRunning;
    if (!isRunning) {
      setText(this._summary, summaryOf(run, now));
      return;
    }
    const { n_tasks, n_done, n_failed, n_running } = run;
    const headline: IHeadline = headlineOf(run, manager.get(cluster)?.workers.length ?? 1);
    const count = `${counted(n_done)} / ${counted(n_tasks)}`;
    // Colour alone says nothing to many.
    const sign = headline.level === 'normal' ? '' : '▲ ';
    const texts = [count, pendingOf(run), elapsed(secondsOf(run, now)), sign + headline.text];
    texts.forEach((text, i) => setText(this._figures[i], text));
    this._figures[3].setAttribute('data-level', headline.level);
    this._bar.setAttribute('aria-valuemin', '0');
    this._bar.setAttribute('aria-valuemax', `${n_tasks}`);
    this._bar.setAttribute('aria-valuenow', `${n_done}`);
    this._bar.setAttribute('aria-valuetext', [count, ...texts.slice(1)].filter(Boolean).join(', '));
    let from = 0;
    [n_done, n_failed, n_running].forEach((tasks, i) => {
      const to = from + (n_tasks === 0 ? 0 : (tasks / n_tasks) * 100);
      cut(this._segments[i], from, to);
      from = to;
    });
  }

  private _sayStart(): void {
    this._say(trans.__('This cell is running on %1.', this._name));
  }

  private _say(text: string): void {
    window.clearTimeout(this._saying);
    this._saying = window.setTimeout(() => setText(this._said, text), SAY_AFTER_MS);
  }

  private _onToggle(): void {
    const isOpen = this._content.hidden;
    this._content.hidden = !isOpen;
    this._fold.setAttribute('aria-expanded', `${isOpen}`);
    this._details ??= new CellDetails(this._content, this._options, () => this.run);
    this._details.isOpen = isOpen;
  }

  private readonly _line: HTMLElement;
  private readonly _name: string;
  private readonly _fold: HTMLButtonElement;

  private readonly _bar: HTMLElement;
  private readonly _segments: readonly HTMLElement[];
  private readonly _figures: readonly HTMLElement[];
  private readonly _summary: HTMLElement;
  private readonly _stop: HTMLButtonElement;
  private readonly _said: HTMLElement;
  private readonly _content: HTMLElement;
  private _details: CellDetails | null = null;
  private _saying = 0;
}

function button(parent: HTMLElement, className: string, title: string): HTMLButtonElement {
  const node = element('button', className, parent);
  node.type = 'button';
  node.title = title;
  node.setAttribute('aria-label', title);
  return node;
}
