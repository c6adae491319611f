import { Dialog, Notification, showDialog, type ICommandPalette } from '@jupyterlab/apputils';

import { recordingIcon } from '../icons';
import { sentenceOf } from '../panel/asking';
import { RecordingPicker } from '../recordings/recordingpicker';
import { listRecordings, type IRecordingPlace } from '../recordings/recordingsapi';
import { RecordingViews } from '../recordings/recordingviews';
import { CommandIDs } from './commandids';
import { described, type Args } from './withcluster';

export interface IRecordingOptions extends RecordingViews.IOptions {
  palette: ICommandPalette | null;
}

/** Register what plays recordings: a command, and the files in the file browser. */
export function addRecordings(options: IRecordingOptions): void {
  const { app, palette, trans } = options;
  const views = new RecordingViews(options);
  app.commands.addCommand(CommandIDs.openRecording, {
    label: trans.__('Play a Recording of a GPU Cluster…'),
    caption: trans.__('See a cluster at work that was recorded before, such as one with GPUs'),
    icon: recordingIcon,
    describedBy: described({
      source: {
        type: 'string',
        enum: ['folder', 'bundled'],
        description: trans.__("'folder': below Jupyter's root; 'bundled': part of gpucluster.")
      },
      path: {
        type: 'string',
        description: trans.__('Path of the recording; asked for when left out.')
      }
    }),
    execute: async args => {
      try {
        const place = placeOf(args) ?? (await choose(options));
        if (place !== null) {
          views.open(place);
        }
      } catch (error) {
        Notification.error(sentenceOf(error), { autoClose: 8000 });
      }
    }
  });
  palette?.addItem({ command: CommandIDs.openRecording, category: trans.__('GPU Clusters') });
}

function placeOf({ source, path }: Args): IRecordingPlace | null {
  return typeof path === 'string' && path !== ''
    ? { source: source === 'bundled' ? 'bundled' : 'folder', path }
    : null;
}

/** Ask which recording to play. */
async function choose({ app, trans }: IRecordingOptions): Promise<IRecordingPlace | null> {
  const { recordings } = await listRecordings(app.serviceManager.serverSettings);
  if (recordings.length === 0) {
    throw new Error(
      trans.__(
        'There is no recording yet. Make one: gpucluster record NAME FILE.gpucluster.jsonl.gz'
      )
    );
  }
  const { button, value } = await showDialog<IRecordingPlace | null>({
    title: trans.__('Play a recording'),
    body: new RecordingPicker(recordings, trans),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Play') })],
    focusNodeSelector: 'input'
  });
  return button.accept ? value : null;
}
