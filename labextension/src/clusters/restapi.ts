import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type {
  Activity,
  ClusterList,
  ClusterModel,
  ClusterPatch,
  ErrorModel,
  FieldError,
  HostDevices,
  LogLines,
  Notes,
  OfferedPreset,
  ProcessStopped,
  TelemetryHistory
} from '../protocol/messages';
import type { IKinds } from './tokens';

/** A request that the server refused, with the server's own sentence. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    model: ErrorModel
  ) {
    super(model.message);
    this.name = 'RefusedError';
    this.code = model.code;
    this.fields = model.fields ?? [];
  }

  readonly code: string;
  readonly fields: readonly FieldError[];
}

/** An answer and the server's clock. */
export interface IDated<T> {
  readonly body: T;
  readonly date: number | null;
}

type Settings = ServerConnection.ISettings;

export async function listClusters(settings: Settings): Promise<IDated<ClusterList>> {
  return request<ClusterList>(settings, ['clusters'], {}, 'clusters');
}

export async function createCluster(
  settings: Settings,
  spec: Readonly<Record<string, unknown>>
): Promise<ClusterModel> {
  const init = { method: 'POST', body: JSON.stringify(spec) };
  return (await request<ClusterModel>(settings, ['clusters'], init, 'id')).body;
}

/** What to know about a cluster before it is made. */
export async function notesOnSpec(
  settings: Settings,
  spec: Readonly<Record<string, unknown>>
): Promise<Notes> {
  const init = { method: 'POST', body: JSON.stringify(spec) };
  return (await request<Notes>(settings, ['notes'], init, 'notes')).body;
}

/** What to know about a change before it is made. */
export async function notesOnPatch(
  settings: Settings,
  id: string,
  patch: ClusterPatch
): Promise<Notes> {
  const init = { method: 'POST', body: JSON.stringify(patch) };
  return (await request<Notes>(settings, ['clusters', id, 'notes'], init, 'notes')).body;
}

export async function patchCluster(
  settings: Settings,
  id: string,
  patch: ClusterPatch
): Promise<ClusterModel> {
  const init = { method: 'PATCH', body: JSON.stringify(patch) };
  return (await request<ClusterModel>(settings, ['clusters', id], init, 'id')).body;
}

export async function restartCluster(settings: Settings, id: string): Promise<ClusterModel> {
  const init = { method: 'POST' };
  return (await request<ClusterModel>(settings, ['clusters', id, 'restart'], init, 'id')).body;
}

/** Stops a living cluster, removes an ended one. */
export async function deleteCluster(settings: Settings, id: string): Promise<ClusterModel> {
  const init = { method: 'DELETE' };
  return (await request<ClusterModel>(settings, ['clusters', id], init, 'id')).body;
}

export async function readLog(settings: Settings, id: string, lines: number): Promise<LogLines> {
  const parts = ['clusters', id, 'logs'];
  return (await request<LogLines>(settings, parts, {}, 'lines', { lines: `${lines}` })).body;
}

export async function readHistory(settings: Settings, id: string): Promise<TelemetryHistory> {
  const parts = ['clusters', id, 'history'];
  return (await request<TelemetryHistory>(settings, parts, {}, 'seconds')).body;
}

export async function readActivity(settings: Settings, id: string): Promise<Activity> {
  return (await request<Activity>(settings, ['clusters', id, 'activity'], {}, 'entries')).body;
}

/** Lets a worker hand over its results, and ends it. */
export async function retireWorker(
  settings: Settings,
  id: string,
  worker: string
): Promise<ClusterModel> {
  const parts = ['clusters', id, 'workers', worker, 'retire'];
  return (await request<ClusterModel>(settings, parts, { method: 'POST' }, 'id')).body;
}

/** What there is for workers in the environment of a kernel. */
export async function readKinds(settings: Settings, kernel?: string): Promise<IKinds> {
  const query: Record<string, string> = kernel === undefined ? {} : { kernel };
  return (await request<IKinds>(settings, ['schema'], {}, 'backends', query)).body;
}

export async function readPresets(settings: Settings): Promise<OfferedPreset[]> {
  return (await request<{ presets: OfferedPreset[] }>(settings, ['presets'], {}, 'presets')).body
    .presets;
}

export async function readDevices(settings: Settings): Promise<HostDevices> {
  return (await request<HostDevices>(settings, ['devices'], {}, 'devices')).body;
}

/** Ends a process that uses a GPU. */
export async function stopProcess(
  settings: Settings,
  pid: number,
  birth: string
): Promise<ProcessStopped> {
  const parts = ['devices', 'processes', `${pid}`, 'stop'];
  const init = { method: 'POST', body: JSON.stringify({ birth }) };
  return (await request<ProcessStopped>(settings, parts, init, 'ended')).body;
}

/** The address of the event stream. */
export function eventsUrl(settings: Settings): string {
  const url = URLExt.join(settings.wsUrl, 'gpucluster', 'api', 'events');
  return settings.appendToken && settings.token
    ? url + URLExt.objectToQueryString({ token: settings.token })
    : url;
}

/** The address of a page of a cluster's dashboard. */
export function dashboardUrl(settings: Settings, id: string, page: string): string {
  return URLExt.join(settings.baseUrl, 'gpucluster', 'dashboard', encodeURIComponent(id), page);
}

/** Ask our server extension; what is refused is thrown with the server's own sentence. */
export async function request<T>(
  settings: Settings,
  parts: readonly string[],
  init: RequestInit,
  landmark: keyof T & string,
  query: Record<string, string> = {}
): Promise<IDated<T>> {
  const path = parts.map(encodeURIComponent);
  const url = URLExt.join(settings.baseUrl, 'gpucluster', 'api', ...path);
  const address = url + URLExt.objectToQueryString(query);
  const response = await ServerConnection.makeRequest(address, init, settings);
  const text = await response.text();
  const body = parse(text);
  if (!response.ok) {
    throw new RefusedError(response.status, refusal(response, body));
  }
  // One look at a field that must be there tells our server from a proxy's page of its own.
  if (!isObject(body) || !(landmark in body)) {
    throw new RefusedError(response.status, {
      code: 'unexpected_answer',
      message: 'The server sent something unexpected. Is the gpucluster server extension enabled?'
    });
  }
  const date = Date.parse(response.headers.get('Date') ?? '');
  return { body: body as T, date: Number.isNaN(date) ? null : date };
}

function refusal(response: Response, body: unknown): ErrorModel {
  if (isObject(body) && typeof body.message === 'string' && typeof body.code === 'string') {
    const fields = Array.isArray(body.fields) ? (body.fields as FieldError[]) : [];
    return { code: body.code, message: body.message, fields };
  }
  const message =
    response.status === 404
      ? 'The server does not know gpucluster. Is the gpucluster server extension enabled?'
      : `The server answered ${response.status} ${response.statusText}.`;
  return { code: 'error', message, fields: [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
