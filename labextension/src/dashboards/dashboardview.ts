import { MainAreaWidget } from '@jupyterlab/apputils';
import type { ServerConnection } from '@jupyterlab/services';
import type { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import { dashboardIcon } from '../icons';
import type { Connection, IClusterManager } from '../clusters/tokens';
import { dashboardUrl } from '../clusters/restapi';
import type { ClusterModel } from '../protocol/messages';
import { DashboardFrame } from './dashboardframe';
import { attachedCluster, waitingSentence, type ISubject } from './attachment';
import { DashboardBar } from './dashboardbar';
import type { PageLists } from './pagelists';
import { trans } from '../translation';
import { pageTitle } from './pages';

/** A page of a cluster's dashboard, as a tab. It outlives the cluster, and shows the next one of that name. */
export class DashboardView extends MainAreaWidget<DashboardFrame> {
  constructor(options: DashboardView.IOptions) {
    super({
      content: new DashboardFrame({
        loading: trans.__('Loading…'),
        retrying: trans.__('The dashboard is not responding; retrying.'),
        gone: trans.__(
          'The dashboard is not responding. Use “Reload this page” above to try again.'
        )
      })
    });
    this._options = options;
    this._subject = { id: options.id, name: options.name };
    this._page = options.page;
    this.addClass('gpc-DashboardView');
    this.title.icon = dashboardIcon;
    this.title.closable = true;
    this._bar = new DashboardBar(this, options);
    // The toolbar would hide what stretches.
    this.toolbar.hide();
    this.contentHeader.addWidget(this._bar);
    options.manager.changed.connect(this._draw, this);
    this._draw();
  }

  /** Emitted when the tab shows something else: another page, or another cluster of the same name. */
  readonly subjectChanged = new Signal<this, void>(this);

  /** The cluster that is shown, if there is one. */
  get cluster(): ClusterModel | undefined {
    return attachedCluster(this._options.manager, this._subject);
  }

  get clusterId(): string {
    return this._subject.id;
  }

  get clusterName(): string {
    return this._subject.name;
  }

  get page(): string {
    return this._page;
  }

  set page(page: string) {
    if (page !== this._page) {
      this._page = page;
      this._draw();
      this.subjectChanged.emit();
    }
  }

  /** Address of the page. */
  get url(): string {
    return dashboardUrl(this._options.serverSettings, this.clusterId, this.page);
  }

  /** Whether there is a page to be seen. */
  get isLive(): boolean {
    return this._isLive;
  }

  /** Whether the page is dark in dark themes. */
  set isDarkWanted(isWanted: boolean) {
    this.content.isDarkWanted = isWanted;
  }

  /** Load the page again. */
  reload(): void {
    this.content.reload();
  }

  private _draw(): void {
    const { manager } = this._options;
    const cluster = this.cluster;
    const before = { ...this._subject };
    if (cluster !== undefined) {
      this._subject.id = cluster.id;
      this._subject.name = cluster.name;
    }
    const title = pageTitle(this.page);
    this.title.label = `${title} · ${this.clusterName}`;
    this.title.caption = trans.__('%1: dashboard of cluster %2', title, this.clusterName);
    const sentence = waitingSentence(manager, cluster, this.clusterName);
    this._isLive = sentence === null;
    if (sentence === null) {
      this.content.showPage(this.url, this.title.caption);
      this._reloadAfterLoss(manager.connection);
    } else {
      this.content.showSentence(sentence);
    }
    this._bar.update();
    if (before.id !== this._subject.id || before.name !== this._subject.name) {
      this.subjectChanged.emit();
    }
  }

  /** Bokeh does not open its own connection again. */
  private _reloadAfterLoss(connection: Connection): void {
    if (this._connection === 'lost' && connection !== 'lost') {
      this.content.reload();
    }
    this._connection = connection;
  }

  private readonly _options: DashboardView.IOptions;
  private readonly _subject: ISubject;
  private readonly _bar: DashboardBar;
  private _page: string;
  private _isLive = false;
  private _connection: Connection = 'connecting';
}

export namespace DashboardView {
  export interface IOptions {
    id: string;
    name: string;
    page: string;
    manager: IClusterManager;
    pages: PageLists;
    commands: CommandRegistry;
    serverSettings: ServerConnection.ISettings;
  }
}
