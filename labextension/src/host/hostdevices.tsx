import type { CommandRegistry } from '@lumino/commands';
import { InputDialog } from '@jupyterlab/apputils';

import type { IClusterManager } from '../clusters/tokens';
import { useWhileSeen } from './nodewatch';
import type {
  DeviceModel,
  HostDevices as HostReading,
  NodeModel,
  DeviceProcess,
  ClassCluster
} from '../protocol/messages';
import { DeviceRow } from './devicerow';
import { Fragment, h, useCallback, useEffect, useState } from '../jsx';
import { confirmLoss } from '../shell/confirm';
import { formatBytes } from '../gauges/units';
import { Line, MoreHeld, spanOf } from './holders';
import { trans } from '../translation';
import { hostGpus } from './hosttotals';
import { Fault, useAsking, type IAsking, Ticking } from '../panel/asking';

/** End one of the user's processes that use a GPU, after one question that says what it is. */
async function stopProcess(process: DeviceProcess, manager: IClusterManager): Promise<void> {
  const title = trans.__('Stop process %1?', process.pid);
  if (!(await confirmLoss(title, whatItIs(process), trans.__('Stop')))) {
    return;
  }
  const { ended } = await manager.stopProcess(process);
  if (!ended) {
    throw new Error(
      trans.__('Process %1 could not be stopped. You may have to restart the machine.', process.pid)
    );
  }
}

/** `4711 (anna): python, 2 GiB of GPU memory. The kernel of a.ipynb: its variables will be lost.` */
function whatItIs(process: DeviceProcess): string {
  const { pid, user, command, memory_used_bytes, notebook, cluster, worker, role } = process;
  const memory =
    memory_used_bytes === null
      ? ''
      : trans.__(', %1 of GPU memory', formatBytes(memory_used_bytes));
  const line = `${pid} (${user ?? trans.__('you')}): ${command ?? trans.__('unknown program')}${memory}.`;
  const loss =
    role === 'kernel'
      ? trans.__('It is the kernel of %1: its variables will be lost.', notebook ?? '')
      : role === 'worker'
        ? trans.__(
            'It is worker %1 of %2: it will be replaced and its results recomputed.',
            worker ?? '',
            cluster ?? ''
          )
        : trans.__('Unsaved data will be lost.');
  return `${line} ${loss}`;
}

interface IToolsProps {
  /** Whose clusters; null: those of everybody else. */
  readonly user: string | null;
  readonly manager: IClusterManager;
  readonly asking: IAsking;
}

/** What an instructor may do with a learner's clusters. */
function InstructorTools({ user, manager, asking }: IToolsProps): JSX.Element {
  const button = (label: string, title: string, request: () => Promise<void>): JSX.Element => (
    <button
      type="button"
      className="gpc-LinkButton"
      title={title}
      aria-label={title}
      onClick={() => void asking.run(title, request)}
    >
      {label}
    </button>
  );
  const whom = user ?? trans.__('everyone');
  return (
    <>
      {button(trans.__('Message…'), trans.__('Message %1…', whom), () =>
        message(user, whom, manager)
      )}
      {user !== null &&
        button(trans.__('Stop…'), trans.__('Stop the clusters of %1…', user), () =>
          stop(user, manager)
        )}
    </>
  );
}

async function message(user: string | null, whom: string, manager: IClusterManager): Promise<void> {
  const { value } = await InputDialog.getText({
    title: trans.__('Message %1', whom),
    label: trans.__(
      'Shown on the cards of their clusters, with your name. At most 500 characters.'
    ),
    okLabel: trans.__('Send')
  });
  if (value?.trim()) {
    await manager.instruct('message', { user, text: value });
  }
}

async function stop(user: string, manager: IClusterManager): Promise<void> {
  const { button, value } = await InputDialog.getText({
    title: trans.__('Stop all clusters of %1?', user),
    label: trans.__('Their results will be lost. Reason, shown to %1:', user),
    okLabel: trans.__('Stop')
  });
  if (button.accept) {
    await manager.instruct('stop', { user, reason: value ?? '' });
  }
}

/** How often to look who has which GPU. */
const NODE_MS = 5000;

interface IHostDevicesProps {
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
}

/** The GPUs on the machine that Jupyter runs on, live: what they do and for whom. */
export function HostDevices({ manager, commands }: IHostDevicesProps): JSX.Element | null {
  const host = useHost(manager);
  const [isOpen, setOpen] = useState(true);
  const asking = useAsking();
  const read = useCallback(() => manager.node(), [manager]);
  const { last: node, place } = useWhileSeen<NodeModel, HTMLDivElement>(read, NODE_MS);
  const tools = (user: string | null): JSX.Element | null =>
    node?.instructor ? <InstructorTools {...{ user, manager, asking }} /> : null;
  if (host === null) {
    return null;
  }
  const gpus = hostGpus(host.devices);
  const openNotebook = (path: string): void => void commands.execute('docmanager:open', { path });
  const row = (device: DeviceModel, index: string): JSX.Element => (
    <DeviceRow
      key={device.uuid}
      device={device}
      index={index}
      shared={node?.devices.find(({ uuid }) => uuid === device.uuid)}
      tools={tools}
      onOpenNotebook={openNotebook}
      onStop={process => void asking.run('stop', () => stopProcess(process, manager))}
    />
  );
  return (
    <details
      className="gpc-Host"
      open={isOpen}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>{trans.__('GPUs on this machine')}</h2>
      </summary>
      <div ref={place}>
        {(gpus.length === 0 || !host.available) && (
          <p className="gpc-Host-message">{host.message}</p>
        )}
        <Fault error={asking.error} />
        <ul className="gpc-Host-devices" aria-label={trans.__('GPUs on this machine')}>
          {gpus.map(({ device, slices }) => (
            <Fragment key={device.uuid}>
              {row(device, `${device.index ?? ''}`)}
              {slices.map((slice, i) => row(slice, `${device.index ?? ''}.${i}`))}
            </Fragment>
          ))}
        </ul>
        {node !== null && <Line node={node} />}
        {node !== null && <MoreHeld node={node} />}
        {node?.instructor && <ClassList {...{ manager, tools }} />}
      </div>
    </details>
  );
}

function useHost(manager: IClusterManager): HostReading | null {
  const [host, setHost] = useState(manager.host);
  useEffect(() => {
    const onChanged = (): void => setHost(manager.host);
    onChanged();
    manager.hostChanged.connect(onChanged);
    return () => {
      manager.hostChanged.disconnect(onChanged);
    };
  }, [manager]);
  return host;
}

/** Each look asks the process of every cluster. */
const CLASS_MS = 10_000;

interface IClassProps {
  readonly manager: IClusterManager;
  readonly tools: (user: string | null) => JSX.Element | null;
}

/** The clusters of all users of this machine, for an instructor: what each is, and not what it computes. */
function ClassList(props: IClassProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="gpc-Details"
      open={isOpen}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{trans.__('Class clusters')}</summary>
      {isOpen && <Clusters {...props} />}
    </details>
  );
}

function Clusters({ manager, tools }: IClassProps): JSX.Element {
  const read = useCallback(() => manager.classClusters(), [manager]);
  const { last, place } = useWhileSeen<readonly ClassCluster[], HTMLUListElement>(read, CLASS_MS);
  const users = [...new Set(last?.map(({ user }) => user))];
  const others = last?.some(({ mine }) => !mine) ?? false;
  return (
    <ul className="gpc-Holders" ref={place} aria-label={trans.__('Class clusters')}>
      {last !== null && !others && <li>{trans.__('No other user has a cluster here.')}</li>}
      {users.map(user => {
        const clusters = last?.filter(each => each.user === user) ?? [];
        const isMine = clusters[0].mine;
        return (
          <li key={user} className={isMine ? 'gpc-mod-mine' : ''}>
            <span className="gpc-Holder-who">{isMine ? trans.__('%1 (you)', user) : user}</span>
            {!isMine && tools(user)}
            {clusters.map(cluster => (
              <span key={cluster.id} className="gpc-Holder-times">
                <Ticking milliseconds={5000} text={() => facts(cluster)} />
              </span>
            ))}
          </li>
        );
      })}
      {others && (
        <li>
          <span className="gpc-Holder-who">{trans.__('Everyone')}</span>
          {tools(null)}
        </li>
      )}
    </ul>
  );
}

/** `CPU · running · 2 workers · GPU 0, slot 1 of 2 · for 12 min · idle for 4 min` */
function facts(cluster: ClassCluster): string {
  const { kind_title, state, n_workers, gpus, since, idle_since, problem, times } = cluster;
  if (problem !== null) {
    return times === 1 ? problem : trans.__('%1 (%2 times)', problem, times);
  }
  return [
    kind_title,
    state,
    trans._n('%1 worker', '%1 workers', n_workers),
    gpus.length === 0 ? null : trans.__('GPU %1', gpus.join('; ')),
    since === null ? null : trans.__('for %1', spanOf(since, -1)),
    idle_since === null ? null : trans.__('idle for %1', spanOf(idle_since, -1))
  ]
    .filter(Boolean)
    .join(' · ');
}
