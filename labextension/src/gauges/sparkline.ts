import { drawing } from './element';
import { SPAN_SECONDS } from './past';
import type { Trace } from './trace';

const WIDTH = 100;
const HEIGHT = 20;
/** A cluster that has just started is shown over this time, so that there is something to see. */
export const SHORTEST_SPAN_SECONDS = 120;

/** Two figures in percent over the last minutes: an area and a line. */
export class Sparkline {
  /** `shortestSpan`: in seconds; less than that is shown at the right. */
  constructor(private readonly _shortestSpan: number) {
    this.node = drawing('svg', 'gpc-Sparkline');
    this.node.setAttribute('viewBox', `0 -1 ${WIDTH} ${HEIGHT + 2}`);
    this.node.setAttribute('preserveAspectRatio', 'none');
    // The figures next to it say the same in words.
    this.node.setAttribute('aria-hidden', 'true');
    this._area = drawing('path', 'gpc-Sparkline-area', this.node);
    this._line = drawing('path', 'gpc-Sparkline-line', this.node);
  }

  readonly node: SVGElement;

  /** Draw. */
  update(area: Trace | undefined, line: Trace | undefined): void {
    const length = Math.max(area?.length ?? 0, line?.length ?? 0);
    const span = Math.min(SPAN_SECONDS, Math.max(this._shortestSpan, length));
    this._area.setAttribute('d', area === undefined ? '' : pathOf(area.last(span), true));
    this._line.setAttribute('d', line === undefined ? '' : pathOf(line.last(span), false));
  }

  private readonly _area: SVGElement;
  private readonly _line: SVGElement;
}

/** One piece per run of known values. */
function pathOf(values: Float32Array, isArea: boolean): string {
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
        path += isArea ? `M${x} ${HEIGHT}L${x} ${y}` : `M${x} ${y}`;
      }
    } else if (start >= 0) {
      path += isArea ? `L${tenths((i - 1) * step)} ${HEIGHT}Z` : '';
      start = -1;
    }
  }
  return path;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
