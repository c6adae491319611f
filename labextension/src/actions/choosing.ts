import { InputDialog } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { refreshIcon, type LabIcon } from '@jupyterlab/ui-components';

import { confirmLoss } from '../shell/confirm';
import type { IClusterManager } from '../clusters/tokens';
import { isUsedBy } from './links';
import type { ClusterModel, Verb } from '../protocol/messages';
import { trans } from '../translation';
import { taskCounts, usersOf } from '../panel/lines';
import { hasEnded } from '../clusters/states';

/** The cluster that a command means: the named one, the only living one, or the one a person picks, first the notebook's. */
export async function chooseCluster(
  manager: IClusterManager,
  id: unknown,
  title: string,
  notebook: NotebookPanel | null = null
): Promise<ClusterModel | null> {
  if (!manager.isReady) {
    await manager.refresh();
  }
  if (typeof id === 'string' && id !== '') {
    const named =
      manager.get(id) ??
      manager.clusters.find(cluster => cluster.name === id && !hasEnded(cluster));
    if (named === undefined) {
      throw new Error(trans.__("Cluster '%1' not found.", id));
    }
    return named;
  }
  const living = manager.clusters.filter(cluster => !hasEnded(cluster));
  if (living.length === 0) {
    throw new Error(trans.__('No running cluster. Create one first.'));
  }
  if (living.length === 1) {
    return living[0];
  }
  const names = living.map(cluster => cluster.name);
  const chosen = await InputDialog.getItem({
    title,
    items: names,
    current: Math.max(
      0,
      living.findIndex(cluster => isUsedBy(cluster, notebook))
    ),
    label: trans.__('Cluster')
  });
  return chosen.button.accept
    ? (living.find(cluster => cluster.name === chosen.value) ?? null)
    : null;
}

/** Which notebook is meant, while none is in view: an open one, a new one, or none after all. */
export async function chooseNotebook(
  cluster: ClusterModel,
  open: readonly NotebookPanel[]
): Promise<NotebookPanel | 'new' | null> {
  const items = [...open.map(panel => panel.context.path), trans.__('New notebook')];
  const chosen = await InputDialog.getItem({
    title: trans.__('Connect a notebook to %1', cluster.name),
    label: trans.__('No notebook is in view. Run the connect cell in:'),
    items,
    okLabel: trans.__('Connect')
  });
  const place = chosen.value === null ? -1 : items.indexOf(chosen.value);
  if (!chosen.button.accept || place === -1) {
    return null;
  }
  return open[place] ?? 'new';
}

/**
 * Whether stopping a cluster takes something away: tasks, results, a place in a queue, or the cluster of a program that
 * may want it at any moment, which a notebook of this window whose kernel rests does not.
 */
function wouldLose(
  cluster: ClusterModel,
  manager: IClusterManager,
  open: readonly NotebookPanel[]
): boolean {
  const sample = manager.sample(cluster.id);
  const { processing, waiting } = taskCounts(sample);
  const resting = connected(cluster, open).filter(
    ({ sessionContext }) => sessionContext.session?.kernel?.status === 'idle'
  );
  return (
    sample === undefined ||
    manager.connection !== 'live' ||
    processing + waiting + (sample.tasks?.memory ?? 0) + cluster.n_pending > 0 ||
    cluster.n_clients > resting.length
  );
}

/** The open notebooks that are connected to a cluster. */
function connected(cluster: ClusterModel, open: readonly NotebookPanel[]): NotebookPanel[] {
  return open.filter(panel => isUsedBy(cluster, panel));
}

/** Ask before a cluster is stopped if something would be lost; names what and the notebooks that use it. */
export async function confirmStop(
  { id }: ClusterModel,
  manager: IClusterManager,
  open: readonly NotebookPanel[]
): Promise<boolean> {
  // What the panel shows may be a second old, and another client may have connected since.
  const cluster = await manager.look(id);
  if (hasEnded(cluster) || !wouldLose(cluster, manager, open)) {
    return true;
  }
  return confirmLoss(
    trans.__('Stop %1?', cluster.name),
    `${usage(cluster, manager, open)} ${lostResults(cluster, manager)}`.trim(),
    trans.__('Stop')
  );
}

/** How many results go with the workers; empty: none. */
function lostResults({ id }: ClusterModel, manager: IClusterManager): string {
  const sample = manager.connection === 'live' ? manager.sample(id) : undefined;
  if (sample === undefined) {
    return trans.__('Results on the workers will be lost.');
  }
  const count = sample.tasks?.memory ?? 0;
  return count === 0
    ? ''
    : trans._n(
        '%1 result on the workers will be lost.',
        '%1 results on the workers will be lost.',
        count
      );
}

/** Ask before a verb that loses something. */
export async function confirmVerb(
  { confirm, label }: IVerbAction,
  cluster: ClusterModel,
  manager: IClusterManager,
  open: readonly NotebookPanel[]
): Promise<boolean> {
  if (confirm === null) {
    return true;
  }
  const { title, body } = confirm(cluster.name);
  const lost = `${usage(cluster, manager, open)} ${lostResults(cluster, manager)}`.trim();
  return confirmLoss(title, `${lost} ${body}`, label);
}

function usage(
  cluster: ClusterModel,
  manager: IClusterManager,
  open: readonly NotebookPanel[]
): string {
  const { processing, waiting } = taskCounts(manager.sample(cluster.id));
  const tasks = processing + waiting;
  const names = connected(cluster, open).map(({ title }) => title.label);
  const users = usersOf(cluster.n_clients, names);
  const use = users === '' ? trans.__('Not in use.') : trans.__('In use by %1.', users);
  return tasks === 0
    ? use
    : `${use} ${trans._n('%1 task is unfinished.', '%1 tasks are unfinished.', tasks)}`;
}

/** A verb that needs nothing but its cluster: a command, and an entry of the card's menu. */
interface IVerbAction {
  readonly verb: Verb;
  /** Id of the command. */
  readonly command: string;
  /** Name of the command in the menu bar and the palette. */
  readonly name: string;
  /** Name of the entry in the card's menu. */
  readonly entry: string;
  readonly icon: LabIcon;
  /** What confirms it in a dialog. */
  readonly label: string;
  /** What to confirm before, for a cluster of that name; null: nothing is lost. */
  readonly confirm: ((cluster: string) => { title: string; body: string }) | null;
}

/** In the order of the menu. */
export function verbActions(): readonly IVerbAction[] {
  return [
    {
      verb: 'restart',
      command: 'gpucluster:restart-workers',
      name: trans.__('Restart Workers…'),
      entry: trans.__('Restart workers…'),
      icon: refreshIcon,
      label: trans.__('Restart'),
      confirm: cluster => ({
        title: trans.__('Restart the workers of %1?', cluster),
        body: trans.__('The cluster keeps running at the same address.')
      })
    }
  ];
}
