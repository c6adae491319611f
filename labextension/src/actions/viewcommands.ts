import { InputDialog } from '@jupyterlab/apputils';
import { historyIcon, tabIcon, textEditorIcon, type LabIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import { hasGpus, isPage } from '../dashboards/pages';
import type { IClusterManager } from '../clusters/tokens';
import type { ISubject } from '../dashboards/attachment';
import type { PageLists } from '../dashboards/pagelists';
import { hasEnded } from '../clusters/states';
import { ClusterCommand, described, idArgument, type Args } from './withcluster';
import type { ClusterModel } from '../protocol/messages';
import { TABS, type ClusterViews, type TabKind } from './views';
import { initialSettings, type IPanelSettings } from '../settings';
import type { NotebooksInSight } from './links';
import * as CommandIDs from './commandids';
import { trans } from '../translation';
import { chartsIcon, dashboardIcon } from '../icons';

export interface IViewCommandOptions {
  commands: CommandRegistry;
  manager: IClusterManager;
  inSight: NotebooksInSight;
  pages: PageLists;
  settings: IPanelSettings;
  views: ClusterViews;
}

/** Register what opens tabs about a cluster. */
export function addViewCommands(options: IViewCommandOptions): void {
  const { commands, manager, inSight, pages, settings, views } = options;
  const about = new ClusterCommand(manager, inSight);
  const tabArguments = {
    id: idArgument(),
    name: { type: 'string' },
    tab: { type: 'string' },
    restored: {
      type: 'boolean'
    }
  };

  /** A tab about the chosen cluster, or once more about the one that it was about before the page was reloaded. */
  const addTab = (
    kind: TabKind,
    title: string,
    options: { label: string; caption?: string; icon: LabIcon }
  ) => {
    const open = (subject: ISubject): void => views.openTab(kind, subject);
    commands.addCommand(TABS[kind].command, {
      ...options,
      describedBy: described(tabArguments),
      isEnabled: about.isEnabled,
      execute: async args => {
        const comesBack = restoredSubject(args);
        if (comesBack) {
          views.openTab(kind, comesBack, true);
        } else {
          await about.does(title, open).execute(args);
        }
      }
    });
  };

  commands.addCommand(CommandIDs.openDashboard, {
    label: args =>
      args.choose === true ? trans.__('Open Dashboard Page…') : trans.__('Open Dashboard'),
    icon: dashboardIcon,
    describedBy: described({
      ...tabArguments,
      page: { type: 'string' },
      choose: { type: 'boolean' }
    }),
    isEnabled: about.isEnabled,
    execute: async args => {
      const page = isPage(args.page) ? args.page : settings.dashboardPage;
      const comesBack = restoredSubject(args);
      if (comesBack !== null) {
        views.openDashboard(comesBack, page, textOf(args.tab) || undefined);
        return;
      }
      await about
        .does(trans.__('Dashboard'), async cluster => {
          requireDashboard(cluster);
          const chosen = args.choose === true ? await choosePage(cluster, pages) : page;
          if (chosen !== null) {
            views.openDashboard(cluster, chosen);
          }
        })
        .execute(args);
    }
  });
  commands.addCommand(CommandIDs.layOutDashboard, {
    label: trans.__('Open Dashboard Layout'),
    caption: trans.__('Open the main dashboard pages side by side'),
    icon: tabIcon,
    describedBy: described({ id: idArgument() }),
    ...about.does(trans.__('Dashboard'), cluster => {
      requireDashboard(cluster);
      const wanted = hasGpus(cluster) ? settings.gpuLayout : settings.cpuLayout;
      const columns = wanted.map(column => column.filter(isPage));
      const isEmpty = columns.every(column => column.length === 0);
      views.layOutDashboards(cluster, isEmpty ? initialSettings().cpuLayout : columns);
    })
  });
  addTab('log', trans.__('Log'), { label: trans.__('Show Log'), icon: textEditorIcon });
  addTab('charts', trans.__('Gauges over Time'), {
    label: trans.__('Show Gauges over Time'),
    caption: trans.__('Charts of load, memory and events'),
    icon: chartsIcon
  });
  addTab('activity', trans.__('Activity'), {
    label: trans.__('Show Activity'),
    caption: trans.__('Log of requests and their results'),
    icon: historyIcon
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a tab that comes back after a reload was about; the cluster may be gone. */
function restoredSubject(args: Args): ISubject | null {
  return args.restored === true && typeof args.id === 'string'
    ? { id: args.id, name: textOf(args.name) }
    : null;
}

function requireDashboard(cluster: ClusterModel): void {
  if (hasEnded(cluster)) {
    throw new Error(trans.__('Cluster %1 has stopped; it has no dashboard.', cluster.name));
  }
}

async function choosePage(cluster: ClusterModel, pages: PageLists): Promise<string | null> {
  const choices = (await pages.groups(cluster)).flatMap(group =>
    group.pages.map(page => ({ path: page.path, label: `${group.title}: ${page.title}` }))
  );
  const answer = await InputDialog.getItem({
    title: trans.__('Dashboard of %1', cluster.name),
    label: trans.__('Page'),
    items: choices.map(({ label }) => label)
  });
  const chosen = choices.find(({ label }) => answer.button.accept && label === answer.value);
  return chosen?.path ?? null;
}
