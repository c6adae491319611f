import { formatBytes } from '../gauges';
import { h } from '../jsx';
import { Meter } from '../panel/meter';
import type { Demand } from '../protocol/messages';
import { trans } from '../translation';

interface IDemandBarProps {
  readonly demand: Demand;
  /** Memory limits of the clusters that run on this machine. */
  readonly given: number;
}

/** As in what the server says beside it: `23.5 GiB`. */
const exactly = (bytes: number): string => formatBytes(bytes, Infinity);

/** What a cluster would take of this machine: a bar each for memory and cores, which says when it is more than there is. */
export function DemandBar({ demand, given }: IDemandBarProps): JSX.Element {
  const { n_workers, threads_per_worker, memory_limit_bytes } = demand;
  const { machine_memory_bytes, machine_cores } = demand;
  const threads = n_workers * threads_per_worker;
  const memory = n_workers * (memory_limit_bytes ?? machine_memory_bytes);
  return (
    <div className="gpc-Demand" role="group" aria-label={trans.__('Resources needed')}>
      <Line
        name={trans.__('Memory')}
        share={memory / machine_memory_bytes}
        text={
          memory_limit_bytes === null
            ? trans.__('no limit; %1 here', exactly(machine_memory_bytes))
            : trans.__(
                '%1 × %2 of %3',
                n_workers,
                exactly(memory_limit_bytes),
                exactly(machine_memory_bytes)
              )
        }
      />
      {given > 0 && (
        <p className="gpc-Hint">
          {trans.__('%1 already assigned to running clusters.', exactly(given))}
        </p>
      )}
      <Line
        name={trans.__('Threads')}
        share={threads / machine_cores}
        text={
          threads_per_worker === 1
            ? trans._n('%2 on %1 core', '%2 on %1 cores', machine_cores, threads)
            : trans._n(
                '%2 × %3 on %1 core',
                '%2 × %3 on %1 cores',
                machine_cores,
                n_workers,
                threads_per_worker
              )
        }
      />
    </div>
  );
}

interface ILineProps {
  readonly name: string;
  readonly share: number;
  readonly text: string;
}

function Line({ name, share, text }: ILineProps): JSX.Element {
  // A tenth beyond is seen as such; how far beyond, the text says.
  const isOver = share > 1.005;
  return (
    <div className="gpc-Demand-line" data-level={isOver ? 'warning' : 'normal'}>
      <span>{name}</span>
      <Meter label={name} share={share} text={text} />
      <span className="gpc-Demand-text">
        {isOver && <span aria-hidden="true">▲ </span>}
        {text}
      </span>
    </div>
  );
}
