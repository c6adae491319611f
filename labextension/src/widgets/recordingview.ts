import { englishWords } from '../gauges';
import { englishPlayerWords, Player } from '../player/player';
import { randomId, recordedSessionOf, say, type IWidgetModel } from './model';
import { announceView, GONE_EVENT, passPictureOn } from './output';
import { ThemeWatch } from './theme';

const LOOK_MS = 200;

/** One view of a recording. It plays in the browser, so it goes on when the kernel is busy or gone. */
export class RecordingView {
  constructor(
    private readonly _model: IWidgetModel,
    private readonly _el: HTMLElement
  ) {
    this._el.classList.add('gpc-Widget');
    this._theme = new ThemeWatch(this._el);
    this._model.on('msg:custom', this._onMessage);
    this._timer = window.setInterval(() => this._look(), LOOK_MS);
    void this._load();
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearInterval(this._timer);
    this._model.off('msg:custom', this._onMessage);
    if (this._isOpen) {
      say(this._model, { kind: 'closed', view: this._id });
    }
    this._el.dispatchEvent(new CustomEvent(GONE_EVENT));
    this._theme.dispose();
    this._player?.dispose();
  }

  private async _load(): Promise<void> {
    const session = await recordedSessionOf(this._model);
    if (this._isDisposed) {
      return;
    }
    if (session === null) {
      this._el.append(englishPlayerWords.unreadable);
      return;
    }
    const speed = this._model.get('speed');
    this._player = new Player({
      session,
      words: englishPlayerWords,
      gaugeWords: englishWords,
      speed: typeof speed === 'number' ? speed : 1,
      onSettled: sample => say(this._model, { kind: 'moment', sample })
    });
    this._el.append(this._player.node);
    this._look();
  }

  /** A view is drawn before it is put into the page: only then is it known what it stands in. */
  private _look(): void {
    if (this._isOpen || this._player === null || !this._el.isConnected) {
      return;
    }
    window.clearInterval(this._timer);
    this._isOpen = true;
    say(this._model, { kind: 'opened', view: this._id, keeps: announceView(this._el) });
    this._player.playback.play();
  }

  private readonly _onMessage = (content: unknown): void => passPictureOn(this._el, content);

  private readonly _id = randomId();
  private readonly _theme: ThemeWatch;
  private readonly _timer: number;
  private _player: Player | null = null;
  private _isOpen = false;
  private _isDisposed = false;
}
