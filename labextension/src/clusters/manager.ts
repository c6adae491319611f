import { ServerConnection } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Poll } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import type {
  Activity,
  ActivityEntry,
  Cells,
  CellsChanged,
  ClassAnswer,
  ClassCluster,
  ClassClusters,
  ClusterList,
  ClusterModel,
  ClusterPatch,
  DeviceProcess,
  Event,
  HostDevices,
  LargestResults,
  LogLines,
  NewLink,
  NodeModel,
  Notes,
  OfferedPreset,
  ProcessStopped,
  SharedLink,
  SharedLinks,
  SiteFaults,
  TaskFailure,
  TaskFailures,
  TelemetryHistory,
  TelemetrySample,
  Verb
} from '../protocol/messages';
import { RefusedError, request } from './restapi';
import { PROTOCOL_VERSION } from '../protocol/messages';
import { hasEnded } from './states';
import { EventStream } from './eventstream';
import type {
  Connection,
  IClusterManager,
  IKinds,
  ILinkRequest,
  IOffer,
  IReleased
} from './tokens';

/** Keeps the list of clusters fresh: by events, or by asking while there are none. */
export class ClusterManager implements IDisposable {
  constructor(options: ClusterManager.IOptions = {}) {
    this._settings = options.serverSettings ?? ServerConnection.makeSettings();
    this._events = new EventStream({ serverSettings: this._settings, ...options.stream });
    this._events.received.connect(this._onEvent, this);
    this._events.openChanged.connect(this._onOpenChanged, this);
    this._poll = new Poll({
      auto: false,
      name: 'gpucluster:clusters',
      factory: () => this.refresh(),
      frequency: { interval: options.pollInterval ?? 10_000, backoff: true, max: 120_000 },
      standby: options.standby ?? 'when-hidden'
    });
    document.addEventListener('visibilitychange', this._onVisibility);
    this._onVisibility();
  }

  /** Emitted when the list or the connection has changed. */
  readonly changed: Signal<IClusterManager, void> = new Signal(this);

  /** Emitted when a sample of a cluster has arrived. */
  readonly sampled: Signal<IClusterManager, string> = new Signal(this);

  /** Emitted when cells of notebooks have begun, are further or have ended. */
  readonly cellsChanged: Signal<IClusterManager, CellsChanged> = new Signal(this);

  /** The clusters, newest first; ended ones included. */
  clusters: readonly ClusterModel[] = [];

  /** The last reading of the Jupyter host's GPUs; null until one has arrived. */
  host: HostDevices | null = null;

  /** Emitted when this page has created a cluster. */
  readonly created: Signal<IClusterManager, ClusterModel> = new Signal(this);

  /** Emitted when such a reading has arrived, or has become void. */
  readonly hostChanged: Signal<IClusterManager, void> = new Signal(this);

  /** Whether the list has been received at least once. */
  isReady = false;

  connection: Connection = 'connecting';

  /** Why the server refuses the list, in its own words; null: it does not, or cannot be reached. */
  refusal: string | null = null;

  get isDisposed(): boolean {
    return this._events.isDisposed;
  }

  /** Milliseconds between two requests for the list while the event stream is down. */
  set pollInterval(interval: number) {
    this._poll.frequency = { ...this._poll.frequency, interval };
  }

  /** The cluster of that id. */
  get(id: string): ClusterModel | undefined {
    return this.clusters.find(cluster => cluster.id === id);
  }

  /** The last sample of a cluster, unless none has arrived since it started. */
  sample(id: string): TelemetrySample | undefined {
    return this._samples.get(id);
  }

  /** The present time on the server's clock, in milliseconds. */
  now(): number {
    return Date.now() + this._clockOffset;
  }

  /** Ask for the list, now. */
  async refresh(): Promise<void> {
    const before = this._nEvents;
    try {
      const { body, date } = await request<ClusterList>(
        this._settings,
        ['clusters'],
        {},
        'clusters'
      );
      if (this.isDisposed) {
        return;
      }
      this._setRefusal(null);
      this._noteClock(date);
      // What an event said meanwhile is newer than this list.
      if (!this.isReady || this._nEvents === before) {
        this._replace(body.clusters, body.protocol_version);
      }
      if (!this._events.isOpen) {
        this._setConnection('polling');
      }
    } catch (error) {
      if (!this.isDisposed && !this._events.isOpen) {
        this._setRefusal(error);
        this._setConnection('lost');
        // Until the stream opens, nothing else would ask again.
        void this._poll.start();
      }
      throw error;
    }
  }

  async create(spec: Readonly<Record<string, unknown>>): Promise<ClusterModel> {
    const made = await this._command(this._ask('id', ['clusters'], 'POST', spec));
    this.created.emit(made);
    return made;
  }

  /** What to know about a cluster before it is made; refused like the request itself. */
  async notes(spec: Readonly<Record<string, unknown>>): Promise<Notes> {
    return this._ask('notes', ['notes'], 'POST', spec);
  }

  /** What to know about a change before it is made. */
  async patchNotes(id: string, patch: ClusterPatch): Promise<Notes> {
    return this._ask('notes', ['clusters', id, 'notes'], 'POST', patch);
  }

  async patch(id: string, patch: ClusterPatch): Promise<ClusterModel> {
    return this._command(this._ask('id', ['clusters', id], 'PATCH', patch));
  }

  /** Ask for one cluster, now. */
  async look(id: string): Promise<ClusterModel> {
    return this._command(this._ask('id', ['clusters', id]));
  }

  /** Ask for a verb that needs nothing but the cluster. */
  async request(id: string, verb: Verb): Promise<ClusterModel> {
    return this._command(this._ask('id', ['clusters', id, verb.replace(/_/g, '-')], 'POST'));
  }

  /** Ask a running cluster to stop. Harmless when it has ended. */
  async stop(id: string): Promise<void> {
    const cluster = this.get(id);
    if (cluster === undefined || hasEnded(cluster)) {
      return;
    }
    // The same request takes an ended cluster off the list, and this one may have ended in the meantime.
    const only = { only: 'stop' };
    await this._command(this._ask('id', ['clusters', id], 'DELETE', undefined, only));
  }

  /** Take an ended cluster off the list. Harmless when it is gone. */
  async remove(id: string): Promise<void> {
    const cluster = this.get(id);
    if (cluster === undefined || !hasEnded(cluster)) {
      return;
    }
    try {
      const only = { only: 'remove' };
      await this._ask<ClusterModel>('id', ['clusters', id], 'DELETE', undefined, only);
    } catch (error) {
      if (!(error instanceof RefusedError && error.status === 404)) {
        throw error;
      }
    }
    this._forget(id);
  }

  /** Let a worker hand over its results, and end it. */
  async retire(id: string, worker: string): Promise<ClusterModel> {
    return this._command(this._ask('id', ['clusters', id, 'workers', worker, 'retire'], 'POST'));
  }

  /** The last ten minutes of a cluster, for a view that has just been opened. */
  async history(id: string): Promise<TelemetryHistory> {
    return this._ask('seconds', ['clusters', id, 'history']);
  }

  /** Tasks that have failed and are still held, each kind with its last error. */
  async failures(id: string): Promise<readonly TaskFailure[]> {
    return (await this._ask<TaskFailures>('failures', ['clusters', id, 'failures'])).failures;
  }

  /** What takes the most memory of a cluster. */
  async results(id: string): Promise<LargestResults> {
    return this._ask('results', ['clusters', id, 'results']);
  }

  /** Let a notebook hold some results no longer: its futures are cancelled. */
  async release(id: string, released: IReleased): Promise<ClusterModel> {
    return this._command(this._ask('id', ['clusters', id, 'results', 'release'], 'POST', released));
  }

  /** What has happened to a cluster, oldest first. */
  async activity(id: string): Promise<readonly ActivityEntry[]> {
    return (await this._ask<Activity>('entries', ['clusters', id, 'activity'])).entries;
  }

  /** What the cells of a kernel, or one run of a cell, have had computed. */
  async cells(id: string, query: { run: string } | { kernel: string }): Promise<Cells> {
    return this._ask('cells', ['clusters', id, 'cells'], 'GET', undefined, query);
  }

  /** The links by which others can look at a cluster. */
  async links(id: string): Promise<readonly SharedLink[]> {
    return (await this._ask<SharedLinks>('links', ['clusters', id, 'links'])).links;
  }

  /** Create such a link; its address is returned only here. */
  async share(id: string, wanted: ILinkRequest): Promise<NewLink> {
    return this._ask('link', ['clusters', id, 'links'], 'POST', wanted);
  }

  /** Take a link back. Harmless when it has ended. */
  async withdraw(id: string, link: string): Promise<void> {
    try {
      await this._ask<SharedLinks>('links', ['clusters', id, 'links', link], 'DELETE');
    } catch (error) {
      if (!(error instanceof RefusedError && error.status === 404)) {
        throw error;
      }
    }
  }

  /** End one of the user's processes that use a GPU of the Jupyter host. */
  async stopProcess({ pid, birth }: DeviceProcess): Promise<ProcessStopped> {
    return this._ask('ended', ['devices', 'processes', `${pid}`, 'stop'], 'POST', {
      birth: birth ?? ''
    });
  }

  /** Who has which GPU of the Jupyter host, and who waits for one. */
  async node(): Promise<NodeModel> {
    return this._ask('line', ['node']);
  }

  /** The clusters of all users of the Jupyter host, for instructors of the site. */
  async classClusters(): Promise<readonly ClassCluster[]> {
    return (await this._ask<ClassClusters>('clusters', ['node', 'class'])).clusters;
  }

  /** Send the owners of clusters a message, or stop clusters; throws if some could not be reached. */
  async instruct(
    what: 'message' | 'stop',
    body: Readonly<Record<string, unknown>>
  ): Promise<ClassAnswer> {
    const answer = await this._ask<ClassAnswer>('reached', ['node', 'class', what], 'POST', body);
    if (answer.problems.length > 0) {
      throw new Error(answer.problems.join(' '));
    }
    return answer;
  }

  async logs(id: string, lines = 200): Promise<string[]> {
    return (
      await this._ask<LogLines>('lines', ['clusters', id, 'logs'], 'GET', undefined, {
        lines: `${lines}`
      })
    ).lines;
  }

  /** The kinds of clusters; asked for once. */
  async kinds(): Promise<IKinds> {
    this._kinds ??= this._ask<IKinds>('backends', ['schema']);
    try {
      return await this._kinds;
    } catch (error) {
      this._kinds = null;
      throw error;
    }
  }

  /** What is wrong with the site's file. */
  async site(): Promise<SiteFaults> {
    return this._ask('faults', ['site']);
  }

  /** What can be created here. */
  async offer(kernel?: string): Promise<IOffer> {
    const query: Record<string, string> = kernel === undefined ? {} : { kernel };
    const [{ backends, kinds }, { presets }, devices] = await Promise.all([
      this._ask<IKinds>('backends', ['schema'], 'GET', undefined, query),
      this._ask<{ presets: OfferedPreset[] }>('presets', ['presets']),
      this._ask<HostDevices>('devices', ['devices'])
    ]);
    return { backends, kinds, presets, devices };
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    document.removeEventListener('visibilitychange', this._onVisibility);
    this._poll.dispose();
    this._events.dispose();
    Signal.clearData(this);
  }

  /** Ask the server; its answer has the landmark. */
  private async _ask<T>(
    landmark: keyof T & string,
    parts: readonly string[],
    method = 'GET',
    body?: unknown,
    query?: Record<string, string>
  ): Promise<T> {
    const init = { method, body: JSON.stringify(body) };
    return (await request<T>(this._settings, parts, init, landmark, query)).body;
  }

  private _onEvent(_: EventStream, event: Event): void {
    this._nEvents += ['telemetry', 'host', 'cells'].includes(event.kind) ? 0 : 1;
    switch (event.kind) {
      case 'hello':
        this._replace(event.clusters, event.protocol_version);
        break;
      case 'cluster':
        this._eventOf.set(event.cluster.id, this._nEvents);
        this._note(event.cluster);
        break;
      case 'removed':
        this._forget(event.id);
        break;
      case 'telemetry':
        this._samples.set(event.sample.id, event.sample);
        this.sampled.emit(event.sample.id);
        break;
      case 'host':
        this._setHost(event.host);
        break;
      case 'cells':
        this.cellsChanged.emit(event);
        break;
    }
  }

  private _onOpenChanged(_: EventStream, isOpen: boolean): void {
    if (isOpen) {
      void this._poll.stop();
      this.refusal = null;
      this._setConnection('live');
    } else {
      this._samples.clear();
      this._setHost(null);
      // Not needed while the page is hidden; it is opened again when the page is shown.
      if (!document.hidden && !this.isDisposed) {
        void this._poll.start();
      }
    }
  }

  private readonly _onVisibility = (): void => {
    window.clearTimeout(this._hiding);
    if (document.hidden) {
      // A glance at another tab is no reason to miss an event.
      this._hiding = window.setTimeout(() => this._events.stop(), 30_000);
    } else {
      this._events.start();
      if (!this._events.isOpen && this.isReady) {
        void this._poll.start();
      }
    }
  };

  /** Wait for an answer and take its model, unless an event has told something newer. */
  private async _command(answer: Promise<ClusterModel>): Promise<ClusterModel> {
    const before = this._nEvents;
    const model = await answer;
    if (this.isDisposed) {
      return model;
    }
    const isOlder = (this._eventOf.get(model.id) ?? 0) > before;
    return (isOlder ? this.get(model.id) : undefined) ?? this._note(model);
  }

  private _note(model: ClusterModel): ClusterModel {
    const known = this.clusters.some(cluster => cluster.id === model.id);
    this.clusters = known
      ? this.clusters.map(cluster => (cluster.id === model.id ? model : cluster))
      : [model, ...this.clusters];
    if (hasEnded(model)) {
      this._samples.delete(model.id);
    }
    this.changed.emit();
    return model;
  }

  private _forget(id: string): void {
    this._eventOf.delete(id);
    this.clusters = this.clusters.filter(cluster => cluster.id !== id);
    this._samples.delete(id);
    this.changed.emit();
  }

  private _replace(clusters: ClusterModel[], version: number): void {
    this.clusters = clusters;
    this.isReady = true;
    if (version !== PROTOCOL_VERSION) {
      this._isOutdated = true;
      this.connection = 'outdated';
    }
    this.changed.emit();
  }

  private _setConnection(connection: Connection): void {
    if (this.connection !== connection && !this._isOutdated) {
      this.connection = connection;
      this.changed.emit();
    }
  }

  private _setRefusal(error: unknown): void {
    // Proxies answer so for a server that is gone.
    const refused = error instanceof RefusedError && !(error.status >= 502 && error.status <= 504);
    const refusal = refused ? error.message : null;
    if (this.refusal !== refusal) {
      this.refusal = refusal;
      this.changed.emit();
    }
  }

  private _setHost(host: HostDevices | null): void {
    if (host !== this.host) {
      this.host = host;
      this.hostChanged.emit();
    }
  }

  private _noteClock(date: number | null): void {
    if (date !== null) {
      const offset = date - Date.now();
      // The header has whole seconds; less than that is no difference.
      this._clockOffset = Math.abs(offset) > 2000 ? offset : 0;
    }
  }

  private readonly _settings: ServerConnection.ISettings;
  private readonly _events: EventStream;
  private readonly _poll: Poll;
  private readonly _samples = new Map<string, TelemetrySample>();
  private readonly _eventOf = new Map<string, number>();
  private _nEvents = 0;
  private _kinds: Promise<IKinds> | null = null;
  /** Why the server refuses the list, in its own words; null: it does not, or cannot be reached. */

  private _isOutdated = false;
  private _clockOffset = 0;
  private _hiding = 0;
}

export namespace ClusterManager {
  export interface IOptions {
    serverSettings?: ServerConnection.ISettings;
    pollInterval?: number;
    /** When asking rests; for tests. */
    standby?: Poll.IOptions<void, Error, 'when-hidden'>['standby'];
    stream?: Omit<EventStream.IOptions, 'serverSettings'>;
  }
}
