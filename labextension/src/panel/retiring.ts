import type { IClusterManager } from '../clusters/tokens';
import { column, entry, gaugeWords, titleOf } from '../gauges';
import type { ClusterModel, TelemetrySample } from '../protocol/messages';
import { confirmLoss } from '../shell/confirm';
import { trans } from '../translation';

/** End a worker after it has handed over its results; ask first if it has something to lose. */
export async function retire(
  cluster: ClusterModel,
  worker: string,
  manager: IClusterManager
): Promise<void> {
  const sample = manager.sample(cluster.id);
  const i = sample?.workers.indexOf(worker) ?? -1;
  const isKnown = sample !== undefined && i >= 0;
  const warning = isKnown
    ? warningOf(sample, i)
    : trans.__('The results of this worker are unknown.');
  const name = isKnown ? titleOf(sample, i, gaugeWords(trans)) : worker;
  const title = trans.__('Retire %1 of %2?', name, cluster.name);
  if (warning === '' || (await confirmLoss(title, warning, trans.__('Retire')))) {
    await manager.retire(cluster.id, worker);
  }
}

/** What to think of before; empty if the worker does nothing and holds nothing. */
function warningOf(sample: TelemetrySample, i: number): string {
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
  return sentences.join(' ');
}
