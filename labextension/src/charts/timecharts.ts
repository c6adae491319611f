import { formatBytes, formatCount, formatPercent } from '../gauges/units';
import { trans } from '../translation';
import { clock } from './ticks';
import { element, setAttribute, setText } from '../gauges/element';
import { inFrame, notInFrame } from '../gauges/frames';
import type { ActivityEntry, TelemetryHistory, TelemetrySample } from '../protocol/messages';
import { Course, FIGURES, type Figure, type IMark } from './course';
import { gaugeWords } from '../gauges';
import { titleOf } from '../gauges/columns';
import { Chart, GAP_SECONDS, lookOf, type IChartLook, type IChartOptions, signOf } from './chart';

/** How each figure is drawn: its title, its unit, and how much the axis has at least. */
function chartsOf(): Readonly<Record<Figure, IChartOptions>> {
  const percent = { base: 10, least: 100, format: formatPercent } as const;
  const bytes = { base: 2, least: 2 ** 20, format: formatBytes } as const;
  const count = { base: 10, least: 4, format: formatCount } as const;
  return {
    gpu: { title: trans.__('GPU load'), ...percent },
    vram: { title: trans.__('GPU memory'), ...bytes },
    cpu: { title: trans.__('CPU (100 % is one core)'), ...percent },
    memory: { title: trans.__('Host memory'), ...bytes },
    disk: { title: trans.__('Results on disk'), ...bytes },
    tasks: { title: trans.__('Tasks at workers'), ...count }
  };
}

const MINUTE = 60;
/** What can be looked at with one click, in minutes. */
const SPANS = [2, 10, 30, 120];
const FIRST_SPAN = 10;
const MOVE = 0.25;
/** A cluster's figures over time: a chart of each on one time axis, with what happened. Knows no shell and no server. */
export class TimeCharts {
  constructor(private readonly _options: TimeCharts.IOptions) {
    const words = gaugeWords(trans);
    this._course = new Course({
      title: (sample, i) => titleOf(sample, i, words),
      joined: worker => trans.__('%1 joined', worker),
      left: worker => trans.__('%1 left', worker),
      spilled: trans.__('Results started spilling to disk')
    });
    this.node = element('section', 'gpc-Charts');
    this.node.setAttribute('aria-label', trans.__('Gauges over time'));
    const bar = element('div', 'gpc-Charts-bar', this.node);
    const label = element('label', '', bar);
    label.append(trans.__('Workers'), ' ');
    this._choice = element('select', 'gpc-Input', label);
    this._choice.add(new Option(trans.__('total'), ''));
    this._choice.addEventListener('change', () => this._schedule());
    const spans = element('div', 'gpc-Charts-spans', bar);
    spans.setAttribute('role', 'group');
    spans.setAttribute('aria-label', trans.__('Time'));
    this._spans = SPANS.map(minutes => {
      const button = element('button', 'gpc-Button', spans);
      button.type = 'button';
      button.textContent =
        minutes < 60 ? trans.__('%1 min', minutes) : trans.__('%1 h', minutes / 60);
      button.addEventListener('click', () => {
        this._span.follow(minutes * MINUTE);
        this._schedule();
      });
      return [minutes, button] as const;
    });
    this._happenings = new Happenings();
    bar.append(this._happenings.readout);
    this._plots = element('div', 'gpc-Charts-plots', this.node);
    this._plots.tabIndex = 0;
    this._plots.setAttribute('role', 'group');
    this._plots.setAttribute(
      'aria-label',
      trans.__('Charts. Plus and minus zoom, arrow keys pan, Home jumps to the latest data.')
    );
    this._plots.addEventListener('keydown', event => this._onKey(event));
    const charts = chartsOf();
    for (const figure of FIGURES) {
      const chart = new Chart(charts[figure]);
      this._watchPointer(chart);
      this._charts.set(figure, chart);
      this._steps.push(() => this._drawChart(figure, chart));
      this._plots.append(chart.node);
    }
    this.node.append(this._happenings.node);
    this._empty = element('p', '', this.node);
    this._empty.textContent = trans.__('No data yet.');
    if (typeof ResizeObserver !== 'undefined') {
      this._size = new ResizeObserver(this._lookAgain);
      this._size.observe(this._plots);
    }
    this._themes = new MutationObserver(this._lookAgain);
    this._themes.observe(document.body, { attributeFilter: ['data-jp-theme-light'] });
    this._drawWords();
  }

  readonly node: HTMLElement;

  add(sample: TelemetrySample): void {
    // One sample may wait until there is time for it; none is lost.
    this._note();
    this._unnoted = sample;
    this._schedule();
  }

  load(history: TelemetryHistory): void {
    this._note();
    this._course.load(history);
    this._schedule();
  }

  set told(entries: readonly ActivityEntry[]) {
    this._course.told = entries;
    this._schedule();
  }

  /** Show all there is, as of something that has ended. */
  showAll(): void {
    this._note();
    const { first, last } = this._course;
    this._span.fix(first, last);
    // There is nothing to see over more time than it took.
    this._spans.forEach(([minutes, button]) => (button.hidden = minutes * MINUTE >= last - first));
    this._schedule();
  }

  /** The moment that is played; null where nothing is. */
  set position(time: number | null) {
    this._position = time;
    this._schedule();
  }

  dispose(): void {
    [this._measure, ...this._steps].forEach(notInFrame);
    this._isDisposed = true;
    this._size?.disconnect();
    this._themes.disconnect();
    this.node.remove();
  }

  /** Whether anybody can see it: what is hidden is not drawn. */
  set isShown(isShown: boolean) {
    this._isShown = isShown;
    this._lookAgain();
  }

  private _watchPointer(chart: Chart): void {
    watchPointer(chart, {
      timeOf: event => chart.timeAt(event.offsetX, this._span.range(this._course.last)),
      hover: (time, brush) => {
        this._hovered = time;
        this._brush = brush;
        this._schedule();
      },
      click: time => this._options.onSeek?.(time),
      fix: (from, to) => this._span.fix(from, to),
      zoom: (factor, time) => this._zoom(factor, time),
      newest: () => this._newest()
    });
  }

  private _onKey(event: KeyboardEvent): void {
    const { last } = this._course;
    const [from, to] = this._span.range(last);
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => this._zoom(1 / ZOOM, (from + to) / 2),
      '-': () => this._zoom(ZOOM, (from + to) / 2),
      ArrowLeft: () => this._span.move(-MOVE, last),
      ArrowRight: () => this._span.move(MOVE, last),
      Home: () => this._newest()
    };
    if (event.key in actions && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      actions[event.key]();
      this._schedule();
    }
  }

  private _zoom(factor: number, time: number): void {
    this._span.zoom(factor, time, this._course.last);
    this._schedule();
  }

  private _newest(): void {
    this._span.follow(FIRST_SPAN * MINUTE);
    this._schedule();
  }

  /** Draw when there is time: a chart is a step. */
  private _schedule(): void {
    if (this._isShown && !this._isDisposed) {
      if (this._look === null) {
        inFrame(this._measure, true);
      }
      this._steps.forEach(step => inFrame(step));
    }
  }

  private readonly _lookAgain = (): void => {
    this._look = null;
    this._schedule();
  };

  private readonly _measure = (): void => {
    const charts = [...this._charts.values()];
    this._look = lookOf(charts.find(({ node }) => !node.hidden) ?? charts[0]);
    this._schedule();
  };

  private readonly _note = (): void => {
    const sample = this._unnoted;
    if (sample !== null) {
      this._unnoted = null;
      this._course.add(sample);
    }
  };

  private readonly _drawWords = (): void => {
    const course = this._course;
    const { marks } = course;
    this._empty.hidden = !course.isEmpty;
    this._plots.hidden = course.isEmpty;
    this._drawChoice();
    for (const [figure, { node }] of this._charts) {
      const isShown = course.has(figure, this._worker);
      if (node.hidden === isShown) {
        node.hidden = !isShown;
        // The others are as wide as there is room for.
        this._lookAgain();
      }
    }
    for (const [minutes, button] of this._spans) {
      const isShown = this._span.isFollowing && this._span.seconds === minutes * MINUTE;
      setAttribute(button, 'aria-pressed', `${isShown}`);
    }
    const { isFollowing } = this._span;
    this._happenings.point(this._cursor, marks, this._span.range(course.last), isFollowing);
    this._happenings.list(marks);
  };

  private _drawChart(figure: Figure, chart: Chart): void {
    const { _course: course, _cursor: cursor, _look: look } = this;
    if (look !== null && !chart.node.hidden) {
      const range = this._span.range(course.last);
      const from = Math.min(range[0], cursor ?? Infinity) - GAP_SECONDS;
      const to = Math.max(range[1], cursor ?? 0) + GAP_SECONDS;
      const series = course.series(figure, this._worker, from, to);
      chart.draw({ look, series, range, marks: course.marks, cursor, brush: this._brush });
    }
  }

  /** The one that is looked at; null: all together. */
  private get _worker(): string | null {
    return this._choice.value || null;
  }

  /** The moment that is pointed at, or played. */
  private get _cursor(): number | null {
    return this._hovered ?? this._position;
  }

  private _drawChoice(): void {
    const { workers } = this._course;
    if (workers !== this._workers) {
      this._workers = workers;
      const { value } = this._choice;
      while (this._choice.options.length > 1) {
        this._choice.remove(1);
      }
      workers.forEach(name => this._choice.add(new Option(this._course.titleOf(name), name)));
      this._choice.value = workers.includes(value) ? value : '';
    }
  }

  private readonly _course: Course;
  private readonly _span = new Span(FIRST_SPAN * MINUTE);
  private readonly _charts = new Map<Figure, Chart>();
  private readonly _steps: (() => void)[] = [this._note, this._drawWords];
  private readonly _choice: HTMLSelectElement;
  private readonly _spans: readonly (readonly [number, HTMLButtonElement])[];
  private readonly _happenings: Happenings;
  private readonly _plots: HTMLElement;
  private readonly _empty: HTMLElement;
  private readonly _themes: MutationObserver;
  private _size: ResizeObserver | null = null;
  private _hovered: number | null = null;
  private _position: number | null = null;
  private _brush: readonly [number, number] | null = null;
  private _look: IChartLook | null = null;
  private _unnoted: TelemetrySample | null = null;
  private _workers: readonly string[] = [];
  private _isShown = true;
  private _isDisposed = false;
}

export namespace TimeCharts {
  export interface IOptions {
    /** Called with a moment that was clicked, where something can go there. */
    onSeek?: (time: number) => void;
  }
}

/** The narrowest span that can be looked at, in seconds. */
const LEAST_SECONDS = 5;

/** Which stretch of time is looked at: the newest, which moves along, or a fixed one. */
export class Span {
  constructor(private _seconds: number) {}

  /** Whether it ends with the newest moment. */
  get isFollowing(): boolean {
    return this._fixed === null;
  }

  get seconds(): number {
    return this._fixed === null ? this._seconds : this._fixed[1] - this._fixed[0];
  }

  /** From when to when, given what there is. */
  range(last: number): readonly [number, number] {
    return this._fixed ?? [last - this._seconds, last];
  }

  /** Follow the newest moments again. */
  follow(seconds: number): void {
    this._fixed = null;
    this._seconds = seconds;
  }

  /** Look at this stretch. */
  fix(from: number, to: number): void {
    const middle = (from + to) / 2;
    const half = Math.max(LEAST_SECONDS, Math.abs(to - from)) / 2;
    this._fixed = [middle - half, middle + half];
  }

  /** Look closer, or from farther away; what is at `time` stays where it is. */
  zoom(factor: number, time: number, last: number): void {
    const [from, to] = this.range(last);
    const next = Math.max(LEAST_SECONDS, (to - from) * factor);
    const share = (time - from) / (to - from);
    this.fix(time - share * next, time + (1 - share) * next);
  }

  /** Go to earlier or later moments, by a share of what is seen. */
  move(share: number, last: number): void {
    const [from, to] = this.range(last);
    const way = (to - from) * share;
    if (to + way >= last) {
      this.follow(to - from);
    } else {
      this.fix(from + way, to + way);
    }
  }

  private _fixed: readonly [number, number] | null = null;
}

/** How much closer a step of the wheel, or a key, looks. */
const ZOOM = 1.3;
/** A shorter drag is a click, in pixels. */
const DRAG_PIXELS = 5;

/** What a pointer over a chart asks for; times are on the chart's axis. */
interface IPointing {
  timeOf(event: MouseEvent): number;
  /** Where the pointer is, and what is being dragged over; null: nowhere, nothing. */
  hover(time: number | null, brush: readonly [number, number] | null): void;
  click(time: number): void;
  /** Show only this. */
  fix(from: number, to: number): void;
  zoom(factor: number, time: number): void;
  /** Back to the newest moments. */
  newest(): void;
}

/** Tell what is done with the pointer over a chart: to look, to drag over a part, to click, to turn the wheel. */
function watchPointer({ canvas }: Chart, pointing: IPointing): void {
  let start: { x: number; time: number } | null = null;
  let brush: readonly [number, number] | null = null;
  canvas.addEventListener('pointerdown', event => {
    start = { x: event.offsetX, time: pointing.timeOf(event) };
    canvas.setPointerCapture?.(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const time = pointing.timeOf(event);
    const isDragging = start !== null && Math.abs(event.offsetX - start.x) > DRAG_PIXELS;
    brush = isDragging && start !== null ? [start.time, time] : null;
    pointing.hover(time, brush);
  });
  canvas.addEventListener('pointerup', event => {
    const time = pointing.timeOf(event);
    if (brush !== null) {
      pointing.fix(...brush);
    } else if (start !== null) {
      pointing.click(time);
    }
    start = brush = null;
    pointing.hover(time, null);
  });
  canvas.addEventListener('pointerleave', () => pointing.hover(null, brush));
  canvas.addEventListener('dblclick', () => pointing.newest());
  canvas.addEventListener(
    'wheel',
    event => {
      // Without a key, the wheel goes down the page.
      if (event.ctrlKey || event.shiftKey || event.altKey) {
        event.preventDefault();
        const way = event.deltaY === 0 ? event.deltaX : event.deltaY;
        pointing.zoom(way > 0 ? ZOOM : 1 / ZOOM, pointing.timeOf(event));
      }
    },
    { passive: false }
  );
}

/** A mark this near to the pointer is described; a fraction of the visible time. */
const NEAR = 0.012;

/** What has happened, in words: a list of all, and a line about the moment that is pointed at. */
class Happenings {
  constructor() {
    this.readout = element('p', 'gpc-Charts-readout');
    this.readout.setAttribute('role', 'status');
    this.node = element('details', 'gpc-Charts-marks');
    element('summary', '', this.node).textContent = trans.__('Events');
    this._list = element('ol', '', this.node);
  }

  readonly node: HTMLElement;
  readonly readout: HTMLElement;

  /** Say what was at that moment; null for none. */
  point(
    cursor: number | null,
    marks: readonly IMark[],
    [from, to]: readonly [number, number],
    isFollowing: boolean
  ): void {
    if (cursor === null) {
      setText(this.readout, isFollowing ? '' : trans.__('Home jumps to the latest data'));
      return;
    }
    const near = marks.filter(({ time }) => Math.abs(time - cursor) <= NEAR * (to - from));
    const words = near.slice(0, 3).map(({ text }) => text);
    setText(this.readout, [clock(cursor, true), ...words].join(' · '));
  }

  list(marks: readonly IMark[]): void {
    if (marks === this._listed) {
      return;
    }
    this._listed = marks;
    this._list.replaceChildren(
      ...marks.map(({ time, kind, text }) => {
        const item = element('li', '');
        item.dataset.kind = kind;
        const sign = signOf(kind);
        const mark = element('span', 'gpc-Charts-sign', item);
        mark.dataset.colour = sign.colour;
        mark.setAttribute('aria-hidden', 'true');
        mark.textContent = sign.text;
        item.append(`${clock(time, true)}  ${text}`);
        return item;
      })
    );
  }

  private readonly _list: HTMLElement;
  private _listed: readonly IMark[] = [];
}
