import type { TelemetrySample } from '../protocol/messages';
import { entry, column, type NumberColumn, hostsOf, titleOf } from './columns';
import { levelOf, type Level } from './levels';
import type { IGaugeContext } from './gaugeset';
import { formatPercent } from './units';
import type { Part } from './words';
import { element, setAttribute } from './element';

/** A way to look at all workers at once. */
interface IMeasure {
  readonly part: Part;
  /** Whether a high figure is a reason to worry. */
  readonly alarms: boolean;
  /** In percent, one per worker; null where it is not measured. */
  readonly read: (sample: TelemetrySample) => readonly (number | null)[];
}

const share =
  (used: NumberColumn, total: NumberColumn) =>
  (sample: TelemetrySample): (number | null)[] => {
    const totals = column(sample, total);
    return column(sample, used).map((value, i) => {
      const whole = totals[i];
      return value === null || !whole ? null : (value / whole) * 100;
    });
  };

const MEASURES: readonly IMeasure[] = [
  { part: 'vram', alarms: true, read: share('vram_used_bytes', 'vram_total_bytes') },
  {
    part: 'gpu',
    alarms: false,
    read: sample => column(sample, 'gpu_utilization_percent')
  },
  { part: 'memory', alarms: true, read: share('memory_bytes', 'memory_limit_bytes') },
  { part: 'cpu', alarms: false, read: share('cpu_percent', 'n_threads') }
];

/** Those that some worker measures. */
function measured(sample: TelemetrySample): readonly IMeasure[] {
  return MEASURES.filter(measure => measure.read(sample).some(value => value !== null));
}

function figureOf(value: number | null, missing: string): string {
  return value === null ? missing : formatPercent(value);
}

/** Colours by level, then of the frame, of what is not filled and of the chosen cell, as the theme has them. */
const COLOURS = ['normal', 'warning', 'critical', 'frame', 'empty', 'cursor', 'name'] as const;

const NAME_WIDTH = 54;
const NO_PLACES: IHeatPlaces = {
  width: 0,
  height: 0,
  x: [],
  y: [],
  columns: 1,
  labels: [],
  whole: 0
};

/** All workers at once: a cell each, filled as far as the figure goes. One canvas, however many. */
export class HeatGrid {
  constructor(
    private readonly _context: IGaugeContext,
    private readonly _onChoose: (worker: string) => void
  ) {
    const { words, tooltip } = _context;
    this.node = element('div', 'gpc-Heat');
    const head = element('div', 'gpc-Heat-head', this.node);
    const label = element('label', 'gpc-Heat-choice', head);
    label.append(words.showBy, ' ');
    this._choice = element('select', '', label);
    this._choice.addEventListener('change', () => this.draw());
    // How high a cell is filled says how much it is.
    const scale = element('span', 'gpc-Heat-scale', head);
    scale.append('0');
    element('i', '', scale);
    scale.append('100 %');
    this._canvas = element('canvas', 'gpc-Heat-cells', this.node);
    // One stop for the keyboard: arrows go from worker to worker, Enter shows the one.
    this._canvas.tabIndex = 0;
    this._canvas.setAttribute('role', 'slider');
    this._canvas.setAttribute('aria-label', words.workers);
    this._canvas.setAttribute('aria-valuemin', '1');
    this._canvas.addEventListener('keydown', event => this._onKey(event));
    this._canvas.addEventListener('pointermove', event => this._onMove(event));
    this._canvas.addEventListener('click', () => this._choose());
    tooltip.explain(this._canvas, () => this._tip());
  }

  readonly node: HTMLElement;

  /** Width to fill, in pixels. */
  width = 0;

  update(sample: TelemetrySample): void {
    this._sample = sample;
    const measures = measured(sample);
    const parts = measures.map(measure => measure.part).join();
    if (parts !== this._parts) {
      this._parts = parts;
      this._measures = measures;
      this._choice.replaceChildren(
        ...measures.map(({ part }) => new Option(this._context.words.parts[part].name, part))
      );
    }
    this.draw();
  }

  draw(): void {
    const sample = this._sample;
    const measure = this._measure;
    if (sample === null || measure === undefined || this.width === 0) {
      return;
    }
    const context = this._canvas.getContext('2d');
    if (context === null) {
      return;
    }
    this._values = measure.read(sample);
    const count = this._values.length;
    this._cursor = Math.min(this._cursor, count - 1);
    this._place(sample);
    const { width, height, labels, whole } = this._places;
    this._resize(whole);
    const styles = getComputedStyle(this._canvas);
    const [normal, warning, critical, frame, empty, cursor, name] = COLOURS.map(colour =>
      styles.getPropertyValue(`--gpc-heat-${colour}`).trim()
    );
    const colours: Record<Level, string> = { normal, warning, critical };
    context.clearRect(0, 0, this._canvas.width, this._canvas.height);
    context.fillStyle = name;
    context.font = `${styles.fontSize} ${styles.fontFamily}`;
    context.textBaseline = 'middle';
    for (const label of labels) {
      context.fillText(label.name, 1, label.y, NAME_WIDTH);
    }
    context.strokeStyle = frame;
    context.lineWidth = 1;
    context.fillStyle = empty;
    this._values.forEach((value, i) => {
      if (value !== null) {
        context.fillRect(...this._placeOf(i), width, height);
      }
    });
    const { thresholds } = this._context;
    // Cells of one colour together: to change the colour costs more than to fill.
    for (const level of ['normal', 'warning', 'critical'] as const) {
      context.fillStyle = colours[level];
      this._values.forEach((value, i) => {
        const reading = { used: value ?? 0, total: 100 };
        const isOf = (measure.alarms ? levelOf(reading, thresholds) : 'normal') === level;
        if (value !== null && isOf) {
          const [x, y] = this._placeOf(i);
          const filled = Math.round((Math.min(100, value) / 100) * height);
          context.fillRect(x, y + height - filled, width, filled);
        }
      });
    }
    this._crossOut(context, colours.critical, width, height);
    context.fillStyle = frame;
    this._values.forEach((value, i) => {
      if (value === null && this._errorOf(i) !== null) {
        return;
      }
      const [x, y] = this._placeOf(i);
      // A line below each cell; not measured: a dot instead.
      context.fillRect(
        x,
        value === null ? y + height / 2 : y + height,
        value === null ? 2 : width,
        1
      );
    });
    if (document.activeElement === this._canvas) {
      const [x, y] = this._placeOf(this._cursor);
      context.strokeStyle = cursor;
      context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 2);
    }
    this._describe();
  }

  /** Workers whose GPU cannot be read. */
  private _crossOut(
    context: CanvasRenderingContext2D,
    colour: string,
    width: number,
    height: number
  ): void {
    context.strokeStyle = colour;
    context.beginPath();
    this._values.forEach((value, i) => {
      if (value === null && this._errorOf(i) !== null) {
        const [x, y] = this._placeOf(i);
        context.moveTo(x + 1, y + 1);
        context.lineTo(x + width - 1, y + height - 1);
        context.moveTo(x + width - 1, y + 1);
        context.lineTo(x + 1, y + height - 1);
      }
    });
    context.stroke();
  }

  private _errorOf(i: number): string | null {
    return this._sample === null ? null : entry(this._sample, 'device_error', i);
  }

  private get _measure(): IMeasure | undefined {
    const chosen = this._choice.value as Part;
    return this._measures.find(measure => measure.part === chosen) ?? this._measures[0];
  }

  private _placeOf(i: number): readonly [x: number, y: number] {
    return [this._places.x[i], this._places.y[i]];
  }

  /** Places depend on the workers, their machines and the width, which rarely change. */
  private _place(sample: TelemetrySample): void {
    const key = `${this.width} ${sample.workers.length} ${hostsOf(sample).join(' ')}`;
    if (key !== this._placedFor || sample.host !== this._hosts) {
      this._placedFor = key;
      this._hosts = sample.host;
      this._places = placesOf(sample, this.width);
    }
  }

  private _resize(height: number): void {
    const ratio = window.devicePixelRatio || 1;
    const size = [Math.round(this.width * ratio), Math.round((height + 2) * ratio)];
    if (this._canvas.width !== size[0] || this._canvas.height !== size[1]) {
      [this._canvas.width, this._canvas.height] = size;
      this._canvas.style.height = `${height + 2}px`;
      this._canvas.getContext('2d')?.scale(ratio, ratio);
    }
  }

  private _describe(): void {
    setAttribute(this._canvas, 'aria-valuemax', `${this._values.length}`);
    setAttribute(this._canvas, 'aria-valuenow', `${this._cursor + 1}`);
    setAttribute(this._canvas, 'aria-valuetext', this._tip()[0] ?? '');
  }

  private _tip(): readonly string[] {
    const { words } = this._context;
    const measure = this._measure;
    if (this._sample?.workers[this._cursor] === undefined || measure === undefined) {
      return [];
    }
    const missing = this._errorOf(this._cursor) ?? words.notMeasured;
    const figure = figureOf(this._values[this._cursor] ?? null, missing);
    const part = words.parts[measure.part];
    const title = titleOf(this._sample, this._cursor, words);
    return [`${title}: ${part.name} ${figure}`, part.sentence];
  }

  private _onKey(event: KeyboardEvent): void {
    const last = this._values.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: this._cursor + 1,
      ArrowLeft: this._cursor - 1,
      ArrowDown: this._cursor + this._places.columns,
      ArrowUp: this._cursor - this._places.columns,
      Home: 0,
      End: last
    };
    if (event.key in moves) {
      event.preventDefault();
      this._cursor = Math.min(last, Math.max(0, moves[event.key]));
      this.draw();
      this._context.tooltip.refresh();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this._choose();
    }
  }

  private _onMove(event: PointerEvent): void {
    const { width, height, x, y } = this._places;
    const { offsetX, offsetY } = event;
    const i = x.findIndex(
      (left, at) =>
        offsetX >= left && offsetX <= left + width && offsetY >= y[at] && offsetY <= y[at] + height
    );
    if (i >= 0 && i !== this._cursor) {
      this._cursor = i;
      this._context.tooltip.refresh();
      this.draw();
    }
  }

  private _choose(): void {
    const name = this._sample?.workers[this._cursor];
    if (name !== undefined) {
      this._onChoose(name);
    }
  }

  private readonly _choice: HTMLSelectElement;
  private readonly _canvas: HTMLCanvasElement;
  private _sample: TelemetrySample | null = null;
  private _measures: readonly IMeasure[] = [];
  private _parts = '';
  private _values: readonly (number | null)[] = [];
  private _places: IHeatPlaces = NO_PLACES;
  private _placedFor = '';
  private _hosts: TelemetrySample['host'] = null;
  private _cursor = 0;
}

/** Up to this many machines, each has its own lines, with its name. */
const MOST_HOSTS = 16;
/** Width of a machine's name, in pixels. */
const NAME = 58;

/** The name of a machine, and where it is written. */
interface IHostLabel {
  readonly name: string;
  readonly y: number;
}

/** Where each worker's cell is. */
interface IHeatPlaces {
  readonly width: number;
  readonly height: number;
  /** Upper left corners, one per worker, in pixels. */
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** How many cells are in a full line: what the keyboard goes down by. */
  readonly columns: number;
  readonly labels: readonly IHostLabel[];
  readonly whole: number;
}

/** Place the cells of all workers in so much room: by machine where there are several, else in lines. */
function placesOf(sample: TelemetrySample, room: number): IHeatPlaces {
  const hosts = hostsOf(sample);
  const isGrouped = hosts.length > 1 && hosts.length <= MOST_HOSTS;
  const count = sample.workers.length;
  const left = isGrouped ? NAME : 1;
  const byHost = hosts.length > 1 ? groupsOf(sample, hosts) : [];
  // If there are too many for separate lines, workers of one machine still stand together.
  const together = byHost.flatMap(({ workers }) => workers);
  const groups = isGrouped
    ? byHost
    : [{ name: '', workers: together.length === count ? together : rangeOf(count) }];
  const most = Math.max(1, ...groups.map(({ workers }) => workers.length));
  const [width, height] = cellOf(count, most, room - left - 1);
  const columns = Math.max(1, Math.floor((room - left - 1) / (width + 1)));
  const x = new Array<number>(count);
  const y = new Array<number>(count);
  const labels: IHostLabel[] = [];
  let top = 1;
  for (const { name, workers } of groups) {
    if (name !== '') {
      labels.push({ name, y: top + height / 2 });
    }
    workers.forEach((worker, place) => {
      x[worker] = left + (place % columns) * (width + 1);
      y[worker] = top + Math.floor(place / columns) * (height + 2);
    });
    top += Math.ceil(workers.length / columns) * (height + 2);
  }
  return { width, height, x, y, columns: Math.min(columns, most), labels, whole: top + 1 };
}

/** Size of a cell in pixels: smaller the more there are. */
function cellOf(count: number, most: number, room: number): readonly [number, number] {
  if (count <= 64) {
    return [Math.min(36, Math.max(10, Math.floor(room / most) - 1)), most < count ? 16 : 22];
  }
  return count <= 256 ? [9, 16] : [6, 12];
}

function groupsOf(
  sample: TelemetrySample,
  hosts: readonly string[]
): { readonly name: string; readonly workers: readonly number[] }[] {
  const groups = new Map<string, number[]>(hosts.map(name => [name, []]));
  const others: number[] = [];
  column(sample, 'host').forEach((host, i) => (groups.get(host ?? '') ?? others).push(i));
  const named = [...groups].map(([name, workers]) => ({ name, workers }));
  return others.length === 0 ? named : [...named, { name: '?', workers: others }];
}

function rangeOf(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
