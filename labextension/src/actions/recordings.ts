import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';

import * as CommandIDs from './commandids';
import type { IClusterManager } from '../clusters/tokens';
import {
  RecordingPicker,
  listRecordings,
  type IRecordingPlace,
  RecordingViews
} from '../recordings/recordingviews';
import type { ClusterModel, RecordingEntry } from '../protocol/messages';
import { request } from '../clusters/restapi';
import { ClusterCommand, described, idArgument, notifyingErrors, type Args } from './withcluster';
import type { NotebooksInSight } from './links';
import { trans } from '../translation';
import { recordingIcon } from '../icons';

export interface IRecordingOptions extends RecordingViews.IOptions {
  inSight: NotebooksInSight;
  manager: IClusterManager;
}

/** Register what makes and plays recordings: commands, and the files in the file browser. */
export function addRecordings(options: IRecordingOptions): void {
  const { app, inSight, manager } = options;
  const views = new RecordingViews(options);
  app.commands.addCommand(CommandIDs.openRecording, {
    label: trans.__('Play Recording…'),
    caption: trans.__('Play back a recorded cluster'),
    icon: recordingIcon,
    describedBy: described({
      source: {
        type: 'string',
        enum: ['folder', 'bundled']
      },
      path: {
        type: 'string'
      }
    }),
    execute: args =>
      notifyingErrors(async () => {
        const place = placeOf(args) ?? (await choose(options));
        if (place !== null) {
          views.open(place);
        }
      })
  });
  app.commands.addCommand(CommandIDs.recordCluster, {
    label: trans.__('Start/Stop Recording'),
    caption: trans.__('Record the gauges to a file'),
    icon: recordingIcon,
    describedBy: described({ id: idArgument() }),
    ...new ClusterCommand(manager, inSight).does(trans.__('Record'), cluster =>
      record(cluster, options)
    )
  });
}

function placeOf({ source, path }: Args): IRecordingPlace | null {
  return typeof path === 'string' && path !== ''
    ? { source: source === 'bundled' ? 'bundled' : 'folder', path }
    : null;
}

/** Ask which recording to play. */
async function choose({ app }: IRecordingOptions): Promise<IRecordingPlace | null> {
  const { recordings } = await listRecordings(app.serviceManager.serverSettings);
  if (recordings.length === 0) {
    throw new Error(trans.__('No recordings yet. Create one: gpucluster record NAME FILE'));
  }
  const { button, value } = await showDialog<IRecordingPlace | null>({
    title: trans.__('Play a recording'),
    body: new RecordingPicker(recordings),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Play') })],
    focusNodeSelector: 'input'
  });
  return button.accept ? value : null;
}

/** Let the cluster's own process begin to record it, or end that: no kernel and no page is needed meanwhile. */
async function record(
  { id, recording }: ClusterModel,
  { app, manager }: IRecordingOptions
): Promise<void> {
  const { commands, serviceManager } = app;
  const ask = async <T>(method: string, landmark: keyof T & string): Promise<T> => {
    const parts = ['clusters', id, 'recording'];
    return (await request<T>(serviceManager.serverSettings, parts, { method }, landmark)).body;
  };
  if (recording === null) {
    await ask<ClusterModel>('POST', 'id');
  } else {
    const { source, path, message } = await ask<RecordingEntry>('DELETE', 'path');
    if (message !== null) {
      throw new Error(message);
    }
    const play = (): void => void commands.execute(CommandIDs.openRecording, { source, path });
    Notification.success(trans.__('Recorded to %1', path), {
      autoClose: 10_000,
      actions: [{ label: trans.__('Play'), callback: play }]
    });
  }
  await manager.refresh();
}
