import { MainAreaWidget } from '@jupyterlab/apputils';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';

import { hasEnded, stateLabel } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { trans } from '../translation';

/** What a tab about a cluster is made with. */
export interface IClusterTabOptions {
  /** Id of the cluster; another one once the tab follows its name. */
  id: string;
  /** Name of the cluster, until it is known. */
  readonly name: string;
  readonly manager: IClusterManager;
}

/** What a tab shows about its cluster. */
export interface IFollowing {
  /** Begin again: the tab is about another cluster now. */
  restart(): void;
}

/** A tab about a cluster, without a toolbar of JupyterLab's. */
export class ClusterTab<T extends Widget = Widget> extends MainAreaWidget<T> {
  constructor(
    content: T,
    protected readonly options: IClusterTabOptions,
    icon: LabIcon,
    private readonly _label: (name: string) => string
  ) {
    super({ content });
    this.toolbar.hide();
    this.title.icon = icon;
    this.title.closable = true;
    this._name = options.name;
    this._drawTitle();
    options.manager.changed.connect(this._drawTitle, this);
  }

  get clusterId(): string {
    return this.options.id;
  }

  get clusterName(): string {
    this._name = this.options.manager.get(this.clusterId)?.name ?? this._name;
    return this._name;
  }

  override dispose(): void {
    this.options.manager.changed.disconnect(this._drawTitle, this);
    super.dispose();
  }

  /** Go on with the cluster that was started again, once the tab's own is off the list; tells whether there is one. */
  followName(): boolean {
    const { manager } = this.options;
    if (!manager.isReady || manager.get(this.clusterId) !== undefined) {
      return false;
    }
    const { clusterName: name, clusterId: before } = this;
    const next = manager.clusters.find(one => one.name === name && !hasEnded(one));
    if (next === undefined) {
      return false;
    }
    this.options.id = next.id;
    this.id = this.id.replace(before, next.id);
    this._drawTitle();
    this.restart();
    return true;
  }

  /** Show the cluster from its beginning: the tab is about another one now. */
  protected restart(): void {
    (this.content as Partial<IFollowing>).restart?.();
  }

  /** What has ended is not taken for the cluster that has its name now. */
  private _drawTitle(): void {
    const { manager } = this.options;
    const cluster = manager.get(this.clusterId);
    const name = this.clusterName;
    this.title.label = this._label(
      cluster !== undefined && hasEnded(cluster)
        ? trans.__('%1 (%2)', name, stateLabel(cluster).toLowerCase())
        : name
    );
  }

  private _name: string;
}
