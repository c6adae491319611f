import type { ClusterModel, TelemetrySample } from '../protocol/messages';
import { entry } from './columns';
import { element, setAttribute, setText } from './element';
import { Facts, workerFacts } from './facts';
import { hasGpu, workerFigures } from './figures';
import type { Flows } from './flows';
import { GaugeSet, type IGaugeContext } from './gaugeset';
import type { Past } from './past';
import { formatDuration } from './units';
import { fill, titleOf } from './words';

/** What gauges ask of a cluster: addresses and processes of its workers, as far as they are known. */
export type IKnownWorkers = Pick<ClusterModel, 'workers'>;

/** What a row is drawn from. */
export interface IWorkerData {
  readonly sample: TelemetrySample;
  readonly cluster: IKnownWorkers;
  readonly past: Past;
  readonly flows: Flows;
}

/** One worker. */
export class WorkerRow {
  constructor(
    readonly name: string,
    private readonly _context: IGaugeContext,
    onRetire: ((worker: string) => void) | undefined
  ) {
    const { words, tooltip } = _context;
    this.node = element('div', 'gpc-WorkerRow');
    this.node.setAttribute('role', 'listitem');
    this.node.tabIndex = -1;
    const header = element('div', 'gpc-WorkerRow-header', this.node);
    this._title = element('span', 'gpc-WorkerRow-name', header);
    this._title.textContent = titleOf(name, words);
    this._age = element('span', 'gpc-WorkerRow-age', header);
    if (onRetire !== undefined) {
      this._retire = element('button', 'gpc-WorkerRow-retire', header);
      this._retire.type = 'button';
      this._retire.textContent = words.retire;
      this._retire.tabIndex = -1;
      this._retire.setAttribute(
        'aria-label',
        fill(words.retireOne, { worker: titleOf(name, words) })
      );
      this._retire.addEventListener('click', () => onRetire(name));
      tooltip.explain(this._retire, () => [words.retire, words.retireSentence]);
    }
    this._error = element('p', 'gpc-WorkerRow-error', this.node);
    this._gauges = new GaugeSet(_context);
    this._facts = new Facts(_context);
    this.node.append(this._gauges.node, this._facts.node);
    tooltip.explainToKeyboard(this.node, () => this._sentences());
    tooltip.explain(this._title, () => this._sentences());
  }

  readonly node: HTMLElement;

  /** Whether it is the row that the keyboard has reached: its button can be reached from there. */
  set isActive(isActive: boolean) {
    this.node.tabIndex = isActive ? 0 : -1;
    if (this._retire !== null) {
      this._retire.tabIndex = isActive ? 0 : -1;
    }
  }

  /** Draw the i-th worker; tells what lines it has, as they decide on its height. */
  update(i: number, { sample, cluster, past, flows }: IWorkerData): string {
    const { words } = this._context;
    const isGpu = hasGpu(sample, i);
    const traces = past.worker(this.name);
    this._gauges.update(
      workerFigures(sample, i, !isGpu),
      isGpu
        ? { gpu: traces?.busy, vram: traces?.memory }
        : { cpu: traces?.busy, memory: traces?.memory },
      isGpu
    );
    const facts = workerFacts(sample, i, isGpu, flows.worker(this.name), this._context);
    this._facts.update(facts);
    const error = entry(sample, 'device_error', i) ?? '';
    setText(this._error, error);
    const age = entry(sample, 'age_seconds', i) ?? 0;
    const isStale = age > staleSeconds(sample.workers.length);
    this.node.classList.toggle('gpc-mod-stale', isStale);
    setText(this._age, isStale ? fill(words.stale, { age: formatDuration(age) }) : '');
    setAttribute(this.node, 'aria-setsize', `${sample.workers.length}`);
    setAttribute(this.node, 'aria-posinset', `${i + 1}`);
    const model = cluster.workers.find(worker => worker.name === this.name);
    this._address = model?.address
      ? fill(words.process, { pid: `${model.pid ?? '?'}`, address: model.address })
      : '';
    return [error !== '', this._gauges.shape, facts.length].join();
  }

  private _sentences(): string[] {
    const { words } = this._context;
    const title = fill(words.worker, { name: this.name });
    const age = this._age.textContent ?? '';
    const old = age === '' ? [] : [`${age}. ${words.parts.age.sentence}`];
    const lines = [...this._gauges.sentences, ...this._facts.sentences];
    return [title, ...old, ...lines, this._address].filter(line => line !== '');
  }

  private readonly _title: HTMLElement;
  private readonly _age: HTMLElement;
  private readonly _error: HTMLElement;
  private readonly _gauges: GaugeSet;
  private readonly _facts: Facts;
  private readonly _retire: HTMLButtonElement | null = null;
  private _address = '';
}

/** Workers report less often the more there are; so old, a report is late. */
function staleSeconds(nWorkers: number): number {
  return Math.max(10, 3 * (nWorkers / 200 + 1));
}
