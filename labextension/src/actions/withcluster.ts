import { Notification } from '@jupyterlab/apputils';
import type { ReadonlyJSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { IClusterManager } from '../clusters/tokens';
import { sentenceOf } from '../panel/asking';
import type { ClusterModel } from '../protocol/messages';
import { chooseCluster } from './choosing';
import type { NotebooksInSight } from './notebooks';
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

  execute(
    title: string,
    act: (cluster: ClusterModel, args: Args) => unknown
  ): (args: Args) => Promise<void> {
    // From a card the error goes back to the card; from palette, menu and toolbar there is no card to show it on.
    return async args => {
      const run = async (): Promise<void> => {
        const cluster = await chooseCluster(this._manager, args.id, title, this._inSight.last());
        if (cluster !== null) {
          await act(cluster, args);
        }
      };
      await (args.id !== undefined && args.notebook === undefined ? run() : notifyingErrors(run));
    };
  }
}
