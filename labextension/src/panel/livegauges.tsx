import type { CommandRegistry } from '@lumino/commands';

import * as CommandIDs from '../actions/commandids';
import type { IClusterManager } from '../clusters/tokens';
import { inFrame, notInFrame } from '../gauges/frames';
import { Roving } from './roving';
import { ClusterGauges, gaugeWords, type IThresholds } from '../gauges';
import type { ClusterModel } from '../protocol/messages';
import { h, useEffect, useRef } from '../jsx';
import type { Unfolded } from './unfolded';
import { trans } from '../translation';

interface ILiveGaugesProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly thresholds: IThresholds;
  readonly commands: CommandRegistry;
  readonly unfolded: Unfolded;
  /** Absent: its workers cannot be retired one by one. */
  readonly onRetire?: (worker: string) => void;
}

/** The gauges of a cluster, fed by the store. Samples go past React: it has nothing to compare there. */
export function LiveGauges(props: ILiveGaugesProps): JSX.Element {
  const { cluster, manager, thresholds } = props;
  const { id } = cluster;
  const canRetire = props.onRetire !== undefined;
  const host = useRef<HTMLDivElement>(null);
  const gauges = useRef<ClusterGauges | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const drawn = new ClusterGauges({
      words: gaugeWords(trans),
      thresholds: latest.current.thresholds,
      // The number of workers decides until the user does.
      isOpen: latest.current.unfolded.left(`${id}/workers`),
      onOverTime: () => void latest.current.commands.execute(CommandIDs.openCharts, { id }),
      onRetire: canRetire ? worker => latest.current.onRetire?.(worker) : undefined,
      onToggle: isOpen => latest.current.unfolded.set(`${id}/workers`, isOpen),
      // As a person likes it, for all clusters.
      isProgressOpen: latest.current.unfolded.left('progress'),
      onToggleProgress: isOpen => latest.current.unfolded.set('progress', isOpen)
    });
    gauges.current = drawn;
    host.current?.append(drawn.node);
    const follower = new Follower(manager, id, drawn, () => latest.current.cluster);
    return () => {
      follower.dispose();
      drawn.dispose();
      gauges.current = null;
    };
  }, [manager, id, canRetire]);

  useEffect(() => {
    gauges.current?.update(manager.sample(id) ?? null, cluster);
  }, [manager, id, cluster, canRetire]);

  useEffect(() => {
    if (gauges.current !== null) {
      gauges.current.thresholds = thresholds;
    }
  }, [thresholds]);

  // Without a live connection no figures will come; the list says so.
  const isLive = manager.connection === 'live' || manager.connection === 'connecting';
  return <div ref={host} hidden={!isLive && manager.sample(id) === undefined} />;
}

/** Passes on samples, and the past: at first and whenever samples have been missed. */
class Follower {
  constructor(
    private readonly _manager: IClusterManager,
    private readonly _id: string,
    private readonly _gauges: ClusterGauges,
    private readonly _model: () => ClusterModel
  ) {
    _manager.sampled.connect(this._onSampled, this);
    _manager.changed.connect(this._onChanged, this);
    this._roving = new Roving(_gauges.node, '.gpc-GaugeSet [tabindex]');
    this._onChanged();
    this._onSampled(_manager, _id);
  }

  dispose(): void {
    this._isDisposed = true;
    this._roving.dispose();
    notInFrame(this._settle);
    this._manager.sampled.disconnect(this._onSampled, this);
    this._manager.changed.disconnect(this._onChanged, this);
  }

  private _onSampled(_: IClusterManager, sampled: string): void {
    if (sampled === this._id) {
      this._gauges.update(this._manager.sample(this._id) ?? null, this._model());
      // Which gauges there are is known once they are drawn.
      inFrame(this._settle);
    }
  }

  private _onChanged(): void {
    const isLive = this._manager.connection === 'live';
    if (isLive && !this._wasLive) {
      this._manager.history(this._id).then(
        history => {
          if (!this._isDisposed) {
            this._gauges.setHistory(history);
          }
        },
        // The present is shown without the past.
        () => undefined
      );
    }
    this._wasLive = isLive;
  }

  /** The gauges of the whole cluster are one stop of the Tab key. */
  private readonly _roving: Roving;
  private readonly _settle = (): void => this._roving.settle();
  private _isDisposed = false;
  private _wasLive = false;
}
