import { clock, timeTicks, valueTicks } from './ticks';
import type { IMark, ISeries } from './course';
import { element, setText } from '../gauges/element';

const HEIGHT = 132;
const LEFT = 62;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 20;
const TICK_PIXELS = 90;
/** A longer silence is a gap in the line, in seconds. */
export const GAP_SECONDS = 45;

export interface IChartOptions {
  readonly title: string;
  readonly base: 2 | 10;
  /** The least top of the axis. */
  readonly least: number;
  readonly format: (value: number) => string;
}

/** How wide charts are and what they look like: read once for all, as the answer may cost a layout. */
export interface IChartLook {
  readonly width: number;
  readonly font: string;
  readonly colours: Readonly<Record<Colour, string>>;
}

const COLOURS = ['ink', 'grid', 'line', 'mark', 'bad', 'good'] as const;
type Colour = (typeof COLOURS)[number];

export function lookOf({ node, canvas }: Chart): IChartLook {
  const style = getComputedStyle(node);
  const colours = COLOURS.map(name => [name, style.getPropertyValue(`--gpc-chart-${name}`)]);
  return {
    width: canvas.clientWidth,
    font: `12px ${style.fontFamily}`,
    colours: Object.fromEntries(colours) as Record<Colour, string>
  };
}

/** What is drawn. */
export interface IChartContent {
  readonly look: IChartLook;
  readonly series: ISeries;
  readonly range: readonly [number, number];
  readonly marks: readonly IMark[];
  /** The moment under the pointer, or that is played; null: none. */
  readonly cursor: number | null;
  /** The stretch that is being chosen. */
  readonly brush: readonly [number, number] | null;
}

/** One figure over time, on a canvas, with axes. */
export class Chart {
  constructor(private readonly _options: IChartOptions) {
    this.node = element('figure', 'gpc-Chart');
    const caption = element('figcaption', 'gpc-Chart-title', this.node);
    element('span', '', caption).textContent = _options.title;
    this._value = element('span', 'gpc-Chart-value', caption);
    this.canvas = element('canvas', 'gpc-Chart-canvas', this.node);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', _options.title);
  }

  readonly node: HTMLElement;
  readonly canvas: HTMLCanvasElement;

  /** The moment at a place of the canvas. */
  timeAt(x: number, range: readonly [number, number]): number {
    const width = Math.max(1, this.canvas.clientWidth - LEFT - RIGHT);
    const share = Math.min(1, Math.max(0, (x - LEFT) / width));
    return range[0] + share * (range[1] - range[0]);
  }

  draw(content: IChartContent): void {
    const { look, series, range, cursor } = content;
    const { width } = look;
    const shown = series.values.filter(
      (value, i): value is number =>
        value !== null && series.times[i] >= range[0] && series.times[i] <= range[1]
    );
    const value = valueAt(series, cursor ?? range[1]);
    setText(this._value, value === null ? '–' : this._options.format(value));
    const context = this._prepare(width);
    if (context === null) {
      return;
    }
    const ticks = valueTicks(Math.max(this._options.least, ...shown), this._options.base);
    const highest = ticks[ticks.length - 1];
    const x = (time: number): number =>
      LEFT + ((time - range[0]) / (range[1] - range[0])) * (width - LEFT - RIGHT);
    const y = (amount: number): number =>
      HEIGHT - BOTTOM - (amount / highest) * (HEIGHT - TOP - BOTTOM);
    this._drawAxes(context, { range, ticks, look, x, y });
    context.save();
    context.beginPath();
    // A line at zero is as wide as others.
    context.rect(LEFT, 0, width - LEFT - RIGHT, HEIGHT - BOTTOM + 1);
    context.clip();
    this._drawLine(context, content, x, y);
    this._drawMarks(context, content, x);
    context.restore();
  }

  private _prepare(width: number): CanvasRenderingContext2D | null {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const pixels = Math.round(width * ratio);
    if (canvas.width !== pixels || canvas.height !== HEIGHT * ratio) {
      canvas.width = pixels;
      canvas.height = HEIGHT * ratio;
    }
    const context = width > 0 ? canvas.getContext('2d') : null;
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    context?.clearRect(0, 0, width, HEIGHT);
    return context;
  }

  private _drawAxes(
    context: CanvasRenderingContext2D,
    axes: {
      range: readonly [number, number];
      ticks: readonly number[];
      look: IChartLook;
      x: (time: number) => number;
      y: (value: number) => number;
    }
  ): void {
    const { range, ticks, x, y } = axes;
    const { width, font, colours } = axes.look;
    context.font = font;
    context.fillStyle = colours.ink;
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const tick of ticks) {
      const line = Math.round(y(tick)) + 0.5;
      context.beginPath();
      context.moveTo(LEFT, line);
      context.lineTo(width - RIGHT, line);
      context.stroke();
      context.fillText(this._options.format(tick), LEFT - 6, line);
    }
    context.textAlign = 'center';
    context.textBaseline = 'top';
    const most = Math.max(2, Math.floor((width - LEFT - RIGHT) / TICK_PIXELS));
    const times = timeTicks(range[0], range[1], most);
    const withSeconds = times.some(time => Math.round(time) % 60 !== 0);
    for (const time of times) {
      const words = clock(time, withSeconds);
      // What stands at the edge is read as a whole.
      const furthest = width - context.measureText(words).width / 2;
      context.fillText(words, Math.min(x(time), furthest), HEIGHT - BOTTOM + 5);
    }
  }

  private _drawLine(
    context: CanvasRenderingContext2D,
    { look, series }: IChartContent,
    x: (time: number) => number,
    y: (value: number) => number
  ): void {
    context.strokeStyle = look.colours.line;
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.beginPath();
    let before: number | null = null;
    series.times.forEach((time, i) => {
      const value = series.values[i];
      if (value !== null) {
        const isJoined = before !== null && time - before <= GAP_SECONDS;
        context[isJoined ? 'lineTo' : 'moveTo'](x(time), y(value));
        before = time;
      }
    });
    context.stroke();
  }

  private _drawMarks(
    context: CanvasRenderingContext2D,
    { look, range, marks, cursor, brush }: IChartContent,
    x: (time: number) => number
  ): void {
    const { colours } = look;
    const vertical = (time: number): void => {
      const place = Math.round(x(time)) + 0.5;
      context.beginPath();
      context.moveTo(place, TOP);
      context.lineTo(place, HEIGHT - BOTTOM);
      context.stroke();
    };
    context.lineWidth = 1;
    context.strokeStyle = context.fillStyle = colours.mark;
    for (const { time, kind } of marks.filter(
      one => one.time >= range[0] && one.time <= range[1]
    )) {
      const sign = signOf(kind);
      context.strokeStyle = context.fillStyle = colours[sign.colour];
      context.setLineDash([3, 3]);
      vertical(time);
      context.setLineDash([]);
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      context.fillText(sign.text, x(time), TOP);
    }
    if (brush !== null) {
      context.globalAlpha = 0.2;
      context.fillStyle = colours.line;
      context.fillRect(x(brush[0]), TOP, x(brush[1]) - x(brush[0]), HEIGHT - TOP - BOTTOM);
      context.globalAlpha = 1;
    }
    if (cursor !== null) {
      context.strokeStyle = colours.ink;
      vertical(cursor);
    }
  }

  private readonly _value: HTMLElement;
}

/** Which sign marks what has happened: its form says it as well as its colour. */
export function signOf(kind: string): { readonly text: string; readonly colour: Colour } {
  return SIGNS[kind] ?? { text: '●', colour: 'mark' };
}

const BAD = { text: '✖', colour: 'bad' } as const;
const CHANGE = { text: '◆', colour: 'ink' } as const;
const SIGNS: Readonly<Record<string, { readonly text: string; readonly colour: Colour }>> = {
  worker_died: BAD,
  worker_left: { text: '▼', colour: 'mark' },
  worker_joined: { text: '▲', colour: 'good' },
  gpu: BAD,
  failure: BAD,
  not_done: BAD,
  profile: { text: '■', colour: 'line' },
  scale: CHANGE,
  adapt: CHANGE,
  restart: CHANGE,
  retire: CHANGE
};

/** The last known value at a moment; null before the first one, and after a silence. */
export function valueAt({ times, values }: ISeries, time: number): number | null {
  for (let i = times.length - 1; i >= 0; i--) {
    if (times[i] <= time + 0.001 && values[i] !== null) {
      return time - times[i] <= GAP_SECONDS ? values[i] : null;
    }
  }
  return null;
}
