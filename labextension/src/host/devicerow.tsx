import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { levelOf, readingOf, shareOf, type IReading } from '../gauges/levels';
import { formatBytes, formatPercent, formatShare } from '../gauges/units';
import type { DeviceModel, DeviceProcess } from '../protocol/messages';

interface IDeviceRowProps {
  readonly device: DeviceModel;
  /** How people tell the GPUs of a machine apart: `0`, or `0.1` for a slice. */
  readonly index: string;
  readonly trans: TranslationBundle;
  readonly onOpenNotebook: (path: string) => void;
}

/** One GPU or one slice of it. */
export function DeviceRow(props: IDeviceRowProps): JSX.Element {
  const { device, index, trans, onOpenNotebook } = props;
  const isSlice = device.parent_uuid !== null;
  const title = isSlice ? trans.__('MIG %1', index) : trans.__('GPU %1', index);
  const memory = readingOf(device.memory_used_bytes, device.memory_total_bytes);
  const hidden = trans.__('CUDA_VISIBLE_DEVICES hides it from programs that are started here.');
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
      {memory !== null && <MemoryBar memory={memory} label={trans.__('Memory of %1', title)} />}
      {device.error !== null && <p className="gpc-Device-error">{device.error}</p>}
      {device.processes.length > 0 && (
        <ul className="gpc-Device-processes" aria-label={trans.__('Processes on %1', title)}>
          {device.processes.map(process => (
            <Process
              key={process.pid}
              process={process}
              trans={trans}
              onOpenNotebook={onOpenNotebook}
            />
          ))}
        </ul>
      )}
    </li>
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
  return facts.filter(fact => fact !== null).join(' · ');
}

function MemoryBar({
  memory,
  label
}: {
  readonly memory: IReading;
  readonly label: string;
}): JSX.Element {
  const { used, total } = memory;
  const share = shareOf(memory);
  const text = total === null ? formatBytes(used) : formatShare(used, total);
  return (
    <div className="gpc-Device-memory" data-level={levelOf(memory)}>
      {share !== null && (
        <div
          className="gpc-Device-bar"
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={text}
        >
          <div style={{ width: `${share * 100}%` }} />
        </div>
      )}
      <span>{text}</span>
    </div>
  );
}

interface IProcessProps {
  readonly process: DeviceProcess;
  readonly trans: TranslationBundle;
  readonly onOpenNotebook: (path: string) => void;
}

/** A process, by what people know it by: a cluster, a notebook, or a program of somebody. */
function Process({ process, trans, onOpenNotebook }: IProcessProps): JSX.Element {
  const { pid, user, command, memory_used_bytes, cluster, notebook } = process;
  const program = command ?? trans.__('process %1', pid);
  return (
    <li title={trans.__('Process %1: %2', pid, command ?? trans.__('unknown program'))}>
      <span className="gpc-Device-owner">
        {cluster !== null ? (
          trans.__('cluster %1', cluster)
        ) : notebook !== null ? (
          <button
            type="button"
            className="gpc-LinkButton"
            title={trans.__('Open %1', notebook)}
            onClick={() => onOpenNotebook(notebook)}
          >
            {notebook}
          </button>
        ) : user === null ? (
          program
        ) : (
          trans.__('%1 of %2', program, user)
        )}
      </span>
      {memory_used_bytes !== null && <span>{formatBytes(memory_used_bytes)}</span>}
    </li>
  );
}
