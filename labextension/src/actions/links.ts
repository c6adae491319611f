import type { ILabShell } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Session } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

import { hasEnded } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import type { ClusterModel } from '../protocol/messages';
import type { NotebooksInSight } from './notebooks';

/** Which notebooks are connected to which clusters: shown on cards and in a notebook's toolbar. */
export interface INotebookLinks {
  /** Emitted when a notebook was shown, renamed or got another kernel; the clusters themselves tell who came. */
  readonly changed: ISignal<INotebookLinks, void>;
  /** Names of the notebooks that are connected, as far as this Jupyter knows their kernels. */
  notebooksOf(cluster: ClusterModel): readonly string[];
  /** The name of the notebook that "Connect" acts on; null where it has to ask. */
  target(): string | null;
  /** Whether that notebook is connected to the cluster. */
  isConnected(cluster: ClusterModel): boolean;
  /** Whether a notebook of this window has that kernel: others may be open in another one. */
  isHere(kernel: string): boolean;
  /** Whether any notebook is open. */
  hasOpen(): boolean;
}

/** Puts together what clusters know, ids of kernels, and what Jupyter knows, their notebooks. */
export class NotebookLinks implements INotebookLinks {
  constructor(
    private readonly _sessions: Session.IManager,
    private readonly _inSight: NotebooksInSight,
    notebooks: INotebookTracker | null,
    labShell: ILabShell | null
  ) {
    const tell = (): void => this.changed.emit();
    _sessions.runningChanged.connect(tell);
    notebooks?.currentChanged.connect(tell);
    // A launcher, or a dashboard, may cover the notebook.
    labShell?.currentChanged.connect(tell);
    labShell?.layoutModified.connect(tell);
    notebooks?.widgetAdded.connect((_, panel) => {
      panel.sessionContext.kernelChanged.connect(tell);
      panel.title.changed.connect(tell);
      panel.disposed.connect(tell);
    });
  }

  readonly changed = new Signal<this, void>(this);

  notebooksOf(cluster: ClusterModel): readonly string[] {
    const names = new Map<string, string>();
    for (const { kernel, path } of this._sessions.running()) {
      if (kernel && cluster.kernels.includes(kernel.id)) {
        names.set(kernel.id, path.split('/').pop() ?? path);
      }
    }
    return [...names.values()].sort();
  }

  target(): string | null {
    return this._inSight.last()?.title.label ?? null;
  }

  isConnected(cluster: ClusterModel): boolean {
    return isUsedBy(cluster, this._inSight.last());
  }

  isHere(kernel: string): boolean {
    return this._inSight.open().some(panel => isUsedBy({ kernels: [kernel] }, panel));
  }

  hasOpen(): boolean {
    return this._inSight.open().length > 0;
  }
}

/** Whether the kernel of a notebook is connected to a cluster. */
export function isUsedBy(
  { kernels }: Pick<ClusterModel, 'kernels'>,
  panel: NotebookPanel | null
): boolean {
  return kernels.includes(panel?.sessionContext.session?.kernel?.id ?? '');
}

/** The running cluster that a notebook computes on; null if it is connected to none of ours. */
export function clusterOf(panel: NotebookPanel, manager: IClusterManager): ClusterModel | null {
  return manager.clusters.find(one => !hasEnded(one) && isUsedBy(one, panel)) ?? null;
}
