import { drawing } from './element';
import { SPAN_SECONDS } from './past';

/** The recent past of one figure: a ring of bins of equal duration, each with a mean or nothing. */
export class Trace {
  /** `step` and `span` in seconds. */
  constructor(
    readonly step: number,
    span: number
  ) {
    this._values = new Float32Array(Math.ceil(span / step)).fill(NaN);
  }

  /** Note what holds now; `time` in seconds. What was missed for a moment is filled in. */
  put(time: number, value: number | null): void {
    const bin = Math.floor(time / this.step);
    const capacity = this._values.length;
    if (bin > this._newest) {
      const missed = bin - this._newest - 1;
      for (let i = Math.max(this._newest + 1, bin - capacity + 1); i <= bin; i++) {
        const isFilled = missed * this.step <= LONGEST_GAP_SECONDS;
        this._values[i % capacity] = isFilled && i < bin ? (value ?? NaN) : NaN;
      }
      this._newest = bin;
      this._count = 0;
    }
    if (bin === this._newest && value !== null) {
      const known = this._count === 0 ? 0 : this._values[bin % capacity];
      this._count += 1;
      this._values[bin % capacity] = known + (value - known) / this._count;
    }
  }

  /** Note the past: what is already known stays. */
  putPast(since: number, time: number, value: number | null): void {
    const last = Math.floor(time / this.step);
    if (this._newest < last) {
      this.put(time, value);
    }
    const capacity = this._values.length;
    const first = time - since > LONGEST_GAP_SECONDS ? last : Math.floor(since / this.step) + 1;
    for (let i = Math.max(first, this._newest - capacity + 1); i <= last; i++) {
      if (value !== null && Number.isNaN(this._values[i % capacity])) {
        this._values[i % capacity] = value;
      }
    }
  }

  /** The bins of the last `span` seconds, oldest first; NaN where nothing is known. */
  last(span: number): Float32Array {
    const capacity = this._values.length;
    const length = Math.min(capacity, Math.ceil(span / this.step));
    const values = new Float32Array(length);
    for (let i = 0; i < length; i++) {
      const bin = this._newest - length + 1 + i;
      values[i] = bin < 0 ? NaN : this._values[bin % capacity];
    }
    return values;
  }

  /** For how long something has been known, in seconds. */
  get length(): number {
    const values = this.last(Infinity);
    const first = values.findIndex(value => !Number.isNaN(value));
    return first < 0 ? 0 : (values.length - first) * this.step;
  }

  private readonly _values: Float32Array;
  private _newest = -1;
  private _count = 0;
}

/** A worker of a big cluster reports every few seconds; more than this is a gap to be seen. */
const LONGEST_GAP_SECONDS = 40;

const WIDTH = 100;
const HEIGHT = 20;
/** A cluster that has just started is shown over this time, so that there is something to see. */
export const SHORTEST_SPAN_SECONDS = 120;

/** A figure in percent over the last minutes. */
export class Sparkline {
  /** `shortestSpan`: in seconds; less than that is shown at the right. */
  constructor(private readonly _shortestSpan: number) {
    this.node = drawing('svg', 'gpc-Sparkline');
    this.node.setAttribute('viewBox', `0 -1 ${WIDTH} ${HEIGHT + 2}`);
    this.node.setAttribute('preserveAspectRatio', 'none');
    // The figures next to it say the same in words.
    this.node.setAttribute('aria-hidden', 'true');
    this._area = drawing('path', 'gpc-Sparkline-area', this.node);
  }

  readonly node: SVGElement;
  /** How much time is drawn. */
  seconds = 0;

  /** Draw. */
  update(area: Trace | undefined): void {
    const span = Math.min(SPAN_SECONDS, Math.max(this._shortestSpan, area?.length ?? 0));
    this.seconds = span;
    this._area.setAttribute('d', area === undefined ? '' : pathOf(area.last(span)));
  }

  private readonly _area: SVGElement;
}

/** One piece per run of known values. */
function pathOf(values: Float32Array): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  let path = '';
  let start = -1;
  for (let i = 0; i <= values.length; i++) {
    const isKnown = i < values.length && !Number.isNaN(values[i]);
    if (isKnown) {
      const x = tenths(i * step);
      const y = tenths(HEIGHT - (Math.min(100, Math.max(0, values[i])) / 100) * HEIGHT);
      if (start >= 0) {
        path += `L${x} ${y}`;
      } else {
        start = x;
        path += `M${x} ${HEIGHT}L${x} ${y}`;
      }
    } else if (start >= 0) {
      path += `L${tenths((i - 1) * step)} ${HEIGHT}Z`;
      start = -1;
    }
  }
  return path;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
