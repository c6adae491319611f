import type { IRunningSessionManagers, IRunningSessions } from '@jupyterlab/running';
import type { CommandRegistry } from '@lumino/commands';

import { clusterIcon } from './icons';
import { hasEnded, said, stateLabel } from './clusters/states';
import type { IClusterManager } from './clusters/tokens';
import { trans } from './translation';
import type { ClusterModel } from './protocol/messages';
import * as CommandIDs from './actions/commandids';

/** List the living clusters in JupyterLab's own sidebar of running things. */
export function addRunningClusters(
  running: IRunningSessionManagers,
  manager: IClusterManager,
  commands: CommandRegistry
): void {
  const living = (): ClusterModel[] => manager.clusters.filter(cluster => !hasEnded(cluster));
  const item = (cluster: ClusterModel): IRunningSessions.IRunningItem => ({
    icon: () => clusterIcon,
    label: () => cluster.name,
    labelTitle: () => said(cluster, 'choice')[0]?.text ?? cluster.name,
    detail: () =>
      `${stateLabel(cluster)}, ${trans._n('%1 worker', '%1 workers', cluster.n_workers)}`,
    open: () => void commands.execute(CommandIDs.openPanel),
    shutdown: () => void commands.execute(CommandIDs.stopCluster, { id: cluster.id })
  });
  running.add({
    name: trans.__('GPU Clusters'),
    running: () => living().map(item),
    runningChanged: manager.changed,
    refreshRunning: () => {
      manager.refresh().catch(() => undefined);
    },
    shutdownAll: () => {
      for (const cluster of living()) {
        manager.stop(cluster.id).catch(() => undefined);
      }
    },
    shutdownLabel: trans.__('Stop cluster'),
    shutdownAllLabel: trans.__('Stop all'),
    shutdownAllConfirmationText: trans.__(
      'Stop all clusters? Results on their workers will be lost.'
    )
  });
}
