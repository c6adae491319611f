import type { CommandRegistry } from '@lumino/commands';

import type { IClusterManager } from '../clusters/tokens';
import { Fragment, h, useCallback, useEffect, useState } from '../jsx';
import type { DeviceModel, HostDevices as HostReading, NodeModel } from '../protocol/messages';
import { Fault, useAsking } from '../panel/asking';
import { ClassList } from './classlist';
import { DeviceRow } from './devicerow';
import { Line, MoreHeld } from './holders';
import { hostGpus } from './hosttotals';
import { InstructorTools } from './instructing';
import { useWhileSeen } from './nodewatch';
import { stopProcess } from './stopping';
import { trans } from '../translation';

/** How often to look who has which GPU. */
const NODE_MS = 5000;

export interface IHostDevicesProps {
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
