import { closeIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import { Clipboard, Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import { element } from '../gauges/element';
import type { IClusterManager } from '../clusters/tokens';
import { useTick, sentenceOf } from '../panel/asking';
import type { ClusterModel, TaskFailure } from '../protocol/messages';
import { trans } from '../translation';
import * as CommandIDs from '../actions/commandids';
import { h, useEffect, useState } from '../jsx';
import { troublesOf, type Action, type ITrouble } from './troubles';

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

interface ITroubleStripProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
}

/** Of each cluster, what the user has dismissed; it comes back when the same happens again. */
const dismissed = new Map<string, ReadonlySet<string>>();

/** Everything that is wrong with a cluster, in one place, with what can be done; it goes when it is resolved. */
export function TroubleStrip(props: ITroubleStripProps): JSX.Element {
  const { cluster, manager } = props;
  const { id } = cluster;
  const [, setDrawn] = useState('');
  const [isWhole, setWhole] = useState(false);
  useTick(10_000);
  const find = (): readonly ITrouble[] =>
    lingering(id, troublesOf(cluster, manager.sample(id), manager.now()), manager.now());
  const found = find();
  const before = dismissed.get(id) ?? new Set();
  const shown = found.filter(({ key }) => !before.has(key));
  // The worst come first. A warning more must not move what is below: it is counted.
  const few = shown.filter(({ level }, i) => isWhole || i === 0 || level === 'error');
  useEffect(() => {
    // What is resolved may come again.
    dismissed.set(id, new Set([...before].filter(key => found.some(one => one.key === key))));
  });
  useEffect(() => {
    // Samples come each second; only one that says something else is drawn.
    const onSampled = (_: IClusterManager, sampled: string): void => {
      if (sampled === id) {
        setDrawn(
          find()
            .map(({ text }) => text)
            .join()
        );
      }
    };
    manager.sampled.connect(onSampled);
    return () => void manager.sampled.disconnect(onSampled);
  }, [manager, cluster]);
  const hidden = shown.length - few.length;
  return (
    <div className="gpc-Troubles" role="status">
      {few.map(trouble => (
        <Trouble
          key={trouble.key}
          {...props}
          trouble={trouble}
          onDismiss={() => {
            dismissed.set(id, new Set([...(dismissed.get(id) ?? []), trouble.key]));
            setDrawn(`without ${trouble.key}`);
          }}
        />
      ))}
      {hidden > 0 && (
        <button
          className="gpc-Trouble-action gpc-Troubles-more"
          aria-label={trans._n('%1 more warning', '%1 more warnings', hidden)}
          onClick={() => setWhole(true)}
        >
          ▲ +{hidden}
        </button>
      )}
    </div>
  );
}

/** What figures say stays for so long after they say it no more: a strip must not come and go. */
const LINGER_MS = 60_000;
const lately = new Map<string, Map<string, { at: number; trouble: ITrouble }>>();

function lingering(id: string, found: readonly ITrouble[], now: number): readonly ITrouble[] {
  const before = lately.get(id) ?? new Map<string, { at: number; trouble: ITrouble }>();
  lately.set(id, before);
  found.forEach(trouble => trouble.isMeasured && before.set(trouble.key, { at: now, trouble }));
  before.forEach(({ at }, key) => now - at > LINGER_MS && before.delete(key));
  const gone = [...before].filter(([key]) => !found.some(one => one.key === key));
  return [...found, ...gone.map(([, { trouble }]) => trouble)];
}

interface ITroubleProps extends ITroubleStripProps {
  readonly trouble: ITrouble;
  readonly onDismiss: () => void;
}

function Trouble(props: ITroubleProps): JSX.Element {
  const { cluster, manager, commands, trouble, onDismiss } = props;
  const run = (id: string): void => void commands.execute(id, { id: cluster.id });
  const actions: Record<Action, [string, () => void]> = {
    traceback: [trans.__('Traceback'), () => void showTraceback(cluster, manager, trouble.task)],
    log: [trans.__('Log'), () => run(CommandIDs.openLog)],
    restart: [trans.__('Restart'), () => run('gpucluster:restart-workers')]
  };
  const isError = trouble.level === 'error';
  return (
    <div className="gpc-Trouble" data-level={trouble.level}>
      <span
        className="gpc-Trouble-icon"
        role="img"
        aria-label={isError ? trans.__('Error') : trans.__('Warning')}
      >
        {isError ? '✖' : '▲'}
      </span>
      <div className="gpc-Trouble-body">
        <p>{trouble.text}</p>
        {trouble.actions.map(action => (
          <button key={action} className="gpc-Trouble-action" onClick={actions[action][1]}>
            {actions[action][0]}
          </button>
        ))}
      </div>
      <button
        className="gpc-Trouble-dismiss"
        title={trans.__('Dismiss')}
        aria-label={trans.__('Dismiss')}
        onClick={event => {
          event.currentTarget.closest('li')?.querySelector('h3')?.focus();
          onDismiss();
        }}
      >
        <closeIcon.react tag="span" className="gpc-Button-icon" />
      </button>
    </div>
  );
}
