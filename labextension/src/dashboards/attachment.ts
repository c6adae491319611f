import { trans } from '../translation';
import type { IClusterManager } from '../clusters/tokens';
import type { ClusterModel } from '../protocol/messages';
import { hasEnded } from '../clusters/states';

/** What a tab of a cluster is about: this very cluster, or the one that has its name now. */
export interface ISubject {
  id: string;
  name: string;
}

/** The cluster that a tab shows: its own while that lives, else a living one of the same name. */
export function attachedCluster(
  manager: IClusterManager,
  subject: ISubject
): ClusterModel | undefined {
  const own = manager.get(subject.id);
  if (own !== undefined && !hasEnded(own)) {
    return own;
  }
  const name = own?.name ?? subject.name;
  const heir = manager.clusters.find(cluster => cluster.name === name && !hasEnded(cluster));
  return heir ?? own;
}

/** Why there is nothing to see yet or any more; null when there is. */
export function waitingSentence(
  manager: IClusterManager,
  cluster: ClusterModel | undefined,
  name: string
): string | null {
  if (!manager.isReady) {
    return manager.connection === 'lost'
      ? trans.__('The server is not responding. The dashboard of %1 returns when it does.', name)
      : trans.__('Looking for cluster %1…', name);
  }
  if (cluster === undefined || hasEnded(cluster)) {
    return cluster?.state === 'failed'
      ? trans.__('Cluster %1 has failed. Start it again to see its dashboard.', name)
      : trans.__('Cluster %1 has stopped. Start it again to see its dashboard.', name);
  }
  if (cluster.state === 'stopping') {
    return trans.__('Cluster %1 is stopping.', name);
  }
  return cluster.dashboard_path === null
    ? trans.__('Cluster %1 is starting. Its dashboard opens when it is running.', name)
    : null;
}
