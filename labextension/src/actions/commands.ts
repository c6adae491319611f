import type { JupyterFrontEnd } from '@jupyterlab/application';
import { InputDialog, type ICommandPalette } from '@jupyterlab/apputils';
import { shareIcon } from '@jupyterlab/ui-components';

import { shareView } from './sharing';
import { hasEnded, said } from '../clusters/states';
import { confirmStop, confirmVerb, verbActions } from './choosing';
import { clusterIcon } from '../icons';
import { trans } from '../translation';
import { ClusterCommand, described, idArgument, type Args } from './withcluster';
import * as CommandIDs from './commandids';
import { addViewCommands } from './viewcommands';
import type { IClusterManager } from '../clusters/tokens';
import type { PageLists } from '../dashboards/pagelists';
import type { ClusterPanel } from '../panel/clusterpanel';
import type { IPanelSettings } from '../settings';
import type { IEnvironment } from './environment';
import type { NotebooksInSight } from './links';
import type { ClusterViews } from './views';
import { connectNotebook } from './connect';

export interface ICommandOptions {
  app: JupyterFrontEnd;
  manager: IClusterManager;
  panel: ClusterPanel;
  pages: PageLists;
  views: ClusterViews;
  environment: IEnvironment;
  inSight: NotebooksInSight;
  palette: ICommandPalette | null;
  settings: IPanelSettings;
}

/** Register everything that can be done with clusters. */
export function addCommands(options: ICommandOptions): void {
  const { app, manager, panel, pages, views, environment } = options;
  const { inSight, palette, settings } = options;
  const { commands, shell } = app;
  const about = new ClusterCommand(manager, inSight);
  const id = idArgument();
  let isEnabled = false;
  manager.changed.connect(() => {
    if (isEnabled !== (isEnabled = about.isEnabled({}))) {
      commands.notifyCommandChanged();
    }
  });

  const openPanel = (): void => shell.activateById(panel.id);

  commands.addCommand(CommandIDs.openPanel, {
    label: trans.__('Show Panel'),
    icon: clusterIcon,
    describedBy: described({}),
    execute: openPanel
  });
  commands.addCommand(CommandIDs.createCluster, {
    label: args => (args.isLauncher ? trans.__('GPU cluster') : trans.__('New Cluster…')),
    caption: trans.__('Create a Dask cluster on GPUs or CPUs'),
    icon: clusterIcon,
    describedBy: described({
      spec: {
        type: 'object',
        description: trans.__('What to create; the form opens if omitted.')
      },
      from: {
        type: 'string',
        description: trans.__('Id of the cluster to edit and retry.')
      }
    }),
    execute: async args => {
      openPanel();
      if (args.spec !== undefined) {
        const created = await manager.create(args.spec as Args);
        return created.id;
      }
      const from = manager.clusters.find(one => one.id === args.from);
      const reasons = said(from ?? {}, 'failed').map(({ text }) => text);
      panel.showForm(
        from === undefined ? null : { ...from.spec, name: from.name },
        reasons.join(' ')
      );
      return null;
    }
  });
  commands.addCommand(CommandIDs.connect, {
    label: args =>
      typeof args.name !== 'string'
        ? trans.__('Connect Notebook…')
        : args.isCurrent === true
          ? trans.__('Connected to %1', args.name)
          : trans.__('Connect to %1', args.name),
    isToggled: args => args.isCurrent === true,
    describedBy: described({
      id,
      notebook: {
        type: 'string'
      },
      name: { type: 'string' },
      isCurrent: {
        type: 'boolean'
      }
    }),
    ...about.does(trans.__('Connect to'), (cluster, { notebook }) =>
      connectNotebook(cluster, {
        inSight,
        commands,
        environment,
        notebook: typeof notebook === 'string' ? notebook : undefined,
        activate: place => shell.activateById(place)
      })
    )
  });
  commands.addCommand(CommandIDs.scaleCluster, {
    label: trans.__('Scale…'),
    describedBy: described({
      id,
      n_workers: {
        type: 'integer'
      }
    }),
    ...about.does(trans.__('Scale'), async (cluster, args) => {
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
  const actions = verbActions();
  for (const action of actions) {
    commands.addCommand(action.command, {
      label: action.name,
      describedBy: described({ id }),
      ...about.does(action.label, async cluster => {
        if (await confirmVerb(action, cluster, manager, inSight.open())) {
          await manager.request(cluster.id, action.verb);
        }
      })
    });
  }
  commands.addCommand(CommandIDs.stopCluster, {
    label: trans.__('Stop…'),
    describedBy: described({ id }),
    ...about.does(trans.__('Stop'), async cluster => {
      if (
        hasEnded(cluster) ||
        !settings.confirmStop ||
        (await confirmStop(cluster, manager, inSight.open()))
      ) {
        await manager.stop(cluster.id);
      }
    })
  });
  commands.addCommand(CommandIDs.shareCluster, {
    label: trans.__('Share…'),
    caption: trans.__('Create a link to a read-only view'),
    icon: shareIcon,
    describedBy: described({ id }),
    ...about.does(trans.__('Share'), cluster =>
      shareView(cluster, manager, app.serviceManager.serverSettings.baseUrl)
    )
  });
  addViewCommands({ commands, manager, inSight, pages, settings, views });

  const category = trans.__('GPU Clusters');
  for (const command of [...Object.values(CommandIDs), ...actions.map(({ command }) => command)]) {
    if (commands.hasCommand(command)) {
      palette?.addItem({ command, category });
    }
  }
  palette?.addItem({ command: CommandIDs.openDashboard, args: { choose: true }, category });
}
