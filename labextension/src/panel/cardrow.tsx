import { linkIcon, shareIcon } from '@jupyterlab/ui-components';

import { gaugeWords, RowGauge, type IThresholds } from '../gauges';
import type { IClusterManager } from '../clusters/tokens';
import { sharedLine, stateLine, usersOf } from './lines';
import { h, useEffect, useRef } from '../jsx';
import { hasEnded, isUsable, stateLabel } from '../clusters/states';
import type { ClusterModel, SharedLink } from '../protocol/messages';
import { inFrame, notInFrame } from '../gauges/frames';
import { trans } from '../translation';
import { Ticking } from './asking';

interface ICardRowProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly thresholds: IThresholds;
  readonly isOpen: boolean;
  /** Id of what the row opens. */
  readonly contentId: string;
  /** Names of the notebooks that are connected. */
  readonly notebooks: readonly string[];
  /** Links to a view of it. */
  readonly shared: readonly SharedLink[];
  readonly onToggle: () => void;
}

/** A cluster in one line: state, name, what others should know, load and memory. */
export function CardRow(props: ICardRowProps): JSX.Element {
  const { cluster, manager, isOpen, contentId, notebooks, shared, onToggle } = props;
  const works = isUsable(cluster) && cluster.n_workers > 0;
  const users = usersOf(cluster.n_clients, notebooks);
  return (
    <div className="gpc-ClusterCard-header">
      <span className="gpc-Dot" aria-hidden="true" title={stateLabel(cluster)} />
      <h3 id={`gpucluster-${cluster.id}`} title={cluster.name} tabIndex={-1}>
        <button
          className="gpc-ClusterCard-toggle"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={onToggle}
        >
          {cluster.name}
        </button>
      </h3>
      <span className={`gpc-State ${works ? 'gpc-mod-shown' : ''}`} role="status">
        {hasEnded(cluster) ? (
          <Ticking milliseconds={2000} text={() => stateLine(cluster, manager)} />
        ) : (
          stateLine(cluster, manager)
        )}
      </span>
      {!isOpen && cluster.recording !== null && (
        <Mark className="gpc-mod-recording" text={trans.__('Being recorded')}>
          ●
        </Mark>
      )}
      {!isOpen && shared.length > 0 && (
        <Mark text={sharedLine(shared)}>
          <shareIcon.react tag="span" className="gpc-Button-icon" />
        </Mark>
      )}
      {!isOpen && users !== '' && (
        <Mark className="gpc-mod-linked" text={trans.__('In use by %1', users)}>
          <linkIcon.react tag="span" className="gpc-Button-icon" />
        </Mark>
      )}
      {works && <LiveRow {...props} />}
    </div>
  );
}

interface IMarkProps {
  readonly className?: string;
  readonly text: string;
  readonly children: React.ReactNode;
}

/** What is worth a sign also while the card is folded. */
function Mark({ className = '', text, children }: IMarkProps): JSX.Element {
  return (
    <span className={`gpc-CardMark ${className}`} role="img" aria-label={text} title={text}>
      {children}
    </span>
  );
}

/** Figures go past React: it has nothing to compare there. */
function LiveRow({ cluster, manager, thresholds }: ICardRowProps): JSX.Element {
  const host = useRef<HTMLSpanElement>(null);
  const { id } = cluster;
  useEffect(() => {
    const gauge = new RowGauge(gaugeWords(trans));
    host.current?.replaceChildren(gauge.node);
    const draw = (): void => gauge.update(manager.sample(id) ?? null, thresholds);
    const onSampled = (_: IClusterManager, sampled: string): void => {
      if (sampled === id) {
        inFrame(draw);
      }
    };
    manager.sampled.connect(onSampled);
    draw();
    return () => {
      manager.sampled.disconnect(onSampled);
      notInFrame(draw);
    };
  }, [manager, id, thresholds]);
  return <span ref={host} className="gpc-LiveRow" />;
}
