import { Widget } from '@lumino/widgets';

import type { IClusterManager } from '../clusters/tokens';
import { disclosure } from '../gauges/disclosure';
import { element, setAttribute, setText } from '../gauges/element';
import { cut } from '../gauges/stackbar';
import type { CellProgress } from '../protocol/messages';
import { trans } from '../translation';
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
    const label = trans.__('Work of this cell on %1', name);
    this.addClass('gpc-CellStrip');
    this.addClass('gpc-Gauges');
    setAttribute(this.node, 'role', 'group');
    setAttribute(this.node, 'aria-label', label);
    // The notebook's own shortcuts must not take the keys of our buttons.
    setAttribute(this.node, 'data-lm-suppress-shortcuts', 'true');
    const { node, button, content } = disclosure('', 'gpc-CellStrip-line', isOpen =>
      this._onToggle(isOpen)
    );
    setAttribute(button, 'aria-label', label);
    button.title = trans.__('Show the tasks of this cell on %1', name);
    this._content = content;
    this._bar = element('div', 'gpc-Stack');
    setAttribute(this._bar, 'role', 'progressbar');
    setAttribute(this._bar, 'aria-label', label);
    const track = element('div', 'gpc-Stack-track', this._bar);
    this._segments = STATES.map(state => {
      const segment = element('span', 'gpc-Segment', track);
      segment.dataset.state = state;
      return segment;
    });
    this._figures = ['count', 'pending', 'time', 'headline'].map(part =>
      element('span', `gpc-CellStrip-${part}`)
    );
    this._summary = element('span', 'gpc-CellStrip-summary');
    this._stop = element('button', 'gpc-CellStrip-stop');
    this._stop.type = 'button';
    this._stop.title = trans.__('Interrupt the kernel');
    setAttribute(this._stop, 'aria-label', this._stop.title);
    this._stop.addEventListener('click', _options.onStop);
    button.after(this._bar, ...this._figures, this._summary, this._stop);
    this.node.append(node);
    this._said = element('span', 'gpc-CellStrip-said', this.node);
    setAttribute(this._said, 'role', 'status');
    this._draw();
    this._say(trans.__('This cell computes on %1.', name));
  }

  /** What is shown. */
  run: CellProgress;

  /** Whether there is work that may still change. */
  get isRunning(): boolean {
    return !isOver(this.run);
  }

  /** Show how far it is now. */
  show_(run: CellProgress): void {
    const wasRunning = this.isRunning;
    this.run = run;
    this._draw();
    if (wasRunning && !this.isRunning) {
      this._say(summaryOf(run, this._options.manager.now()));
    }
  }

  /** Draw what changes with time only. */
  tick(): void {
    if (this.isRunning) {
      this._draw();
    }
  }

  /** Whether the kernel runs the cell now, so that interrupting it stops this work. */
  set canStop(canStop: boolean) {
    this._stop.classList.toggle('gpc-mod-free', !(canStop && this.isRunning));
  }

  /** Keep the room, but show nothing: the cell runs again. */
  set isBlank(isBlank: boolean) {
    this.node.classList.toggle('gpc-mod-free', isBlank);
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
    this.node.classList.toggle('gpc-mod-over', !isRunning);
    if (!isRunning) {
      setText(this._summary, summaryOf(run, now));
      this.canStop = false;
      return;
    }
    const { n_tasks, n_done, n_failed, n_running } = run;
    const headline: IHeadline = headlineOf(run, manager.get(cluster)?.workers.length ?? 1);
    const count = `${counted(n_done)} / ${counted(n_tasks)}`;
    const texts = [count, pendingOf(run), elapsed(secondsOf(run, now)), headline.text];
    texts.forEach((text, i) => setText(this._figures[i], text));
    setAttribute(this._figures[3], 'data-level', headline.level);
    setAttribute(this._bar, 'aria-valuemin', '0');
    setAttribute(this._bar, 'aria-valuemax', `${n_tasks}`);
    setAttribute(this._bar, 'aria-valuenow', `${n_done}`);
    setAttribute(
      this._bar,
      'aria-valuetext',
      [count, ...texts.slice(1)].filter(Boolean).join(', ')
    );
    let from = 0;
    [n_done, n_failed, n_running].forEach((tasks, i) => {
      const to = from + (n_tasks === 0 ? 0 : (tasks / n_tasks) * 100);
      cut(this._segments[i], from, to);
      from = to;
    });
  }

  private _say(text: string): void {
    window.clearTimeout(this._saying);
    this._saying = window.setTimeout(() => setText(this._said, text), SAY_AFTER_MS);
  }

  private _onToggle(isOpen: boolean): void {
    if (isOpen) {
      this._details ??= new CellDetails(this._content, this._options, () => this.run);
    }
    if (this._details !== null) {
      this._details.isOpen = isOpen;
    }
  }

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
