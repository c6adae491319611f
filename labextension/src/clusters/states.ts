import type { ClusterModel, ClusterState, Message, MessageCode, Verb } from '../protocol/messages';
import { trans } from '../translation';

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
export function stateLabel({ state, progress }: Pick<ClusterModel, 'state' | 'progress'>): string {
  if (progress?.step === 'restart') {
    return trans.__('Restarting');
  }
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

/** Whether it can be asked for that now. */
export function can(cluster: ClusterModel, verb: Verb): boolean {
  return cluster.can.includes(verb);
}

/** The kind of workers in a word. */
export function kindTitle(cluster: ClusterModel): string {
  return cluster.backend_title === '' ? cluster.backend : cluster.backend_title;
}

/** Workers that were asked for, where that is one number. */
export function wantedWorkers(cluster: ClusterModel): number | null {
  return cluster.wanted.n_workers ?? (cluster.wanted.adapt ? null : cluster.spec.n_workers);
}

const LASTING: readonly MessageCode[] = [
  'ended',
  'failed',
  'notice',
  'choice',
  'note',
  'warning',
  'pending',
  'tasks_failed',
  'tasks_killed'
];

/** What it says with one of these codes, oldest first. */
export function said(
  { messages }: Partial<Pick<ClusterModel, 'messages'>>,
  ...codes: MessageCode[]
): readonly Message[] {
  // What an older version has saved with a notebook may have none.
  return (messages ?? []).filter(({ code }) => codes.includes(code));
}

/** What has happened to it, oldest first: each is reported once. */
export function newsOf({ messages }: Pick<ClusterModel, 'messages'>): readonly Message[] {
  return messages.filter(({ code }) => !LASTING.includes(code));
}

/** A message with who says it, or what it is about. */
export function textOf({ code, subject, text }: Message): string {
  return code === 'message'
    ? `Instructor ${subject}: ${text}`
    : code === 'pending'
      ? `${subject}: ${text}`
      : text;
}
