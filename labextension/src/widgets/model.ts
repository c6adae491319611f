import type {
  ClusterModel,
  RecordedSession,
  TelemetryHistory,
  TelemetrySample
} from '../protocol/messages';

/** The model of an anywidget, as far as it is used here. */
export interface IWidgetModel {
  get(name: string): unknown;
  send(content: unknown): void;
  on(event: string, listener: (...values: never[]) => void): void;
  off(event: string, listener: (...values: never[]) => void): void;
}

/** What a view tells the kernel; the kernel checks it. */
type Saying =
  | { kind: 'opened'; view: string; keeps: boolean }
  | { kind: 'closed'; view: string }
  | { kind: 'drawn' }
  | { kind: 'scale'; n_workers: number | string }
  | { kind: 'stop' }
  | { kind: 'page'; page: string }
  | { kind: 'retire'; worker: string }
  | { kind: 'moment'; sample: number };

/** Tell the kernel, if there is one. */
export function say(model: IWidgetModel, saying: Saying): void {
  try {
    model.send(saying);
  } catch {
    // A saved state has no kernel to talk to.
  }
}

export function clusterOf(model: IWidgetModel): ClusterModel {
  return model.get('cluster') as ClusterModel;
}

export function textOf(model: IWidgetModel, name: string): string {
  const value = model.get(name);
  return typeof value === 'string' ? value : '';
}

/** The newest sample; null before the first one. */
export function sampleOf(model: IWidgetModel): TelemetrySample | null {
  const event = parsed(model.get('sample')) as { sample?: TelemetrySample } | null;
  return event?.sample ?? null;
}

/** The history that came with a message. */
export function historyOf(buffers: unknown): TelemetryHistory | null {
  return parsed(Array.isArray(buffers) ? buffers[0] : null) as TelemetryHistory | null;
}

/** The recording that a player shows; null when it cannot be read. */
export async function recordedSessionOf(model: IWidgetModel): Promise<RecordedSession | null> {
  const bytes = model.get('session');
  if (!(bytes instanceof DataView) && !(bytes instanceof ArrayBuffer)) {
    return null;
  }
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const session = (await new Response(stream).json()) as RecordedSession;
    return Array.isArray(session.samples) && typeof session.label === 'string' ? session : null;
  } catch {
    return null;
  }
}

/** Names one view among those of a model. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

function parsed(bytes: unknown): unknown {
  if (!(bytes instanceof DataView) && !(bytes instanceof ArrayBuffer)) {
    return null;
  }
  try {
    return bytes.byteLength === 0 ? null : JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** What is drawn: gauges, the card or a dashboard. */
export interface IWidgetView {
  readonly node: HTMLElement;
  /** Where it is said that something could not be done. */
  readonly alert: HTMLElement;
  /** What is said when the kernel has stopped. */
  readonly kernelOver: string;
  /** Draw. `isStill`: this is the last state; requests have no effect now. */
  update(sample: TelemetrySample | null, cluster: ClusterModel, isStill: boolean): void;
  setHistory?(history: TelemetryHistory): void;
  dispose(): void;
}

/** Make the place for refusals. */
export function alertNode(): HTMLElement {
  const node = document.createElement('div');
  node.className = 'gpc-WidgetRefusal';
  node.setAttribute('role', 'alert');
  return node;
}
