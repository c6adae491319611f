import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import type { IClusterManager } from '../clusters/tokens';
import { Fragment, h, useEffect, useState } from '../jsx';
import type { DeviceModel, HostDevices as HostReading } from '../protocol/messages';
import { sentenceOf, useAsking } from '../panel/asking';
import { DeviceRow } from './devicerow';
import { hostGpus } from './hosttotals';
import { stopProcess } from './stopping';

export interface IHostDevicesProps {
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
}

/** The GPUs of the machine that Jupyter runs on, live: what they do and for whom. */
export function HostDevices({ manager, commands, trans }: IHostDevicesProps): JSX.Element | null {
  const host = useHost(manager);
  const [isOpen, setOpen] = useState(true);
  const asking = useAsking();
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
      trans={trans}
      onOpenNotebook={openNotebook}
      onStop={process => void asking.run('stop', () => stopProcess(process, manager, trans))}
    />
  );
  return (
    <details
      className="gpc-Host"
      open={isOpen}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>{trans.__('GPUs of this machine')}</h2>
      </summary>
      {(gpus.length === 0 || !host.available) && <p className="gpc-Host-message">{host.message}</p>}
      {asking.error !== null && (
        <p className="gpc-Error" role="alert">
          {sentenceOf(asking.error)}
        </p>
      )}
      <ul className="gpc-Host-devices" aria-label={trans.__('GPUs of this machine')}>
        {gpus.map(({ device, slices }) => (
          <Fragment key={device.uuid}>
            {row(device, `${device.index ?? ''}`)}
            {slices.map((slice, i) => row(slice, `${device.index ?? ''}.${i}`))}
          </Fragment>
        ))}
      </ul>
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
