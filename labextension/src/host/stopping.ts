import type { IClusterManager } from '../clusters/tokens';
import { formatBytes } from '../gauges/units';
import type { DeviceProcess } from '../protocol/messages';
import { confirmLoss } from '../shell/confirm';
import { trans } from '../translation';

/** End one of the user's processes that use a GPU, after one question that says what it is. */
export async function stopProcess(process: DeviceProcess, manager: IClusterManager): Promise<void> {
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

/** `4711 (anna): python, 2 GiB of GPU memory. The kernel of a.ipynb: its variables are lost.` */
export function whatItIs(process: DeviceProcess): string {
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
