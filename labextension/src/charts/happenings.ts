import { element, setText } from '../gauges/element';
import { signOf } from './chart';
import type { IMark } from './course';
import { clock } from './ticks';
import { trans } from '../translation';

/** A mark this near to the pointer is described; a fraction of the visible time. */
const NEAR = 0.012;

/** What has happened, in words: a list of all, and a line about the moment that is pointed at. */
export class Happenings {
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
