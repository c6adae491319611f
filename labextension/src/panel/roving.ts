/** The way a key goes: a step, or to an end. */
const MOVES: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowRight: at => at + 1,
  ArrowDown: at => at + 1,
  ArrowLeft: at => at - 1,
  ArrowUp: at => at - 1,
  Home: () => 0,
  End: (_, last) => last
};

/** Makes what a selector finds in a node one stop of the Tab key; arrow keys go from one to the next. */
export class Roving {
  constructor(
    private readonly _node: HTMLElement,
    private readonly _selector: string
  ) {
    _node.addEventListener('focusin', this._onFocus);
    _node.addEventListener('keydown', this._onKey);
    this.settle();
  }

  dispose(): void {
    this._node.removeEventListener('focusin', this._onFocus);
    this._node.removeEventListener('keydown', this._onKey);
  }

  /** Have exactly one stop, even after some have come or gone. */
  settle(): void {
    const stops = this._stops();
    const current = stops.find(stop => stop === this._current) ?? stops[0];
    stops.forEach(stop => {
      stop.tabIndex = stop === current ? 0 : -1;
    });
  }

  private _stops(): HTMLElement[] {
    return [...this._node.querySelectorAll<HTMLElement>(this._selector)].filter(
      stop => !stop.matches(':disabled') && stop.closest('[hidden]') === null
    );
  }

  private readonly _onFocus = ({ target }: Event): void => {
    if ((target as Element).matches(this._selector)) {
      this._current = target as HTMLElement;
      this.settle();
    }
  };

  private readonly _onKey = (event: KeyboardEvent): void => {
    const stops = this._stops();
    const at = stops.indexOf(event.target as HTMLElement);
    if (at !== -1 && event.key in MOVES && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const last = stops.length - 1;
      stops[Math.min(last, Math.max(0, MOVES[event.key](at, last)))].focus();
    }
  };

  private _current: HTMLElement | null = null;
}
