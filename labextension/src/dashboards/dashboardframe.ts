import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

/** How long a hidden page is kept loaded: each one costs the scheduler work. */
const KEPT_WHILE_HIDDEN_MS = 60_000;

/** First and longest pause before a page that could not be loaded is tried again. */
const RETRY_MS = [2_000, 30_000] as const;

/** Automatic retries of a page; then it waits for the user, or for a change of the cluster. */
const RETRIES = 8;

/** A page of a dashboard, or a message instead. Loaded only while it is visible. */
export class DashboardFrame extends Widget {
  constructor(private readonly _words: DashboardFrame.IWords) {
    super();
    this.addClass('gpc-DashboardFrame');
    // JupyterLab lets nothing be dropped into what has this class, and keeps the pointer out while it drags.
    this.addClass('jp-IFrame');
    this._sentence.className = 'gpc-DashboardFrame-sentence';
    this._sentence.setAttribute('role', 'status');
    this.node.append(this._sentence);
    this._themes = new MutationObserver(() => this._followTheme());
    this._themes.observe(document.body, { attributeFilter: ['data-jp-theme-light'] });
  }

  /** Whether pages are dark in dark themes. */
  set isDarkWanted(isWanted: boolean) {
    this._isDarkWanted = isWanted;
    this._followTheme();
  }

  /** Show a page. */
  showPage(url: string, title: string): void {
    this._title = title;
    if (url !== this._url) {
      this._url = url;
      this._tries = 0;
      this._unload();
    }
    if (this._frame !== null) {
      this._frame.title = title;
    }
    this._load();
  }

  /** Show a sentence, and no page. */
  showSentence(sentence: string): void {
    this._url = '';
    this._unload();
    if (this._sentence.textContent !== sentence) {
      this._sentence.textContent = sentence;
    }
  }

  /** Load the page again. */
  reload(): void {
    this._tries = 0;
    this._loadAgain();
  }

  override dispose(): void {
    this._themes.disconnect();
    window.clearTimeout(this._timer);
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    window.clearTimeout(this._timer);
    this._load();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._unload(), KEPT_WHILE_HIDDEN_MS);
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._load();
  }

  private _load(): void {
    if (this._url === '' || this._frame !== null || !this.isVisible) {
      return;
    }
    // A new element each time: a new address in an old one would be a step of the browser's history.
    const frame = document.createElement('iframe');
    // The dashboard comes through our own server: without its origin it could not open its WebSocket.
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups allow-downloads');
    frame.title = this._title;
    frame.src = this._url;
    frame.dataset.state = 'loading';
    frame.classList.toggle('gpc-mod-invert', this._isDark);
    frame.addEventListener('load', () => this._onLoaded(frame));
    this._frame = frame;
    this._sentence.textContent = this._words.loading;
    this.node.append(frame);
  }

  private _loadAgain(): void {
    this._unload();
    this._load();
  }

  private get _isDark(): boolean {
    return this._isDarkWanted && document.body.dataset.jpThemeLight === 'false';
  }

  /** A page drawn in one theme cannot be changed: it is loaded again. */
  private _followTheme(): void {
    const isDark = this._frame?.classList.contains('gpc-mod-invert') ?? this._isDark;
    if (isDark !== this._isDark) {
      this._loadAgain();
    }
  }

  private _unload(): void {
    window.clearTimeout(this._timer);
    this._frame?.remove();
    this._frame = null;
  }

  private _onLoaded(frame: HTMLIFrameElement): void {
    // Our server's own page says that it could not reach the dashboard; it may soon.
    const refused = frame.contentDocument?.querySelector('meta[name="gpucluster-refusal"]');
    if (frame !== this._frame) {
      return;
    }
    if (!refused) {
      this._tries = 0;
      this._sentence.textContent = '';
      frame.dataset.state = 'loaded';
      if (this._isDark) {
        darkenPage(frame, () => frame.classList.add('gpc-mod-dark'));
      }
    } else if (this._tries < RETRIES) {
      const pause = Math.min(RETRY_MS[0] * 2 ** this._tries, RETRY_MS[1]);
      this._tries += 1;
      this._timer = window.setTimeout(() => this._loadAgain(), pause);
      this._sentence.textContent = this._words.retrying;
    } else {
      this._sentence.textContent = this._words.gone;
    }
  }

  private readonly _sentence = document.createElement('p');
  private _frame: HTMLIFrameElement | null = null;
  private _url = '';
  private _title = '';
  private _timer = 0;
  private _tries = 0;
  private _isDarkWanted = true;
  private readonly _themes: MutationObserver;
}

export namespace DashboardFrame {
  /** What is said in the place of a page. */
  export interface IWords {
    loading: string;
    retrying: string;
    gone: string;
  }
}

/**
 * A page of Dask's dashboard on a dark ground, with the colours of its tasks as they are: what is black or grey becomes
 * light and what is white dark, in Bokeh's own models. Nothing of that is sent to the scheduler.
 */

const GROUND = '#111111';
const INK = '#dddddd';
const GRID = '#3a3a3a';

/** Neutral colours as Bokeh and Dask write them, with what takes their place. */
const NEUTRALS: Readonly<Record<string, string>> = {
  black: INK,
  '#000000': INK,
  '#444': INK,
  '#444444': INK,
  '#5b5b5b': INK,
  '#4b4b4b': INK,
  '#e5e5e5': GRID,
  white: '#1c1c1c',
  '#ffffff': '#1c1c1c'
};

/** How often, and how many times, to look whether the page has drawn anything. */
const LOOK_MS = 150;
const LOOKS = 100;

const STYLE = `html, body { background: ${GROUND} !important; color: ${INK}; }
.navbar { filter: invert(0.9) hue-rotate(180deg); }`;

/** As much of Bokeh's models as is used here. */
interface IModel {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  setv(values: object, options: { sync: boolean }): void;
  [name: string]: unknown;
}

interface IBokehWindow extends Window {
  readonly JSON: JSON;
  readonly Bokeh?: { readonly documents: readonly { readonly all_models: Iterable<IModel> }[] };
}

/**
 * Make the page in a frame dark, once it has drawn something. A page that has tables, or nothing of Bokeh's, is left
 * as it is.
 */
function darkenPage(frame: HTMLIFrameElement, onDark: () => void, looks = LOOKS): void {
  if (!frame.isConnected || looks === 0) {
    return;
  }
  const models = modelsOf(frame);
  if (models.length === 0) {
    window.setTimeout(() => darkenPage(frame, onDark, looks - 1), LOOK_MS);
    return;
  }
  const page = frame.contentDocument;
  if (page === null || models.some(({ type }) => type.endsWith('DataTable'))) {
    return;
  }
  const style = page.createElement('style');
  style.textContent = STYLE;
  page.head.append(style);
  // Bokeh accepts only plain objects of the same window.
  const own = (frame.contentWindow as IBokehWindow).JSON;
  for (const model of models) {
    const values = darkValues(model);
    if (Object.keys(values).length > 0) {
      model.setv(own.parse(JSON.stringify(values)) as object, { sync: false });
    }
  }
  onDark();
}

function modelsOf(frame: HTMLIFrameElement): IModel[] {
  const documents = (frame.contentWindow as IBokehWindow | null)?.Bokeh?.documents ?? [];
  return documents.flatMap(({ all_models }) => [...all_models]);
}

/** What a model's neutral colours become. */
export function darkValues(model: Pick<IModel, 'type' | 'properties'>): Record<string, unknown> {
  const { type, properties } = model;
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    if (name.endsWith('_color')) {
      const given = (model as Record<string, unknown>)[name];
      const wrapped = typeof given === 'object' && given !== null && 'value' in given;
      const colour = wrapped ? given.value : given;
      const dark = typeof colour === 'string' ? NEUTRALS[colour.toLowerCase()] : undefined;
      if (dark !== undefined) {
        values[name] = wrapped ? { value: dark } : dark;
      }
    }
  }
  if (type === 'Text' && 'background_fill_color' in properties) {
    // Labels lie on bars of any colour, even on yellow ones.
    values.background_fill_color = { value: GROUND };
    values.background_fill_alpha = { value: 0.6 };
  }
  return values;
}
