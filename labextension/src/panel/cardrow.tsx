import type { TranslationBundle } from '@jupyterlab/translation';
import { linkIcon } from '@jupyterlab/ui-components';

import { hasEnded, isUsable } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { gaugeWords, RowGauge, type IThresholds } from '../gauges';
import { inFrame, notInFrame } from '../gauges/frames';
import { h, useEffect, useRef } from '../jsx';
import type { ClusterModel } from '../protocol/messages';
import { clientsLine, stateLine } from './lines';
import { Ticking } from './ticking';

interface ICardRowProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly thresholds: IThresholds;
  readonly trans: TranslationBundle;
  readonly isOpen: boolean;
  /** Id of what the row opens. */
  readonly contentId: string;
  /** Names of the notebooks that are connected. */
  readonly notebooks: readonly string[];
  readonly onToggle: () => void;
}

/** So many characters at the end of a name stay where it is too long: names that belong together differ there. */
const TAIL = 6;

/** A cluster in one line: name, state, how busy, memory, and whether somebody is connected. */
export function CardRow(props: ICardRowProps): JSX.Element {
  const { cluster, manager, trans, isOpen, contentId, notebooks, onToggle } = props;
  const works = isUsable(cluster) && cluster.n_workers > 0;
  const isLinked = cluster.n_clients > 0;
  const linked = notebooks.length > 0 ? notebooks.join(', ') : clientsLine(cluster, trans);
  return (
    <div className="gpc-ClusterCard-header">
      <span className="gpc-Dot" aria-hidden="true" />
      <h3 id={`gpucluster-${cluster.id}`} title={cluster.name} tabIndex={-1}>
        <button
          className="gpc-ClusterCard-toggle"
          aria-expanded={isOpen}
          aria-controls={contentId}
          aria-label={cluster.name}
          onClick={onToggle}
        >
          <span>{cluster.name.slice(0, -TAIL)}</span>
          <span>{cluster.name.slice(-TAIL)}</span>
        </button>
      </h3>
      <span className={`gpc-State ${works ? 'gpc-mod-shown' : ''}`} role="status">
        {hasEnded(cluster) ? (
          <Ticking milliseconds={20_000} text={() => stateLine(cluster, manager, trans)} />
        ) : (
          stateLine(cluster, manager, trans)
        )}
      </span>
      {works && <LiveRow {...props} />}
      {!hasEnded(cluster) && (
        <span
          className={`gpc-Linked ${isLinked ? '' : 'gpc-mod-free'}`}
          role="img"
          aria-label={linked}
          title={linked}
        >
          <linkIcon.react tag="span" className="gpc-Button-icon" />
        </span>
      )}
    </div>
  );
}

/** Figures go past React: it has nothing to compare there. */
function LiveRow({ cluster, manager, thresholds, trans }: ICardRowProps): JSX.Element {
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
  }, [manager, id, thresholds, trans]);
  return <span ref={host} className="gpc-LiveRow" />;
}
