import type { IClusterManager } from '../clusters/tokens';
import type { ClusterModel } from '../protocol/messages';

/** Create an ended cluster once more, with the same name and options. Its card goes, unless it failed: then its log is of use. */
export async function startAgain(cluster: ClusterModel, manager: IClusterManager): Promise<void> {
  await manager.create({ ...cluster.spec, name: cluster.name });
  if (cluster.state === 'stopped') {
    await manager.remove(cluster.id);
  }
}
