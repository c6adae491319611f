import { element, setText } from './element';
import type { Level } from './levels';

/** A line of gauges: a name, a picture and figures. */
export class Gauge {
  constructor(name: string, picture: Element) {
    this.node = element('div', 'gpc-Gauge');
    const label = element('span', 'gpc-Gauge-name', this.node);
    label.textContent = name;
    this.node.append(picture);
    const figures = element('span', 'gpc-Gauge-figure', this.node);
    this._alarm = element('span', 'gpc-Alarm', figures);
    this._alarm.setAttribute('role', 'img');
    this._alarm.hidden = true;
    this._figure = element('span', '', figures);
  }

  readonly node: HTMLElement;

  /** Draw; `alarm` is what the level means, in words: colour alone says nothing to many. */
  update(figure: string, level: Level = 'normal', alarm = ''): void {
    setText(this._figure, figure);
    if ((this.node.dataset.level ?? 'normal') !== level) {
      this.node.dataset.level = level;
      this._alarm.hidden = level === 'normal';
      this._alarm.textContent = level === 'critical' ? '▲▲' : '▲';
      this._alarm.setAttribute('aria-label', alarm);
    }
  }

  /** Show or hide; a figure that nobody measures has no gauge. */
  set isShown(isShown: boolean) {
    if (this.node.hidden === isShown) {
      this.node.hidden = !isShown;
    }
  }

  get isShown(): boolean {
    return !this.node.hidden;
  }

  private readonly _figure: HTMLElement;
  private readonly _alarm: HTMLElement;
}
