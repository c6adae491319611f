import type { ILayoutRestorer } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';

import * as CommandIDs from '../actions/commandids';
import type { IThresholds } from '../gauges';
import { activateView, addView, type IShells } from '../shell/placing';
import {
  addRecordingFiles,
  RECORDING_FILES,
  RecordingFactory,
  type RecordingDocument
} from './recordingfactory';
import type { IRecordingPlace } from './recordingsapi';
import { RecordingTab, tabId } from './recordingtab';

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
