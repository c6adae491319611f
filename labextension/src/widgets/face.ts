import type { ClusterModel, TelemetryHistory, TelemetrySample } from '../protocol/messages';

/** What is drawn: gauges, the card or a dashboard. */
export interface IFace {
  readonly node: HTMLElement;
  /** Called for what has changed since the last frame. */
  update(sample: TelemetrySample | null, cluster: ClusterModel): void;
  setHistory?(history: TelemetryHistory): void;
  dispose(): void;
}
