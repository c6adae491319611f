import { Notification } from '@jupyterlab/apputils';
import type { ReadonlyJSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { sentenceOf } from '../panel/asking';
import type { IClusterManager } from '../clusters/tokens';
import { hasEnded } from '../clusters/states';
import type { ClusterModel } from '../protocol/messages';
import { chooseCluster } from './choosing';
import type { NotebooksInSight } from './links';
import { trans } from '../translation';

export type Args = ReadonlyPartialJSONObject;

/** Arguments of a command, for those who call it by program. */
export function described(properties: ReadonlyJSONObject): { args: ReadonlyJSONObject } {
  return { args: { type: 'object', properties } };
}

/** What each command about a cluster takes. */
export function idArgument(): ReadonlyJSONObject {
  return {
    type: 'string',
    description: trans.__('Id or name of the cluster; prompts if omitted.')
  };
}

/** Do what was asked for where there is no card to show an error on: it becomes a notification. */
export async function notifyingErrors(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    Notification.error(sentenceOf(error), { autoClose: 8000 });
  }
}

/** Makes commands about one cluster: finds it or asks for it, and tells what went wrong. */
export class ClusterCommand {
  constructor(
    private readonly _manager: IClusterManager,
    private readonly _inSight: NotebooksInSight
  ) {}

  /** Of a command: without a cluster there is nothing to choose from. */
  readonly isEnabled = (args: Args): boolean =>
    args.id !== undefined ||
    !this._manager.isReady ||
    this._manager.clusters.some(cluster => !hasEnded(cluster));

  /** What a command needs. */
  does(
    title: string,
    act: (cluster: ClusterModel, args: Args) => unknown
  ): { execute: (args: Args) => Promise<void>; isEnabled: (args: Args) => boolean } {
    // From a card the error goes back to the card; from palette, menu and toolbar there is no card to show it on.
    const execute = async (args: Args): Promise<void> => {
      const run = async (): Promise<void> => {
        const cluster = await chooseCluster(this._manager, args.id, title, this._inSight.last());
        if (cluster !== null) {
          await act(cluster, args);
        }
      };
      await (args.id !== undefined && args.notebook === undefined ? run() : notifyingErrors(run));
    };
    return { execute, isEnabled: this.isEnabled };
  }
}
