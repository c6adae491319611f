import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { IClusterManager } from '../clusters/tokens';
import { TimeCharts } from './timecharts';
import { trans } from '../translation';
import { chartsIcon } from '../icons';
import { ClusterTab, type IClusterTabOptions, type IFollowing } from '../shell/clustertab';

/** How often to ask what has happened that changes no cluster's model, such as a profile. */
const TOLD_MS = 5000;

/** The gauges of a cluster over time, as a tab. */
export class ChartsView extends ClusterTab {
  constructor(options: IClusterTabOptions) {
    super(new ChartsContent(options), options, chartsIcon, name => trans.__('Over time: %1', name));
  }
}

/** Feeds the charts from the store. */
class ChartsContent extends Widget implements IFollowing {
  constructor(private readonly _options: IClusterTabOptions) {
    super();
    const { id, manager } = _options;
    this.addClass('gpc-ChartsContent');
    this._charts = this._begin();
    manager.sampled.connect(this._onSampled, this);
    manager.changed.connect(this._onChanged, this);
    this._onSampled(manager, id);
    this._onChanged();
  }

  /** Nothing of the cluster before stays beside the one that is shown now. */
  restart(): void {
    this._charts.dispose();
    this._charts = this._begin();
    this._charts.isShown = this.isVisible;
    this._wasLive = false;
    this._told = '';
    this._onSampled(this._options.manager, this._options.id);
    this._onChanged();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      const { manager } = this._options;
      manager.sampled.disconnect(this._onSampled, this);
      manager.changed.disconnect(this._onChanged, this);
      this._charts.dispose();
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._charts.isShown = this.isVisible;
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._charts.isShown = true;
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._charts.isShown = false;
  }

  private _begin(): TimeCharts {
    const charts = new TimeCharts({});
    this.node.append(charts.node);
    charts.isShown = false;
    return charts;
  }

  private _onSampled(manager: IClusterManager, sampled: string): void {
    const sample = sampled === this._options.id ? manager.sample(sampled) : undefined;
    if (sample !== undefined) {
      this._charts.add(sample);
      if (Date.now() > this._toldAt + TOLD_MS) {
        this._tell();
      }
    }
  }

  /** The past is read at first and after each loss of the connection; what happened, with each change. */
  private _onChanged(): void {
    const { id, manager } = this._options;
    const isLive = manager.connection === 'live';
    const charts = this._charts;
    if (manager.isReady && manager.get(id) === undefined) {
      // What was removed has no past any more; what is shown stays.
      return;
    }
    if (isLive && !this._wasLive) {
      manager.history(id).then(
        history => charts === this._charts && charts.load(history),
        () => undefined
      );
    }
    this._wasLive = isLive;
    const model = manager.get(id);
    const { state, n_workers, messages } = model ?? {};
    const last = messages?.map(({ time }) => time ?? '').sort();
    const told = `${state} ${n_workers} ${last?.length} ${last?.[last.length - 1]} ${isLive}`;
    if (told !== this._told) {
      this._told = told;
      this._tell();
    }
  }

  /** Mark what has happened. */
  private _tell(): void {
    const { id, manager } = this._options;
    this._toldAt = Date.now();
    const charts = this._charts;
    manager.activity(id).then(
      entries => {
        charts.told = entries;
      },
      () => undefined
    );
  }

  private _charts: TimeCharts;
  private _wasLive = false;
  private _told = '';
  private _toldAt = 0;
}
