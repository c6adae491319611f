import type { TranslationBundle } from '@jupyterlab/translation';

import type { ClusterModel, ClusterState } from '../protocol/messages';

/** Whether nothing of the cluster runs any more. */
export function hasEnded(cluster: ClusterModel): boolean {
  return cluster.state === 'stopped' || cluster.state === 'failed';
}

/** Whether the cluster can be connected to. */
export function isUsable(cluster: ClusterModel): boolean {
  return (
    cluster.scheduler_address !== null &&
    (cluster.state === 'running' || cluster.state === 'scaling')
  );
}

/** The state in a word. */
export function stateLabel(state: ClusterState, trans: TranslationBundle): string {
  const labels: Record<ClusterState, string> = {
    starting: trans.__('Starting'),
    running: trans.__('Running'),
    scaling: trans.__('Scaling'),
    stopping: trans.__('Stopping'),
    stopped: trans.__('Stopped'),
    failed: trans.__('Failed')
  };
  return labels[state];
}

/** The kind of workers in a word. */
export function backendLabel(backend: string, trans: TranslationBundle): string {
  const labels: Record<string, string> = {
    auto: trans.__('Automatic'),
    cuda: trans.__('GPU'),
    local: trans.__('CPU')
  };
  return labels[backend] ?? backend;
}

/** Workers that were asked for, where that is one number. */
export function wantedWorkers(cluster: ClusterModel): number | null {
  return cluster.wanted.n_workers ?? (cluster.wanted.adapt ? null : cluster.spec.n_workers);
}
