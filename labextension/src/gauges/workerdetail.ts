import { entry } from './columns';
import { element, setAttribute, setText } from './element';
import { Facts, workerFacts } from './facts';
import { hasGpu, workerFigures } from './figures';
import { GaugeSet, type IGaugeContext } from './gaugeset';
import { titleOf } from './titles';
import { fill } from './words';
import { staleAge, type IWorkerData } from './workerrow';

/** All that is known of the one worker that was chosen, below the list. */
export class WorkerDetail {
  constructor(
    private readonly _context: IGaugeContext,
    onRetire: ((worker: string) => void) | undefined
  ) {
    const { words, tooltip } = _context;
    this.node = element('div', 'gpc-WorkerDetail');
    this.node.setAttribute('role', 'group');
    this.node.hidden = true;
    const header = element('div', 'gpc-WorkerDetail-header', this.node);
    this._title = element('span', 'gpc-WorkerDetail-name', header);
    this._age = element('span', 'gpc-WorkerDetail-age', header);
    if (onRetire !== undefined) {
      const retire = element('button', 'gpc-WorkerDetail-retire', header);
      retire.type = 'button';
      retire.textContent = words.retire;
      retire.addEventListener('click', () => onRetire(this.name));
      tooltip.explain(retire, () => [words.retire, words.retireSentence]);
      this._retire = retire;
    }
    this._error = element('p', 'gpc-WorkerDetail-error', this.node);
    this._gauges = new GaugeSet(_context);
    this._gauges.isFocusable = true;
    this._facts = new Facts(_context);
    this.node.append(this._gauges.node, this._facts.node);
    this._address = element('p', 'gpc-WorkerDetail-address', this.node);
  }

  readonly node: HTMLElement;

  /** The worker that is shown; empty for none. */
  name = '';

  /** Draw the i-th worker; -1 for none. */
  update(i: number, { sample, cluster, past, flows }: IWorkerData): void {
    this.node.hidden = i < 0;
    if (i < 0) {
      return;
    }
    const { words } = this._context;
    const isGpu = hasGpu(sample, i);
    const traces = past.worker(this.name);
    const title = titleOf(sample, i, words);
    this.node.setAttribute('aria-label', title);
    setText(this._title, title);
    setText(this._age, staleAge(sample, i, words));
    if (this._retire !== null) {
      this._retire.setAttribute('aria-label', fill(words.retireOne, { worker: title }));
      this._retire.hidden = cluster.can?.includes('retire') === false;
    }
    setText(this._error, entry(sample, 'device_error', i) ?? '');
    this._gauges.update(
      workerFigures(sample, i, !isGpu),
      isGpu
        ? { gpu: traces?.busy, vram: traces?.memory }
        : { cpu: traces?.busy, memory: traces?.memory },
      isGpu
    );
    this._facts.update(workerFacts(sample, i, isGpu, flows.worker(this.name), this._context));
    const model = cluster.workers.find(worker => worker.name === this.name);
    const address = model?.address
      ? fill(words.process, { pid: `${model.pid ?? '?'}`, address: model.address })
      : '';
    // Where the title is a number, this is what logs and Dask's pages call it.
    const named = title.includes(this.name) ? '' : fill(words.worker, { name: this.name });
    const text = [named, address].filter(line => line !== '').join(' · ');
    setText(this._address, text);
    // One line: addresses are long.
    setAttribute(this._address, 'title', text);
  }

  private readonly _title: HTMLElement;
  private readonly _age: HTMLElement;
  private readonly _retire: HTMLButtonElement | null = null;
  private readonly _error: HTMLElement;
  private readonly _gauges: GaugeSet;
  private readonly _facts: Facts;
  private readonly _address: HTMLElement;
}
