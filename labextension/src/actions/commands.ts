import type { JupyterFrontEnd } from '@jupyterlab/application';
import { InputDialog, Notification, type ICommandPalette } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { hasEnded } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { clusterIcon } from '../icons';
import { sentenceOf } from '../panel/asking';
import type { ClusterPanel } from '../panel/clusterpanel';
import type { ClusterModel } from '../protocol/messages';
import type { IPanelSettings } from '../settings';
import { chooseCluster, confirmRestart, confirmStop } from './choosing';
import { CommandIDs } from './commandids';
import { connectNotebook } from './connect';
import type { IEnvironment } from './environment';
import type { ClusterViews } from './views';

export interface ICommandOptions {
  app: JupyterFrontEnd;
  manager: IClusterManager;
  panel: ClusterPanel;
  views: ClusterViews;
  environment: IEnvironment;
  notebooks: INotebookTracker | null;
  palette: ICommandPalette | null;
  settings: IPanelSettings;
  trans: TranslationBundle;
}

type Args = ReadonlyPartialJSONObject;

/** Arguments of a command, for those who call it by program. */
function described(properties: ReadonlyJSONObject): { args: ReadonlyJSONObject } {
  return { args: { type: 'object', properties } };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Register everything that can be done with clusters. */
export function addCommands(options: ICommandOptions): void {
  const { app, manager, panel, views, environment, notebooks, palette, settings, trans } = options;
  const { commands, shell } = app;
  const idArgument = {
    type: 'string',
    description: trans.__('Id or name of the cluster; asked for when left out.')
  };

  // From a card the error goes back to the card; from the palette there is no card to show it on.
  const withCluster =
    (title: string, act: (cluster: ClusterModel, args: Args) => unknown) =>
    async (args: Args): Promise<void> => {
      try {
        const cluster = await chooseCluster(manager, args.id, title, trans);
        if (cluster !== null) {
          await act(cluster, args);
        }
      } catch (error) {
        if (args.id !== undefined) {
          throw error;
        }
        Notification.error(sentenceOf(error), { autoClose: 8000 });
      }
    };

  const openPanel = (): void => shell.activateById(panel.id);

  commands.addCommand(CommandIDs.openPanel, {
    label: trans.__('Show GPU Clusters'),
    icon: clusterIcon,
    describedBy: described({}),
    execute: openPanel
  });
  commands.addCommand(CommandIDs.createCluster, {
    label: args => (args.isLauncher ? trans.__('GPU cluster') : trans.__('New GPU Cluster…')),
    caption: trans.__('Create a Dask cluster on the GPUs or CPUs of this machine'),
    icon: clusterIcon,
    describedBy: described({
      spec: {
        type: 'object',
        description: trans.__('What to create, at once; without it the form is opened.')
      }
    }),
    execute: async args => {
      openPanel();
      if (args.spec !== undefined) {
        const created = await manager.create(args.spec as Args);
        return created.id;
      }
      panel.showForm();
      return null;
    }
  });
  commands.addCommand(CommandIDs.connect, {
    label: trans.__('Connect Notebook to GPU Cluster'),
    describedBy: described({ id: idArgument }),
    execute: withCluster(trans.__('Connect to'), cluster =>
      connectNotebook(cluster, { notebooks, commands, environment, trans })
    )
  });
  commands.addCommand(CommandIDs.scaleCluster, {
    label: trans.__('Scale GPU Cluster…'),
    describedBy: described({
      id: idArgument,
      n_workers: {
        type: 'integer',
        description: trans.__('Number of workers; asked for when left out.')
      }
    }),
    execute: withCluster(trans.__('Scale'), async (cluster, args) => {
      let count = args.n_workers;
      if (typeof count !== 'number') {
        const answer = await InputDialog.getNumber({
          title: trans.__('Scale %1', cluster.name),
          label: trans.__('Workers'),
          value: cluster.wanted.n_workers ?? cluster.n_workers
        });
        if (!answer.button.accept || answer.value === null) {
          return;
        }
        count = answer.value;
      }
      await manager.patch(cluster.id, { n_workers: count });
    })
  });
  commands.addCommand(CommandIDs.restartWorkers, {
    label: trans.__('Restart Workers of GPU Cluster…'),
    describedBy: described({ id: idArgument }),
    execute: withCluster(trans.__('Restart'), async cluster => {
      if (await confirmRestart(cluster, manager, trans)) {
        await manager.restart(cluster.id);
      }
    })
  });
  commands.addCommand(CommandIDs.stopCluster, {
    label: trans.__('Stop GPU Cluster…'),
    describedBy: described({ id: idArgument }),
    execute: withCluster(trans.__('Stop'), async cluster => {
      if (
        hasEnded(cluster) ||
        !settings.confirmStop ||
        (await confirmStop(cluster, manager, trans))
      ) {
        await manager.stop(cluster.id);
      }
    })
  });
  commands.addCommand(CommandIDs.openDashboard, {
    label: trans.__('Open Dashboard of GPU Cluster'),
    describedBy: described({
      id: idArgument,
      name: { type: 'string', description: trans.__('Name shown until the cluster is known.') },
      page: { type: 'string', description: trans.__("Page of the dashboard, such as 'status'.") },
      restored: {
        type: 'boolean',
        description: trans.__('Whether the tab comes back after a reload.')
      }
    }),
    execute: async args => {
      const page = typeof args.page === 'string' ? args.page : settings.dashboardPage;
      if (args.restored === true && typeof args.id === 'string') {
        return views.openDashboard(args.id, textOf(args.name), page);
      }
      return withCluster(trans.__('Dashboard'), cluster =>
        views.openDashboard(cluster.id, cluster.name, page)
      )(args);
    }
  });
  commands.addCommand(CommandIDs.openLog, {
    label: trans.__('Show Log of GPU Cluster'),
    describedBy: described({
      id: idArgument,
      name: { type: 'string', description: trans.__('Name shown until the cluster is known.') },
      restored: {
        type: 'boolean',
        description: trans.__('Whether the tab comes back after a reload.')
      }
    }),
    execute: async args => {
      if (args.restored === true && typeof args.id === 'string') {
        return views.openLog(args.id, textOf(args.name));
      }
      return withCluster(trans.__('Log'), cluster => views.openLog(cluster.id, cluster.name))(args);
    }
  });

  for (const command of Object.values(CommandIDs)) {
    if (commands.hasCommand(command)) {
      palette?.addItem({ command, category: trans.__('GPU Clusters') });
    }
  }
}
