import type { ServerConnection } from '@jupyterlab/services';

import { request } from '../clusters/restapi';
import type { RecordedSession, RecordingEntry, RecordingList } from '../protocol/messages';

type Settings = ServerConnection.ISettings;

/** Which recording is meant. */
export type IRecordingPlace = Pick<RecordingEntry, 'source' | 'path'>;

export async function listRecordings(settings: Settings): Promise<RecordingList> {
  return (await request<RecordingList>(settings, ['recordings'], {}, 'recordings')).body;
}

export async function readRecording(
  settings: Settings,
  { source, path }: IRecordingPlace
): Promise<RecordedSession> {
  const parts = ['recordings', 'session'];
  return (await request<RecordedSession>(settings, parts, {}, 'samples', { source, path })).body;
}
