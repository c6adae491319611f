import { fill, type ITranslating } from '../gauges/words';
import { ClusterGauges, type IGaugeWords, type IThresholds } from '../gauges';
import { element, setAttribute, setText } from '../gauges/element';
import { Playback } from './playback';
import type { RecordedSession, TelemetrySample } from '../protocol/messages';
import { SPAN_SECONDS } from '../gauges/past';

/** Samples that are noted one after the other; a longer way starts again. */
const MOST_STEPS = 100;
/** Less would be too coarse for traces that know two seconds. */
const LEAST_SPAN_SECONDS = 20;
/** Milliseconds without a move after which the slider has arrived. */
const SETTLED_MS = 500;
/** Gauges ask for a cluster's workers by address; a recording has none. */
const NO_WORKERS = { workers: [] };

/** Plays a recording through the gauges of live clusters. What it was recorded on is always in view. */
export class Player {
  constructor(private readonly _options: Player.IOptions) {
    const { session, words, gaugeWords, thresholds } = _options;
    this._times = timesOf(session.samples);
    this.node = element('section', 'gpc-Player');
    this.node.setAttribute('aria-label', fill(words.recording, { title: session.recording.title }));
    const head = element('div', 'gpc-Player-head', this.node);
    element('b', 'gpc-Player-title', head).textContent = session.recording.title;
    element('p', 'gpc-Player-label', head).textContent = session.label;
    this._playback = new Playback(this._times[this._times.length - 1] ?? 0, () => this._move());
    this._playback.speed = _options.speed ?? 1;
    this._controls = new Controls(this._playback, words);
    head.append(this._controls.node);
    const message = element('p', 'gpc-Player-message', head);
    message.setAttribute('role', 'status');
    message.textContent = session.message;
    message.hidden = session.message === null;
    this._gauges = new ClusterGauges({
      words: gaugeWords,
      thresholds,
      // At the end of a short recording, all of it is in view.
      shortestSpan: Math.max(LEAST_SPAN_SECONDS, this._playback.duration)
    });
    this.node.append(this._gauges.node);
    element('p', 'gpc-Player-about', this.node).textContent = about(session, words);
    this._show(0);
  }

  readonly node: HTMLElement;

  get playback(): Playback {
    return this._playback;
  }

  /** Go to the last sample at a moment, in milliseconds since 1970. */
  seekTo(moment: number): void {
    const { samples } = this._options.session;
    const after = samples.findIndex(({ at }) => Date.parse(at) > moment);
    this._playback.seek(this._times[after < 0 ? samples.length - 1 : Math.max(0, after - 1)]);
  }

  /** From how much on gauges warn. */
  set thresholds(thresholds: IThresholds) {
    this._gauges.thresholds = thresholds;
  }

  dispose(): void {
    window.clearTimeout(this._settling);
    this._playback.dispose();
    this._gauges.dispose();
    this.node.remove();
  }

  private _move(): void {
    this._controls.update();
    this._show(placeAt(this._times, this._playback.position));
    window.clearTimeout(this._settling);
    if (!this._playback.isPlaying) {
      this._settling = window.setTimeout(() => this._options.onSettled?.(this._place), SETTLED_MS);
    }
  }

  private _show(place: number): void {
    const { samples } = this._options.session;
    const steps = place - this._place;
    if (steps >= 0 && steps <= MOST_STEPS) {
      for (const sample of samples.slice(this._place + 1, place + 1)) {
        this._gauges.update(sample, NO_WORKERS);
      }
    } else {
      const first = placeAt(this._times, this._times[place] - SPAN_SECONDS);
      this._gauges.restart(samples.slice(first, place + 1), NO_WORKERS);
    }
    if (place !== this._place) {
      this._place = place;
      this._options.onShown?.(place);
    }
  }

  private readonly _times: readonly number[];
  private readonly _playback: Playback;
  private readonly _controls: Controls;
  private readonly _gauges: ClusterGauges;
  private _place = -1;
  private _settling = 0;
}

export namespace Player {
  export interface IOptions {
    session: RecordedSession;
    words: IPlayerWords;
    gaugeWords: IGaugeWords;
    thresholds?: IThresholds;
    /** How many times as fast as it was. */
    speed?: number;
    /** Called when a sample stays in view: after a pause, at the end, or when the slider has come to rest. */
    onSettled?: (place: number) => void;
    /** Called whenever another sample is shown. */
    onShown?: (place: number) => void;
  }
}

/** What ran, and with what. */
function about({ recording }: RecordedSession, words: IPlayerWords): string {
  const { gpucluster, dask, rapids } = recording.versions;
  const versions = [
    ['gpucluster', gpucluster],
    ['Dask', dask],
    ['RAPIDS', rapids]
  ].flatMap(([name, version]) => (version === null ? [] : [`${name} ${version}`]));
  const driver =
    recording.driver === null ? [] : [fill(words.driver, { version: recording.driver })];
  const workers = fill(words.workers, { count: `${recording.n_workers}` });
  return [
    ...(recording.note === null ? [] : [recording.note]),
    workers,
    ...versions,
    ...driver
  ].join(' · ');
}

type IPlayerWords = ReturnType<typeof playerWords>;

/** Everything that the player says, in the language of `trans`. `{…}` is filled in by the player. */
export function playerWords(trans: ITranslating) {
  return {
    recording: trans.__('Recording: {title}'),
    play: trans.__('Play'),
    pause: trans.__('Pause'),
    again: trans.__('Play again'),
    position: trans.__('Position'),
    positionOf: trans.__('{position} of {duration}'),
    speed: trans.__('Speed'),
    workers: trans.__('Workers: {count}'),
    driver: trans.__('driver {version}'),
    unreadable: trans.__('This recording cannot be read.')
  };
}

export const englishPlayerWords: IPlayerWords = playerWords({ __: text => text });

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const STEP_SECONDS = 0.1;
const PLAY = '▶';
const PAUSE = '❚❚';

/** Play and pause, the position, and the speed. */
class Controls {
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

/** A cluster that was silent for longer is played as if it had been silent for so long, in seconds. */
const LONGEST_GAP_SECONDS = 10;

/** When each sample is shown, in seconds from the first one. */
export function timesOf(samples: readonly TelemetrySample[]): readonly number[] {
  let last = NaN;
  let time = 0;
  return samples.map(({ at }) => {
    const moment = Date.parse(at) / 1000;
    const gap = moment - last;
    time += gap > 0 ? Math.min(gap, LONGEST_GAP_SECONDS) : 0;
    last = moment;
    return time;
  });
}

/** The last sample that has come at a position; the first one before all. */
export function placeAt(times: readonly number[], position: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** A position for people, such as `1:05`. */
export function formatPosition(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, '0')}`;
}
