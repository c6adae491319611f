const LOOK_MS = 2000;

/** Marks a node with `gpc-mod-dark` while it stands on a dark page, ours or another one. */
export class ThemeWatch {
  constructor(private readonly _node: HTMLElement) {
    this._observer = new MutationObserver(() => this._look());
    this._observer.observe(document.body, { attributes: true });
    // The style of a new theme comes after its name has changed; other pages change no attribute at all.
    this._timer = window.setInterval(() => this._look(), LOOK_MS);
    requestAnimationFrame(() => this._look());
  }

  dispose(): void {
    this._observer.disconnect();
    window.clearInterval(this._timer);
  }

  private _look(): void {
    if (this._node.isConnected) {
      this._node.classList.toggle('gpc-mod-dark', isLight(getComputedStyle(this._node).color));
    }
  }

  private readonly _observer: MutationObserver;
  private readonly _timer: number;
}

/** Whether a colour, as browsers compute it, is nearer to white. Light text stands on dark ground. */
export function isLight(colour: string): boolean {
  const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  const [red = 0, green = 0, blue = 0] = numbers;
  const full = colour.startsWith('color(') ? 1 : 255;
  return (0.299 * red + 0.587 * green + 0.114 * blue) / full > 0.5;
}
