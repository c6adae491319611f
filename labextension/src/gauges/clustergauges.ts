import { GaugeSet, type IGaugeContext } from './gaugeset';
import { fill, type IGaugeWords, type Part } from './words';
import { FEW_WORKERS, WorkerList } from './workerlist';
import { Past } from './past';
import { Flows } from './flows';
import { disclosure, type IDisclosure, element, setText } from './element';
import { clusterFigures, hasGpu, sum, type IFigures } from './figures';
import { Progress } from './progress';
import { clusterFacts, Facts } from './facts';
import { CPU_MARKS, GPU_MARKS, sentenceOf } from './stackbar';
import { column } from './columns';
import { HeatGrid } from './heatgrid';
import { Tooltip } from './tooltip';
import { inFrame, notInFrame } from './frames';
import { DEFAULT_THRESHOLDS, type IThresholds } from './levels';
import type { TelemetryHistory, TelemetrySample } from '../protocol/messages';
import type { IKnownWorkers } from './workerrow';
import { SHORTEST_SPAN_SECONDS } from './sparkline';
import { formatPercent } from './units';

/** All gauges of one cluster: its sums, its workers at a glance, progress, and each worker on demand. */
export class ClusterGauges {
  constructor(options: ClusterGauges.IOptions) {
    const { words } = options;
    this.node = element('div', 'gpc-Gauges');
    this._context = {
      words,
      thresholds: options.thresholds ?? DEFAULT_THRESHOLDS,
      tooltip: new Tooltip(this.node),
      shortestSpan: options.shortestSpan ?? SHORTEST_SPAN_SECONDS
    };
    this._notice = element('p', 'gpc-Gauges-notice', this.node);
    this._totals = new GaugeSet(this._context);
    this._totals.isFocusable = true;
    if (options.onOverTime !== undefined) {
      this._totals.onOverTime = options.onOverTime;
    }
    this._facts = new Facts(this._context);
    this._progress = new Progress(this._context, options.onToggleProgress ?? (() => undefined));
    this._progress.toggle(options.isProgressOpen ?? false);
    this._heat = new HeatGrid(this._context, name => this._reveal(name));
    this._list = new WorkerList(this._context, options.onRetire);
    this._onToggle = isOpen => {
      this._draw();
      options.onToggle?.(isOpen);
    };
    this._workers = disclosure(words.workers, 'gpc-Workers', this._onToggle);
    this._workers.content.append(this._list.node);
    this._legend = new Legend(this._context);
    this.node.append(
      this._totals.node,
      this._facts.node,
      this._progress.node,
      this._heat.node,
      this._workers.node,
      this._legend.node
    );
    this._watch();
    this._isOpen = options.isOpen;
    this._draw();
  }

  readonly node: HTMLElement;

  /** From how much on gauges warn. */
  set thresholds(thresholds: IThresholds) {
    this._context.thresholds = thresholds;
    this._schedule();
  }

  /** Show a sample; null if there is none (any more). */
  update(sample: TelemetrySample | null, cluster: IKnownWorkers): void {
    this._cluster = cluster;
    if (sample !== null && sample !== this._sample) {
      // One sample may wait to be noted until there is time for it; the past has no gaps.
      this._note();
      this._unnoted = sample;
    }
    this._sample = sample;
    this._schedule();
  }

  /** Forget what was; these samples are what is known, and the last one is shown. */
  restart(samples: readonly TelemetrySample[], cluster: IKnownWorkers): void {
    this._past = new Past();
    this._flows = new Flows();
    this._unnoted = null;
    samples.forEach(sample => this.update(sample, cluster));
  }

  /** Show the past before the first sample. */
  setHistory(history: TelemetryHistory): void {
    this._past.load(history);
    this._schedule();
  }

  dispose(): void {
    this._isDisposed = true;
    this._steps.forEach(notInFrame);
    this._sight?.disconnect();
    this._size?.disconnect();
    this._context.tooltip.dispose();
    this.node.remove();
  }

  /** Know whether it is seen and how wide it is. */
  private _watch(): void {
    if (typeof IntersectionObserver !== 'undefined') {
      this._isSeen = false;
      this._sight = new IntersectionObserver(entries => {
        this._isSeen = entries[entries.length - 1].isIntersecting;
        this._schedule();
      });
      this._sight.observe(this.node);
    }
    if (typeof ResizeObserver !== 'undefined') {
      this._size = new ResizeObserver(entries => {
        const { width } = entries[entries.length - 1].contentRect;
        if (width !== this._heat.width) {
          this._heat.width = width;
          this._isResized = true;
          this._schedule();
        }
      });
      this._size.observe(this.node);
    }
  }

  /** Draw when there is time: with a thousand workers, each part is a frame's work. */
  private _schedule(): void {
    if (this._isSeen && !this._isDisposed) {
      this._steps.forEach(step => inFrame(step, step === this._drawHeat));
    }
  }

  private _draw(): void {
    this._steps.forEach(step => step());
  }

  private readonly _note = (): void => {
    const sample = this._unnoted;
    if (sample !== null) {
      this._unnoted = null;
      this._figures = clusterFigures(sample);
      this._past.add(sample, this._figures);
      this._flows.add(sample);
    }
  };

  private readonly _drawSums = (): void => {
    const { words } = this._context;
    const sample = this._sample;
    const hasFigures = sample !== null && this._figures !== null && this._cluster !== null;
    this._notice.hidden = hasFigures;
    for (const { node } of [
      this._totals,
      this._facts,
      this._progress,
      this._workers,
      this._legend
    ]) {
      node.hidden = !hasFigures;
    }
    this._workers.node.hidden ||= sample?.workers.length === 0;
    if (sample === null || this._figures === null || this._cluster === null) {
      setText(this._notice, words.noFigures);
      return;
    }
    const isGpu = sample.workers.some((_, i) => hasGpu(sample, i));
    this._totals.update(this._figures, this._past.totals, isGpu);
    const power = sum(column(sample, 'gpu_power_watts'));
    this._facts.update(clusterFacts(sample, this._flows.total, power, this._context));
    const unreadable = column(sample, 'device_error').filter(error => error !== null).length;
    if (unreadable > 0) {
      this._notice.hidden = false;
      // The panel's card says it among all that is wrong.
      this._notice.dataset.part = 'unreadable';
      const text = unreadable === 1 ? words.unreadableSingle : words.unreadable;
      setText(this._notice, fill(text, { count: `${unreadable}` }));
    }
    this._progress.update(sample.progress ?? []);
    if (!this._isSettled) {
      this._isSettled = true;
      this._workers.toggle(this._isOpen ?? !this._isMany);
    }
    this._legend.update(isGpu);
  };

  /** Whether they are more than the list shows at once; up to there, that says more. */
  private get _isMany(): boolean {
    return (this._sample?.workers.length ?? 0) > FEW_WORKERS;
  }

  private readonly _drawHeat = (): void => {
    if (this._sample !== null && this._isMany) {
      this._heat.update(this._sample);
    }
    this._heat.node.hidden = !this._isMany;
  };

  private readonly _drawList = (): void => {
    const { _sample: sample, _past: past, _flows: flows, _cluster: cluster } = this;
    if (sample !== null && cluster !== null && !this._workers.content.hidden) {
      if (this._isResized) {
        this._list.remeasure();
      }
      this._list.update({ sample, cluster, past, flows });
    }
    this._isResized = false;
    this._context.tooltip.refresh();
  };

  /** Show a worker that was chosen among all. */
  private _reveal(name: string): void {
    if (this._workers.content.hidden) {
      this._workers.toggle(true);
      this._onToggle(true);
    }
    this._list.reveal(name);
  }

  private readonly _context: IGaugeContext;
  private readonly _notice: HTMLElement;
  private readonly _totals: GaugeSet;
  private readonly _facts: Facts;
  private readonly _progress: Progress;
  private readonly _heat: HeatGrid;
  private readonly _workers: IDisclosure;
  private readonly _list: WorkerList;
  private readonly _legend: Legend;
  private readonly _steps = [this._drawHeat, this._note, this._drawSums, this._drawList];
  private _past = new Past();
  private _flows = new Flows();
  private _sample: TelemetrySample | null = null;
  private _unnoted: TelemetrySample | null = null;
  private _cluster: IKnownWorkers | null = null;
  private _figures: IFigures | null = null;
  private _sight: IntersectionObserver | null = null;
  private _size: ResizeObserver | null = null;
  private readonly _isOpen: boolean | undefined;
  private readonly _onToggle: (isOpen: boolean) => void;
  private _isSettled = false;
  private _isSeen = true;
  private _isResized = false;
  private _isDisposed = false;
}

export namespace ClusterGauges {
  export interface IOptions {
    words: IGaugeWords;
    thresholds?: IThresholds;
    /** The least time that is drawn, in seconds. */
    shortestSpan?: number;
    /** Opens the charts over time. */
    onOverTime?: () => void;
    /** Offers to retire a worker. */
    onRetire?: (worker: string) => void;
    /** Whether the list of workers is open at first; by default where all of them are seen at once. */
    isOpen?: boolean;
    /** Called when the list of workers is opened or closed. */
    onToggle?: (isOpen: boolean) => void;
    /** Whether the lines of the kinds of tasks are open at first. */
    isProgressOpen?: boolean;
    /** Called when they are opened or closed. */
    onToggleProgress?: (isOpen: boolean) => void;
  }
}

/** In the order in which they are explained. */
const SHARED: readonly Part[] = ['tasks', 'network'];
const ON_CPUS: readonly Part[] = [
  'cpu',
  'memory',
  'memoryPast',
  'managed',
  'unmanaged',
  'tierDisk'
];
const ON_GPUS: readonly Part[] = [
  'gpu',
  'vram',
  'vramPast',
  'rmmUsed',
  'rmmFree',
  'rmmPool',
  'cluster',
  'others',
  'unknown',
  'free',
  'cpu',
  'memory',
  'unmanaged',
  'results',
  'tierDevice',
  'tierHost',
  'tierDisk',
  'power',
  'temperature',
  'pcie',
  'nvlink'
];

/** What the colours and figures mean; folded at first. */
class Legend {
  constructor(private readonly _context: IGaugeContext) {
    const { node, content } = disclosure(_context.words.legend, 'gpc-Legend', () => this._draw());
    this.node = node;
    this._content = content;
  }

  readonly node: HTMLElement;

  /** Explain what is there alone, with the thresholds of now. */
  update(hasGpu: boolean): void {
    const { thresholds } = this._context;
    if (hasGpu !== this._hasGpu || thresholds !== this._thresholds) {
      this._hasGpu = hasGpu;
      this._thresholds = thresholds;
      this._draw();
    }
  }

  private _draw(): void {
    if (this._content.hidden) {
      return;
    }
    const { words } = this._context;
    this._content.replaceChildren();
    const list = element('dl', 'gpc-Legend-list', this._content);
    for (const part of [...(this._hasGpu ? ON_GPUS : ON_CPUS), ...SHARED]) {
      this._add(list, part, words.parts[part].sentence);
    }
    for (const mark of this._hasGpu ? GPU_MARKS : CPU_MARKS) {
      this._add(list, mark.part, sentenceOf(mark, words));
    }
    const { warningPercent: one, criticalPercent: other } = this._context.thresholds;
    const warning = formatPercent(Math.min(one, other));
    const critical = formatPercent(Math.max(one, other));
    this._write(list, 'warning', words.warning, fill(words.warningFrom, { percent: warning }));
    this._write(list, 'critical', words.critical, fill(words.criticalFrom, { percent: critical }));
  }

  private _add(list: HTMLElement, part: Part, sentence: string): void {
    this._write(list, part, this._context.words.parts[part].name, sentence);
  }

  private _write(list: HTMLElement, swatch: string, name: string, sentence: string): void {
    const term = element('dt', '', list);
    const sample = element('span', 'gpc-Segment gpc-Swatch', term);
    sample.dataset.part = swatch;
    sample.setAttribute('aria-hidden', 'true');
    term.append(name);
    element('dd', '', list).textContent = sentence;
  }

  private readonly _content: HTMLElement;
  private _hasGpu = false;
  private _thresholds: IThresholds | null = null;
}
