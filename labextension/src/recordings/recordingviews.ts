import type { ILayoutRestorer } from '@jupyterlab/application';
import { WidgetTracker, MainAreaWidget, type Dialog } from '@jupyterlab/apputils';
import {
  ABCWidgetFactory,
  DocumentWidget,
  type DocumentRegistry,
  type IDocumentWidget
} from '@jupyterlab/docregistry';
import type { ServerConnection } from '@jupyterlab/services';
import { Widget } from '@lumino/widgets';

import { recordingIcon } from '../icons';
import { Player, playerWords, formatPosition } from '../player/player';
import { activateView, addView, type IShells } from '../shell/placing';
import { TimeCharts } from '../charts/timecharts';
import { type IThresholds, gaugeWords } from '../gauges';
import * as CommandIDs from '../actions/commandids';
import { element } from '../gauges/element';
import { sentenceOf } from '../panel/asking';
import { request } from '../clusters/restapi';
import type { RecordedSession, RecordingEntry, RecordingList } from '../protocol/messages';
import { trans } from '../translation';

/** Names the file type and what opens it, even in "Open With". */
export const RECORDING_FILES = 'gpucluster-recording';

/** How the names of recordings end. */
const ENDINGS = ['.gpucluster.jsonl.gz', '.gpucluster.jsonl'];

type RecordingDocument = IDocumentWidget<RecordingContent>;

/** Opens recordings from the file browser. */
export class RecordingFactory extends ABCWidgetFactory<RecordingDocument> {
  constructor(
    private readonly _options: Omit<RecordingContent.IOptions, 'place' | 'onTitle'>,
    private readonly _localPath: (path: string) => string
  ) {
    super({
      name: RECORDING_FILES,
      label: trans.__('Recording of a GPU cluster'),
      fileTypes: [RECORDING_FILES],
      defaultFor: [RECORDING_FILES],
      // Our server reads it; what the browser holds of it is not looked at.
      modelName: 'base64',
      readOnly: true
    });
  }

  protected override createNewWidget(context: DocumentRegistry.Context): RecordingDocument {
    const content = new RecordingContent({
      ...this._options,
      place: () => ({ source: 'folder', path: this._localPath(context.path) })
    });
    return new DocumentWidget({ content, context });
  }
}

/** Let JupyterLab know recordings by their names. */
export function addRecordingFiles(registry: DocumentRegistry, factory: RecordingFactory): void {
  registry.addFileType({
    name: RECORDING_FILES,
    displayName: factory.label,
    extensions: ENDINGS,
    mimeTypes: ['application/x-gpucluster-recording'],
    contentType: 'file',
    fileFormat: 'base64',
    icon: recordingIcon
  });
  registry.addWidgetFactory(factory);
}

/** A recording as a tab. */
export class RecordingTab extends MainAreaWidget<RecordingContent> {
  constructor(options: RecordingTab.IOptions) {
    const { place } = options;
    const label = (title: string): string => trans.__('Recording: %1', title);
    super({
      content: new RecordingContent({
        ...options,
        place: () => place,
        onTitle: title => {
          this.title.label = label(title);
        }
      })
    });
    this.place = place;
    this.id = tabId(place);
    this.toolbar.hide();
    this.title.icon = recordingIcon;
    this.title.closable = true;
    this.title.label = label(place.path.split('/').pop() ?? '');
    this.title.caption = place.path;
  }

  readonly place: IRecordingPlace;
}

export namespace RecordingTab {
  export interface IOptions extends Omit<RecordingContent.IOptions, 'place' | 'onTitle'> {
    place: IRecordingPlace;
  }
}

/** The id of the tab of a recording. */
function tabId({ source, path }: IRecordingPlace): string {
  return `gpucluster-recording-${source}-${path}`;
}

/** Opens recordings as tabs, even from the file browser; each comes back after a reload. */
export class RecordingViews {
  constructor(private readonly _options: RecordingViews.IOptions) {
    const { app, restorer, thresholds } = _options;
    const { contents, serverSettings: settings } = app.serviceManager;
    const factory = new RecordingFactory({ settings, thresholds }, path =>
      contents.localPath(path)
    );
    addRecordingFiles(app.docRegistry, factory);
    factory.widgetCreated.connect((_, widget) => void this._files.add(widget));
    if (restorer !== null) {
      void restorer.restore(this._tabs, {
        command: CommandIDs.openRecording,
        args: tab => ({ ...tab.place }),
        name: tab => tab.id
      });
      void restorer.restore(this._files, {
        command: 'docmanager:open',
        args: ({ context }) => ({ path: context.path, factory: RECORDING_FILES }),
        name: ({ context }) => context.path
      });
    }
  }

  /** Show a recording: in its tab if it has one. */
  open(place: IRecordingPlace): void {
    const { app, thresholds } = this._options;
    const id = tabId(place);
    let tab = this._tabs.find(candidate => candidate.id === id);
    if (tab === undefined) {
      const settings = app.serviceManager.serverSettings;
      tab = new RecordingTab({ place, settings, thresholds });
      addView(this._options, tab);
      void this._tabs.add(tab);
    }
    activateView(this._options, tab);
  }

  private readonly _tabs = new WidgetTracker<RecordingTab>({ namespace: 'gpucluster-recordings' });
  private readonly _files = new WidgetTracker<RecordingDocument>({ namespace: RECORDING_FILES });
}

export namespace RecordingViews {
  export interface IOptions extends IShells {
    restorer: ILayoutRestorer | null;
    /** From how much on gauges warn. */
    thresholds: () => IThresholds;
  }
}

/** Reads a recording and plays it; a sentence where it cannot. */
class RecordingContent extends Widget {
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

namespace RecordingContent {
  export interface IOptions {
    place: () => IRecordingPlace;
    settings: ServerConnection.ISettings;
    /** From how much on gauges warn. */
    thresholds: () => IThresholds;
    /** Called with what the recording is called. */
    onTitle?: (title: string) => void;
  }
}

/** The recordings that there are, each once: what it is called, how long it is, what ran, and on what. */
export class RecordingPicker extends Widget implements Dialog.IBodyWidget<IRecordingPlace | null> {
  constructor(recordings: readonly RecordingEntry[]) {
    super({ node: element('fieldset', 'gpc-RecordingPicker') });
    this._recordings = recordings;
    this.node.setAttribute('aria-label', trans.__('Recording'));
    const first = recordings.findIndex(({ message }) => message === null);
    recordings.forEach((recording, place) => {
      const { path, source, title, label, message, note, n_workers, seconds } = recording;
      const row = element('label', 'gpc-RecordingPicker-row', this.node);
      const input = element('input', '', row);
      Object.assign(input, {
        type: 'radio',
        name: 'gpucluster-recording',
        value: `${place}`,
        checked: place === first,
        disabled: message !== null
      });
      const words = element('span', '', row);
      element('b', '', words).textContent = title ?? path;
      const facts = [
        seconds === null ? '' : formatPosition(seconds),
        n_workers === null ? '' : trans._n('%1 worker', '%1 workers', n_workers),
        source === 'folder' && title !== null ? path : ''
      ];
      const lines = [facts.filter(Boolean).join(' · '), note ?? '', message ?? label ?? ''];
      for (const line of lines.filter(text => text !== '')) {
        element('span', 'gpc-RecordingPicker-line', words).textContent = line;
      }
    });
  }

  /** The chosen one; null where none can be played. */
  getValue(): IRecordingPlace | null {
    const chosen = this.node.querySelector<HTMLInputElement>('input:checked');
    const { source, path } = this._recordings[Number(chosen?.value ?? NaN)] ?? {};
    return source === undefined || path === undefined ? null : { source, path };
  }

  private readonly _recordings: readonly RecordingEntry[];
}

type Settings = ServerConnection.ISettings;

/** Which recording is meant. */
export type IRecordingPlace = Pick<RecordingEntry, 'source' | 'path'>;

export async function listRecordings(settings: Settings): Promise<RecordingList> {
  return (await request<RecordingList>(settings, ['recordings'], {}, 'recordings')).body;
}

async function readRecording(
  settings: Settings,
  { source, path }: IRecordingPlace
): Promise<RecordedSession> {
  const parts = ['recordings', 'session'];
  return (await request<RecordedSession>(settings, parts, {}, 'samples', { source, path })).body;
}
