import { setText } from '../gauges/element';
import type { TelemetrySample } from '../protocol/messages';
import {
  type IWidgetView,
  clusterOf,
  historyOf,
  randomId,
  sampleOf,
  say,
  textOf,
  type IWidgetModel
} from './model';
import { announceView, GONE_EVENT, kindOf, passPictureOn } from './output';
import { ThemeWatch } from './theme';

const LOOK_MS = 1000;
/** Without a word for so long, the kernel is asked whether it still knows of this view. */
const SILENCE_MS = 10_000;
/** How often the kernel is notified that samples are drawn; more often, its busy sign would flicker. */
const ANSWER_MS = 5000;
const CHANGES = ['cluster', 'sample', 'refusal', 'note', 'kernel_over', 'page'];
const LIVE = ['running', 'scaling'];

/** One view: tells the kernel that it is there, draws what comes, and says so when nothing comes any more. */
export class ViewSession {
  constructor(
    private readonly _model: IWidgetModel,
    private readonly _el: HTMLElement,
    private readonly _view: IWidgetView
  ) {
    this._note = document.createElement('div');
    this._note.className = 'gpc-WidgetNote';
    this._note.setAttribute('role', 'status');
    this._el.classList.add('gpc-Widget');
    this._el.append(this._view.node, this._note);
    this._theme = new ThemeWatch(this._el);
    for (const name of CHANGES) {
      this._model.on(`change:${name}`, this._onChange);
    }
    this._model.on('msg:custom', this._onMessage);
    this._model.on('comm_live_update', this._onKernel);
    this._draw();
    this._timer = window.setInterval(() => this._look(), LOOK_MS);
    this._look();
  }

  dispose(): void {
    window.clearInterval(this._timer);
    cancelAnimationFrame(this._frame);
    for (const name of CHANGES) {
      this._model.off(`change:${name}`, this._onChange);
    }
    this._model.off('msg:custom', this._onMessage);
    this._model.off('comm_live_update', this._onKernel);
    if (this._isOpen && !this._isKernelOver) {
      say(this._model, { kind: 'closed', view: this._id });
    }
    this._el.dispatchEvent(new CustomEvent(GONE_EVENT));
    this._theme.dispose();
    this._view.dispose();
  }

  /** A view is drawn before it is put into the page: only then is it known what it stands in. */
  private _look(): void {
    if (!this._isOpen && this._el.isConnected) {
      this._isOpen = true;
      this._keeps = announceView(this._el);
      this._greet();
    }
    const silence = Date.now() - this._heardAt;
    if (this._isKernelOver || !this._isOpen || !LIVE.includes(clusterOf(this._model).state)) {
      return;
    }
    if (silence > SILENCE_MS && textOf(this._model, 'view') !== 'dashboard') {
      // It may have given this view up, as while a laptop slept.
      if (Date.now() - this._greetedAt > SILENCE_MS) {
        this._greet();
      }
      if (!this._isSilent) {
        // Samples come even while a cell runs: this kernel is gone, and there is nothing to ask.
        this._isSilent = true;
        this._draw();
      }
      this._drawNote(
        `No data from the kernel for ${Math.round(silence / 1000)} s; this is the last state.`
      );
    }
  }

  private _greet(): void {
    this._greetedAt = Date.now();
    say(this._model, { kind: 'opened', view: this._id, keeps: this._keeps });
  }

  private readonly _onChange = (): void => {
    this._heardAt = Date.now();
    this._isSilent = false;
    // Whatever comes within one frame is drawn once.
    cancelAnimationFrame(this._frame);
    this._frame = requestAnimationFrame(() => this._draw());
    if (document.hidden) {
      // No frames come while the page is hidden; the kernel continues.
      this._draw();
    }
  };

  private readonly _onMessage = (content: unknown, buffers: unknown): void => {
    this._heardAt = Date.now();
    const history = kindOf(content) === 'history' ? historyOf(buffers) : null;
    if (history !== null) {
      this._view.setHistory?.(history);
    }
    passPictureOn(this._el, content);
  };

  private readonly _onKernel = (): void => {
    // It learns that something changed, not what; the manager marks views without a kernel.
    this._isDisconnected = this._el.closest('.jupyter-widgets-disconnected') !== null;
    this._draw();
  };

  private get _isKernelOver(): boolean {
    return this._isDisconnected || this._model.get('kernel_over') === true;
  }

  private _draw(): void {
    const bytes = this._model.get('sample');
    const isNew = bytes !== this._bytes;
    if (isNew) {
      this._bytes = bytes;
      this._sample = sampleOf(this._model);
    }
    const said = textOf(this._model, 'note');
    const isOver = this._isKernelOver;
    setText(this._view.alert, textOf(this._model, 'refusal'));
    this._drawNote(isOver ? this._view.kernelOver : said);
    this._view.update(
      this._sample,
      clusterOf(this._model),
      isOver || said !== '' || this._isSilent
    );
    if (isNew && this._isOpen && !isOver && Date.now() - this._answeredAt >= ANSWER_MS) {
      this._answeredAt = Date.now();
      say(this._model, { kind: 'drawn' });
    }
  }

  private _drawNote(text: string): void {
    setText(this._note, text);
    this._el.classList.toggle('gpc-mod-still', text !== '');
  }

  private readonly _id = randomId();
  private readonly _note: HTMLElement;
  private readonly _theme: ThemeWatch;
  private readonly _timer: number;
  private _frame = 0;
  private _isOpen = false;
  private _isDisconnected = false;
  private _isSilent = false;
  private _keeps = false;
  private _heardAt = Date.now();
  private _greetedAt = 0;
  private _answeredAt = 0;
  private _bytes: unknown = null;
  private _sample: TelemetrySample | null = null;
}
