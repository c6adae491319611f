import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useState } from 'react';

import { entry, workerBars } from '../gauges';
import type { ClusterModel, TelemetrySample, WorkerModel } from '../protocol/messages';
import { Bars, barWords } from './bars';

interface IDetailsProps {
  readonly cluster: ClusterModel;
  readonly sample: TelemetrySample | undefined;
  readonly trans: TranslationBundle;
}

/** Each worker with its gauges, and what one needs to know to help somebody else. */
export function Details({ cluster, sample, trans }: IDetailsProps): JSX.Element {
  return (
    <>
      <Disclosure title={trans.__('Workers')}>
        <ul className="gpc-Workers" aria-label={trans.__('Workers')}>
          {cluster.workers.map(worker => (
            <Worker key={worker.name} worker={worker} sample={sample} trans={trans} />
          ))}
        </ul>
      </Disclosure>
      <Disclosure title={trans.__('Details')}>
        <Facts cluster={cluster} trans={trans} />
      </Disclosure>
    </>
  );
}

interface IDisclosureProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

/** Draws what is inside only while it is open: a cluster may have hundreds of workers. */
function Disclosure({ title, children }: IDisclosureProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="gpc-Details"
      open={isOpen}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}

interface IWorkerProps {
  readonly worker: WorkerModel;
  readonly sample: TelemetrySample | undefined;
  readonly trans: TranslationBundle;
}

function Worker({ worker, sample, trans }: IWorkerProps): JSX.Element {
  const i = sample?.workers.indexOf(worker.name) ?? -1;
  const cpu = sample && entry(sample, 'cpu_percent', i);
  const gpu = sample && entry(sample, 'gpu_utilization_percent', i);
  const tasks = sample && entry(sample, 'processing', i);
  const facts = [
    worker.n_threads === 1 ? null : trans._n('%1 thread', '%1 threads', worker.n_threads),
    cpu === null || cpu === undefined ? null : trans.__('CPU %1%', Math.round(cpu)),
    gpu === null || gpu === undefined ? null : trans.__('GPU %1%', Math.round(gpu)),
    tasks ? trans._n('%1 task', '%1 tasks', tasks) : null
  ].filter(fact => fact !== null);
  return (
    <li className="gpc-Worker" title={worker.device ?? worker.address ?? undefined}>
      <div className="gpc-Worker-header">
        <span className="gpc-Worker-name">{trans.__('Worker %1', worker.name)}</span>
        <span className="gpc-Worker-facts">{facts.join(' · ')}</span>
      </div>
      {sample !== undefined && <Bars bars={workerBars(sample, worker.name, barWords(trans))} />}
    </li>
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

function Facts({ cluster, trans }: Omit<IDetailsProps, 'sample'>): JSX.Element {
  const facts: [string, string, string?][] = [
    [trans.__('Scheduler'), cluster.scheduler_address ?? ''],
    [trans.__('Python'), environmentName(cluster), cluster.python],
    [trans.__('Dask'), cluster.versions?.distributed ?? ''],
    [trans.__('dask-cuda'), cluster.versions?.dask_cuda ?? ''],
    [trans.__('Process'), cluster.pid === null ? '' : `${cluster.pid}`]
  ];
  return (
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
  );
}
