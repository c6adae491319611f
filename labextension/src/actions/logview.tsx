import { MainAreaWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Poll } from '@lumino/polling';
import { Widget } from '@lumino/widgets';
import React from 'react';

import type { IClusterManager } from '../clusters/tokens';
import { logIcon } from '../icons';
import { sentenceOf } from '../panel/asking';

/** The end of a cluster's log, as a tab. */
export class LogView extends MainAreaWidget<Widget> {
  constructor(options: LogView.IOptions) {
    super({ content: new Widget({ node: document.createElement('pre') }) });
    this._options = options;
    this.addClass('gpc-LogView');
    this.title.icon = logIcon;
    this.title.closable = true;
    this.title.label = options.trans.__('Log: %1', this.clusterName);
    this.content.node.tabIndex = 0;
    this.content.node.setAttribute('aria-label', this.title.label);
    this._bar = new LogBar(this, options.trans);
    this.toolbar.addItem('gpucluster', this._bar);
    this._poll = new Poll({
      auto: true,
      name: `gpucluster:log:${options.id}`,
      factory: () => this._read(),
      frequency: { interval: 2000, backoff: true, max: 30_000 },
      standby: () => !this.isVisible || !this.isFollowing || document.hidden
    });
  }

  get clusterId(): string {
    return this._options.id;
  }

  get clusterName(): string {
    return this._options.manager.get(this.clusterId)?.name ?? this._options.name;
  }

  /** What went wrong when the log was read last. */
  get fault(): string | null {
    return this._fault;
  }

  /** Whether the end is kept in view as lines arrive. */
  get isFollowing(): boolean {
    return this._isFollowing;
  }

  set isFollowing(isFollowing: boolean) {
    this._isFollowing = isFollowing;
    this._bar.update();
    if (isFollowing) {
      this.refresh();
    }
  }

  /** Read the log again. */
  refresh(): void {
    this._read().catch(() => undefined);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._poll.dispose();
      super.dispose();
    }
  }

  private async _read(): Promise<void> {
    try {
      const lines = await this._options.manager.logs(this.clusterId, 1000);
      if (this.isDisposed) {
        return;
      }
      const { node } = this.content;
      node.textContent = lines.join('\n') || this._options.trans.__('The log is empty.');
      this._fault = null;
      if (this._isFollowing) {
        node.scrollTop = node.scrollHeight;
      }
    } catch (error) {
      this._fault = sentenceOf(error);
      throw error;
    } finally {
      if (!this.isDisposed) {
        this._bar.update();
      }
    }
  }

  private readonly _options: LogView.IOptions;
  private readonly _bar: LogBar;
  private readonly _poll: Poll;
  private _fault: string | null = null;
  private _isFollowing = true;
}

export namespace LogView {
  export interface IOptions {
    id: string;
    name: string;
    manager: IClusterManager;
    trans: TranslationBundle;
  }
}

/** Refresh, follow, and what went wrong. */
class LogBar extends ReactWidget {
  constructor(
    private readonly _view: LogView,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('gpc-DashboardBar');
  }

  protected override render(): JSX.Element {
    const view = this._view;
    return (
      <>
        <button className="gpc-Button gpc-mod-small" onClick={() => view.refresh()}>
          {this._trans.__('Refresh')}
        </button>
        <label>
          <input
            type="checkbox"
            checked={view.isFollowing}
            onChange={event => {
              view.isFollowing = event.target.checked;
            }}
          />
          {this._trans.__('Follow')}
        </label>
        {view.fault !== null && (
          <span role="alert" className="gpc-DashboardBar-over">
            {view.fault}
          </span>
        )}
      </>
    );
  }
}
