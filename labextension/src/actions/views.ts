import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IClusterManager } from '../clusters/tokens';
import { CommandIDs } from './commandids';
import { DashboardView } from './dashboardview';
import { LogView } from './logview';

/** Opens dashboards and logs as tabs; each comes back after a reload. */
export class ClusterViews {
  constructor(private readonly _options: ClusterViews.IOptions) {
    const { app, restorer } = _options;
    if (restorer !== null) {
      void restorer.restore(this._dashboards, {
        command: CommandIDs.openDashboard,
        args: view => ({
          id: view.clusterId,
          name: view.clusterName,
          page: view.page,
          restored: true
        }),
        name: view => view.id,
        when: app.serviceManager.ready
      });
      void restorer.restore(this._logs, {
        command: CommandIDs.openLog,
        args: view => ({ id: view.clusterId, name: view.clusterName, restored: true }),
        name: view => view.id,
        when: app.serviceManager.ready
      });
    }
  }

  /** Show a page of a dashboard: in its tab if it has one. */
  openDashboard(id: string, name: string, page: string): DashboardView {
    const { app, manager, trans } = this._options;
    const widgetId = `gpucluster-dashboard-${id}`;
    let view = this._dashboards.find(candidate => candidate.id === widgetId);
    if (view === undefined) {
      const { serverSettings } = app.serviceManager;
      const created = new DashboardView({ id, name, page, manager, serverSettings, trans });
      created.id = widgetId;
      created.pageChanged.connect(this._onPageChanged, this);
      void this._dashboards.add(created);
      app.shell.add(created, 'main');
      view = created;
    }
    view.page = page;
    app.shell.activateById(view.id);
    return view;
  }

  /** Show the log of a cluster: in its tab if it has one. */
  openLog(id: string, name: string): LogView {
    const { app, manager, trans } = this._options;
    const widgetId = `gpucluster-log-${id}`;
    let view = this._logs.find(candidate => candidate.id === widgetId);
    if (view === undefined) {
      view = new LogView({ id, name, manager, trans });
      view.id = widgetId;
      void this._logs.add(view);
      app.shell.add(view, 'main');
    }
    app.shell.activateById(view.id);
    return view;
  }

  private _onPageChanged(view: DashboardView): void {
    void this._dashboards.save(view);
  }

  private readonly _dashboards = new WidgetTracker<DashboardView>({
    namespace: 'gpucluster-dashboards'
  });
  private readonly _logs = new WidgetTracker<LogView>({ namespace: 'gpucluster-logs' });
}

export namespace ClusterViews {
  export interface IOptions {
    app: JupyterFrontEnd;
    manager: IClusterManager;
    restorer: ILayoutRestorer | null;
    trans: TranslationBundle;
  }
}
