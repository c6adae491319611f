import { h } from '../jsx';
import { trans } from '../translation';
import { formatBytes, readingOf } from '../gauges';
import type { DeviceModel } from '../protocol/messages';
import { VramBar } from '../panel/meter';

/** Whether workers can be placed on it: a GPU cut into slices is used by its slices. */
export function isSelectable(device: DeviceModel): boolean {
  return device.visible && !device.mig_enabled && device.error === null;
}

/** What to call it in a list; slices of one GPU are numbered as in the panel: `0.1`. */
export function deviceLabel(device: DeviceModel, devices: readonly DeviceModel[]): string {
  const { index, parent_uuid } = device;
  const name = device.name ?? trans.__('GPU');
  const parent = devices.find(({ uuid }) => uuid === parent_uuid);
  const slices = devices.filter(one => one.parent_uuid === parent_uuid);
  const number = parent === undefined ? index : `${parent.index}.${slices.indexOf(device)}`;
  return number === null ? name : `${number}: ${name}`;
}

/** Why it cannot be chosen; null when it can. */
export function whyNot(device: DeviceModel): string | null {
  if (device.error !== null) {
    return device.error;
  }
  if (!device.visible) {
    return trans.__('Hidden by CUDA_VISIBLE_DEVICES.');
  }
  return device.mig_enabled ? trans.__('Divided into the slices below.') : null;
}

/** Who uses it, in a phrase. */
export function usersOf(device: DeviceModel): string {
  const clusters = new Map<string, number>();
  const others: string[] = [];
  for (const process of device.processes) {
    if (process.cluster !== null) {
      const known = clusters.get(process.cluster) ?? 0;
      clusters.set(process.cluster, known + (process.memory_used_bytes ?? 0));
    } else {
      const what = process.command ?? trans.__('a process');
      const who = process.user === null ? what : trans.__('%1 of %2', what, process.user);
      others.push(withSize(who, process.memory_used_bytes ?? 0));
    }
  }
  const ours = [...clusters].map(([name, bytes]) => withSize(trans.__('cluster %1', name), bytes));
  const users = [...ours, ...others];
  if (users.length > 0) {
    return trans.__('Used by %1', users.join(', '));
  }
  // From inside of a container the processes of others cannot be seen, but their memory can.
  return isLittle(device)
    ? trans.__('Idle')
    : trans.__('Used by processes that are not visible from here');
}

/** Whether no more is used than what a driver keeps for itself. */
function isLittle({ memory_used_bytes, memory_total_bytes }: DeviceModel): boolean {
  return (memory_used_bytes ?? 0) <= Math.max((memory_total_bytes ?? 0) / 20, 600 * 2 ** 20);
}

function withSize(who: string, bytes: number): string {
  return bytes > 0 ? `${who} (${formatBytes(bytes)})` : who;
}

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
