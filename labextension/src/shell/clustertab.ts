import { MainAreaWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';

import type { IClusterManager } from '../clusters/tokens';

/** What a tab about a cluster is made with. */
export interface IClusterTabOptions {
  /** Id of the cluster. */
  readonly id: string;
  /** Name of the cluster, until it is known. */
  readonly name: string;
  readonly manager: IClusterManager;
  readonly trans: TranslationBundle;
}

/** A tab about a cluster, without a toolbar of JupyterLab's. */
export class ClusterTab<T extends Widget = Widget> extends MainAreaWidget<T> {
  constructor(
    content: T,
    protected readonly _options: IClusterTabOptions,
    icon: LabIcon,
    label: (name: string) => string
  ) {
    super({ content });
    this.toolbar.hide();
    this.title.icon = icon;
    this.title.closable = true;
    this.title.label = label(this.clusterName);
  }

  get clusterId(): string {
    return this._options.id;
  }

  get clusterName(): string {
    return this._options.manager.get(this.clusterId)?.name ?? this._options.name;
  }
}
