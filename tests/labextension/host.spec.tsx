import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { act } from 'react';

import { createRoot, type Root } from 'react-dom/client';

import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import { HostDevices } from '../../labextension/src/host/hostdevices';
import { StatusItem } from '../../labextension/src/host/statusitem';
import { h } from '../../labextension/src/jsx';
import type {
  DeviceModel,
  HostDevices as HostReading
} from '../../labextension/src/protocol/messages';
import { device, gpuProcess, noDevices } from './models';

const GiB = 2 ** 30;

const host = (...devices: DeviceModel[]): HostReading => ({
  ...noDevices,
  available: true,
  code: 'ok',
  message: 'Fine.',
  devices
});

class Manager {
  host: HostReading | null = null;
  hostChanged = new Signal<this, void>(this);
  node: IClusterManager['node'] = () => new Promise(() => undefined);
  stopProcess: IClusterManager['stopProcess'] = () => Promise.reject(new Error('Not asked for.'));

  read(reading: HostReading | null): void {
    this.host = reading;
    this.hostChanged.emit();
  }

  get asManager(): IClusterManager {
    return this as unknown as IClusterManager;
  }
}

describe('the status item', () => {
  const manager = new Manager();
  const item = new StatusItem({ manager: manager.asManager, onOpen: () => undefined });
  const text = (): string | null => (item.isActive ? item.node.textContent : null);

  it('is there only where a GPU is, unless a person wants it otherwise', () => {
    expect(text()).toBeNull();
    manager.read(noDevices);
    expect(text()).toBeNull();
    item.choice = 'always';
    expect(text()).toBe('No GPU');
    manager.read(host(device()));
    item.choice = 'never';
    expect(text()).toBeNull();
    item.choice = 'gpu';
    expect(text()).toBe('GPU 10 / 40 GiB · 45 %');
  });

  it('sums over what programs may use, slices being part of their GPU', () => {
    const second = device({ uuid: 'GPU-1', index: 1, utilization_percent: 5 });
    const hidden = device({ uuid: 'GPU-2', index: 2, visible: false });
    const slice = device({ uuid: 'MIG-1', index: null, parent_uuid: 'GPU-1' });
    manager.read(host(device(), second, slice, hidden));
    expect(text()).toBe('2 GPUs 20 / 80 GiB · 25 %');
  });

  it('leaves out what is not measured, and counts what cannot be read', () => {
    const lost = device({
      uuid: 'GPU-1',
      memory_used_bytes: null,
      memory_total_bytes: null,
      utilization_percent: null,
      error: 'GPU 1 is lost.'
    });
    manager.read(host(device({ utilization_percent: null }), lost));
    expect(text()).toBe('2 GPUs 10 / 40 GiB · 1 not readable');
    manager.read({ ...noDevices, code: 'version_mismatch' });
    expect(text()).toBe('GPU not readable');
    manager.read(null);
    expect(text()).toBeNull();
  });
});

describe('the section of the panel', () => {
  let node: HTMLElement;
  let root: Root;
  let manager: Manager;
  let opened: unknown[];

  beforeEach(() => {
    node = document.createElement('div');
    document.body.append(node);
    manager = new Manager();
    opened = [];
    const commands = new CommandRegistry();
    commands.addCommand('docmanager:open', {
      describedBy: {},
      execute: args => void opened.push(args.path)
    });
    root = createRoot(node);
    act(() => {
      root.render(<HostDevices manager={manager.asManager} commands={commands} />);
    });
  });

  afterEach(async () => {
    // The event "toggle" of the disclosure comes later.
    await act(() => new Promise(resolve => setTimeout(resolve, 0)));
    act(() => root.unmount());
  });

  const read = (reading: HostReading): void => act(() => manager.read(reading));

  it('says in a sentence why there is no GPU', () => {
    expect(node.textContent).toBe('');
    read(noDevices);
    expect(node.textContent).toContain('No GPU here: clusters use CPU workers.');
  });

  it('shows each GPU with its figures, and nothing for those that are not measured', () => {
    read(host(device(), device({ uuid: 'GPU-1', index: 1, power_watts: null, visible: false })));
    const [first, second] = Array.from(node.querySelectorAll('.gpc-Device'));
    expect(first.textContent).toContain('45 % · 61 °C · 231 / 400 W');
    expect(first.querySelector('[role=meter]')?.getAttribute('aria-valuetext')).toBe(
      '10 / 40 GiB · 25 %'
    );
    expect(second.textContent).toContain('hidden');
    expect(second.textContent).not.toContain('W');
  });

  it('puts slices below their GPU, and the error of a GPU beside it', () => {
    const slice = device({ uuid: 'MIG-1', index: null, parent_uuid: 'GPU-0', name: '1g.5gb' });
    const lost = device({ uuid: 'GPU-1', index: 1, memory_used_bytes: null, error: 'It is lost.' });
    read(host(slice, lost, device({ mig_enabled: true })));
    const rows = Array.from(node.querySelectorAll('.gpc-Device'), row => row.textContent);
    expect(rows[0]).toContain('GPU 1');
    expect(rows[0]).toContain('It is lost.');
    expect(rows[1]).toContain('GPU 0');
    expect(rows[2]).toContain('MIG 0.0');
  });

  it('tells whose processes they are, and opens notebooks', () => {
    read(
      host(
        device({
          memory_reserved_bytes: GiB / 2,
          processes: [
            gpuProcess({ pid: 1, role: 'worker', cluster: 'blue', worker: 'GPU-0a1b2c3d-4e5f' }),
            gpuProcess({
              pid: 9,
              role: 'child',
              cluster: 'blue',
              worker: 'GPU-0a1b2c3d-4e5f',
              parent_pid: 1
            }),
            gpuProcess({
              pid: 2,
              role: 'kernel',
              notebook: 'work/Lesson.ipynb',
              tree_memory_bytes: 3 * GiB
            }),
            gpuProcess({ pid: 3, parent_pid: 2, role: 'child', notebook: 'work/Lesson.ipynb' }),
            gpuProcess({ pid: 4, memory_used_bytes: null, tree_memory_bytes: null }),
            gpuProcess({ pid: 5, role: 'outside', user: null, tree_memory_bytes: null })
          ]
        })
      )
    );
    expect(node.querySelector('[role=meter]')?.getAttribute('aria-valuetext')).toBe(
      '10 / 40 GiB · 25 % · 512 MiB reserved'
    );
    const lines = Array.from<HTMLElement>(node.querySelectorAll('.gpc-Device-processes li'));
    expect(lines.map(line => line.textContent)).toEqual([
      'work/Lesson.ipynb3 GiB in total1 GiB',
      'python of work/Lesson.ipynb1 GiB',
      'GPU 0 of blue1 GiB in total1 GiB',
      'python of blue1 GiB',
      'python of ann',
      'process 5, outside this container1 GiB'
    ]);
    expect(lines[1].style.paddingInlineStart).toBe('1em');
    lines[0].querySelector('button')?.click();
    expect(opened).toEqual(['work/Lesson.ipynb']);
  });

  it("stops a process of one's own after one question that says what it is", async () => {
    const stopped: number[] = [];
    manager.stopProcess = async ({ pid }) => {
      stopped.push(pid);
      return { pid, ended: true };
    };
    const mine = gpuProcess({
      pid: 7,
      birth: 'b',
      can_stop: true,
      role: 'kernel',
      notebook: 'a.ipynb'
    });
    read(host(device({ processes: [mine, gpuProcess({ pid: 8 })] })));
    const buttons = Array.from<HTMLElement>(node.querySelectorAll('[aria-label^="Stop process"]'));
    expect(buttons).toHaveLength(1);
    buttons[0].click();
    await act(() => new Promise(resolve => setTimeout(resolve, 0)));
    const dialog = document.querySelector('.jp-Dialog');
    expect(dialog?.textContent).toContain(
      '7 (ann): python, 1 GiB of GPU memory. It is the kernel of a.ipynb: its variables will be lost.'
    );
    expect(stopped).toEqual([]);
    dialog?.querySelector<HTMLElement>('.jp-mod-warn')?.click();
    await act(() => new Promise(resolve => setTimeout(resolve, 0)));
    expect(stopped).toEqual([7]);
  });

  it('says how long a GPU is lost, and what the driver has told of it', () => {
    const ago = (seconds: number): string => new Date(Date.now() - 1000 * seconds).toISOString();
    const xids = [{ number: 79, at: ago(181), meaning: 'it has fallen off the bus' }];
    read(host(device({ error: 'It is lost.', error_since: ago(125), xids })));
    expect(node.textContent).toContain('It is lost. (for 2 min)');
    expect(node.textContent).toContain('XID 79, 3 min ago: it has fallen off the bus');
  });
});
