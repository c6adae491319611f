import type { IClusterManager } from '../clusters/tokens';
import { column, entry, gaugeWords, titleOf } from '../gauges';
import type { ClusterModel } from '../protocol/messages';
import { confirmLoss } from '../shell/confirm';
import { trans } from '../translation';

/** End a worker after it has handed over its results; ask first if it has something to lose. */
export async function retire(
  cluster: ClusterModel,
  worker: string,
  manager: IClusterManager
): Promise<void> {
  const warning = warningOf(cluster, worker, manager);
  const title = trans.__('Retire %1 of %2?', titleIn(worker, cluster, manager), cluster.name);
  if (warning !== null && !(await confirmLoss(title, warning, trans.__('Retire')))) {
    return;
  }
  await manager.retire(cluster.id, worker);
}

function titleIn(worker: string, cluster: ClusterModel, manager: IClusterManager): string {
  const sample = manager.sample(cluster.id);
  const i = sample?.workers.indexOf(worker) ?? -1;
  return sample === undefined || i < 0 ? worker : titleOf(sample, i, gaugeWords(trans));
}

/** What to think of before; null if the worker does nothing and holds nothing. */
function warningOf(cluster: ClusterModel, worker: string, manager: IClusterManager): string | null {
  const sample = manager.sample(cluster.id);
  const i = sample?.workers.indexOf(worker) ?? -1;
  if (sample === undefined || i < 0) {
    return trans.__('What this worker holds is unknown.');
  }
  const results = entry(sample, 'in_memory', i) ?? 0;
  const tasks = entry(sample, 'processing', i) ?? 0;
  const sentences: string[] = [];
  if (results > 0) {
    sentences.push(trans._n('It holds %1 result.', 'It holds %1 results.', results));
    sentences.push(
      column(sample, 'in_memory').length > 1
        ? trans.__('They move to other workers first.')
        : trans.__('No other worker can take them.')
    );
  }
  if (tasks > 0) {
    sentences.push(
      trans._n(
        '%1 task is restarted on another worker.',
        '%1 tasks are restarted on other workers.',
        tasks
      )
    );
  }
  return sentences.length === 0 ? null : sentences.join(' ');
}
