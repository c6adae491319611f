import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { ClusterModel } from '../protocol/messages';

interface IDetailsProps {
  readonly cluster: ClusterModel;
  readonly trans: TranslationBundle;
}

/** What one needs to know to help somebody else. */
export function Details({ cluster, trans }: IDetailsProps): JSX.Element {
  const facts: [string, string, string?][] = [
    [trans.__('Scheduler'), cluster.scheduler_address ?? ''],
    [trans.__('Python'), environmentName(cluster), cluster.python],
    [trans.__('Dask'), cluster.versions?.distributed ?? ''],
    [trans.__('dask-cuda'), cluster.versions?.dask_cuda ?? ''],
    [trans.__('Process'), cluster.pid === null ? '' : `${cluster.pid}`]
  ];
  return (
    <details className="gpc-Details">
      <summary>{trans.__('Details')}</summary>
      <dl className="gpc-Facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value, title]) => (
            <React.Fragment key={label}>
              <dt>{label}</dt>
              <dd title={title ?? value}>{value}</dd>
            </React.Fragment>
          ))}
      </dl>
    </details>
  );
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
