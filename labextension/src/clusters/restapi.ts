import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type { ErrorModel, FieldError } from '../protocol/messages';

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
  // One look at a field that must be there tells our server's answer from a proxy's page.
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
      : `The server returned ${response.status} ${response.statusText}.`;
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
