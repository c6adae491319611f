import { Clipboard, Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import type { IClusterManager } from '../clusters/tokens';
import { element } from '../gauges/element';
import { sentenceOf } from '../panel/asking';
import type { ClusterModel, TaskFailure } from '../protocol/messages';
import { trans } from '../translation';

/** Show the errors of failed tasks; with a kind of tasks, that one alone. */
export async function showTraceback(
  cluster: ClusterModel,
  manager: IClusterManager,
  task: string | undefined
): Promise<void> {
  let failures: readonly TaskFailure[] = [];
  let fault = trans.__('The failed tasks are no longer available.');
  try {
    const all = await manager.failures(cluster.id);
    const named = all.filter(failure => failure.task === task);
    failures = named.length > 0 ? named : all;
  } catch (error) {
    fault = sentenceOf(error);
  }
  const text = failures.map(textOf).join('\n\n');
  const body = new Widget({ node: element('div', 'gpc-Traceback') });
  for (const failure of failures) {
    const { n_tasks, worker } = failure;
    const tasks = trans._n('%1 task failed in ', '%1 tasks failed in ', n_tasks);
    const where = worker === null ? '' : trans.__(', last on worker %1', worker);
    const heading = element('p', 'gpc-Traceback-task', body.node);
    heading.append(tasks);
    element('strong', '', heading).textContent = failure.task;
    heading.append(where);
    const pre = element('pre', 'gpc-Log', body.node);
    pre.tabIndex = 0;
    pre.setAttribute('aria-label', trans.__('Traceback of %1', failure.task));
    pre.textContent = textOf(failure);
  }
  if (failures.length === 0) {
    element('p', '', body.node).textContent = fault;
  }
  const close = Dialog.cancelButton({ label: trans.__('Close') });
  const { button } = await showDialog({
    title: trans.__('Failed tasks of %1', cluster.name),
    body,
    buttons:
      failures.length === 0 ? [close] : [close, Dialog.okButton({ label: trans.__('Copy') })],
    defaultButton: 0
  });
  if (button.accept) {
    Clipboard.copyToSystem(text);
  }
}

function textOf({ error, traceback }: TaskFailure): string {
  return traceback === ''
    ? error
    : `Traceback (most recent call last):\n${traceback.trimEnd()}\n${error}`;
}
