import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import type { INotebookLinks } from '../actions/links';
import { can, hasEnded, isUsable, said, textOf } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import type { IThresholds } from '../gauges';
import { Fragment, h, useRef, useState } from '../jsx';
import type { ClusterModel, MessageCode } from '../protocol/messages';
import { LargestResultsList } from '../trouble/results';
import { TroubleStrip } from '../trouble/strip';
import { sentenceOf, useAsking } from './asking';
import { CardButtons } from './cardbuttons';
import { CardRow } from './cardrow';
import { Details } from './details';
import {
  costLine,
  idleLine,
  kindLine,
  leaseLine,
  linksLine,
  recordingLine,
  workersLine
} from './lines';
import { LiveGauges } from './livegauges';
import { ProgressLine } from './progressline';
import { retire } from './retiring';
import { ScaleEditor } from './scaleeditor';
import { Ticking } from './ticking';
import type { Unfolded } from './unfolded';

export interface IClusterCardProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly links: INotebookLinks;
  readonly unfolded: Unfolded;
  /** Whether it is open until somebody folds it. */
  readonly isOpenAtFirst: boolean;
  /** The same once it has ended; it may fold when there are others. */
  readonly isOpenAfterwards: boolean;
  readonly thresholds: IThresholds;
  readonly trans: TranslationBundle;
}

/** One cluster: a line, and below it, while it is open, what can be done and what it does. */
export function ClusterCard(props: IClusterCardProps): JSX.Element {
  const { cluster, manager, links, unfolded, trans } = props;
  const asking = useAsking();
  const [isScaling, setScaling] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const contentId = `gpucluster-${cluster.id}-content`;
  // Decided when it appears: no card of a living cluster folds by itself, as when it has started or another one comes.
  const [isOpenAtFirst] = useState(props.isOpenAtFirst);
  const key = hasEnded(cluster) ? `${cluster.id} ended` : cluster.id;
  const isOpen = hasEnded(cluster)
    ? (unfolded.left(key) ?? props.isOpenAfterwards)
    : unfolded.isOpen(key, isOpenAtFirst);
  const notebooks = hasEnded(cluster) ? [] : links.notebooksOf(cluster);
  const target = links.target();
  const closeEditor = (): void => {
    setScaling(false);
    card.current?.querySelector<HTMLElement>('.gpc-Buttons [aria-expanded]')?.focus();
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
        onToggle={() => unfolded.set(key, !isOpen)}
      />
      <div id={contentId} className="gpc-ClusterCard-content" hidden={!isOpen}>
        {isOpen && (
          <>
            <CardButtons
              {...props}
              asking={asking}
              isScaling={isScaling}
              target={target}
              onScale={() => setScaling(!isScaling)}
            />
            {asking.error !== null && (
              <p className="gpc-Error" role="alert">
                {sentenceOf(asking.error)}
              </p>
            )}
            {isScaling && isUsable(cluster) && (
              <ScaleEditor
                cluster={cluster}
                manager={manager}
                trans={trans}
                onClose={closeEditor}
              />
            )}
            {hasEnded(cluster) ? (
              <Ended {...props} />
            ) : (
              <Living
                {...props}
                notebooks={notebooks}
                target={target}
                onRetire={worker =>
                  void asking.run('retire', () => retire(cluster, worker, manager, trans))
                }
              />
            )}
          </>
        )}
      </div>
    </li>
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
  readonly notebooks: readonly string[];
  readonly target: string | null;
  readonly onRetire: (worker: string) => void;
}

function Living(props: ILivingProps): JSX.Element {
  const { cluster, manager, thresholds, unfolded, trans, notebooks, target, onRetire } = props;
  return (
    <>
      <TroubleStrip {...props} />
      <p className="gpc-Line">
        {cluster.scheduler_address === null ? (
          kindLine(cluster, trans)
        ) : (
          <Ticking milliseconds={1000} text={() => workersLine(cluster, manager, trans)} />
        )}
        {cluster.lease !== null && (
          <span
            className="gpc-Lease"
            title={trans.__('Ends with it, or with %1', cluster.lease.holder)}
          >
            {leaseLine(cluster, trans)}
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
      {isUsable(cluster) && (
        <p className="gpc-Line gpc-Links">
          {linksLine(cluster, notebooks, trans)}
          {target !== null && !notebooks.includes(target) && (
            <span className="gpc-Links-target">{trans.__('Connect uses %1', target)}</span>
          )}
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
          <Ticking milliseconds={5000} text={() => costLine(cluster, manager, trans)} />
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
      {isUsable(cluster) && (
        <p
          className="gpc-Line gpc-Idle"
          title={idleLine(cluster, manager, trans) ?? undefined}
          data-counts-down={cluster.idle.stops_at !== null}
        >
          <Ticking
            milliseconds={cluster.idle.stops_at === null ? 5000 : 1000}
            text={() => idleLine(cluster, manager, trans) ?? ''}
          />
        </p>
      )}
      {cluster.recording !== null && (
        <p className="gpc-Line" title={cluster.recording.path}>
          <Ticking milliseconds={1000} text={() => recordingLine(cluster, manager, trans)} />
        </p>
      )}
      <ProgressLine cluster={cluster} trans={trans} />
      {cluster.scheduler_address !== null && (
        <>
          <LiveGauges
            cluster={cluster}
            manager={manager}
            commands={props.commands}
            thresholds={thresholds}
            trans={trans}
            unfolded={unfolded}
            onRetire={can(cluster, 'retire') ? onRetire : undefined}
          />
          <LargestResultsList {...props} />
          <Details cluster={cluster} trans={trans} />
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

function Ended({ cluster, trans }: IClusterCardProps): JSX.Element {
  return (
    <>
      <p className="gpc-Line">{kindLine(cluster, trans)}</p>
      <Said cluster={cluster} code="ended" className="gpc-Reason" />
      <Said cluster={cluster} code="failed" className="gpc-Error" />
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
