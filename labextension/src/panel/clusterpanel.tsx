import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import React from 'react';

import type { IClusterManager } from '../clusters/tokens';
import { CreateForm } from '../form/createform';
import type { IEnvironment } from '../actions/environment';
import { DEFAULT_THRESHOLDS, type IThresholds } from '../gauges';
import { HostDevices } from '../host/hostdevices';
import { clusterIcon } from '../icons';
import { ClusterList } from './clusterlist';

/** The sidebar panel: the list of clusters, or the form for a new one. */
export class ClusterPanel extends ReactWidget {
  constructor(options: ClusterPanel.IOptions) {
    super();
    this._options = options;
    this.id = 'gpucluster-panel';
    this.addClass('gpc-ClusterPanel');
    this.title.icon = clusterIcon;
    this.title.caption = options.trans.__('GPU clusters');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', options.trans.__('GPU clusters'));
    options.manager.changed.connect(this._onChanged, this);
  }

  /** Name of the preset that the form starts with. */
  defaultPreset = 'auto';

  /** From how much on gauges warn. */
  get thresholds(): IThresholds {
    return this._thresholds;
  }

  set thresholds(thresholds: IThresholds) {
    this._thresholds = thresholds;
    this.update();
  }

  /** Show the form for a new cluster. */
  showForm(): void {
    this._isCreating = true;
    this.update();
  }

  /** Show the list. */
  showList(): void {
    this._isCreating = false;
    this.update();
  }

  protected override render(): JSX.Element {
    const { manager, commands, trans, environment } = this._options;
    return this._isCreating ? (
      <CreateForm
        manager={manager}
        trans={trans}
        environment={environment}
        defaultPreset={this.defaultPreset}
        onDone={() => this.showList()}
      />
    ) : (
      <>
        <ClusterList
          manager={manager}
          commands={commands}
          thresholds={this._thresholds}
          trans={trans}
          onCreate={() => this.showForm()}
        />
        <HostDevices manager={manager} commands={commands} trans={trans} />
      </>
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    // Asking for the list is also how the server learns that somebody may want a cluster soon.
    this._options.manager.refresh().catch(() => undefined);
    this.update();
  }

  private _onChanged(): void {
    if (this.isVisible) {
      this.update();
    }
  }

  private readonly _options: ClusterPanel.IOptions;
  private _isCreating = false;
  private _thresholds = DEFAULT_THRESHOLDS;
}

export namespace ClusterPanel {
  export interface IOptions {
    manager: IClusterManager;
    commands: CommandRegistry;
    environment: IEnvironment;
    trans: TranslationBundle;
  }
}
