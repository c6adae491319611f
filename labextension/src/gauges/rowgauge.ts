import type { TelemetrySample } from '../protocol/messages';
import { formatBytes, formatPercent } from './units';
import { clusterFigures } from './figures';
import { levelOf, shareOf, type IThresholds } from './levels';
import { element, setAttribute, setText } from './element';
import { fill, type IGaugeWords } from './words';

/** A name and a figure, and below them the bar of that figure. */
class Meter {
  constructor(className: string, parent: HTMLElement) {
    this.node = element('span', `gpc-RowMeter ${className}`, parent);
    this._name = element('span', '', this.node);
    this._figure = element('span', 'gpc-RowMeter-figure', this.node);
    this._track = element('span', 'gpc-Track', this.node);
    this._fill = element('i', '', this._track);
    // The track has name and figure in words.
    [this._name, this._figure].forEach(one => {
      one.setAttribute('aria-hidden', 'true');
    });
    this._track.setAttribute('role', 'meter');
    this._track.setAttribute('aria-valuemin', '0');
    this._track.setAttribute('aria-valuemax', '100');
  }

  readonly node: HTMLElement;

  /** Draw; without a share, as of memory without a limit, there is a figure and no bar. */
  update(name: string, share: number | null, figure: string, text: string): void {
    setText(this._name, name);
    setText(this._figure, figure);
    this._track.classList.toggle('gpc-mod-free', share === null);
    const percent = 100 * Math.min(1, Math.max(0, share ?? 0));
    this._fill.style.width = `${Math.round(percent * 10) / 10}%`;
    this.node.title = `${name}: ${text}`;
    setAttribute(this._track, 'aria-label', name);
    setAttribute(this._track, 'aria-valuenow', `${Math.round(percent)}`);
    setAttribute(this._track, 'aria-valuetext', text);
  }

  private readonly _name: HTMLElement;
  private readonly _figure: HTMLElement;
  private readonly _track: HTMLElement;
  private readonly _fill: HTMLElement;
}

/** A cluster in the head of its card: load and memory of the GPUs, or of the CPUs where it has none. */
export class RowGauge {
  constructor(private readonly _words: IGaugeWords) {
    this.node = element('span', 'gpc-RowGauge');
    this._load = new Meter('gpc-mod-load', this.node);
    this._memory = new Meter('gpc-mod-memory', this.node);
  }

  readonly node: HTMLElement;

  /** Draw; null while there are no figures. */
  update(sample: TelemetrySample | null, thresholds: IThresholds): void {
    const { parts, of } = this._words;
    const figures = sample === null ? null : clusterFigures(sample);
    const busy = figures === null ? null : busyPercent(figures);
    const stack = figures?.vram ?? figures?.memory ?? null;
    this._load.node.classList.toggle('gpc-mod-free', busy === null);
    this._memory.node.classList.toggle('gpc-mod-free', stack === null);
    if (figures === null) {
      return;
    }
    if (busy !== null) {
      const { name } = parts[figures.gpu === null ? 'cpu' : 'gpu'];
      const text = formatPercent(busy);
      this._load.update(name, busy / 100, text, text);
    }
    if (stack !== null) {
      const { name } = parts[figures.vram === null ? 'memory' : 'vram'];
      const share = shareOf(stack);
      const used = formatBytes(stack.used);
      this._memory.update(
        name,
        share,
        share === null ? used : formatPercent(100 * share),
        share === null ? used : fill(of, { used, total: formatBytes(stack.total ?? 0) })
      );
      this.node.dataset.level = levelOf(stack, thresholds);
    }
  }

  private readonly _load: Meter;
  private readonly _memory: Meter;
}

/** How busy the GPUs are; without any, the cores. */
function busyPercent({ gpu, cores, capacity }: ReturnType<typeof clusterFigures>): number | null {
  return gpu ?? (cores === null || !capacity ? null : Math.min(100, (cores / capacity) * 100));
}
