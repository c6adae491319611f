import { ClusterGauges, DEFAULT_THRESHOLDS, englishWords, formatDuration } from '../gauges';
import { element, setText } from '../gauges/element';
import { fill } from '../gauges/words';
import type {
  SharedCluster,
  SharedEvent,
  SharedHello,
  TelemetryHistory,
  TelemetrySample,
  Event,
  SharedPage
} from '../protocol/messages';
import { ThemeWatch } from './theme';
import { WORDS } from './words';
import { EventReader } from '../clusters/eventreader';
import type { IWidgetModel } from './model';
import { PageView } from './pageview';

const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The server closes with this when there is nothing to see any more. */
const OVER_CODE = 4001;

interface IStreamListener {
  onEvent(event: SharedEvent): void;
  /** The connection is gone; whether it may come back has to be asked. Resolves to whether it is tried again. */
  onLost(): Promise<boolean>;
}

/** The WebSocket of a shared view; opens itself again for as long as that may help. */
class SharedStream {
  constructor(private readonly _listener: IStreamListener) {
    this._open();
  }

  close(): void {
    this._isClosed = true;
    window.clearTimeout(this._timer);
    this._socket?.close();
  }

  private _open(): void {
    const url = new URL('events', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.hash = '';
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    const reader = new EventReader((event: Event) => {
      this._wait = SHORTEST_WAIT_MS;
      this._listener.onEvent(event as unknown as SharedEvent);
    });
    socket.onmessage = message => reader.take(message.data);
    socket.onclose = ({ code }) => {
      if (!this._isClosed && code !== OVER_CODE) {
        void this._again();
      }
    };
    this._socket = socket;
  }

  private async _again(): Promise<void> {
    if ((await this._listener.onLost()) && !this._isClosed) {
      this._timer = window.setTimeout(() => this._open(), this._wait);
      this._wait = Math.min(2 * this._wait, LONGEST_WAIT_MS);
    }
  }

  private _socket: WebSocket | null = null;
  private _timer = 0;
  private _wait = SHORTEST_WAIT_MS;
  private _isClosed = false;
}

/** The way in: what stands behind the `#` of a link is exchanged for a cookie that no script can read. */

/** Where a token waits while its reader logs in to the hub. */
const WAITING = 'gpucluster-shared';

type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'login' }
  | { readonly kind: 'refused'; readonly message: string }
  /** The server does not respond. */
  | { readonly kind: 'offline' };

/** Take the token out of the address, where it could be seen, copied and kept; null where there is none. */
function takeToken(): string | null {
  const token = location.hash.slice(1);
  if (token !== '') {
    history.replaceState(null, '', location.pathname);
    return token;
  }
  const waiting = sessionStorage.getItem(WAITING);
  sessionStorage.removeItem(WAITING);
  return waiting;
}

/** Keep the token for the way to the login and back, in this tab only. */
function keepToken(token: string): void {
  sessionStorage.setItem(WAITING, token);
}

/** Go in with a token, or look whether one is in already. */
async function enter(token: string | null): Promise<Access> {
  const init: RequestInit =
    token === null
      ? {}
      : {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ token })
        };
  try {
    const response = await fetch('session', init);
    if (response.ok) {
      return { kind: 'open' };
    }
    const told = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
    return told.code === 'log_in_first'
      ? { kind: 'login' }
      : { kind: 'refused', message: told.message ?? `The server returned ${response.status}.` };
  } catch {
    return { kind: 'offline' };
  }
}

const TICK_MS = 10_000;

/** Show the cluster of this page's link: the gauges of panel and notebook, and nothing that could change anything. */
export function showSharedView(host: HTMLElement): void {
  const view = new SharedView(host);
  // Another link to the same cluster, put into the address of this page, does not load it again.
  window.addEventListener('hashchange', () => {
    if (location.hash.length > 1) {
      void view.start();
    }
  });
  void view.start();
}

class SharedView {
  constructor(host: HTMLElement) {
    host.classList.add('gpc-Widget', 'gpc-Shared');
    const head = element('header', 'gpc-WidgetHead', host);
    this._name = element('h1', 'gpc-WidgetTitle', head);
    this._state = element('span', 'gpc-WidgetState', head);
    this._state.hidden = true;
    this._about = element('span', 'gpc-WidgetAbout', head);
    this._ends = element('span', 'gpc-WidgetAbout gpc-Shared-ends', head);
    this._note = element('p', 'gpc-Shared-note', host);
    this._note.setAttribute('role', 'status');
    this._gauges = new ClusterGauges({ words: englishWords, thresholds: DEFAULT_THRESHOLDS });
    this._gauges.node.hidden = true;
    this._pages = new SharedPages();
    host.append(this._gauges.node, this._pages.node);
    new ThemeWatch(host);
    window.setInterval(() => this._drawEnd(), TICK_MS);
  }

  /** Go in, and look. */
  async start(): Promise<void> {
    this._stream?.close();
    this._stream = null;
    const token = takeToken();
    this._say(WORDS.opening);
    const access = await enter(token);
    switch (access.kind) {
      case 'open':
        this._stream = new SharedStream({
          onEvent: event => this._take(event),
          onLost: () => this._onLost()
        });
        return;
      case 'login':
        if (token !== null) {
          keepToken(token);
        }
        this._say(WORDS.forMembers);
        this._offerLogin();
        return;
      case 'offline':
        this._say(WORDS.offline);
        return;
      case 'refused':
        this._end(access.message);
    }
  }

  private _take(event: SharedEvent): void {
    switch (event.kind) {
      case 'hello':
        this._greet(event);
        return;
      case 'cluster':
        this._cluster = event.cluster;
        break;
      case 'telemetry':
        this._sample = event.sample;
        this._seenAt = Date.now();
        break;
      case 'over':
        this._end(event.message);
        return;
    }
    this._draw();
  }

  private _greet(hello: SharedHello): void {
    this._say('');
    this._cluster = hello.cluster;
    this._seenAt = Date.now();
    // By the server's clock; this one may be wrong.
    this._endsAt = Date.now() + Date.parse(hello.ends_at) - Date.parse(hello.now);
    this._gauges.node.hidden = false;
    this._drawNow(englishWords.now);
    this._pages.setPages(hello.pages);
    this._draw();
    this._drawEnd();
    void fetch('history').then(async response => {
      if (response.ok) {
        this._gauges.setHistory((await response.json()) as TelemetryHistory);
      }
    });
  }

  private async _onLost(): Promise<boolean> {
    this._say(WORDS.offline);
    const access = await enter(null);
    if (access.kind === 'refused') {
      this._end(access.message);
    }
    return access.kind === 'open' || access.kind === 'offline';
  }

  private _draw(): void {
    const cluster = this._cluster;
    if (cluster === null) {
      return;
    }
    document.title = cluster.name;
    setText(this._name, cluster.name);
    setText(this._state, cluster.state);
    this._state.dataset.state = cluster.state;
    this._state.hidden = false;
    const many = cluster.n_workers === 1 ? '' : 's';
    setText(
      this._about,
      `${cluster.n_workers} ${cluster.backend_title} worker${many}`.replace('  ', ' ')
    );
    this._gauges.update(this._sample, cluster);
    this._pages.update(cluster);
  }

  private _drawEnd(): void {
    const left = (this._endsAt - Date.now()) / 1000;
    const ends = this._endsAt === 0 ? '' : fill(WORDS.ends, { time: formatDuration(left) });
    setText(this._ends, ends === '' ? '' : `${WORDS.readOnly} · ${ends}`);
  }

  private _end(message: string): void {
    this._stream?.close();
    this._stream = null;
    this._endsAt = 0;
    this._drawEnd();
    this._pages.end();
    if (this._cluster === null) {
      this._say(message);
      return;
    }
    this._say(`${message} ${WORDS.lastState}`);
    const { state } = this._cluster;
    this._state.hidden = state !== 'stopped' && state !== 'failed';
    const at = new Date(this._seenAt);
    this._drawNow(at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }));
  }

  /** Write when the last figures are from, at the end of the charts. */
  private _drawNow(text: string): void {
    const end = this._gauges.node.querySelector('.gpc-Gauge-ends > :last-child');
    if (end !== null) {
      setText(end, text);
    }
  }

  private _offerLogin(): void {
    const link = element('a', 'gpc-Shared-login', this._note);
    link.href = 'login';
    link.textContent = WORDS.logIn;
  }

  private _say(text: string): void {
    this._note.replaceChildren(text);
    this._gauges.node.classList.toggle('gpc-mod-still', text !== '');
  }

  private readonly _name: HTMLElement;
  private readonly _state: HTMLElement;
  private readonly _about: HTMLElement;
  private readonly _ends: HTMLElement;
  private readonly _note: HTMLElement;
  private readonly _gauges: ClusterGauges;
  private readonly _pages: SharedPages;
  private _stream: SharedStream | null = null;
  private _cluster: SharedCluster | null = null;
  private _sample: TelemetrySample | null = null;
  private _endsAt = 0;
  private _seenAt = 0;
}

/** Pages of Dask's dashboard below the gauges; loaded on demand, as each costs the scheduler work. */
class SharedPages {
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
