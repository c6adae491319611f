import type { ILayoutRestorer } from '@jupyterlab/application';
import { WidgetTracker, MainAreaWidget } from '@jupyterlab/apputils';
import {
  ABCWidgetFactory,
  DocumentWidget,
  type DocumentRegistry,
  type IDocumentWidget
} from '@jupyterlab/docregistry';

import * as CommandIDs from '../actions/commandids';
import type { IThresholds } from '../gauges';
import { activateView, addView, type IShells } from '../shell/placing';
import { recordingIcon } from '../icons';
import { RecordingContent } from './recordingcontent';
import { trans } from '../translation';
import type { IRecordingPlace } from './recordingsapi';

/** Names the file type and what opens it, even in "Open With". */
export const RECORDING_FILES = 'gpucluster-recording';

/** How the names of recordings end. */
const ENDINGS = ['.gpucluster.jsonl.gz', '.gpucluster.jsonl'];

export type RecordingDocument = IDocumentWidget<RecordingContent>;

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
export function tabId({ source, path }: IRecordingPlace): string {
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
