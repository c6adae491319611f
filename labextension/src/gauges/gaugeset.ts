import { element, setAttribute, setText } from './element';
import type { IFigures } from './figures';
import { fill, type IGaugeWords, type Part } from './words';
import { levelOf, shareOf, type IThresholds, type Level } from './levels';
import { Sparkline, type Trace } from './sparkline';
import type { IStack } from './segments';
import type { Tooltip } from './tooltip';
import { CPU_MARKS, GPU_MARKS, StackBar, type IMark } from './stackbar';
import {
  digits,
  formatBytes,
  formatDuration,
  formatPercent,
  formatShare,
  formatSizes
} from './units';

/** Beside a figure that is a reason to worry: a sign, and in words what it means. */
export class Alarm {
  constructor(parent: HTMLElement) {
    this._node = element('span', 'gpc-Alarm', parent);
    this._node.setAttribute('role', 'img');
    this._node.hidden = true;
  }

  /** Draw. */
  update(level: Level, sentence: string): void {
    this._node.hidden = level === 'normal';
    setText(this._node, level === 'critical' ? '▲▲' : '▲');
    this._node.setAttribute('aria-label', sentence);
  }

  private readonly _node: HTMLElement;
}

/** A line of gauges: a name, a picture and figures. */
class Gauge {
  constructor(name: string, picture: Element) {
    this.node = element('div', 'gpc-Gauge');
    const label = element('span', '', this.node);
    label.textContent = name;
    this.node.append(picture);
    const figures = element('span', 'gpc-Gauge-figure', this.node);
    this._alarm = new Alarm(figures);
    this._figure = element('span', '', figures);
  }

  readonly node: HTMLElement;

  /** Draw; `alarm` is what the level means, in words: colour alone says nothing to many. */
  update(figure: string, level: Level = 'normal', alarm = ''): void {
    setText(this._figure, figure);
    if ((this.node.dataset.level ?? 'normal') !== level) {
      this.node.dataset.level = level;
      this._alarm.update(level, alarm);
    }
  }

  /** Show or hide; a figure that is not measured has no gauge. */
  set isShown(isShown: boolean) {
    if (this.node.hidden === isShown) {
      this.node.hidden = !isShown;
    }
  }

  get isShown(): boolean {
    return !this.node.hidden;
  }

  private readonly _figure: HTMLElement;
  private readonly _alarm: Alarm;
}

/** What all gauges of a cluster share. */
export interface IGaugeContext {
  readonly words: IGaugeWords;
  readonly tooltip: Tooltip;
  thresholds: IThresholds;
  /** The least time that traces show, in seconds. */
  readonly shortestSpan: number;
}

/** The past that a set shows. */
interface ISetTraces {
  readonly gpu?: Trace;
  readonly vram?: Trace;
  readonly cpu?: Trace;
  readonly memory?: Trace;
}

/** The gauges of one worker or of all: GPU, VRAM, CPU, memory and results, as far as they are measured. */
export class GaugeSet {
  constructor(private readonly _context: IGaugeContext) {
    const { words, tooltip } = _context;
    this.node = element('div', 'gpc-GaugeSet');
    const past = (part: Part): [Sparkline, HTMLElement] => {
      const picture = element('div', 'gpc-Gauge-past');
      const drawn = new Sparkline(_context.shortestSpan);
      picture.append(drawn.node);
      picture.setAttribute('role', 'img');
      tooltip.explain(picture, () => [
        `${words.parts[part].name}: ${picture.dataset.figure ?? ''}`,
        words.parts[part].sentence
      ]);
      return [drawn, picture];
    };
    const sparkline = (part: Part): [Gauge, Sparkline, HTMLElement] => {
      const [drawn, picture] = past(part);
      const gauge = new Gauge(words.parts[part].name, picture);
      this.node.append(gauge.node);
      return [gauge, drawn, picture];
    };
    const bar = (part: Part, above?: Element): [Gauge, StackBar] => {
      const stack = new StackBar(part, words, tooltip);
      let picture: Element = stack.node;
      if (above !== undefined) {
        picture = element('div', 'gpc-Gauge-both');
        picture.append(above, stack.node);
      }
      const gauge = new Gauge(words.parts[part].name, picture);
      this.node.append(gauge.node);
      return [gauge, stack];
    };
    this._gpu = sparkline('gpu');
    this._vramPast = past('vramPast');
    this._vram = bar('vram', this._vramPast[1]);
    this._cpu = sparkline('cpu');
    this._memoryPast = past('memoryPast');
    this._memory = bar('memory', this._memoryPast[1]);
    // What the charts above are over, at the end of their column.
    const scale = element('div', 'gpc-Gauge gpc-Gauge-scale', this.node);
    element('span', '', scale);
    const ends = element('span', 'gpc-Gauge-ends', scale);
    ends.setAttribute('aria-hidden', 'true');
    this._start = element('span', '', ends);
    element('span', '', ends).textContent = words.now;
    this._scale = scale;
    this._results = bar('results');
  }

  readonly node: HTMLElement;

  /** Let the keyboard reach each gauge, or none: in a long list the rows take the focus. */
  set isFocusable(isFocusable: boolean) {
    const pictures = [this._gpu[2], this._vram[1].node, this._cpu[2], this._memory[1].node];
    for (const node of [...pictures, this._results[1].node]) {
      setAttribute(node, 'tabindex', isFocusable ? '0' : null);
    }
  }

  /** Open the charts over time: by a click on one, and by a button. */
  set onOverTime(open: () => void) {
    const button = element('button', 'gpc-Gauge-more', this._scale);
    button.type = 'button';
    button.textContent = this._context.words.overTime;
    button.addEventListener('click', open);
    const [gpu, cpu] = [this._gpu[2], this._cpu[2]];
    for (const picture of [gpu, this._vramPast[1], cpu, this._memoryPast[1]]) {
      picture.classList.add('gpc-mod-opens');
      picture.addEventListener('click', open);
    }
  }

  /** All figures in sentences. */
  get sentences(): string[] {
    const { parts } = this._context.words;
    const pasts = [this._gpu, this._cpu].map(([gauge, , picture], i) =>
      gauge.isShown ? `${parts[i === 0 ? 'gpu' : 'cpu'].name}: ${picture.dataset.figure}` : null
    );
    const bars = [this._vram, this._memory, this._results].map(([gauge, bar]) =>
      gauge.isShown ? bar.tip()[0] : null
    );
    return [pasts[0], bars[0], pasts[1], bars[1], bars[2]].flatMap(line => line ?? []);
  }

  /** Draw. */
  update(figures: IFigures, past: ISetTraces, isGpu: boolean): void {
    const gpu = figures.gpu === null ? null : formatPercent(figures.gpu);
    this._drawLoad(this._gpu, 'gpu', gpu, past.gpu);
    this._drawLoad(this._cpu, 'cpu', coresFigure(figures, this._context.words), past.cpu);
    this._drawPast(this._vramPast, 'vramPast', percentOf(figures.vram), past.vram);
    // Beside GPUs, host memory is a minor matter.
    const memory = isGpu && figures.vram !== null ? null : percentOf(figures.memory);
    this._drawPast(this._memoryPast, 'memoryPast', memory, past.memory);
    // Below the last chart.
    const next = (memory === null ? this._memory : this._results)[0].node;
    if (this._scale.nextSibling !== next) {
      this.node.insertBefore(this._scale, next);
    }
    const [, { seconds }] = figures.gpu === null ? this._cpu : this._gpu;
    this._scale.hidden = figures.gpu === null && figures.cores === null;
    const { ago } = this._context.words;
    setText(this._start, seconds === 0 ? '' : fill(ago, { age: formatDuration(seconds) }));
    this._drawBar(this._vram, figures.vram);
    this._drawBar(
      this._memory,
      figures.memory,
      this._marksOf(figures, isGpu),
      this._limitNote(figures)
    );
    const [gauge, bar] = this._results;
    gauge.isShown = figures.results !== null;
    if (figures.results !== null) {
      bar.update(figures.results);
      gauge.update(tiersFigure(figures.results, isGpu));
    }
  }

  /** Where Dask acts: at shares of the limit, which may be more than the bar shows. */
  private _marksOf({ limit, memory }: IFigures, isGpu: boolean): readonly IMark[] {
    const total = memory?.total ?? 0;
    if (limit === null || total === 0) {
      return NO_MARKS;
    }
    const marks = isGpu ? GPU_MARKS : CPU_MARKS;
    if (limit <= total) {
      return marks;
    }
    const scale = limit / total;
    if (this._scaled.marks !== marks || this._scaled.scale !== scale) {
      const scaled = marks.map(mark => ({ ...mark, at: mark.share * scale }));
      this._scaled = { marks, scale, drawn: scaled.filter(({ at }) => at <= 1) };
    }
    return this._scaled.drawn;
  }

  private _limitNote({ limit, memory }: IFigures): string {
    const total = memory?.total ?? null;
    return total === null || limit === total
      ? ''
      : limit === null
        ? this._context.words.noLimits
        : fill(this._context.words.limits, {
            limit: formatBytes(limit),
            machine: formatBytes(total)
          });
  }

  private _drawLoad(
    [gauge, ...past]: [Gauge, Sparkline, HTMLElement],
    part: Part,
    figure: string | null,
    area: Trace | undefined
  ): void {
    gauge.isShown = figure !== null;
    if (figure !== null) {
      gauge.update(figure);
    }
    this._drawPast(past, part, figure, area);
  }

  private _drawPast(
    [sparkline, picture]: [Sparkline, HTMLElement],
    part: Part,
    figure: string | null,
    area: Trace | undefined
  ): void {
    // Without a past, memory has only its bar.
    picture.hidden = figure === null || (area === undefined && part.endsWith('Past'));
    if (figure !== null) {
      picture.dataset.figure = figure;
      setAttribute(picture, 'aria-label', `${this._context.words.parts[part].name}: ${figure}`);
      sparkline.update(area);
    }
  }

  private _drawBar(
    [gauge, bar]: [Gauge, StackBar],
    stack: IStack | null,
    marks: readonly IMark[] = NO_MARKS,
    note = ''
  ): void {
    gauge.isShown = stack !== null;
    if (stack !== null) {
      const { words, thresholds } = this._context;
      const level = levelOf(stack, thresholds);
      const alarms: Record<Level, string> = {
        normal: '',
        warning: words.warning,
        critical: words.critical
      };
      const { used, total } = stack;
      gauge.update(
        total === null ? formatBytes(used) : formatShare(used, total),
        level,
        alarms[level]
      );
      bar.update(stack, marks, note);
    }
  }

  private readonly _gpu: [Gauge, Sparkline, HTMLElement];
  private readonly _cpu: [Gauge, Sparkline, HTMLElement];
  private readonly _vram: [Gauge, StackBar];
  private readonly _memory: [Gauge, StackBar];
  private readonly _vramPast: [Sparkline, HTMLElement];
  private readonly _memoryPast: [Sparkline, HTMLElement];
  private readonly _scale: HTMLElement;
  private readonly _start: HTMLElement;
  private readonly _results: [Gauge, StackBar];
  private _scaled = { marks: NO_MARKS, scale: 1, drawn: NO_MARKS };
}

const NO_MARKS: readonly IMark[] = [];

/** Busy cores of those that the threads can keep busy. */
export function coresFigure(figures: IFigures, words: IGaugeWords): string | null {
  const { cores, capacity } = figures;
  if (cores === null) {
    return null;
  }
  const used = digits(cores);
  return capacity === null
    ? fill(words.cores, { used })
    : fill(capacity === 1 ? words.ofCore : words.ofCores, { used, total: `${capacity}` });
}

/** From the GPU, if there is one, over the host to the disk. */
function tiersFigure(stack: IStack, isGpu: boolean): string {
  const of = (part: Part): number =>
    stack.segments.find(segment => segment.part === part)?.bytes ?? 0;
  const tiers = [isGpu ? of('tierHost') : of('managed'), of('tierDisk')];
  const sizes = isGpu ? [of('tierDevice'), ...tiers] : tiers;
  // Only as far as something has moved.
  while (sizes.length > 1 && sizes.at(-1) === 0) {
    sizes.pop();
  }
  return formatSizes(sizes, ' → ');
}

function percentOf(stack: IStack | null): string | null {
  const share = stack === null ? null : shareOf(stack);
  return share === null ? null : formatPercent(share * 100);
}
