import { element, setText } from '../../gauges/element';
import type { SharedCluster, SharedPage } from '../../protocol/messages';
import type { IWidgetModel } from '../model';
import { PageView } from '../pageview';
import { WORDS } from '../words';

/** Pages of Dask's dashboard below the gauges; loaded on demand, as each costs the scheduler work. */
export class SharedPages {
  constructor() {
    this.node = element('section', 'gpc-Shared-pages');
    this.node.setAttribute('aria-label', WORDS.dashboard);
    this._button = element('button', 'gpc-WidgetButton', this.node);
    this._button.type = 'button';
    this._button.onclick = () => (this._view === null ? this._show() : this.close());
    this._draw();
  }

  readonly node: HTMLElement;

  setPages(pages: readonly SharedPage[]): void {
    this._pages = pages;
    this._draw();
  }

  update(cluster: SharedCluster): void {
    this._cluster = cluster;
    this._view?.update(null, cluster);
    this._draw();
  }

  close(): void {
    this._view?.dispose();
    this._view?.node.remove();
    this._view = null;
    this._draw();
  }

  /** There is nothing to see any more. */
  end(): void {
    this._pages = [];
    this.close();
  }

  private _show(): void {
    const values: Record<string, unknown> = {
      path: new URL('dashboard', location.href).pathname,
      pages: this._pages.map(({ path, title }) => [path, title]),
      page: this._pages[0]?.path
    };
    const model: IWidgetModel = {
      get: name => values[name],
      send: () => undefined,
      on: () => undefined,
      off: () => undefined
    };
    this._view = new PageView(model);
    this.node.append(this._view.node);
    if (this._cluster !== null) {
      this._view.update(null, this._cluster);
    }
    this._draw();
  }

  private _draw(): void {
    const runs = this._cluster?.state === 'running' || this._cluster?.state === 'scaling';
    this._button.hidden = this._pages.length === 0 || (!runs && this._view === null);
    this._button.setAttribute('aria-expanded', `${this._view !== null}`);
    setText(this._button, this._view === null ? WORDS.showPages : WORDS.hidePages);
  }

  private readonly _button: HTMLButtonElement;
  private _pages: readonly SharedPage[] = [];
  private _cluster: SharedCluster | null = null;
  private _view: PageView | null = null;
}
