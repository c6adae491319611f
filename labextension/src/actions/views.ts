import type { ILayoutRestorer } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { UUID } from '@lumino/coreutils';
import type { Widget } from '@lumino/widgets';

import { LogView } from '../log/logview';
import { arrange, stack, type Arrangement, type IPlace } from '../dashboards/arrangement';
import { hasEnded } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { ActivityView } from '../activity/activityview';
import type { ISubject } from '../dashboards/attachment';
import * as CommandIDs from './commandids';
import type { PageLists } from '../dashboards/pagelists';
import { ClusterTab } from '../shell/clustertab';
import { ChartsView } from '../charts/chartsview';
import { DashboardView } from '../dashboards/dashboardview';
import { activateView, addView, type IShells } from '../shell/placing';
import { NotebooksInSight } from './links';

/** With less, two columns of pages cannot be read beside a notebook that keeps half of the room. */
const COLUMNS_PIXELS = 800;

/** Tabs about a cluster but its dashboard, by what begins their ids. */
export const TABS = {
  log: { View: LogView, command: CommandIDs.openLog },
  charts: { View: ChartsView, command: CommandIDs.openCharts },
  activity: { View: ActivityView, command: CommandIDs.openActivity }
};
export type TabKind = keyof typeof TABS;
const tabKinds = Object.keys(TABS) as TabKind[];

/** Whether a tab is one of those about a cluster. */
export function isAboutCluster(view: Widget | null): boolean {
  return view instanceof ClusterTab || view instanceof DashboardView;
}

/** Opens dashboards, logs and activities as tabs; each comes back after a reload. */
export class ClusterViews {
  constructor(private readonly _options: ClusterViews.IOptions) {
    this._inSight = new NotebooksInSight(_options.notebooks);
    const { app, manager, restorer } = _options;
    manager.changed.connect(() => {
      for (const kind of tabKinds) {
        const tracker = this._tabs[kind];
        tracker.forEach(view => view.followName() && void tracker.save(view));
      }
    });
    if (restorer !== null) {
      const when = app.serviceManager.ready;
      const subject = (view: DashboardView | ClusterTab) => ({
        id: view.clusterId,
        name: view.clusterName,
        tab: view.id,
        restored: true
      });
      void restorer.restore(this._dashboards, {
        command: CommandIDs.openDashboard,
        args: view => ({ ...subject(view), page: view.page }),
        name: view => view.id,
        when
      });
      for (const kind of tabKinds) {
        const command = TABS[kind].command;
        void restorer.restore(this._tabs[kind], {
          command,
          args: subject,
          name: view => view.id,
          when
        });
      }
    }
  }

  /** Show a page of a dashboard: in its tab if it has one. */
  openDashboard(subject: ISubject, page: string, tab?: string): DashboardView {
    const open = tab === undefined ? this._dashboard(subject, page) : undefined;
    const view =
      open ?? this._addDashboard(subject, page, tab === undefined ? this._beside() : {}, tab);
    activateView(this._options, view);
    if (tab !== undefined) {
      // One that has the name by now is shown in its place.
      this._closeWhere(view, () => view.cluster === undefined || hasEnded(view.cluster));
    }
    return view;
  }

  /** Where a page goes: to the others that are seen, else to the right of the notebook that is seen. */
  private _beside(): IPlace {
    const seen = this._seen();
    if (seen !== undefined) {
      return { mode: 'tab-after', ref: seen.id };
    }
    const notebook = this._options.labShell === null ? null : this._inSight.last();
    return notebook === null ? {} : { mode: 'split-right', ref: notebook.id };
  }

  private _seen(): DashboardView | undefined {
    return this._dashboards.find(view => view.isVisible);
  }

  /** A tab that came back with the page may have nothing to show any more, which is known once the clusters are. */
  private _closeWhere(view: DashboardView | ClusterTab, isEmpty: () => boolean): void {
    const { manager } = this._options;
    const look = (): void => {
      if (!manager.isReady && !view.isDisposed) {
        return;
      }
      manager.changed.disconnect(look);
      if (!view.isDisposed && isEmpty()) {
        view.dispose();
      }
    };
    manager.changed.connect(look);
    // The layout takes the tab in first.
    void this._options.app.restored.then(look);
  }

  /** Show pages side by side. Harmless when they are. */
  layOutDashboards(subject: ISubject, arrangement: Arrangement): void {
    const { labShell } = this._options;
    const pages = arrangement.flat();
    let views = pages.flatMap(page => this._dashboard(subject, page) ?? []);
    if (views.length < pages.length || views.every(view => !view.isVisible)) {
      views.forEach(view => view.dispose());
      // A notebook stays in view; anything else, such as the launcher, is covered.
      const notebook = labShell === null ? null : this._inSight.last();
      const seen = this._seen();
      const room = seen?.node.clientWidth ?? (notebook?.node.clientWidth ?? 0) / 2;
      const isNarrow = notebook !== null && room < COLUMNS_PIXELS;
      const start: IPlace = notebook === null ? {} : this._beside();
      const put = isNarrow ? stack : arrange;
      views = put(arrangement, start, (page, place) => this._addDashboard(subject, page, place));
    }
    if (views.length > 0) {
      activateView(this._options, views[0]);
    }
  }

  /** Show the log, the gauges over time or the activity of a cluster: in its tab if it has one. */
  openTab(kind: TabKind, subject: ISubject, comesBack = false): void {
    const { manager } = this._options;
    const id = `gpucluster-${kind}-${subject.id}`;
    const tracker = this._tabs[kind];
    let view = tracker.find(candidate => candidate.id === id);
    if (view === undefined) {
      view = new TABS[kind].View({ ...subject, manager });
      view.id = id;
      addView(this._options, view);
      void tracker.add(view);
    }
    activateView(this._options, view);
    if (comesBack) {
      // The log of a cluster that has ended is still read, until it is removed.
      const tab = view;
      this._closeWhere(tab, () => manager.get(tab.clusterId) === undefined && !tab.followName());
    }
  }

  /** Whether dashboards are inverted in dark themes. */
  set isInverting(isInverting: boolean) {
    this._isInverting = isInverting;
    this._dashboards.forEach(view => {
      view.isDarkWanted = isInverting;
    });
  }

  private _dashboard(subject: ISubject, page: string): DashboardView | undefined {
    return this._dashboards.find(view => view.clusterId === subject.id && view.page === page);
  }

  private _addDashboard(
    subject: ISubject,
    page: string,
    place: IPlace,
    tab = `gpucluster-dashboard-${UUID.uuid4()}`
  ): DashboardView {
    const { app, manager, pages } = this._options;
    const { commands, serviceManager } = app;
    const { serverSettings } = serviceManager;
    const view = new DashboardView({
      ...subject,
      page,
      manager,
      pages,
      commands,
      serverSettings
    });
    view.id = tab;
    view.isDarkWanted = this._isInverting;
    view.subjectChanged.connect(() => void this._dashboards.save(view));
    addView(this._options, view, place);
    void this._dashboards.add(view);
    return view;
  }

  private readonly _dashboards = new WidgetTracker<DashboardView>({
    namespace: 'gpucluster-dashboards'
  });
  private readonly _tabs = {
    log: new WidgetTracker<ClusterTab>({ namespace: 'gpucluster-logs' }),
    charts: new WidgetTracker<ClusterTab>({ namespace: 'gpucluster-charts' }),
    activity: new WidgetTracker<ClusterTab>({ namespace: 'gpucluster-activities' })
  };
  private _isInverting = true;
  private readonly _inSight: NotebooksInSight;
}

export namespace ClusterViews {
  export interface IOptions extends IShells {
    manager: IClusterManager;
    notebooks: INotebookTracker | null;
    pages: PageLists;
    restorer: ILayoutRestorer | null;
  }
}
