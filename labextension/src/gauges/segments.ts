import type { Part } from './words';

/** A part of a stacked bar. */
export interface ISegment {
  readonly part: Part;
  readonly bytes: number;
}

/** What a stacked bar shows. */
export interface IStack {
  readonly segments: readonly ISegment[];
  readonly used: number;
  /** What there is; null where there is no limit. */
  readonly total: number | null;
}

/** What is known of the memory of one GPU; null where it is not. */
export interface IVram {
  readonly total: number | null;
  readonly used: number | null;
  readonly cluster: number | null;
  readonly rmmUsed: number | null;
  readonly rmmPool: number | null;
}

/**
 * The memory of a GPU by who uses it; null if unknown.
 *
 * RMM has three states: without a figure there is none, with a pool alone the use of it is not counted,
 * and with both the pool has a used and a free part.
 */
export function vramStack({ total, used, cluster, rmmUsed, rmmPool }: IVram): IStack | null {
  if (used === null) {
    return null;
  }
  const segments: ISegment[] = [];
  // The figures are from slightly different moments: what is drawn must never exceed what is in use.
  let rest = used;
  const take = (part: Part, bytes: number): void => {
    const taken = Math.min(rest, Math.max(0, bytes));
    rest -= taken;
    if (taken > 0) {
      segments.push({ part, bytes: taken });
    }
  };
  const rmm = Math.max(rmmUsed ?? 0, rmmPool ?? 0);
  if (rmmUsed !== null) {
    take('rmmUsed', rmmUsed);
    take('rmmFree', rmm - rmmUsed);
  } else {
    take('rmmPool', rmm);
  }
  if (cluster === null) {
    take('unknown', rest);
  } else {
    take('cluster', cluster - rmm);
    take('others', rest);
  }
  return withFree(segments, used, total);
}

/** Host memory of a CPU worker. */
export function hostStack(
  used: number | null,
  managed: number | null,
  limit: number | null
): IStack | null {
  return used === null ? null : split('managed', managed, used, limit);
}

/**
 * Host memory of a GPU worker.
 *
 * Dask counts results on the GPU as managed host memory; the tiers tell what is really there.
 */
export function gpuHostStack(
  used: number | null,
  tierHost: number | null,
  limit: number | null
): IStack | null {
  return used === null ? null : split('tierHost', tierHost, used, limit);
}

/** Where the results of a GPU worker are; null where Dask has one tier alone. */
export function tierStack(
  device: number | null,
  host: number | null,
  disk: number | null
): IStack | null {
  return device === null && disk === null
    ? null
    : tiers([
        { part: 'tierDevice', bytes: device ?? 0 },
        { part: 'tierHost', bytes: host ?? 0 },
        { part: 'tierDisk', bytes: disk ?? 0 }
      ]);
}

/** Where the results of a CPU worker are; there is something to tell only once it has spilled. */
export function spillStack(managed: number | null, disk: number | null): IStack | null {
  return disk
    ? tiers([
        { part: 'managed', bytes: managed ?? 0 },
        { part: 'tierDisk', bytes: disk }
      ])
    : null;
}

function tiers(segments: readonly ISegment[]): IStack {
  const used = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return { segments: segments.filter(segment => segment.bytes > 0), used, total: used };
}

/** Stacks as one: each part is summed. Without a total for each there is none for all. */
export function sumStacks(stacks: readonly (IStack | null)[]): IStack | null {
  const parts = new Map<Part, number>();
  let used = 0;
  let total: number | null = 0;
  let count = 0;
  for (const stack of stacks) {
    if (stack !== null) {
      count += 1;
      used += stack.used;
      total = total === null || stack.total === null ? null : total + stack.total;
      for (const { part, bytes } of stack.segments) {
        parts.set(part, (parts.get(part) ?? 0) + bytes);
      }
    }
  }
  if (count === 0) {
    return null;
  }
  const segments = ORDER.flatMap(part => {
    const bytes = parts.get(part);
    return bytes === undefined || (part === 'free' && total === null) ? [] : [{ part, bytes }];
  });
  return { segments, used, total };
}

/** What all workers use of a machine: together they have no more than it has, whatever their limits. */
export function onMachine(stack: IStack | null, machine: number | null): IStack | null {
  if (stack === null || machine === null || (stack.total !== null && stack.total <= machine)) {
    return stack;
  }
  const segments = stack.segments.filter(({ part }) => part !== 'free');
  return withFree(segments, stack.used, machine);
}

const ORDER: readonly Part[] = [
  'rmmUsed',
  'rmmFree',
  'rmmPool',
  'cluster',
  'others',
  'unknown',
  'managed',
  'tierDevice',
  'tierHost',
  'tierDisk',
  'unmanaged',
  'free'
];

function split(part: Part, bytes: number | null, used: number, limit: number | null): IStack {
  const known = Math.min(used, bytes ?? 0);
  const segments: ISegment[] = [
    { part, bytes: known },
    { part: 'unmanaged', bytes: used - known }
  ];
  return withFree(
    segments.filter(segment => segment.bytes > 0),
    used,
    limit
  );
}

function withFree(segments: ISegment[], used: number, total: number | null): IStack {
  if (total !== null && total > used) {
    segments.push({ part: 'free', bytes: total - used });
  }
  return { segments, used, total };
}
