import { element, setAttribute, setText } from '../gauges/element';
import { fill } from '../gauges/words';
import type { Playback } from './playback';
import { formatPosition } from './timeline';
import type { IPlayerWords } from './words';

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const STEP_SECONDS = 0.1;
const PLAY = '▶';
const PAUSE = '❚❚';

/** Play and pause, the position, and the speed. */
export class Controls {
  constructor(
    private readonly _playback: Playback,
    private readonly _words: IPlayerWords
  ) {
    this.node = element('div', 'gpc-Player-controls');
    this._button = element('button', 'gpc-Player-button', this.node);
    this._button.type = 'button';
    this._button.addEventListener('click', () =>
      _playback.isPlaying ? _playback.pause() : _playback.play()
    );
    this._slider = element('input', 'gpc-Player-slider', this.node);
    Object.assign(this._slider, { type: 'range', min: '0', step: `${STEP_SECONDS}` });
    // The end is reached by whole steps only if it is one; where that is later, seeking stops at the end.
    this._slider.max = `${Math.ceil(_playback.duration / STEP_SECONDS) * STEP_SECONDS}`;
    this._slider.setAttribute('aria-label', _words.position);
    this._slider.addEventListener('input', () => _playback.seek(Number(this._slider.value)));
    this._time = element('span', 'gpc-Player-time', this.node);
    const label = element('label', 'gpc-Player-speed', this.node);
    label.append(_words.speed);
    this._speed = element('select', '', label);
    // One that was asked for by name is offered beside the usual ones.
    for (const speed of [...new Set([...SPEEDS, _playback.speed])].sort((a, b) => a - b)) {
      this._speed.add(new Option(`${speed} ×`, `${speed}`));
    }
    this._speed.value = `${_playback.speed}`;
    this._speed.addEventListener('change', () => {
      _playback.speed = Number(this._speed.value);
    });
    this.update();
  }

  readonly node: HTMLElement;

  update(): void {
    const { isPlaying, isAtEnd, position, duration } = this._playback;
    const { play, pause, again, positionOf } = this._words;
    const name = isPlaying ? pause : isAtEnd ? again : play;
    setText(this._button, isPlaying ? PAUSE : PLAY);
    setAttribute(this._button, 'aria-label', name);
    setAttribute(this._button, 'title', name);
    this._slider.value = `${position}`;
    const said = { position: formatPosition(position), duration: formatPosition(duration) };
    setAttribute(this._slider, 'aria-valuetext', fill(positionOf, said));
    setText(this._time, `${said.position} / ${said.duration}`);
  }

  private readonly _button: HTMLButtonElement;
  private readonly _slider: HTMLInputElement;
  private readonly _time: HTMLElement;
  private readonly _speed: HTMLSelectElement;
}
