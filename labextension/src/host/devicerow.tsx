import { workerTitle } from '../gauges/columns';
import { trans } from '../translation';
import { gaugeWords } from '../gauges/words';
import { Holders, spanOf } from './holders';
import { VramBar } from '../panel/meter';
import { formatBytes, formatPercent, formatShare } from '../gauges/units';
import type { DeviceModel, DeviceProcess, SharedDevice } from '../protocol/messages';
import { h } from '../jsx';
import { readingOf, shareOf } from '../gauges/levels';

/** A process at its place in the tree of those that use a GPU. */
interface IPlacedProcess {
  readonly process: DeviceProcess;
  /** How many of its ancestors use the GPU, too. */
  readonly depth: number;
  /** Whether it has started others that use the GPU. */
  readonly hasChildren: boolean;
}

/** Each process above those that it has started; what uses most comes first. */
function processTree(processes: readonly DeviceProcess[]): readonly IPlacedProcess[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const below = new Map<number | null, DeviceProcess[]>();
  for (const process of processes) {
    const { parent_pid } = process;
    const parent = parent_pid !== null && pids.has(parent_pid) ? parent_pid : null;
    below.set(parent, [...(below.get(parent) ?? []), process]);
  }
  const size = ({ tree_memory_bytes }: DeviceProcess): number => tree_memory_bytes ?? -1;
  const placed = (parent: number | null, depth: number): IPlacedProcess[] =>
    [...(below.get(parent) ?? [])]
      .sort((a, b) => size(b) - size(a) || a.pid - b.pid)
      .flatMap(process => [
        { process, depth, hasChildren: below.has(process.pid) },
        ...placed(process.pid, depth + 1)
      ]);
  return placed(null, 0);
}

interface IDeviceRowProps {
  readonly device: DeviceModel;
  /** How people tell the GPUs of a machine apart: `0`, or `0.1` for a slice. */
  readonly index: string;
  /** Who has it; absent: not known. */
  readonly shared: SharedDevice | undefined;
  readonly tools: (user: string) => JSX.Element | null;
  readonly onOpenNotebook: (path: string) => void;
  readonly onStop: (process: DeviceProcess) => void;
}

/** One GPU or one slice of it. */
export function DeviceRow(props: IDeviceRowProps): JSX.Element {
  const { device, index, onOpenNotebook, onStop } = props;
  const isSlice = device.parent_uuid !== null;
  const title = isSlice ? trans.__('MIG %1', index) : trans.__('GPU %1', index);
  const hidden = trans.__('Hidden by CUDA_VISIBLE_DEVICES.');
  return (
    <li className={`gpc-Device${isSlice ? ' gpc-mod-slice' : ''}`} title={device.uuid}>
      <div className="gpc-Device-header">
        <strong>{title}</strong>
        <span className="gpc-Device-name">{device.name}</span>
        {!device.visible && (
          <span className="gpc-Device-hidden" title={hidden}>
            {trans.__('hidden')}
          </span>
        )}
        <span className="gpc-Device-facts">{deviceFacts(device)}</span>
      </div>
      {memoryBar(device)}
      {device.error !== null && (
        <p className="gpc-Device-error">
          {device.error}
          {device.error_since !== null &&
            ` ${trans.__('(for %1)', spanOf(device.error_since, -1))}`}
        </p>
      )}
      <Errors device={device} />
      <Holders device={props.shared} tools={props.tools} />
      {device.processes.length > 0 && (
        <ul className="gpc-Device-processes" aria-label={trans.__('Processes on %1', title)}>
          {processTree(device.processes).map(placed => (
            <Process
              key={placed.process.pid}
              index={device.index}
              placed={placed}
              onOpenNotebook={onOpenNotebook}
              onStop={onStop}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The last error that the driver has told of a GPU. */
function Errors({ device }: Pick<IDeviceRowProps, 'device'>): JSX.Element | null {
  const xid = device.xids[device.xids.length - 1];
  if (xid === undefined) {
    return null;
  }
  const line = trans.__('XID %1, %2 ago', xid.number, spanOf(xid.at, -1));
  return (
    <p className="gpc-Device-error" title={device.xids.map(one => `XID ${one.number}`).join(', ')}>
      {xid.meaning === null ? line : `${line}: ${xid.meaning}`}
    </p>
  );
}

/** What is measured besides memory: `45 % · 61 °C · 231 / 400 W`. */
function deviceFacts(device: DeviceModel): string {
  const { utilization_percent, temperature_celsius, power_watts, power_limit_watts } = device;
  const facts = [
    utilization_percent === null ? null : formatPercent(utilization_percent),
    temperature_celsius === null ? null : `${Math.round(temperature_celsius)} °C`,
    power_watts === null
      ? null
      : power_limit_watts === null
        ? `${Math.round(power_watts)} W`
        : `${Math.round(power_watts)} / ${Math.round(power_limit_watts)} W`
  ];
  return facts.filter(Boolean).join(' · ');
}

/** Its memory: what is used is seen, and `10 / 40 GiB · 25 % · 512 MiB reserved` by the driver is said. */
function memoryBar(device: DeviceModel): JSX.Element | null {
  const reading = readingOf(device.memory_used_bytes, device.memory_total_bytes);
  if (reading === null) {
    return null;
  }
  const { used, total } = reading;
  const share = shareOf(reading);
  const reserved = device.memory_reserved_bytes;
  const facts = [
    total === null ? formatBytes(used) : formatShare(used, total),
    share === null ? null : formatPercent(100 * share),
    reserved ? trans.__('%1 reserved', formatBytes(reserved)) : null
  ];
  return <VramBar reading={reading} text={facts.filter(Boolean).join(' · ')} />;
}

interface IProcessProps {
  /** That of its GPU. */
  readonly index: number | null;
  readonly placed: IPlacedProcess;
  readonly onOpenNotebook: (path: string) => void;
  readonly onStop: (process: DeviceProcess) => void;
}

/** A process, by what people know it by: a notebook, a worker, or another user's program. */
function Process({ index, placed, onOpenNotebook, onStop }: IProcessProps): JSX.Element {
  const { process, depth, hasChildren } = placed;
  const { pid, command, memory_used_bytes, tree_memory_bytes, notebook, role } = process;
  return (
    <li
      title={trans.__('Process %1: %2', pid, command ?? trans.__('unknown program'))}
      style={{ paddingInlineStart: `${depth}em` }}
    >
      <span className="gpc-Device-owner">
        {role === 'kernel' && notebook !== null ? (
          <button
            className="gpc-LinkButton"
            title={trans.__('Open %1', notebook)}
            onClick={() => onOpenNotebook(notebook)}
          >
            {notebook}
          </button>
        ) : (
          ownerOf(process, index)
        )}
      </span>
      {hasChildren && tree_memory_bytes !== null && (
        <span title={trans.__('Including the processes it started')}>
          {trans.__('%1 in total', formatBytes(tree_memory_bytes))}
        </span>
      )}
      {memory_used_bytes !== null && <span>{formatBytes(memory_used_bytes)}</span>}
      <span className="gpc-Device-stop">
        {process.can_stop && (
          <button
            className="gpc-LinkButton"
            title={trans.__('Stop process %1…', pid)}
            aria-label={trans.__('Stop process %1…', pid)}
            onClick={() => onStop(process)}
          >
            {trans.__('Stop…')}
          </button>
        )}
      </span>
    </li>
  );
}

/** Whose it is, in a word or two. */
function ownerOf(process: DeviceProcess, index: number | null): string {
  const { pid, user, command, cluster, notebook, worker, role } = process;
  const program = command ?? trans.__('process %1', pid);
  if (role === 'outside') {
    return trans.__('process %1, outside this container', pid);
  }
  if (role === 'worker') {
    const title = workerTitle(worker ?? '', index, gaugeWords(trans));
    return trans.__('%1 of %2', title, cluster ?? '');
  }
  if (role === 'child') {
    return trans.__('%1 of %2', program, cluster ?? notebook ?? '');
  }
  if (cluster !== null) {
    return trans.__('cluster %1', cluster);
  }
  return user === null ? program : trans.__('%1 of %2', program, user);
}
