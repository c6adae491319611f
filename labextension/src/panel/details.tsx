import { said } from '../clusters/states';
import { formatBytes } from '../gauges';
import { Fragment, h, useEffect, useRef } from '../jsx';
import type { ClusterModel } from '../protocol/messages';
import { trans } from '../translation';

interface IDetailsProps {
  readonly cluster: ClusterModel;
}

/** Addresses, versions and limits. */
export function Details({ cluster }: IDetailsProps): JSX.Element {
  const notes = said(cluster, 'note');
  const node = useRef<HTMLElement>(null);
  // It opens at the end of the card.
  useEffect(() => node.current?.scrollIntoView({ block: 'nearest' }), []);
  const facts: [string, string, string?][] = [
    [trans.__('Scheduler'), cluster.scheduler_address ?? ''],
    [trans.__('Nodes'), cluster.nodes.join('; ')],
    [trans.__('Each worker'), eachWorker(cluster)],
    [trans.__('Python'), environmentName(cluster), cluster.python],
    [trans.__('Dask'), cluster.versions?.distributed ?? ''],
    [trans.__('dask-cuda'), cluster.versions?.dask_cuda ?? ''],
    [trans.__('Process'), cluster.pid === null ? '' : `${cluster.pid}`]
  ];
  return (
    <section ref={node} className="gpc-Details" aria-label={trans.__('Details')}>
      {notes.length > 0 && (
        <ul className="gpc-Notes" aria-label={trans.__('Good to know')}>
          {notes.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <dl className="gpc-Facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value, title]) => (
            <Fragment key={label}>
              <dt>{label}</dt>
              <dd title={title ?? value}>{value}</dd>
            </Fragment>
          ))}
      </dl>
    </section>
  );
}

/** Threads and memory of one worker; they are all made alike. */
function eachWorker(cluster: ClusterModel): string {
  if (cluster.workers.length === 0) {
    return '';
  }
  const { n_threads, memory_limit_bytes } = cluster.workers[0];
  const threads = trans._n('%1 thread', '%1 threads', n_threads);
  return memory_limit_bytes === null ? threads : `${threads}, ${formatBytes(memory_limit_bytes)}`;
}

/**
 * Version and name of the environment, such as "3.12.4 (rapids)": the path of the executable is too long to
 * read in a sidebar.
 */
function environmentName(cluster: ClusterModel): string {
  const parts = cluster.python.split('/');
  const name = parts[parts.lastIndexOf('bin') - 1] ?? cluster.python;
  return cluster.versions ? `${cluster.versions.python} (${name})` : name;
}
