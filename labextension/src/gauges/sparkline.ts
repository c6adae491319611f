import { drawing } from './element';
import { SPAN_SECONDS } from './past';
import type { Trace } from './trace';

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
