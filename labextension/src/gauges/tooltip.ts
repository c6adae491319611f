import { element, setText } from './element';

/** What a tooltip says: a heading and sentences. */
export type Tip = () => readonly string[];

/** One tooltip for everything below a node: shown for what is pointed at or has the focus. */
export class Tooltip {
  constructor(private readonly _root: HTMLElement) {
    this.node = element('div', 'gpc-Tooltip');
    this.node.id = `gpc-tooltip-${++count}`;
    this.node.setAttribute('role', 'tooltip');
    this.node.hidden = true;
    // Not `pointerover`: that also comes to what appears below a pointer at rest.
    _root.addEventListener('pointermove', this._onPointer);
    _root.addEventListener('pointerleave', this._onLeave);
    _root.addEventListener('focusin', this._onFocus);
    _root.addEventListener('focusout', this.hide);
    this.node.addEventListener('pointerenter', this._onEnter);
    this.node.addEventListener('pointerleave', this._onLeave);
  }

  readonly node: HTMLElement;

  /** Explain an element. */
  explain(target: Element, tip: Tip): void {
    this._tips.set(target, tip);
  }

  /** Announce it again: figures have changed. */
  refresh(): void {
    if (this._target !== null) {
      if (this._target.isConnected) {
        this._write();
      } else {
        this.hide();
      }
    }
  }

  /** Show the tooltip of an element, next to it or next to a point. */
  show(target: Element, near?: { readonly x: number; readonly y: number }): void {
    window.clearTimeout(this._timer);
    if (!this.node.isConnected) {
      // Outside of everything that scrolls or clips, but with the styles that the gauges have.
      const home = this._root.getRootNode();
      (home instanceof ShadowRoot ? home : document.body).append(this.node);
      this.node.classList.toggle('gpc-mod-dark', this._root.closest('.gpc-mod-dark') !== null);
      document.addEventListener('keydown', this._onKey, true);
      window.addEventListener('scroll', this._onScroll, true);
    }
    this._describe(target);
    this._write();
    this.node.hidden = false;
    this._place(near ?? null);
  }

  readonly hide = (): void => {
    window.clearTimeout(this._timer);
    this._describe(null);
    document.removeEventListener('keydown', this._onKey, true);
    window.removeEventListener('scroll', this._onScroll, true);
    this.node.remove();
  };

  dispose(): void {
    this.hide();
    this._root.removeEventListener('pointermove', this._onPointer);
    this._root.removeEventListener('pointerleave', this._onLeave);
    this._root.removeEventListener('focusin', this._onFocus);
    this._root.removeEventListener('focusout', this.hide);
  }

  private _describe(target: Element | null): void {
    this._target?.removeAttribute('aria-describedby');
    target?.setAttribute('aria-describedby', this.node.id);
    this._target = target;
  }

  private _write(): void {
    const lines = (this._target === null ? undefined : this._tipOf(this._target)?.()) ?? [];
    while (this.node.childElementCount > lines.length) {
      this.node.lastElementChild?.remove();
    }
    lines.forEach((line, i) => {
      setText(this.node.children[i] ?? element('div', '', this.node), line);
    });
  }

  private _place(near: { readonly x: number; readonly y: number } | null): void {
    const target = this._target?.getBoundingClientRect();
    if (target === undefined) {
      return;
    }
    const { width, height } = this.node.getBoundingClientRect();
    const left = Math.min(near?.x ?? target.left, window.innerWidth - width - 8);
    const below = (near?.y ?? target.bottom) + 6;
    const above = (near?.y ?? target.top) - height - 6;
    const top = below + height > window.innerHeight && above >= 0 ? above : below;
    this.node.style.left = `${Math.max(8, left)}px`;
    this.node.style.top = `${top}px`;
  }

  private _tipOf(target: Element): Tip | undefined {
    return this._tips.get(target);
  }

  private _find(start: EventTarget | null): Element | null {
    let node = start instanceof Element ? start : null;
    while (node !== null && !this._tips.has(node)) {
      node = node === this._root ? null : node.parentElement;
    }
    return node;
  }

  /** What the keyboard reaches is scrolled into view after it has the focus: it keeps its tooltip. */
  private readonly _onScroll = (): void => {
    if (this._target?.matches(':focus') === true) {
      this._place(null);
    } else {
      this.hide();
    }
  };

  private readonly _onPointer = (event: PointerEvent): void => {
    const target = this._find(event.target);
    if (target !== null && target === this._pointed) {
      return;
    }
    this._pointed = target;
    window.clearTimeout(this._timer);
    if (target === null) {
      this._onLeave();
    } else if (target !== this._target) {
      this._timer = window.setTimeout(() => this.show(target), DELAY_MS);
    }
  };

  private readonly _onFocus = (event: FocusEvent): void => {
    const target = event.target as Element;
    // A click focuses too, and has shown what it is about already.
    if (this._tipOf(target) !== undefined && target.matches(':focus-visible')) {
      this.show(target);
    }
  };

  private readonly _onEnter = (): void => window.clearTimeout(this._timer);

  private readonly _onLeave = (): void => {
    this._pointed = null;
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(this.hide, DELAY_MS);
  };

  private readonly _onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.hide();
    }
  };

  private readonly _tips = new WeakMap<Element, Tip>();
  private _target: Element | null = null;
  private _pointed: Element | null = null;
  private _timer = 0;
}

/** Long enough not to flicker while the pointer passes, short enough to feel prompt. */
const DELAY_MS = 250;

let count = 0;
