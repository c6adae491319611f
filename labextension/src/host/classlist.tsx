import type { IClusterManager } from '../clusters/tokens';
import { h, useCallback, useState } from '../jsx';
import type { ClassCluster } from '../protocol/messages';
import { Ticking } from '../panel/ticking';
import { useWhileSeen } from './nodewatch';
import { spanOf } from './spans';
import { trans } from '../translation';

/** Each look asks the process of every cluster. */
const CLASS_MS = 10_000;

interface IClassProps {
  readonly manager: IClusterManager;
  readonly tools: (user: string | null) => JSX.Element | null;
}

/** The clusters of all users of this machine, for an instructor: what each is, and not what it computes. */
export function ClassList(props: IClassProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="gpc-Details"
      open={isOpen}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{trans.__('Class clusters')}</summary>
      {isOpen && <Clusters {...props} />}
    </details>
  );
}

function Clusters({ manager, tools }: IClassProps): JSX.Element {
  const read = useCallback(() => manager.classClusters(), [manager]);
  const { last, place } = useWhileSeen<readonly ClassCluster[], HTMLUListElement>(read, CLASS_MS);
  const users = [...new Set(last?.map(({ user }) => user))];
  const others = last?.some(({ mine }) => !mine) ?? false;
  return (
    <ul className="gpc-Holders" ref={place} aria-label={trans.__('Class clusters')}>
      {last !== null && !others && <li>{trans.__('No other user has a cluster here.')}</li>}
      {users.map(user => {
        const clusters = last?.filter(each => each.user === user) ?? [];
        const isMine = clusters[0].mine;
        return (
          <li key={user} className={isMine ? 'gpc-mod-mine' : ''}>
            <span className="gpc-Holder-who">{isMine ? trans.__('%1 (you)', user) : user}</span>
            {!isMine && tools(user)}
            {clusters.map(cluster => (
              <span key={cluster.id} className="gpc-Holder-times">
                <Ticking milliseconds={5000} text={() => facts(cluster)} />
              </span>
            ))}
          </li>
        );
      })}
      {others && (
        <li>
          <span className="gpc-Holder-who">{trans.__('Everyone')}</span>
          {tools(null)}
        </li>
      )}
    </ul>
  );
}

/** `CPU · running · 2 workers · GPU 0, slot 1 of 2 · for 12 min · idle for 4 min` */
function facts(cluster: ClassCluster): string {
  const { kind_title, state, n_workers, gpus, since, idle_since, problem, times } = cluster;
  if (problem !== null) {
    return times === 1 ? problem : trans.__('%1 (%2 times)', problem, times);
  }
  return [
    kind_title,
    state,
    trans._n('%1 worker', '%1 workers', n_workers),
    gpus.length === 0 ? null : trans.__('GPU %1', gpus.join('; ')),
    since === null ? null : trans.__('for %1', spanOf(since, -1)),
    idle_since === null ? null : trans.__('idle for %1', spanOf(idle_since, -1))
  ]
    .filter(Boolean)
    .join(' · ');
}
