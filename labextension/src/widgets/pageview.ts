import { setText } from '../gauges/element';
import { fill } from '../gauges/words';
import type { ClusterModel, TelemetrySample } from '../protocol/messages';
import { alertNode, type IWidgetView, say, textOf, type IWidgetModel } from './model';
import { WORDS } from './words';

/** A page of Dask's dashboard in a frame, through the Jupyter server. */
export class PageView implements IWidgetView {
  constructor(private readonly _model: IWidgetModel) {
    this.node = document.createElement('div');
    const bar = document.createElement('div');
    bar.className = 'gpc-WidgetHead';
    this._name = document.createElement('b');
    this._name.className = 'gpc-WidgetTitle';
    const label = document.createElement('label');
    label.textContent = WORDS.page;
    this._select = document.createElement('select');
    label.append(this._select);
    this._link = document.createElement('a');
    this._link.className = 'gpc-WidgetLink';
    this._link.textContent = WORDS.openInTab;
    this._link.target = '_blank';
    this._link.rel = 'noopener';
    bar.append(this._name, label, this._link);

    this._ended = document.createElement('p');
    this._ended.className = 'gpc-WidgetEnded';
    this._ended.setAttribute('role', 'status');
    this.node.append(this.alert, bar, this._ended);
    for (const [path, title] of pagesOf(_model)) {
      this._select.add(new Option(title, path));
    }
    this._select.onchange = () => {
      say(this._model, { kind: 'page', page: this._select.value });
      this._show(this._select.value);
    };
  }

  readonly node: HTMLElement;
  readonly alert = alertNode();
  // It does not come through the kernel.
  readonly kernelOver = WORDS.pageGoesOn;

  update(_: TelemetrySample | null, cluster: Pick<ClusterModel, 'name' | 'state'>): void {
    this._name.textContent = cluster.name;
    const isOpen = cluster.state === 'running' || cluster.state === 'scaling';
    const page = textOf(this._model, 'page');
    if (page !== this._lastPage) {
      this._lastPage = page;
      this._select.value = page;
    }
    if (isOpen) {
      this._show(this._select.value);
    } else {
      // A page that stays would ask for its connection for ever.
      this._unload();
    }
    this._select.disabled = !isOpen;
    setText(this._ended, endedSentence(cluster));
    this.node.classList.toggle('gpc-mod-over', !isOpen);
  }

  dispose(): void {
    this._unload();
  }

  private _unload(): void {
    this._frame?.remove();
    this._frame = null;
  }

  private _show(page: string): void {
    const path = textOf(this._model, 'path');
    // A path on this server and nothing else: no address from another user's notebook.
    if (!/^\/(?!\/)[\w%~.@+\-/]*$/.test(path) || !/^\w([\w-]|[./](?=\w))*$/.test(page)) {
      this.node.classList.add('gpc-mod-pathless');
      return;
    }
    const url = `${path}/${page}`;
    if (this._frame?.getAttribute('src') === url) {
      return;
    }
    // A new element: a new address in an old one would be a step of the browser's history.
    this._unload();
    const frame = document.createElement('iframe');
    frame.className = 'gpc-WidgetFrame';
    // The dashboard comes from the same server; without its origin it could not open its WebSocket.
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups');
    frame.src = url;
    frame.title = `Dashboard: ${this._select.selectedOptions[0]?.text ?? page}`;
    this._link.href = url;
    this._frame = frame;
    this.node.append(frame);
  }

  private readonly _name: HTMLElement;
  private readonly _select: HTMLSelectElement;
  private readonly _link: HTMLAnchorElement;
  private readonly _ended: HTMLElement;
  private _frame: HTMLIFrameElement | null = null;
  private _lastPage = '';
}

/** Why there is no page. */
function endedSentence({ name, state }: Pick<ClusterModel, 'name' | 'state'>): string {
  switch (state) {
    case 'starting':
      return fill(WORDS.pageStarts, { name });
    case 'stopping':
    case 'stopped':
      return fill(WORDS.pageStopped, { name });
    case 'failed':
      return fill(WORDS.pageFailed, { name });
    default:
      return '';
  }
}

function pagesOf(model: IWidgetModel): [string, string][] {
  const pages = model.get('pages');
  return Array.isArray(pages)
    ? pages.flatMap(page =>
        Array.isArray(page) && typeof page[0] === 'string' && typeof page[1] === 'string'
          ? [[page[0], page[1]] as [string, string]]
          : []
      )
    : [];
}
