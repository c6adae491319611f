import { element, setText } from './element';
import type { Level } from './levels';

/** Beside a figure that is a reason to worry: a sign, and in words what it means. */
export class Alarm {
  constructor(parent: HTMLElement) {
    this._node = element('span', 'gpc-Alarm', parent);
    this._node.setAttribute('role', 'img');
    this._node.hidden = true;
  }

  /** Draw. */
  update(level: Level, sentence: string): void {
    this._node.hidden = level === 'normal';
    setText(this._node, level === 'critical' ? '▲▲' : '▲');
    this._node.setAttribute('aria-label', sentence);
  }

  private readonly _node: HTMLElement;
}

/** A line of gauges: a name, a picture and figures. */
export class Gauge {
  constructor(name: string, picture: Element) {
    this.node = element('div', 'gpc-Gauge');
    const label = element('span', '', this.node);
    label.textContent = name;
    this.node.append(picture);
    const figures = element('span', 'gpc-Gauge-figure', this.node);
    this._alarm = new Alarm(figures);
    this._figure = element('span', '', figures);
  }

  readonly node: HTMLElement;

  /** Draw; `alarm` is what the level means, in words: colour alone says nothing to many. */
  update(figure: string, level: Level = 'normal', alarm = ''): void {
    setText(this._figure, figure);
    if ((this.node.dataset.level ?? 'normal') !== level) {
      this.node.dataset.level = level;
      this._alarm.update(level, alarm);
    }
  }

  /** Show or hide; a figure that is not measured has no gauge. */
  set isShown(isShown: boolean) {
    if (this.node.hidden === isShown) {
      this.node.hidden = !isShown;
    }
  }

  get isShown(): boolean {
    return !this.node.hidden;
  }

  private readonly _figure: HTMLElement;
  private readonly _alarm: Alarm;
}
