import { ClusterGauges, DEFAULT_THRESHOLDS, englishWords } from '../gauges';
import type { ClusterModel, TelemetryHistory, TelemetrySample } from '../protocol/messages';
import { alertNode, type IWidgetView } from './widgetview';
import { say, type IWidgetModel } from './model';
import { WORDS } from './words';

/** The gauges of the panel under the cluster's name. */
export class GaugesView implements IWidgetView {
  constructor(model: IWidgetModel) {
    this.node = document.createElement('div');
    this._title = document.createElement('div');
    this._title.className = 'gpc-WidgetTitle';
    this._gauges = gaugesFor(model);
    this.node.append(this._title, this.alert, this._gauges.node);
  }

  readonly node: HTMLElement;
  readonly alert = alertNode();
  readonly kernelOver = WORDS.kernelOver;

  update(sample: TelemetrySample | null, cluster: ClusterModel): void {
    this._title.textContent = cluster.name;
    this._gauges.update(sample, cluster);
  }

  setHistory(history: TelemetryHistory): void {
    this._gauges.setHistory(history);
  }

  dispose(): void {
    this._gauges.dispose();
  }

  private readonly _title: HTMLElement;
  private readonly _gauges: ClusterGauges;
}

/** Gauges whose buttons ask the kernel. */
export function gaugesFor(model: IWidgetModel): ClusterGauges {
  return new ClusterGauges({
    words: englishWords,
    thresholds: DEFAULT_THRESHOLDS,
    onRetire: worker => {
      say(model, { kind: 'retire', worker });
    }
  });
}
