import type { TelemetrySample } from '../protocol/messages';
import { column } from './columns';

/** Bytes per second that a worker has received and sent. */
export interface IFlow {
  readonly received: number;
  readonly sent: number;
}

interface ICounters {
  readonly received: number | null;
  readonly sent: number | null;
}

/** Speeds from counters: what has been added since the sample before. */
export class Flows {
  /** Of all workers; undefined until there are two samples. */
  total: IFlow | undefined;

  worker(name: string): IFlow | undefined {
    return this._flows.get(name);
  }

  add(sample: TelemetrySample): void {
    const time = Date.parse(sample.at) / 1000;
    const seconds = time - this._time;
    if (seconds <= 0) {
      return;
    }
    const received = column(sample, 'received_bytes');
    const sent = column(sample, 'sent_bytes');
    const counters = new Map<string, ICounters>();
    const flows = new Map<string, IFlow>();
    const total = { received: 0, sent: 0 };
    sample.workers.forEach((name, i) => {
      const now = { received: received[i], sent: sent[i] };
      const before = this._counters.get(name);
      counters.set(name, now);
      if (before !== undefined && now.received !== null && before.received !== null) {
        // A counter that goes back belongs to a worker that was restarted.
        const flow = {
          received: Math.max(0, now.received - before.received) / seconds,
          sent: Math.max(0, (now.sent ?? 0) - (before.sent ?? 0)) / seconds
        };
        flows.set(name, flow);
        total.received += flow.received;
        total.sent += flow.sent;
      }
    });
    this._counters = counters;
    this._flows = flows;
    this.total = flows.size > 0 ? total : undefined;
    this._time = time;
  }

  private _counters = new Map<string, ICounters>();
  private _flows = new Map<string, IFlow>();
  private _time = 0;
}
