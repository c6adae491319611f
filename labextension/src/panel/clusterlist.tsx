import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon, runIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import type { INotebookLinks } from '../actions/links';
import { hasEnded } from '../clusters/states';
import type { Connection, IClusterManager } from '../clusters/tokens';
import type { IThresholds } from '../gauges';
import { clusterIcon } from '../icons';
import { Fragment, h, useRef } from '../jsx';
import type { ClusterModel } from '../protocol/messages';
import { sentenceOf, useAsking } from './asking';
import { ClusterCard } from './clustercard';
import { useKeptFocus } from './keptfocus';
import type { Unfolded } from './unfolded';

/** Up to so many clusters are shown open at first. */
const FEW = 2;

export interface IClusterListProps {
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly links: INotebookLinks;
  readonly unfolded: Unfolded;
  readonly thresholds: IThresholds;
  readonly trans: TranslationBundle;
  /** Open the form. */
  readonly onCreate: () => void;
  /** Create one without the form. */
  readonly onQuickStart: () => Promise<void>;
  /** Whether somebody comes back from the form, whose buttons had the focus. */
  readonly isReturning?: boolean;
}

/** All clusters, or what to do when there is none. */
export function ClusterList(props: IClusterListProps): JSX.Element {
  const { manager, commands, links, unfolded, thresholds, trans } = props;
  const { clusters, isReady, connection } = manager;
  const list = useRef<HTMLDivElement>(null);
  useKeptFocus(list);
  if (!isReady) {
    return connection === 'lost' ? <Unreachable {...props} /> : <Waiting trans={trans} />;
  }
  const state = connectionSentence(connection, trans);
  return (
    <div ref={list}>
      {state !== null && (
        <p className="gpc-Notice" role="status">
          {state}
        </p>
      )}
      {clusters.length === 0 ? (
        <Empty {...props} />
      ) : (
        <>
          <div className="gpc-ClusterList-header">
            <h2>{trans.__('Clusters')}</h2>
            <CreateButtons {...props} />
          </div>
          <ul className="gpc-ClusterList" aria-label={trans.__('Clusters')}>
            {inOrder(clusters).map(cluster => (
              <ClusterCard
                key={cluster.id}
                cluster={cluster}
                manager={manager}
                commands={commands}
                links={links}
                unfolded={unfolded}
                isOpenAtFirst={isOpenAtFirst(cluster, clusters)}
                isOpenAfterwards={isOpenAfterwards(cluster, clusters)}
                thresholds={thresholds}
                trans={trans}
              />
            ))}
          </ul>
          <RemoveEnded manager={manager} trans={trans} />
        </>
      )}
    </div>
  );
}

/** Newest first, whatever order they were told in: a card keeps its place as long as it is there. */
function inOrder(clusters: readonly ClusterModel[]): readonly ClusterModel[] {
  const key = ({ created_at, id }: ClusterModel): string => `${created_at} ${id}`;
  return [...clusters].sort((one, other) => (key(one) < key(other) ? 1 : -1));
}

/** What starts or lives is open while there is little of that. */
function isOpenAtFirst(cluster: ClusterModel, clusters: readonly ClusterModel[]): boolean {
  const few = (isOther: (one: ClusterModel) => boolean): boolean =>
    clusters.filter(isOther).length <= FEW;
  const isStarting = ({ state }: ClusterModel): boolean => state === 'starting';
  return (isStarting(cluster) && few(isStarting)) || few(one => !hasEnded(one));
}

/**
 * What has ended is open while there is little at all, and as long as nothing has come after it: what was last is read.
 * A lease that ended with its cell has nothing to tell.
 */
function isOpenAfterwards(cluster: ClusterModel, clusters: readonly ClusterModel[]): boolean {
  const isLast = clusters.every(one => one === cluster || one.created_at <= cluster.created_at);
  const isDone = cluster.lease !== null && cluster.state === 'stopped';
  return !isDone && (clusters.length <= FEW || isLast);
}

/** Many ended clusters go with one click; of a single one, its card has the button. */
function RemoveEnded({
  manager,
  trans
}: Pick<IClusterListProps, 'manager' | 'trans'>): JSX.Element | null {
  const asking = useAsking();
  const ended = manager.clusters.filter(hasEnded);
  if (ended.length < 2) {
    return null;
  }
  const remove = async (): Promise<void> => {
    await Promise.all(ended.map(({ id }) => manager.remove(id)));
  };
  return (
    <div className="gpc-RemoveEnded">
      <button
        className="gpc-SmallButton"
        aria-busy={asking.busy !== null}
        onClick={() => void asking.run('remove', remove)}
      >
        {trans.__('Remove all %1 ended clusters', ended.length)}
      </button>
      {asking.error !== null && (
        <p className="gpc-Error" role="alert">
          {sentenceOf(asking.error)}
        </p>
      )}
    </div>
  );
}

function Empty(props: IClusterListProps): JSX.Element {
  const { trans } = props;
  return (
    <div className="gpc-Empty">
      <clusterIcon.react tag="span" className="gpc-Empty-icon" />
      <p>
        {trans.__('No cluster yet. Start one and let its workers share the work of your notebook.')}
      </p>
      <CreateButtons {...props} isAlone />
    </div>
  );
}

interface ICreateButtonsProps extends IClusterListProps {
  /** Whether there is nothing else, so that there is room. */
  readonly isAlone?: boolean;
}

/** To choose what to create, and to create one at once. */
function CreateButtons(props: ICreateButtonsProps): JSX.Element {
  const { trans, onCreate, onQuickStart, isReturning, isAlone } = props;
  const asking = useAsking();
  return (
    <div className="gpc-CreateButtons" aria-busy={asking.busy !== null}>
      <button
        className={`gpc-Button gpc-mod-accept ${isAlone ? 'gpc-mod-big' : ''}`}
        autoFocus={isReturning}
        onClick={onCreate}
      >
        <addIcon.react tag="span" className="gpc-Button-icon" />
        {trans.__('New cluster')}
      </button>
      <button
        className="gpc-Button"
        title={trans.__('Create a cluster at once, with the default settings of the form')}
        aria-label={trans.__('Quick start')}
        onClick={() => void asking.run('create', onQuickStart)}
      >
        <runIcon.react tag="span" className="gpc-Button-icon" />
        {isAlone && trans.__('Quick start')}
      </button>
      {asking.error !== null && (
        <p className="gpc-Error" role="alert">
          {sentenceOf(asking.error)}
        </p>
      )}
    </div>
  );
}

function Waiting({ trans }: { readonly trans: TranslationBundle }): JSX.Element {
  return (
    <div className="gpc-Empty" role="status">
      <p>{trans.__('Looking for clusters…')}</p>
    </div>
  );
}

function Unreachable({ manager, trans }: IClusterListProps): JSX.Element {
  const asking = useAsking();
  return (
    <div className="gpc-Empty" role="alert">
      <p>
        {asking.error === null
          ? trans.__('The gpucluster server extension does not answer.')
          : sentenceOf(asking.error)}
      </p>
      <button
        className="gpc-Button"
        disabled={asking.busy !== null}
        onClick={() => void asking.run('refresh', () => manager.refresh())}
      >
        {trans.__('Try again')}
      </button>
    </div>
  );
}

function connectionSentence(connection: Connection, trans: TranslationBundle): string | null {
  switch (connection) {
    case 'lost':
      return trans.__('The server does not answer. What you see may be old; trying again.');
    case 'polling':
      return trans.__('No live connection: the list is updated now and then, without gauges.');
    case 'outdated':
      return trans.__('The server runs another version of gpucluster. Reload this page.');
    default:
      return null;
  }
}
