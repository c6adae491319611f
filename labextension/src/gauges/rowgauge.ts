import type { TelemetrySample } from '../protocol/messages';
import { element, setAttribute, setText } from './element';
import { clusterFigures } from './figures';
import { levelOf, shareOf, type IThresholds } from './levels';
import { formatBytes, formatPercent } from './units';
import { fill, type IGaugeWords } from './words';

/** A cluster in the room of a few letters: how busy it is, and one bar for the memory that counts. */
export class RowGauge {
  constructor(private readonly _words: IGaugeWords) {
    this.node = element('span', 'gpc-RowGauge');
    this._busy = element('span', 'gpc-RowGauge-busy', this.node);
    this._track = element('span', 'gpc-Track', this.node);
    this._fill = element('i', '', this._track);
    this._track.setAttribute('role', 'meter');
    this._track.setAttribute('aria-valuemin', '0');
    this._track.setAttribute('aria-valuemax', '100');
  }

  readonly node: HTMLElement;

  /** Draw; null while there are no figures. */
  update(sample: TelemetrySample | null, thresholds: IThresholds): void {
    const { parts, of } = this._words;
    const figures = sample === null ? null : clusterFigures(sample);
    const busy = figures === null ? null : busyPercent(figures);
    // GPUs are busy with others, too, and a core is never quite still: what counts is whether there are tasks.
    const isIdle = sample !== null && !hasTasks(sample);
    // The bar beside it is about memory, so the figure says what it is about.
    const what = parts[figures === null || figures.gpu === null ? 'cpu' : 'gpu'].name;
    setText(
      this._busy,
      isIdle ? this._words.idle : busy === null ? '' : `${what} ${formatPercent(busy)}`
    );
    this.node.classList.toggle('gpc-mod-idle', isIdle);
    const stack = figures?.vram ?? figures?.memory ?? null;
    const share = stack === null ? null : shareOf(stack);
    this._track.classList.toggle('gpc-mod-free', share === null);
    if (stack === null || share === null) {
      return;
    }
    const { name } = parts[figures?.vram ? 'vram' : 'memory'];
    const used = formatBytes(stack.used);
    const text = fill(of, { used, total: formatBytes(stack.total ?? 0) });
    this._fill.style.width = `${Math.round(share * 1000) / 10}%`;
    this.node.dataset.level = levelOf(stack, thresholds);
    this.node.title = `${name}: ${text}`;
    setAttribute(this._track, 'aria-label', name);
    setAttribute(this._track, 'aria-valuenow', `${Math.round(share * 100)}`);
    setAttribute(this._track, 'aria-valuetext', text);
  }

  private readonly _busy: HTMLElement;
  private readonly _track: HTMLElement;
  private readonly _fill: HTMLElement;
}

/** How busy the GPUs are; without any, the cores. */
function busyPercent({ gpu, cores, capacity }: ReturnType<typeof clusterFigures>): number | null {
  return gpu ?? (cores === null || !capacity ? null : Math.min(100, (cores / capacity) * 100));
}

function hasTasks({ tasks }: TelemetrySample): boolean {
  return ['processing', 'waiting', 'queued', 'no-worker'].some(state => (tasks?.[state] ?? 0) > 0);
}
