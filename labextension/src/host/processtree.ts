import type { DeviceProcess } from '../protocol/messages';

/** A process at its place in the tree of those that use a GPU. */
export interface IPlacedProcess {
  readonly process: DeviceProcess;
  /** How many of its ancestors use the GPU, too. */
  readonly depth: number;
  /** Whether it has started others that use the GPU. */
  readonly hasChildren: boolean;
}

/** Each process above those that it has started; what uses most comes first. */
export function processTree(processes: readonly DeviceProcess[]): readonly IPlacedProcess[] {
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
