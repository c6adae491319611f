import { ClusterGauges, DEFAULT_THRESHOLDS, englishWords, formatDuration } from '../../gauges';
import { element, setText } from '../../gauges/element';
import { fill } from '../../gauges/words';
import type {
  SharedCluster,
  SharedEvent,
  SharedHello,
  TelemetryHistory,
  TelemetrySample
} from '../../protocol/messages';
import { ThemeWatch } from '../theme';
import { WORDS } from '../words';
import { enter, keepToken, takeToken } from './access';
import { SharedPages } from './sharedpages';
import { SharedStream } from './stream';

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
