import { addIcon, runIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { RefObject } from 'react';

import { confirmLoss } from '../shell/confirm';
import { clusterIcon } from '../icons';
import { ClusterCard } from './clustercard';
import { Fragment, h, useEffect, useRef } from '../jsx';
import { trans } from '../translation';
import type { INotebookLinks } from '../actions/links';
import type { Connection, IClusterManager } from '../clusters/tokens';
import type { IThresholds } from '../gauges';
import type { ClusterModel } from '../protocol/messages';
import type { CreatedClusters } from './created';
import type { ListOrder } from './listorder';
import type { Unfolded } from './unfolded';
import { Fault, sentenceOf, useAsking } from './asking';

/**
 * Keep the focus in a list of cards when what had it is gone: at the head of the
 * list that it was in, such as the largest results, else at the card's title, else at what is left of the list of cards.
 * Without this, a keyboard starts at the top of the page again after each button that takes itself away.
 */
function useKeptFocus(list: RefObject<HTMLElement>): void {
  const last = useRef<{
    element: HTMLElement;
    card: HTMLElement | null;
    part: HTMLElement | null;
  } | null>(null);
  useEffect(() => {
    // The list is looked up each time: while the clusters are not known yet, there is none.
    const note = (): void => {
      const element = document.activeElement as HTMLElement;
      last.current = list.current?.contains(element)
        ? {
            element,
            card: element.closest<HTMLElement>('.gpc-ClusterCard'),
            part: element.closest<HTMLElement>('.gpc-Disclosure')
          }
        : null;
    };
    // A button may have had the focus since it was drawn.
    note();
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [list]);
  // After each drawing: that is when buttons go.
  useEffect(() => {
    if (last.current === null) {
      return;
    }
    const { element, card, part } = last.current;
    const { activeElement } = document;
    const isNowhere = activeElement === document.body || activeElement === element;
    if (isNowhere && (!element.isConnected || element.matches(':disabled'))) {
      if (part?.isConnected) {
        // It stays in view: nothing scrolls.
        part.querySelector<HTMLElement>('.gpc-Disclosure-button')?.focus({ preventScroll: true });
        return;
      }
      const place = card?.isConnected ? card : list.current;
      place?.querySelector<HTMLElement>('h3, .gpc-mod-accept')?.focus();
    }
  });
}

export interface IClusterListProps {
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly links: INotebookLinks;
  readonly unfolded: Unfolded;
  readonly order: ListOrder;
  readonly created?: CreatedClusters;
  readonly thresholds: IThresholds;
  /** Open the form. */
  readonly onCreate: () => void;
  /** Create one without the form. */
  readonly onQuickStart: () => Promise<void>;
  /** Whether the user comes back from the form, whose buttons had the focus. */
  readonly isReturning?: boolean;
}

/** All clusters, or what to do when there is none. */
export function ClusterList(props: IClusterListProps): JSX.Element {
  const { manager, links, order, created } = props;
  const { clusters, isReady, connection } = manager;
  const list = useRef<HTMLDivElement>(null);
  useKeptFocus(list);
  // After each drawing, and after the kept focus.
  useEffect(() => {
    created?.reveal(list.current);
  });
  if (!isReady) {
    return connection === 'lost' ? <Unreachable {...props} /> : <Waiting />;
  }
  const state = (connection === 'lost' ? manager.refusal : null) ?? connectionSentence(connection);
  const { current, ended } = order.arrange(clusters, links);
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
          {current.length === 0 && <p className="gpc-Hint">{trans.__('No running cluster.')}</p>}
          <Cards {...props} clusters={current} label={trans.__('Clusters')} />
          {ended.length > 0 && <EndedGroup {...props} clusters={ended} />}
        </>
      )}
    </div>
  );
}

interface ICardsProps extends IClusterListProps {
  readonly clusters: readonly ClusterModel[];
  readonly label: string;
}

function Cards({ clusters, label, ...props }: ICardsProps): JSX.Element {
  return (
    <ul className="gpc-ClusterList" aria-label={label}>
      {clusters.map(cluster => (
        <ClusterCard
          {...props}
          key={cluster.id}
          cluster={cluster}
          isOpenByDefault={props.order.isOpen(cluster)}
        />
      ))}
    </ul>
  );
}

/** Under which the group of ended clusters is remembered as open. */
const ENDED = 'ended';

/** What has ended, folded; cleared with one click and a question. */
function EndedGroup(props: Omit<ICardsProps, 'label'>): JSX.Element {
  const { clusters, manager, unfolded } = props;
  const asking = useAsking();
  const isOpen = unfolded.left(ENDED) ?? false;
  const { length } = clusters;
  const failed = clusters.filter(({ state }) => state === 'failed').length;
  const title =
    failed === 0
      ? trans.__('Stopped (%1)', length)
      : failed === length
        ? trans.__('Failed (%1)', length)
        : trans.__('Stopped and failed (%1)', length);
  const what = trans._n('Clear %1 ended cluster', 'Clear %1 ended clusters', length);
  const clear = async (): Promise<void> => {
    const body = trans.__('They are removed from the list, and their logs are deleted.');
    if (await confirmLoss(`${what}?`, body, trans.__('Clear'))) {
      await Promise.all(clusters.map(({ id }) => manager.remove(id)));
    }
  };
  return (
    <section className="gpc-EndedGroup" aria-label={title}>
      <div className="gpc-EndedGroup-header">
        <button
          className="gpc-EndedGroup-toggle"
          aria-expanded={isOpen}
          onClick={() => unfolded.set(ENDED, !isOpen)}
        >
          {title}
        </button>
        <button
          className="gpc-Button gpc-mod-quiet"
          title={`${what}…`}
          aria-label={`${what}…`}
          onClick={() => void asking.run('remove', clear)}
        >
          {trans.__('Clear')}
        </button>
      </div>
      <Fault error={asking.error} />
      {isOpen && <Cards {...props} label={title} />}
    </section>
  );
}

function Empty(props: IClusterListProps): JSX.Element {
  return (
    <div className="gpc-Empty">
      <clusterIcon.react tag="span" className="gpc-Empty-icon" />
      <p>{trans.__('No clusters yet. Create one to run your notebook on its workers.')}</p>
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
  const { onCreate, onQuickStart, isReturning, isAlone } = props;
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
        title={trans.__('Create a cluster with the default options')}
        aria-label={trans.__('Quick start')}
        onClick={() => void asking.run('create', onQuickStart)}
      >
        <runIcon.react tag="span" className="gpc-Button-icon" />
        {isAlone && trans.__('Quick start')}
      </button>
      <Fault error={asking.error} />
    </div>
  );
}

function Waiting(): JSX.Element {
  return (
    <div className="gpc-Empty" role="status">
      <p>{trans.__('Looking for clusters…')}</p>
    </div>
  );
}

function Unreachable({ manager }: IClusterListProps): JSX.Element {
  const asking = useAsking();
  return (
    <div className="gpc-Empty" role="alert">
      <p>
        {asking.error === null
          ? (manager.refusal ?? trans.__('The gpucluster server extension is not responding.'))
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

function connectionSentence(connection: Connection): string | null {
  switch (connection) {
    case 'lost':
      return trans.__('The server is not responding; retrying.');
    case 'polling':
      return trans.__('No live connection: the list is refreshed periodically, without gauges.');
    case 'outdated':
      return trans.__('The server runs a different version of gpucluster. Reload this page.');
    default:
      return null;
  }
}
