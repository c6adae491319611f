import type { TelemetrySample } from '../protocol/messages';
import { element, setText } from './element';
import { fill, type Part } from './words';
import {
  digits,
  formatBytes,
  formatCount,
  formatPercent,
  formatRate,
  formatSizes,
  formatWatts
} from './units';
import type { IFlow } from './flows';
import type { IGaugeContext } from './gaugeset';
import { sum } from './figures';
import { column, entry, type NumberColumn } from './columns';

/** A figure without a picture. */
export interface IFact {
  readonly part: Part;
  readonly text: string;
  /** Whether it slows tasks down. */
  readonly isWarning?: boolean;
}

/** Figures side by side, as many in a line as fit. */
export class Facts {
  constructor(private readonly _context: IGaugeContext) {
    this.node = element('div', 'gpc-Figures');
  }

  readonly node: HTMLElement;

  get sentences(): string[] {
    return this._facts.map(({ part, text }) => `${this._context.words.parts[part].name}: ${text}`);
  }

  update(facts: readonly IFact[]): void {
    const { words, tooltip } = this._context;
    this._facts = facts;
    // What is not told any more leaves its room: what is below must not move.
    [...this.node.children].forEach((node, i) => {
      node.classList.toggle('gpc-mod-free', i >= facts.length);
    });
    facts.forEach(({ part, text, isWarning = false }, i) => {
      let node = this.node.children[i] as HTMLElement | undefined;
      if (node === undefined) {
        const added = element('span', 'gpc-Figure', this.node);
        element('span', 'gpc-Figure-name', added);
        element('span', 'gpc-Figure-text', added);
        tooltip.explain(added, () => this._tip(added.dataset.part as Part));
        node = added;
      }
      node.dataset.part = part;
      setText(node.children[0], words.parts[part].name);
      setText(node.children[1], isWarning ? `▲ ${text}` : text);
      node.classList.toggle('gpc-mod-warning', isWarning);
    });
  }

  private _tip(part: Part): string[] {
    const fact = this._facts.find(one => one.part === part);
    const { name, sentence } = this._context.words.parts[part];
    return fact === undefined ? [] : [`${name}: ${fact.text}`, sentence];
  }

  private _facts: readonly IFact[] = [];
}

/** What there is to tell of the i-th worker beside its gauges. */
export function workerFacts(
  sample: TelemetrySample,
  i: number,
  isGpu: boolean,
  flow: IFlow | undefined,
  { words }: IGaugeContext
): IFact[] {
  const at = (name: NumberColumn): number | null => entry(sample, name, i);
  const facts: IFact[] = [];
  const add = (part: Part, text: string | null): void => {
    if (text !== null) {
      facts.push({ part, text });
    }
  };
  add('tasks', workerTasks(at('executing') ?? at('processing'), at('ready'), words));
  const cpu = at('cpu_percent');
  if (isGpu && cpu !== null) {
    add('cpu', formatPercent(cpu));
  }
  const power = at('gpu_power_watts');
  const limit = at('gpu_power_limit_watts');
  if (power !== null) {
    const watts = formatWatts(power);
    add('power', limit === null ? watts : `${Math.round(power)} / ${formatWatts(limit)}`);
  }
  const temperature = at('gpu_temperature_celsius');
  add('temperature', temperature === null ? null : `${Math.round(temperature)} °C`);
  add('pcie', flowText(at('pcie_received_bytes_per_second'), at('pcie_sent_bytes_per_second')));
  add(
    'nvlink',
    flowText(at('nvlink_received_bytes_per_second'), at('nvlink_sent_bytes_per_second'))
  );
  add('network', flow === undefined ? null : flowText(flow.received, flow.sent));
  const cudf = at('cudf_spilled_bytes');
  add('cudfSpill', cudf ? formatBytes(cudf) : null);
  return facts;
}

function workerTasks(
  running: number | null,
  ready: number | null,
  words: IGaugeContext['words']
): string | null {
  if (running === null) {
    return null;
  }
  const parts = [fill(words.running, { count: formatCount(running) })];
  if (ready) {
    parts.push(fill(words.ready, { count: formatCount(ready) }));
  }
  return parts.join(', ');
}

function flowText(received: number | null, sent: number | null): string | null {
  if (received !== null && sent !== null) {
    return `↓${formatSizes([received, sent], ' ↑')}/s`;
  }
  if (received !== null) {
    return `↓${formatRate(received)}`;
  }
  return sent === null ? null : `↑${formatRate(sent)}`;
}

/** What there is to tell of the whole cluster. */
export function clusterFacts(
  sample: TelemetrySample,
  flow: IFlow | undefined,
  power: number | null,
  { words }: IGaugeContext
): IFact[] {
  const count = (state: string): number => sample.tasks?.[state] ?? 0;
  const waiting = count('waiting') + count('queued') + count('no-worker');
  const parts: string[] = [];
  const add = (template: string, n: number): void => {
    if (n > 0) {
      parts.push(fill(template, { count: formatCount(n) }));
    }
  };
  // The scheduler gives tasks to workers ahead of time: not all that are processed run.
  const processing = count('processing');
  const executing = sum(column(sample, 'executing')) ?? processing;
  // Just after a worker has died, the scheduler still counts what it ran: no more run than there are threads.
  const running = Math.min(executing, sum(column(sample, 'n_threads')) ?? executing);
  add(words.running, running);
  add(words.ready, Math.max(0, processing - running));
  add(words.waiting, waiting);
  add(words.failed, count('erred'));
  const facts: IFact[] = [
    { part: 'tasks', text: parts.length === 0 ? words.noTasks : parts.join(', ') }
  ];
  if (power !== null) {
    facts.push({ part: 'power', text: formatWatts(power) });
  }
  // Its rate is known from the second sample on; the line is there before.
  if (flow !== undefined || sum(column(sample, 'received_bytes')) !== null) {
    facts.push({ part: 'network', text: flow === undefined ? '–' : formatRate(flow.received) });
  }
  const { host_others_cores: others, host_cores } = sample;
  // Also while it is little: a line that came and went would move what is below.
  if (typeof others === 'number' && host_cores) {
    facts.push({
      part: 'otherLoad',
      text: fill(host_cores === 1 ? words.someCore : words.someCores, {
        used: digits(others),
        total: `${host_cores}`
      }),
      isWarning: others >= OTHERS_SHARE * host_cores
    });
  }
  const shared = sharedText(sample, words);
  return shared === '' ? facts : [...facts, { part: 'shared', text: shared }];
}

/** Other programs that use this fraction of the cores make tasks slow. */
const OTHERS_SHARE = 0.5;

/** What workers may use together that is more than their machine has. */
function sharedText(sample: TelemetrySample, words: IGaugeContext['words']): string {
  const parts: string[] = [];
  const threads = sum(column(sample, 'n_threads')) ?? 0;
  const cores = sample.host_cores ?? threads;
  if (threads > cores) {
    const template = cores === 1 ? words.threadsOnCore : words.threadsOnCores;
    parts.push(fill(template, { threads: `${threads}`, cores: `${cores}` }));
  }
  const limit = sum(column(sample, 'memory_limit_bytes')) ?? 0;
  const memory = sample.host_memory_bytes ?? limit;
  if (limit > memory) {
    parts.push(fill(words.limitsOn, { limit: formatBytes(limit), machine: formatBytes(memory) }));
  }
  return parts.join(', ');
}
