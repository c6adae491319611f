import { levelOf, shareOf, type IReading } from './levels';
import { formatBytes, formatShare } from './units';

/** What a bar shows. */
export interface IBar {
  /** What is measured, in a word or two. */
  readonly label: string;
  readonly reading: IReading;
  /** One sentence for the tooltip and for screen readers. */
  readonly sentence: string;
  /** Whether the figure is old. */
  readonly isStale?: boolean;
}

/** A horizontal bar with a label and figures. Plain DOM, so that any face can use it. */
export class Bar {
  constructor() {
    this.node = document.createElement('div');
    this.node.className = 'gpc-Bar';
    this._label = this._add('gpc-Bar-label');
    this._track = this._add('gpc-Bar-track');
    this._fill = document.createElement('div');
    this._fill.className = 'gpc-Bar-fill';
    this._track.append(this._fill);
    this._figures = this._add('gpc-Bar-figures');
    this._track.setAttribute('role', 'meter');
    this._track.setAttribute('aria-valuemin', '0');
    this._track.setAttribute('aria-valuemax', '100');
  }

  readonly node: HTMLElement;

  /** Draw. */
  update({ label, reading, sentence, isStale }: IBar): void {
    const share = shareOf(reading);
    this.node.title = sentence;
    this.node.dataset.level = levelOf(reading);
    this.node.classList.toggle('gpc-mod-stale', isStale === true);
    this.node.classList.toggle('gpc-mod-unlimited', share === null);
    this._label.textContent = label;
    this._figures.textContent =
      reading.total === null ? formatBytes(reading.used) : formatShare(reading.used, reading.total);
    this._fill.style.width = `${(share ?? 0) * 100}%`;
    this._track.setAttribute('aria-label', label);
    this._track.setAttribute('aria-valuenow', `${Math.round((share ?? 0) * 100)}`);
    this._track.setAttribute('aria-valuetext', sentence);
  }

  private _add(className: string): HTMLElement {
    const node = document.createElement('div');
    node.className = className;
    this.node.append(node);
    return node;
  }

  private readonly _label: HTMLElement;
  private readonly _track: HTMLElement;
  private readonly _fill: HTMLElement;
  private readonly _figures: HTMLElement;
}
