import {
  deviceLabel,
  isSelectable,
  usersOf,
  whyNot
} from '../../labextension/src/form/devicechoice';
import type { DeviceModel } from '../../labextension/src/protocol/messages';
import { device as anyDevice, gpuProcess } from './models';

/** An idle GPU. */
const device = (changes: Partial<DeviceModel> = {}): DeviceModel =>
  anyDevice({ name: 'A100', memory_used_bytes: 300 * 2 ** 20, utilization_percent: 0, ...changes });

const process = gpuProcess({ user: 'ada' });

describe('devices', () => {
  it('have an index and a name', () => {
    const whole = device();
    expect(deviceLabel(whole, [whole])).toBe('0: A100');
    const [first, second] = ['MIG-1', 'MIG-2'].map(uuid =>
      device({ uuid, index: null, parent_uuid: whole.uuid, name: 'A100 MIG' })
    );
    expect(deviceLabel(first, [first])).toBe('A100 MIG');
    expect(deviceLabel(second, [whole, first, second])).toBe('0.1: A100 MIG');
  });

  it.each([
    [{}, true, null],
    [{ visible: false }, false, 'Hidden by CUDA_VISIBLE_DEVICES.'],
    [{ mig_enabled: true }, false, 'Divided into the slices below.'],
    [{ error: 'It fell off the bus.' }, false, 'It fell off the bus.']
  ])('%j can be chosen: %p, because of %p', (changes, selectable, reason) => {
    expect(isSelectable(device(changes))).toBe(selectable);
    expect(whyNot(device(changes))).toBe(reason);
  });

  it('tell who uses them, clusters by name and with all their processes', () => {
    const processes = [
      process,
      { ...process, pid: 2, cluster: 'blue' },
      { ...process, pid: 3, cluster: 'blue' },
      { ...process, pid: 4, user: null, command: null, memory_used_bytes: null }
    ];
    expect(usersOf(device({ processes }))).toBe(
      'Used by cluster blue (2 GiB), python of ada (1 GiB), a process'
    );
  });

  it('are idle only if no memory is used by processes out of sight', () => {
    expect(usersOf(device())).toBe('Idle');
    expect(usersOf(device({ memory_used_bytes: 30 * 2 ** 30 }))).toContain('not visible from here');
  });
});
