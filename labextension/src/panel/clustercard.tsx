import type { CommandRegistry } from '@lumino/commands';

import { h, Fragment, useEffect, useRef, useState, useCallback } from '../jsx';
import { LargestResultsList } from '../trouble/results';
import { can, hasEnded, isUsable, said, textOf } from '../clusters/states';
import type { ClusterModel, MessageCode, SharedLink, TelemetrySample } from '../protocol/messages';
import { Fault, useAsking, useTick, Ticking, type ITickingProps } from './asking';
import { ScaleEditor } from './scaleeditor';
import { confirmLoss } from '../shell/confirm';
import { type IThresholds, formatBytes, column, entry, gaugeWords, titleOf } from '../gauges';
import { TroubleStrip } from '../trouble/strip';
import { LiveGauges } from './livegauges';
import type { IClusterManager } from '../clusters/tokens';
import { CardButtons } from './cardbuttons';
import {
  costLine,
  kindLine,
  leaseLine,
  recordingLine,
  sharedLine,
  statusLine,
  workersLine
} from './lines';
import type { INotebookLinks } from '../actions/links';
import { trans } from '../translation';
import type { Unfolded } from './unfolded';
import { CardRow } from './cardrow';

/** A link may have been made elsewhere, or have expired. */
const AGAIN_MS = 60_000;

/** The valid links to a view of a cluster, and what asks for them again. */
function useSharedLinks(
  cluster: ClusterModel,
  manager: IClusterManager,
  isOpen: boolean
): [readonly SharedLink[], () => void] {
  const [links, setLinks] = useState<readonly SharedLink[]>([]);
  const { id } = cluster;
  const usable = isUsable(cluster);
  const ask = useCallback(() => {
    if (usable && !document.hidden) {
      // Where nothing answers, the list says so.
      manager.links(id).then(setLinks, () => undefined);
    }
  }, [manager, id, usable]);
  useEffect(() => {
    ask();
    if (isOpen) {
      const timer = window.setInterval(ask, AGAIN_MS);
      return () => window.clearInterval(timer);
    }
    return undefined;
  }, [ask, isOpen]);
  return [usable ? links : [], ask];
}

interface IProgressLineProps {
  readonly cluster: ClusterModel;
}

/** What a cluster is doing right now, while it starts, scales or stops. */
function ProgressLine({ cluster }: IProgressLineProps): JSX.Element | null {
  const { progress, state } = cluster;
  if (progress === null && state !== 'starting' && state !== 'stopping') {
    return null;
  }
  const done = progress?.done ?? null;
  const total = progress?.total ?? null;
  const isCounted = done !== null && total !== null && total > 0;
  const message =
    progress?.message ?? (state === 'stopping' ? trans.__('Stopping') : trans.__('Starting'));
  return (
    <div className="gpc-Progress">
      <p className="gpc-Line" aria-live="polite">
        {message}
        {isCounted && (
          <span className="gpc-Progress-count">{trans.__('%1 of %2', done, total)}</span>
        )}
      </p>
      <div
        className="gpc-Progress-track"
        role="progressbar"
        aria-label={message}
        aria-valuemin={0}
        aria-valuemax={isCounted ? total : undefined}
        aria-valuenow={isCounted ? done : undefined}
      >
        <div
          className={`gpc-Progress-fill ${isCounted ? '' : 'gpc-mod-unknown'}`}
          style={isCounted ? { width: `${(done / total) * 100}%` } : undefined}
        />
      </div>
    </div>
  );
}

interface IClusterCardProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly links: INotebookLinks;
  readonly unfolded: Unfolded;
  /** Whether it is open where it was neither opened nor folded. */
  readonly isOpenByDefault: boolean;
  readonly thresholds: IThresholds;
}

/** One cluster: a line, and below it, while it is open, what uses it, what can be done and what it does. */
export function ClusterCard(props: IClusterCardProps): JSX.Element {
  const { cluster, manager, links, unfolded } = props;
  const asking = useAsking();
  const [isScaling, setScaling] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const contentId = `gpucluster-${cluster.id}-content`;
  // What has just ended stays as it was.
  const before = useRef(false);
  const isOpen =
    unfolded.left(cardKey(cluster)) ?? (hasEnded(cluster) ? before.current : props.isOpenByDefault);
  before.current = isOpen;
  const [isDetailed, setDetailed] = useState(false);
  const notebooks = hasEnded(cluster) ? [] : links.notebooksOf(cluster);
  const [shared, askForShared] = useSharedLinks(cluster, manager, isOpen);
  const closeEditor = (): void => {
    setScaling(false);
    card.current?.querySelector<HTMLElement>('.gpc-ScaleButton')?.focus();
  };
  return (
    <li
      ref={card}
      className="gpc-ClusterCard"
      data-state={cardState(cluster)}
      aria-labelledby={`gpucluster-${cluster.id}`}
    >
      <CardRow
        {...props}
        isOpen={isOpen}
        contentId={contentId}
        notebooks={notebooks}
        shared={shared}
        onToggle={() => unfolded.set(cardKey(cluster), !isOpen)}
      />
      <div id={contentId} className="gpc-ClusterCard-content" hidden={!isOpen}>
        {isOpen && (
          <>
            {isUsable(cluster) && (
              <Status milliseconds={1000} text={() => statusLine(cluster, notebooks, manager)} />
            )}
            <CardButtons
              {...props}
              asking={asking}
              isScaling={isScaling}
              onScale={() => setScaling(!isScaling)}
              isDetailed={isDetailed}
              onDetails={() => setDetailed(!isDetailed)}
              onShared={askForShared}
            />
            <Fault error={asking.error} />
            {isScaling && isUsable(cluster) && (
              <ScaleEditor cluster={cluster} manager={manager} onClose={closeEditor} />
            )}
            {hasEnded(cluster) ? (
              <Ended {...props} />
            ) : (
              <Living
                {...props}
                shared={shared}
                isDetailed={isDetailed}
                onRetire={worker =>
                  void asking.run('retire', () => retire(cluster, worker, manager))
                }
              />
            )}
          </>
        )}
      </div>
    </li>
  );
}

/** What is remembered of a card: once its cluster has ended, it is another one. */
export function cardKey(cluster: ClusterModel): string {
  return hasEnded(cluster) ? `${cluster.id} ended` : cluster.id;
}

/** One line; the tooltip has what does not fit. */
function Status({ milliseconds, text }: ITickingProps): JSX.Element {
  useTick(milliseconds);
  const line = text();
  return (
    <p className="gpc-Line gpc-Status" title={line}>
      {line}
    </p>
  );
}

/** Without workers is worth a look; a place in a queue is as good as a start. */
function cardState(cluster: ClusterModel): string {
  return !isUsable(cluster) || cluster.n_workers > 0
    ? cluster.state
    : said(cluster, 'pending').length === 0
      ? 'empty'
      : 'starting';
}

interface ILivingProps extends IClusterCardProps {
  readonly shared: readonly SharedLink[];
  readonly isDetailed: boolean;
  readonly onRetire: (worker: string) => void;
}

function Living(props: ILivingProps): JSX.Element {
  const { cluster, manager, thresholds, unfolded, shared, isDetailed, onRetire } = props;
  return (
    <>
      <TroubleStrip {...props} />
      <p className="gpc-Line">
        {cluster.scheduler_address === null ? (
          kindLine(cluster)
        ) : (
          <Ticking milliseconds={1000} text={() => workersLine(cluster, manager)} />
        )}
        {cluster.lease !== null && (
          <span
            className="gpc-Lease"
            title={trans.__('Ends with the lease, or with %1', cluster.lease.holder)}
          >
            {leaseLine(cluster)}
          </span>
        )}
        {cluster.network === 'open' && (
          <span
            className="gpc-OpenNetwork"
            title={trans.__('Anyone who can reach this address can run code as you.')}
          >
            {trans.__('open to anyone')}
          </span>
        )}
      </p>
      {shared.length > 0 && <p className="gpc-Line">{sharedLine(shared)}</p>}
      {cluster.recording !== null && (
        <p className="gpc-Line gpc-Recording" title={cluster.recording.path}>
          <Ticking milliseconds={1000} text={() => recordingLine(cluster, manager)} />
        </p>
      )}
      <Said cluster={cluster} code="pending" className="gpc-Reason gpc-Pending" />
      {cluster.slots.map(slot => (
        <p key={`${slot.uuid} ${slot.slot}`} className="gpc-Line" title={slot.uuid}>
          {slot.index === null ? slot.label : `GPU ${slot.index}: ${slot.label}`}
        </p>
      ))}
      {(cluster.ends_at !== null || cluster.cost !== null) && (
        <p className="gpc-Line">
          <Ticking milliseconds={5000} text={() => costLine(cluster, manager)} />
        </p>
      )}
      {said(cluster, 'message')
        .slice(-3)
        .map(({ time, subject, text }) => (
          <p key={time} className="gpc-Notice">
            <strong>{trans.__('%1, instructor: ', subject)}</strong>
            {text}
          </p>
        ))}
      {said(cluster, 'choice')[0]?.text !== manager.host?.message && (
        // What the panel says of the machine is not said again.
        <Said cluster={cluster} code="choice" className="gpc-Reason" />
      )}
      <ProgressLine cluster={cluster} />
      {cluster.scheduler_address !== null && (
        <>
          <LiveGauges
            cluster={cluster}
            manager={manager}
            commands={props.commands}
            thresholds={thresholds}
            unfolded={unfolded}
            onRetire={can(cluster, 'retire') ? onRetire : undefined}
          />
          <LargestResultsList {...props} />
          {isDetailed && <Details cluster={cluster} />}
        </>
      )}
    </>
  );
}

interface ISaidProps {
  readonly cluster: ClusterModel;
  readonly code: MessageCode;
  readonly className: string;
}

/** Its messages with one code. */
function Said({ cluster, code, className }: ISaidProps): JSX.Element {
  return (
    <>
      {said(cluster, code).map(message => (
        <p key={message.text} className={className}>
          {textOf(message)}
        </p>
      ))}
    </>
  );
}

/** What kind of cluster it is: where it runs, unless that is this machine. */
function KindLine({ cluster, manager }: IClusterCardProps): JSX.Element {
  const [where, setWhere] = useState<string | null>(null);
  const { backend } = cluster;
  useEffect(() => {
    manager.kinds().then(
      ({ kinds }) => {
        const kind = kinds.find(({ name }) => name === backend);
        setWhere(kind?.traits?.this_machine === false ? kind.where : null);
      },
      () => undefined
    );
  }, [manager, backend]);
  return <p className="gpc-Line">{where ?? kindLine(cluster)}</p>;
}

function Ended(props: IClusterCardProps): JSX.Element {
  const { cluster } = props;
  return (
    <>
      <Said cluster={cluster} code="failed" className="gpc-Error" />
      <Said cluster={cluster} code="ended" className="gpc-Reason" />
      <KindLine {...props} />
      {cluster.log_tail.length > 0 && (
        <details className="gpc-Details">
          <summary>{trans.__('End of the log')}</summary>
          <pre className="gpc-Log" tabIndex={0} aria-label={trans.__('End of the log')}>
            {cluster.log_tail.join('\n')}
          </pre>
        </details>
      )}
    </>
  );
}

interface IDetailsProps {
  readonly cluster: ClusterModel;
}

/** Addresses, versions and limits. */
function Details({ cluster }: IDetailsProps): JSX.Element {
  const notes = said(cluster, 'note');
  const node = useRef<HTMLElement>(null);
  // It opens at the end of the card.
  useEffect(() => {
    node.current?.scrollIntoView({ block: 'nearest' });
  }, []);
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

/** End a worker after it has handed over its results; ask first if it has something to lose. */
async function retire(
  cluster: ClusterModel,
  worker: string,
  manager: IClusterManager
): Promise<void> {
  const sample = manager.sample(cluster.id);
  const i = sample?.workers.indexOf(worker) ?? -1;
  const isKnown = sample !== undefined && i >= 0;
  const warning = isKnown
    ? warningOf(sample, i)
    : trans.__('The results of this worker are unknown.');
  const name = isKnown ? titleOf(sample, i, gaugeWords(trans)) : worker;
  const title = trans.__('Retire %1 of %2?', name, cluster.name);
  if (warning === '' || (await confirmLoss(title, warning, trans.__('Retire')))) {
    await manager.retire(cluster.id, worker);
  }
}

/** What to think of before; empty if the worker does nothing and holds nothing. */
function warningOf(sample: TelemetrySample, i: number): string {
  const results = entry(sample, 'in_memory', i) ?? 0;
  const tasks = entry(sample, 'processing', i) ?? 0;
  const sentences: string[] = [];
  if (results > 0) {
    sentences.push(trans._n('It holds %1 result.', 'It holds %1 results.', results));
    sentences.push(
      column(sample, 'in_memory').length > 1
        ? trans.__('They move to other workers first.')
        : trans.__('No other worker can take them.')
    );
  }
  if (tasks > 0) {
    sentences.push(
      trans._n(
        '%1 task is restarted on another worker.',
        '%1 tasks are restarted on other workers.',
        tasks
      )
    );
  }
  return sentences.join(' ');
}
