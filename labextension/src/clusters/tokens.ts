import { Token } from '@lumino/coreutils';

import type { HostDevices, KindModel, OfferedPreset } from '../protocol/messages';
import type { IJSONSchema } from '../form/schema';
import type { ClusterManager } from './manager';

/** How the browser learns about changes. */
export type Connection =
  /** Not asked yet, or not answered yet. */
  | 'connecting'
  /** The event stream is open. */
  | 'live'
  /** The event stream is down; the list is asked for now and then. */
  | 'polling'
  /** The server does not respond. */
  | 'lost'
  /** Server and page speak different versions. */
  | 'outdated';

/** The kinds of clusters that there are. */
export interface IKinds {
  /** JSON Schema of what can be asked for, by kind. */
  readonly backends: Readonly<Record<string, IJSONSchema>>;
  /** What is known of each kind, including those that cannot be used. */
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

/** Results that a notebook is to hold no longer. */
export interface IReleased {
  readonly name: string;
  readonly group: string;
  readonly kernel: string;
}

/** The one place in the browser that knows the clusters; views only draw. */
export type IClusterManager = Readonly<Omit<ClusterManager, 'pollInterval'>>;

export const IClusterManager = new Token<IClusterManager>(
  'gpucluster:IClusterManager',
  'The clusters of this user.'
);
