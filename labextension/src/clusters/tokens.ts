import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type {
  ActivityEntry,
  ClassAnswer,
  ClassCluster,
  ClusterModel,
  ClusterPatch,
  DeviceProcess,
  HostDevices,
  KindModel,
  NewLink,
  NodeModel,
  Notes,
  OfferedPreset,
  ProcessStopped,
  SharedLink,
  SiteFaults,
  TelemetryHistory,
  TelemetrySample
} from '../protocol/messages';
import type { IJSONSchema } from '../form/schema';

/** How the browser learns about changes. */
export type Connection =
  /** Not asked yet, or not answered yet. */
  | 'connecting'
  /** The event stream is open. */
  | 'live'
  /** The event stream is down; the list is asked for now and then. */
  | 'polling'
  /** The server does not answer. */
  | 'lost'
  /** Server and page speak different versions. */
  | 'outdated';

/** The kinds of clusters that there are. */
export interface IKinds {
  /** JSON Schema of what can be asked for, by kind. */
  readonly backends: Readonly<Record<string, IJSONSchema>>;
  /** What is known of each kind, also of those that cannot be used. */
  readonly kinds: readonly KindModel[];
}

/** What a person can ask for, as the server tells it. */
export interface IOffer extends IKinds {
  readonly presets: readonly OfferedPreset[];
  readonly devices: HostDevices;
}

/** What a new link is to be like. */
export interface ILinkRequest {
  readonly hours: number;
  /** Whether it shows keys of tasks too. */
  readonly tasks: boolean;
}

/** The one place in the browser that knows the clusters; views only draw. */
export interface IClusterManager extends IDisposable {
  /** The clusters, newest first; ended ones included. */
  readonly clusters: readonly ClusterModel[];
  /** Whether the list has been received at least once. */
  readonly isReady: boolean;
  readonly connection: Connection;
  /** Emitted when the list or the connection has changed. */
  readonly changed: ISignal<IClusterManager, void>;
  /** Emitted when this page has created a cluster. */
  readonly created: ISignal<IClusterManager, ClusterModel>;
  /** Emitted when a sample of a cluster has arrived. */
  readonly sampled: ISignal<IClusterManager, string>;
  /** The last reading of the Jupyter host's GPUs; null until one has arrived. */
  readonly host: HostDevices | null;
  /** Emitted when such a reading has arrived, or has become void. */
  readonly hostChanged: ISignal<IClusterManager, void>;

  /** The cluster of that id. */
  get(id: string): ClusterModel | undefined;
  /** The last sample of a cluster, unless none has arrived since it started. */
  sample(id: string): TelemetrySample | undefined;
  /** The present time on the server's clock, in milliseconds. */
  now(): number;

  /** Ask for the list, now. */
  refresh(): Promise<void>;
  create(spec: Readonly<Record<string, unknown>>): Promise<ClusterModel>;
  /** What to know about a cluster before it is made; refused like the request itself. */
  notes(spec: Readonly<Record<string, unknown>>): Promise<Notes>;
  /** What to know about a change before it is made. */
  patchNotes(id: string, patch: ClusterPatch): Promise<Notes>;
  patch(id: string, patch: ClusterPatch): Promise<ClusterModel>;
  /** Ask for one cluster, now. */
  look(id: string): Promise<ClusterModel>;
  restart(id: string): Promise<ClusterModel>;
  /** Ask a living cluster to stop. Harmless when it has ended. */
  stop(id: string): Promise<void>;
  /** Take an ended cluster off the list. Harmless when it is gone. */
  remove(id: string): Promise<void>;
  /** Let a worker hand over its results, and end it. */
  retire(id: string, worker: string): Promise<ClusterModel>;
  /** The last ten minutes of a cluster, for a view that has just been opened. */
  history(id: string): Promise<TelemetryHistory>;
  /** What has happened to a cluster, oldest first. */
  activity(id: string): Promise<readonly ActivityEntry[]>;
  /** The links by which others can look at a cluster. */
  links(id: string): Promise<readonly SharedLink[]>;
  /** Make such a link; it is told only once what it is opened with. */
  share(id: string, request: ILinkRequest): Promise<NewLink>;
  /** Take a link back. Harmless when it has ended. */
  withdraw(id: string, link: string): Promise<void>;
  /** End a process of one's own that uses a GPU of the Jupyter host. */
  stopProcess(process: DeviceProcess): Promise<ProcessStopped>;
  /** Who has which GPU of the Jupyter host, and who waits for one. */
  node(): Promise<NodeModel>;
  /** The clusters of all users of the Jupyter host, for instructors of the site. */
  classClusters(): Promise<readonly ClassCluster[]>;
  /** Tell the owners of clusters something, or stop somebody's; throws where some could not be reached. */
  instruct(what: 'message' | 'stop', body: Readonly<Record<string, unknown>>): Promise<ClassAnswer>;
  logs(id: string, lines?: number): Promise<string[]>;
  /** The kinds of clusters; asked for once. */
  kinds(): Promise<IKinds>;
  /** What is wrong with the site's file. */
  site(): Promise<SiteFaults>;
  /** What can be created here. */
  offer(kernel?: string): Promise<IOffer>;
}

export const IClusterManager = new Token<IClusterManager>(
  'gpucluster:IClusterManager',
  'The clusters of this user: the list, live samples, and everything that can be done with them.'
);
