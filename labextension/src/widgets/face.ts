import type { ClusterModel, TelemetryHistory, TelemetrySample } from '../protocol/messages';

/** What is drawn: gauges, the card or a dashboard. */
export interface IFace {
  readonly node: HTMLElement;
  /** What is said when the kernel has stopped. */
  readonly kernelOver: string;
  /** Draw. `isStill`: this is the last state; whatever is asked for now, nobody hears. */
  update(sample: TelemetrySample | null, cluster: ClusterModel, isStill: boolean): void;
  setHistory?(history: TelemetryHistory): void;
  dispose(): void;
}
