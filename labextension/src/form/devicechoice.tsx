import { formatBytes, readingOf } from '../gauges';
import { h } from '../jsx';
import { VramBar } from '../panel/bars';
import type { DeviceModel } from '../protocol/messages';
import { deviceLabel, isSelectable, usersOf, whyNot } from './devices';
import { trans } from '../translation';

interface IDeviceChoiceProps {
  readonly labelledBy: string;
  readonly describedBy: string;
  readonly devices: readonly DeviceModel[];
  /** UUIDs or indices; none for all. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The GPUs on this machine: how full each is and who uses it. */
export function DeviceChoice(props: IDeviceChoiceProps): JSX.Element {
  const { labelledBy, describedBy, devices, chosen, onChange } = props;
  return (
    <div role="group" aria-labelledby={labelledBy} aria-describedby={describedBy}>
      <ul className="gpc-Devices">
        {devices.map(device => {
          const isChosen = chosen.includes(device.uuid);
          const reason = whyNot(device);
          return (
            <li
              key={device.uuid}
              className={
                device.parent_uuid === null ? 'gpc-DeviceOption' : 'gpc-DeviceOption gpc-mod-slice'
              }
              title={device.uuid}
            >
              <label>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={!isSelectable(device)}
                  onChange={() =>
                    onChange(
                      isChosen
                        ? chosen.filter(other => other !== device.uuid)
                        : [...chosen, device.uuid]
                    )
                  }
                />
                {deviceLabel(device, devices)}
              </label>
              {memoryBar(device)}
              <p className="gpc-Help">{reason ?? usersOf(device)}</p>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function memoryBar(device: DeviceModel): JSX.Element | null {
  const reading = readingOf(device.memory_used_bytes, device.memory_total_bytes);
  if (reading === null || reading.total === null) {
    return null;
  }
  const used = formatBytes(reading.used);
  const text = trans.__('%1 of %2 of this GPU are in use.', used, formatBytes(reading.total));
  return <VramBar reading={reading} text={text} />;
}
