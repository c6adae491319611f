import type { ClusterModel, TelemetryHistory, TelemetrySample } from '../protocol/messages';

/** What is drawn: gauges, the card or a dashboard. */
export interface IWidgetView {
  readonly node: HTMLElement;
  /** Where it is said that something could not be done. */
  readonly alert: HTMLElement;
  /** What is said when the kernel has stopped. */
  readonly kernelOver: string;
  /** Draw. `isStill`: this is the last state; requests have no effect now. */
  update(sample: TelemetrySample | null, cluster: ClusterModel, isStill: boolean): void;
  setHistory?(history: TelemetryHistory): void;
  dispose(): void;
}

/** Make the place for refusals. */
export function alertNode(): HTMLElement {
  const node = document.createElement('div');
  node.className = 'gpc-WidgetRefusal';
  node.setAttribute('role', 'alert');
  return node;
}
