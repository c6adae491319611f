import { ClusterGauges, type IGaugeWords, type IThresholds } from '../gauges';
import { element } from '../gauges/element';
import { SPAN_SECONDS } from '../gauges/past';
import { fill } from '../gauges/words';
import type { RecordedSession } from '../protocol/messages';
import { Controls } from './controls';
import { Playback } from './playback';
import { placeAt, timesOf } from './timeline';
import type { IPlayerWords } from './words';

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
