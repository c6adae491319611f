import type { ServerConnection } from '@jupyterlab/services';
import { Widget } from '@lumino/widgets';

import { gaugeWords, type IThresholds } from '../gauges';
import { element } from '../gauges/element';
import { sentenceOf } from '../panel/asking';
import { Player, playerWords } from '../player';
import { TimeCharts } from '../charts/timecharts';
import type { RecordedSession } from '../protocol/messages';
import { readRecording, type IRecordingPlace } from './recordingsapi';
import { trans } from '../translation';

/** Reads a recording and plays it; a sentence where it cannot. */
export class RecordingContent extends Widget {
  constructor(private readonly _options: RecordingContent.IOptions) {
    super();
    this.addClass('gpc-RecordingContent');
    this._sentence = element('p', 'gpc-RecordingContent-sentence', this.node);
    this._sentence.setAttribute('role', 'status');
    this._sentence.textContent = trans.__('Loading…');
    void this._read();
  }

  override dispose(): void {
    this._player?.dispose();
    this._charts?.dispose();
    super.dispose();
  }

  private async _read(): Promise<void> {
    const { place, settings, thresholds, onTitle } = this._options;
    try {
      const session = await readRecording(settings, place());
      if (this.isDisposed) {
        return;
      }
      this._player = new Player({
        session,
        words: playerWords(trans),
        gaugeWords: gaugeWords(trans),
        thresholds: thresholds(),
        onShown: place => this._showMoment(session, place)
      });
      onTitle?.(session.recording.title);
      this._sentence.remove();
      this.node.append(this._player.node);
      this._player.playback.play();
      this._chart(session);
    } catch (error) {
      this._sentence.setAttribute('role', 'alert');
      this._sentence.textContent = sentenceOf(error);
    }
  }

  /** The whole recording on a time axis, below the gauges of one moment. */
  private _chart(session: RecordedSession): void {
    this._charts = new TimeCharts({
      onSeek: time => this._player?.seekTo(time * 1000)
    });
    session.samples.forEach(sample => this._charts?.add(sample));
    this._charts.showAll();
    this.node.append(this._charts.node);
  }

  private _showMoment({ samples }: RecordedSession, place: number): void {
    if (this._charts !== null && samples[place] !== undefined) {
      this._charts.position = Date.parse(samples[place].at) / 1000;
    }
  }

  private readonly _sentence: HTMLElement;
  private _player: Player | null = null;
  private _charts: TimeCharts | null = null;
}

export namespace RecordingContent {
  export interface IOptions {
    place: () => IRecordingPlace;
    settings: ServerConnection.ISettings;
    /** From how much on gauges warn. */
    thresholds: () => IThresholds;
    /** Called with what the recording is called. */
    onTitle?: (title: string) => void;
  }
}
