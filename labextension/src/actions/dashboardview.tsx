import { MainAreaWidget } from '@jupyterlab/apputils';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { IFrame, ReactWidget } from '@jupyterlab/ui-components';
import { Signal, type ISignal } from '@lumino/signaling';
import React from 'react';

import { dashboardUrl } from '../clusters/restapi';
import { hasEnded } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { dashboardIcon } from '../icons';
import { dashboardPages } from './dashboardpages';

/** A page of a cluster's dashboard, as a tab. */
export class DashboardView extends MainAreaWidget<IFrame> {
  constructor(options: DashboardView.IOptions) {
    // The dashboard comes through our own server: without its origin it could not open its WebSocket.
    super({
      content: new IFrame({ sandbox: ['allow-scripts', 'allow-same-origin', 'allow-popups'] })
    });
    this._options = options;
    this._page = options.page;
    this._bar = new DashboardBar(this, options.trans);
    this.addClass('gpc-DashboardView');
    this.title.icon = dashboardIcon;
    this.title.closable = true;
    this.toolbar.addItem('gpucluster', this._bar);
    this.content.url = this.url;
    options.manager.changed.connect(this._onClustersChanged, this);
    this._onClustersChanged();
  }

  /** Emitted when another page is shown. */
  get pageChanged(): ISignal<this, string> {
    return this._pageChanged;
  }

  get clusterId(): string {
    return this._options.id;
  }

  get clusterName(): string {
    return this._options.manager.get(this.clusterId)?.name ?? this._options.name;
  }

  get page(): string {
    return this._page;
  }

  set page(page: string) {
    if (page !== this._page) {
      this._page = page;
      this.content.url = this.url;
      this._bar.update();
      this._pageChanged.emit(page);
    }
  }

  /** Address of the page. */
  get url(): string {
    return dashboardUrl(this._options.serverSettings, this.clusterId, this.page);
  }

  /** Whether there is nothing to show any more. */
  get isOver(): boolean {
    const cluster = this._options.manager.get(this.clusterId);
    return this._options.manager.isReady && (cluster === undefined || hasEnded(cluster));
  }

  private _onClustersChanged(): void {
    this.title.label = this._options.trans.__('Dashboard: %1', this.clusterName);
    this._bar.update();
  }

  private readonly _options: DashboardView.IOptions;
  private readonly _bar: DashboardBar;
  private readonly _pageChanged = new Signal<this, string>(this);
  private _page: string;
}

export namespace DashboardView {
  export interface IOptions {
    id: string;
    name: string;
    page: string;
    manager: IClusterManager;
    serverSettings: ServerConnection.ISettings;
    trans: TranslationBundle;
  }
}

/** Chooses the page of a dashboard. */
class DashboardBar extends ReactWidget {
  constructor(
    private readonly _view: DashboardView,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('gpc-DashboardBar');
  }

  protected override render(): JSX.Element {
    const view = this._view;
    const trans = this._trans;
    return (
      <>
        <label>
          {trans.__('Page')}
          <select
            className="gpc-Input"
            value={view.page}
            onChange={event => {
              view.page = event.target.value;
            }}
          >
            {dashboardPages(trans).map(([page, title]) => (
              <option key={page} value={page}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <a href={view.url} target="_blank" rel="noreferrer">
          {trans.__('Open in a browser tab')}
        </a>
        {view.isOver && (
          <span role="status" className="gpc-DashboardBar-over">
            {trans.__('This cluster has ended.')}
          </span>
        )}
      </>
    );
  }
}
