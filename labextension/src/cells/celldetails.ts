import type { CellProgress, CellTasks, CellWork, TelemetryHistory } from '../protocol/messages';
import type { ICellStripOptions } from './cellstrip';
import { counted, elapsed, isOver } from './runs';
import {
  element,
  formatBytes,
  gaugeWords,
  ProgressList,
  setText,
  Sparkline,
  Tooltip,
  Trace,
  trans
} from './shared';

const ASK_MS = 1000;
/** Bars over the time of a cell. */
const STEPS = 100;

/** What a cell's line shows when it is opened. Asks the server once a second until the cell is done. */
export class CellDetails {
  constructor(
    parent: HTMLElement,
    private readonly _options: ICellStripOptions,
    private readonly _run: () => CellProgress
  ) {
    const words = gaugeWords(trans);
    this._tooltip = new Tooltip(parent);
    this._parts = element('div', 'gpc-Gauges', parent);
    this._kinds = new ProgressList({
      words,
      tooltip: this._tooltip,
      thresholds: { warningPercent: 100, criticalPercent: 100 },
      shortestSpan: 0
    });
    this._parts.append(this._kinds.node);
    const curves = element('div', 'gpc-GaugeSet', this._parts);
    this._load = new Curve(curves);
    this._memory = new Curve(curves);
    this._figures = element('p', '', this._parts);
    this._errors = element('ul', '', this._parts);
    const buttons = element('div', 'gpc-Gauge-ends', this._parts);
    button(buttons, trans.__('Profile again'), _options.onProfile);
    button(buttons, trans.__('Log'), _options.onLog);
  }

  set isOpen(isOpen: boolean) {
    this._isOpen = isOpen;
    if (isOpen) {
      void this._look();
    } else {
      window.clearTimeout(this._timer);
    }
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    this._tooltip.dispose();
  }

  private async _look(): Promise<void> {
    const { cluster, manager } = this._options;
    const run = this._run();
    window.clearTimeout(this._timer);
    try {
      const [{ cells }, history] = await Promise.all([
        manager.cells(cluster, { run: run.id }),
        manager.history(cluster).catch(() => null)
      ]);
      if (!this._isDisposed && cells.length > 0) {
        this._draw(cells[cells.length - 1], history);
      }
    } catch (reason) {
      setText(this._figures, reason instanceof Error ? reason.message : String(reason));
    }
    if (this._isOpen && !this._isDisposed && !(isOver(run) && run.id === this._run().id)) {
      this._timer = window.setTimeout(() => void this._look(), ASK_MS);
    }
  }

  private _draw(work: CellWork, history: TelemetryHistory | null): void {
    // The list puts what was active last first; here that is what took longest.
    this._kinds.update([...work.groups].reverse().map(kindOf));
    const now = this._options.manager.now();
    const from = Date.parse(work.began);
    const to = work.ended === null ? now : Date.parse(work.ended);
    const column = (
      name: 'cpu_percent' | 'gpu_utilization_percent' | 'memory_bytes' | 'vram_used_bytes'
    ) => between(history, name, from, to);
    const hasGpu = work.vram_peak_bytes !== null;
    const threads = this._options.manager.get(this._options.cluster)?.workers[0]?.n_threads ?? 1;
    const load = hasGpu
      ? column('gpu_utilization_percent')
      : column('cpu_percent').map(([at, value]): Point => [at, value / threads]);
    const most = work.vram_peak_bytes ?? work.memory_peak_bytes ?? 0;
    const memory = column(hasGpu ? 'vram_used_bytes' : 'memory_bytes');
    const mean = load.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, load.length);
    this._load.draw(
      hasGpu ? trans.__('GPU') : trans.__('CPU'),
      load,
      (to - from) / 1000,
      trans.__('mean %1 %', Math.round(mean))
    );
    this._memory.draw(
      hasGpu ? trans.__('VRAM') : trans.__('Memory'),
      memory.map(([at, value]): Point => [at, (100 * value) / Math.max(1, most)]),
      (to - from) / 1000,
      trans.__('peak %1', formatBytes(most))
    );
    const busy = work.groups.reduce((sum, group) => sum + group.compute_seconds, 0);
    setText(
      this._figures,
      [
        trans.__('%1 of task time', elapsed(busy, true)),
        trans._n('%1 worker', '%1 workers', work.n_workers ?? 0),
        trans.__('%1 moved', formatBytes(work.moved_bytes ?? 0)),
        trans.__('%1 spilled', formatBytes(work.spilled_peak_bytes ?? 0))
      ].join(' · ')
    );
    this._drawErrors(work.groups);
  }

  private _drawErrors(groups: readonly CellTasks[]): void {
    const texts = groups
      .filter(({ n_failed }) => n_failed > 0)
      .map(({ name, n_failed, error }) =>
        trans.__(
          '%1 (%2 failed): %3',
          name,
          counted(n_failed),
          error ?? trans.__('an earlier task failed')
        )
      );
    while (this._errors.childElementCount > texts.length) {
      this._errors.lastElementChild?.remove();
    }
    texts.forEach((text, i) =>
      setText(this._errors.children[i] ?? element('li', '', this._errors), text)
    );
  }

  private readonly _parts: HTMLElement;
  private readonly _tooltip: InstanceType<typeof Tooltip>;
  private readonly _kinds: InstanceType<typeof ProgressList>;
  private readonly _load: Curve;
  private readonly _memory: Curve;
  private readonly _figures: HTMLElement;
  private readonly _errors: HTMLElement;
  private _isOpen = false;
  private _isDisposed = false;
  private _timer = 0;
}

/** Seconds, and a value. */
type Point = readonly [number, number];

/** A figure in percent over the time of a cell: nothing before it, nothing after it. */
class Curve {
  constructor(parent: HTMLElement) {
    this._node = element('div', 'gpc-Gauge', parent);
    this._name = element('span', '', this._node);
    element('div', 'gpc-Gauge-past', this._node).append(this._line.node);
    this._figure = element('span', 'gpc-Gauge-figure', this._node);
  }

  draw(name: string, points: readonly Point[], seconds: number, figure: string): void {
    // Older than what the cluster remembers.
    this._node.classList.toggle('gpc-mod-free', points.length === 0);
    const trace = new Trace(Math.max(1, seconds / STEPS), Math.max(2, seconds));
    points.forEach(([at, value]) => trace.putPast(at - 1, at, value));
    this._line.update(trace);
    setText(this._name, name);
    setText(this._figure, figure);
  }

  private readonly _line = new Sparkline(2);
  private readonly _node: HTMLElement;
  private readonly _name: HTMLElement;
  private readonly _figure: HTMLElement;
}

/** The known values of a history between two moments. */
function between(
  history: TelemetryHistory | null,
  name: 'cpu_percent' | 'gpu_utilization_percent' | 'memory_bytes' | 'vram_used_bytes',
  from: number,
  to: number
): Point[] {
  if (history === null) {
    return [];
  }
  const newest = Date.parse(history.at);
  return (history.seconds ?? []).flatMap((second, i): Point[] => {
    const at = newest + 1000 * second;
    const value = history[name]?.[i] ?? null;
    return value === null || at < from || at > to + 1000 ? [] : [[at / 1000, value]];
  });
}

function kindOf(tasks: CellTasks): {
  prefix: string;
  waiting: number;
  processing: number;
  in_memory: number;
  erred: number;
} {
  return {
    prefix: tasks.name || trans.__('others'),
    waiting: tasks.n_waiting + tasks.n_cancelled,
    processing: tasks.n_running,
    in_memory: tasks.n_done,
    erred: tasks.n_failed
  };
}

function button(parent: HTMLElement, text: string, onClick: () => void): void {
  const node = element('button', 'gpc-Gauge-more', parent);
  node.type = 'button';
  node.textContent = text;
  node.addEventListener('click', onClick);
}
