import type { ClusterModel, TelemetrySample } from '../protocol/messages';
import { levelOf } from './levels';
import { drawn, type Past } from './past';
import { entry, workerTitle } from './columns';
import type { Flows } from './flows';
import { element, setAttribute, setText } from './element';
import { fill, type IGaugeWords } from './words';
import { hasGpu, workerFigures } from './figures';
import { StackBar } from './stackbar';
import { formatBytes, formatDuration, formatPercent, formatShare } from './units';
import { Alarm, type IGaugeContext } from './gaugeset';

/**
 * What gauges ask of a cluster: addresses and processes of its workers, as far as they are known, and whether these can
 * be retired, where that is offered.
 */
export type IKnownWorkers = Pick<ClusterModel, 'workers'> & Partial<Pick<ClusterModel, 'can'>>;

/** What a row is drawn from. */
export interface IWorkerData {
  readonly sample: TelemetrySample;
  readonly cluster: IKnownWorkers;
  readonly past: Past;
  readonly flows: Flows;
}

/** One worker in one line: who it is, how busy, and its memory. What else there is to tell comes when it is chosen. */
export class WorkerRow {
  constructor(
    readonly name: string,
    private readonly _context: IGaugeContext,
    onChoose: (worker: string) => void
  ) {
    const { words, tooltip } = _context;
    this.node = element('div', 'gpc-WorkerRow');
    this.node.setAttribute('role', 'listitem');
    this.node.tabIndex = -1;
    this._title = element('button', 'gpc-WorkerRow-name', this.node);
    this._title.type = 'button';
    this._title.tabIndex = -1;
    this._title.setAttribute('aria-expanded', 'false');
    const load = element('span', 'gpc-Track', this.node);
    load.setAttribute('aria-hidden', 'true');
    this._load = element('i', '', load);
    this._busy = element('span', 'gpc-WorkerRow-busy', this.node);
    this._bars = {
      vram: new StackBar('vram', words, tooltip),
      memory: new StackBar('memory', words, tooltip)
    };
    const figure = element('span', 'gpc-WorkerRow-figure', this.node);
    this._alarm = new Alarm(figure);
    this._figure = element('span', '', figure);
    this._short = element('span', 'gpc-mod-short', figure);
    // The bar says it as well.
    this._short.setAttribute('aria-hidden', 'true');
    // The name is a button for those who cannot point at the line.
    this.node.addEventListener('click', () => onChoose(name));
    this.node.addEventListener('keydown', event => {
      if (event.target === this.node && (event.key === 'Enter' || event.key === ' ')) {
        event.preventDefault();
        onChoose(name);
      }
    });
  }

  readonly node: HTMLElement;

  /** Whether it is the row that the keyboard has reached: Enter does there what its button does. */
  set isActive(isActive: boolean) {
    this.node.tabIndex = isActive ? 0 : -1;
  }

  /** Whether the details below are those of this worker. */
  set isChosen(isChosen: boolean) {
    this.node.classList.toggle('gpc-mod-chosen', isChosen);
    setAttribute(this._title, 'aria-expanded', `${isChosen}`);
  }

  focus(options: FocusOptions): void {
    this.node.focus(options);
  }

  /** Draw the i-th worker. */
  update(i: number, { sample }: IWorkerData): void {
    const { words, thresholds } = this._context;
    const isGpu = hasGpu(sample, i);
    const figures = workerFigures(sample, i, false);
    const number = entry(sample, 'device_index', i);
    setText(this._title, workerTitle(this.name, number, words));
    const { busy } = drawn(sample, i);
    const age = staleAge(sample, i, words);
    const error = entry(sample, 'device_error', i);
    this.node.classList.toggle('gpc-mod-stale', age !== '');
    this._load.style.width = `${Math.min(100, Math.max(0, Math.round(busy ?? 0)))}%`;
    setText(this._busy, age !== '' ? age : busy === null ? '' : formatPercent(busy));
    const part = isGpu ? 'vram' : 'memory';
    const stack = figures[part];
    const bar = this._bars[part];
    if (!bar.node.isConnected) {
      this._bars[isGpu ? 'memory' : 'vram'].node.remove();
      this._figure.parentElement?.before(bar.node);
    }
    bar.node.hidden = stack === null;
    if (stack !== null) {
      bar.update(stack);
    }
    const level = stack === null ? 'normal' : levelOf(stack, thresholds);
    if (this.node.dataset.level !== level) {
      this.node.dataset.level = level;
      this._alarm.update(level, level === 'critical' ? words.critical : words.warning);
    }
    const isLost = stack === null && error !== null;
    this.node.classList.toggle('gpc-mod-lost', isLost);
    setText(
      this._figure,
      stack === null
        ? isLost
          ? words.unreadableOne
          : ''
        : stack.total === null
          ? formatBytes(stack.used)
          : formatShare(stack.used, stack.total)
    );
    setText(this._short, stack === null ? '' : formatBytes(stack.used));
  }

  private readonly _title: HTMLButtonElement;
  private readonly _load: HTMLElement;
  private readonly _busy: HTMLElement;
  private readonly _bars: Readonly<Record<'vram' | 'memory', StackBar>>;
  private readonly _alarm: Alarm;
  private readonly _figure: HTMLElement;
  private readonly _short: HTMLElement;
}

/** How old the worker's last report is, if it is late; empty if it is not. */
export function staleAge(sample: TelemetrySample, i: number, words: IGaugeWords): string {
  const age = entry(sample, 'age_seconds', i) ?? 0;
  return isLate(sample, i) ? fill(words.stale, { age: formatDuration(age) }) : '';
}

/** Whether a worker has not reported for long. */
export function isLate(sample: TelemetrySample, i: number): boolean {
  // Workers report less often the more there are.
  const late = Math.max(10, 3 * (sample.workers.length / 200 + 1));
  return (entry(sample, 'age_seconds', i) ?? 0) > late;
}
